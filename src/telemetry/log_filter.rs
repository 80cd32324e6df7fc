//! The filter of the log, which a reload replaces.

use tracing_subscriber::{EnvFilter, Registry, reload};

use super::logs::LogError;

/// The filter of a log; it can be replaced at run time. Clones share it.
#[derive(Debug, Clone)]
pub struct LogFilter(reload::Handle<EnvFilter, Registry>);

// === impl LogFilter ===

impl LogFilter {
    pub(super) const fn new(handle: reload::Handle<EnvFilter, Registry>) -> Self {
        Self(handle)
    }

    /// Replaces the filter by a configured one.
    ///
    /// # Errors
    ///
    /// If the filter is invalid; then the old one stays.
    pub fn replace(&self, filter: &str) -> Result<(), LogError> {
        let parsed = EnvFilter::try_new(filter)?;
        Ok(self.0.reload(parsed)?)
    }
}
