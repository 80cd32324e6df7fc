//! The filter of the log: the configured one, or another one for a time.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::{EnvFilter, Registry, reload};

use super::logs::LogError;
use super::wall_clock::unix_time;
use calendar_edge_core::unix_time::UnixTime;

/// The filter of a log; it can be replaced at run time. Clones share it.
#[derive(Debug, Clone)]
pub struct LogFilter {
    handle: reload::Handle<EnvFilter, Registry>,
    in_use: Arc<Mutex<ShownFilter>>,
}

/// The filter in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShownFilter {
    /// The one of the configuration.
    pub(crate) configured: String,
    /// The one in use.
    pub(crate) current: String,
    /// When the configured one returns; none: with the next reload.
    pub(crate) until: Option<UnixTime>,
    /// Number of changes, so that a filter does not end with the time of an earlier one.
    turn: u64,
}

/// The reason why a filter is not taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FilterFault {
    /// There is none.
    #[error("There is no filter in the request.")]
    Empty,
    /// A word is neither a level nor a part of a program with a level.
    #[error(
        "`{0}` is no level (off, error, warn, info, debug, trace), and no part with a level like hyper=debug."
    )]
    Word(String),
    /// The filter is not a valid `tracing` filter.
    #[error("It is invalid: {0}.")]
    Invalid(#[from] tracing_subscriber::filter::ParseError),
    /// The log of the filter no longer exists.
    #[error("The log cannot be filtered any more.")]
    Gone(#[from] reload::Error),
}

// === impl LogFilter ===

impl LogFilter {
    pub(super) fn new(handle: reload::Handle<EnvFilter, Registry>, configured: &str) -> Self {
        Self {
            handle,
            in_use: Arc::new(Mutex::new(ShownFilter::configured(configured, 0))),
        }
    }

    /// Replaces the filter by a configured one.
    ///
    /// # Errors
    ///
    /// If the filter is invalid; then the old one stays.
    pub fn replace(&self, filter: &str) -> Result<(), LogError> {
        let parsed = EnvFilter::try_new(filter)?;
        let mut in_use = self.in_use.lock();
        self.handle.reload(parsed)?;
        *in_use = ShownFilter::configured(filter, in_use.turn + 1);
        Ok(())
    }

    /// Filters otherwise until the next reload, or for a time. It runs within a runtime.
    ///
    /// # Errors
    ///
    /// If the filter is invalid; then the old one stays.
    pub(crate) fn adjust(&self, filter: &str, lasting: Option<Duration>) -> Result<(), FilterFault> {
        let parsed = parsed(filter)?;
        let mut in_use = self.in_use.lock();
        self.handle.reload(parsed)?;
        filter.clone_into(&mut in_use.current);
        in_use.until = lasting.map(|lasting| unix_time().saturating_add(lasting));
        in_use.turn += 1;
        let turn = in_use.turn;
        drop(in_use);
        if let Some(lasting) = lasting {
            let this = self.clone();
            tokio::spawn(async move {
                tokio::time::sleep(lasting).await;
                this.end(turn);
            });
        }
        Ok(())
    }

    /// The filter in use.
    pub(crate) fn shown(&self) -> ShownFilter {
        self.in_use.lock().clone()
    }

    /// Returns to the configured filter, unless another one was set meanwhile.
    fn end(&self, turn: u64) {
        let mut in_use = self.in_use.lock();
        if in_use.turn != turn {
            return;
        }
        // It was valid when it was configured.
        if let Ok(configured) = EnvFilter::try_new(&in_use.configured)
            && self.handle.reload(configured).is_ok()
        {
            *in_use = ShownFilter::configured(&in_use.configured, turn + 1);
        }
        drop(in_use);
        tracing::info!("the log is filtered as configured again");
    }
}

// === impl ShownFilter ===

impl ShownFilter {
    fn configured(filter: &str, turn: u64) -> Self {
        Self {
            configured: filter.to_owned(),
            current: filter.to_owned(),
            until: None,
            turn,
        }
    }
}

/// Reads a filter. A word alone would be taken for a part of the program, with all of its lines: a mistyped level must
/// not silence the log.
fn parsed(filter: &str) -> Result<EnvFilter, FilterFault> {
    if filter.is_empty() {
        return Err(FilterFault::Empty);
    }
    let words = filter.split(',').map(str::trim);
    let is_odd = |word: &&str| {
        let is_part = word.contains('=') || word.contains('[') || word.contains("::");
        !is_part && word.parse::<LevelFilter>().is_err()
    };
    if let Some(odd) = words.into_iter().find(is_odd) {
        return Err(FilterFault::Word(odd.to_owned()));
    }
    Ok(EnvFilter::try_new(filter)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter() -> (reload::Layer<EnvFilter, Registry>, LogFilter) {
        let (layer, handle) = reload::Layer::new(EnvFilter::new("info"));
        (layer, LogFilter::new(handle, "info"))
    }

    #[test]
    fn a_mistyped_filter_is_named_and_changes_nothing() {
        let (_layer, filter) = filter();
        for (text, part) in [
            ("", "no filter"),
            ("debgu", "`debgu`"),
            ("info,cache", "`cache`"),
            ("info,calendar_edge=loud", "invalid"),
            ("[", "invalid"),
        ] {
            let error = filter.adjust(text, None).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        assert_eq!(filter.shown(), ShownFilter::configured("info", 0));
        for text in [
            "warn",
            "info,calendar_edge::access=debug",
            "off",
            "calendar_edge::access",
        ] {
            filter.adjust(text, None).unwrap();
            assert_eq!(filter.shown().current, text);
        }
        filter.replace("error").unwrap();
        assert_eq!(filter.shown(), ShownFilter::configured("error", 5));
    }

    #[tokio::test(start_paused = true)]
    async fn a_filter_ends_with_its_own_time() {
        let (_layer, filter) = filter();
        let minute = Duration::from_mins(1);
        filter.adjust("debug", Some(minute)).unwrap();
        tokio::time::sleep(minute / 2).await;
        filter.adjust("trace", Some(minute)).unwrap();
        tokio::time::sleep(minute * 3 / 4).await;
        assert_eq!(filter.shown().current, "trace");
        tokio::time::sleep(minute).await;
        assert_eq!(filter.shown().current, "info");
        assert_eq!(filter.shown().until, None);
    }
}
