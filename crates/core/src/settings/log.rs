//! Settings of the log.

use super::keys::form::FILTER;
use super::keys::group::settings_group;

const FORMATS: [(&str, LogFormat); 3] = [
    ("auto", LogFormat::Auto),
    ("json", LogFormat::Json),
    ("text", LogFormat::Text),
];

settings_group! {
    /// Logging, to standard error.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct LogSettings {
        /// `json`: one JSON object per line; `text`: for people; `auto`: text on a terminal, else JSON.
        pub format: LogFormat = LogFormat::Auto => choice(FORMATS);
        /// Events that are logged, as a `tracing` filter.
        pub filter: String = "info".to_owned() => printed(FILTER);
    }
}

/// The format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// Text on a terminal, JSON elsewhere.
    #[default]
    Auto,
    /// One JSON object per line.
    Json,
    /// Text for people.
    Text,
}
