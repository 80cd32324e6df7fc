//! Log lines: one JSON object a line, or text for people.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};

use crate::config::{LogFormat, LogSettings};

/// Why logging could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The filter is no `tracing` filter.
    #[error("the log filter cannot be read")]
    Filter(#[from] tracing_subscriber::filter::ParseError),
    /// The process already logs.
    #[error("logging is already set up")]
    Installed(#[from] TryInitError),
}

/// Sends the process's log lines to standard error in the configured form.
///
/// A process has one log: the command line calls this once, edges never do.
///
/// # Errors
///
/// When the filter cannot be read or the process already logs.
pub fn install_logs(settings: &LogSettings) -> Result<(), LogError> {
    let filter = EnvFilter::try_new(&settings.filter)?;
    let registry = tracing_subscriber::registry().with(filter);
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    match settings.format {
        LogFormat::Json => registry
            .with(lines.json().flatten_event(true).with_span_list(false))
            .try_init()?,
        LogFormat::Text => registry.with(lines).try_init()?,
    }
    Ok(())
}
