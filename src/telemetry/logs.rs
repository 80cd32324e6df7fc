//! Log lines: one JSON object per line, or text for people.

use std::io::IsTerminal;
use std::sync::Arc;

use tracing::Subscriber;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::reload;
use tracing_subscriber::util::{SubscriberInitExt, TryInitError};
use tracing_subscriber::{EnvFilter, Layer, Registry};

use super::json_lines::JsonLines;
use super::log_buffer::{LogBuffer, LogFlush};
use super::text_lines::TextLines;
use calendar_edge_core::settings::{LogFormat, LogSettings};

/// The target of log lines about requests.
pub(crate) const ACCESS: &str = "calendar_edge::access";

/// The filter of a log; it can be replaced at run time. Clones share it.
#[derive(Debug, Clone)]
pub struct LogFilter(reload::Handle<EnvFilter, Registry>);

/// The reason why logging could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The filter is not a valid `tracing` filter.
    #[error("the log filter cannot be read")]
    Filter(#[from] tracing_subscriber::filter::ParseError),
    /// Logging is already set up in this process.
    #[error("logging is already set up")]
    Installed(#[from] TryInitError),
    /// The thread that writes log lines cannot be started.
    #[error("the thread that writes the log cannot be started")]
    Thread(#[from] std::io::Error),
    /// The log of the filter no longer exists.
    #[error("the log filter cannot be replaced")]
    Gone(#[from] reload::Error),
}

// === impl LogFilter ===

impl LogFilter {
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

/// Writes the process's log lines to standard error in the configured format.
///
/// Lines pass a buffer, so that no request waits for the log. They are written within 20 ms, when the returned guard is
/// dropped, and at a panic. Lines beyond 4 MiB that wait are lost; their number is logged.
///
/// A process has one log: the command line calls this once, an edge never does.
///
/// # Errors
///
/// If the filter is invalid, logging is already set up, or the thread that writes cannot be started.
pub fn install_logs(settings: &LogSettings) -> Result<(LogFilter, LogFlush), LogError> {
    let buffer = LogBuffer::before(std::io::stderr())?;
    let (lines, filter) = filtered_lines(settings, buffer.clone())?;
    lines.try_init()?;
    flush_at_panic(buffer.clone());
    Ok((filter, LogFlush(buffer)))
}

/// Writes the lines before a panic above its report, which does not pass the buffer.
fn flush_at_panic(buffer: Arc<LogBuffer>) {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        buffer.flush();
        report(panic);
    }));
}

/// A subscriber that writes log lines in the configured format.
///
/// # Errors
///
/// If the filter is invalid.
pub fn log_lines<W>(settings: &LogSettings, writer: W) -> Result<impl Subscriber + Send + Sync, LogError>
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    filtered_lines(settings, writer).map(|(lines, _)| lines)
}

fn filtered_lines<W>(
    settings: &LogSettings,
    writer: W,
) -> Result<(impl Subscriber + Send + Sync + use<W>, LogFilter), LogError>
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let (filter, handle) = reload::Layer::new(EnvFilter::try_new(&settings.filter)?);
    let lines = tracing_subscriber::fmt::layer().with_writer(writer);
    let is_terminal = std::io::stderr().is_terminal();
    let format = match settings.format {
        LogFormat::Auto if is_terminal => LogFormat::Text,
        LogFormat::Auto => LogFormat::Json,
        chosen => chosen,
    };
    let lines = match format {
        LogFormat::Auto | LogFormat::Json => lines.json().event_format(JsonLines).boxed(),
        // Colours would fill a file or a journal with escape sequences.
        LogFormat::Text => {
            let is_coloured = is_terminal && is_colour_wanted();
            let lines = lines.with_ansi(is_coloured);
            lines.event_format(TextLines::new(is_coloured)).boxed()
        }
    };
    let lines = tracing_subscriber::registry().with(filter).with(lines);
    Ok((lines, LogFilter(handle)))
}

/// True if the environment leaves colours on: `NO_COLOR` with any text switches them off.
fn is_colour_wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}
