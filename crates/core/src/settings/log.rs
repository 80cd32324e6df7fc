//! Settings of the log.

/// Logging.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogSettings {
    /// The format of a line.
    pub format: LogFormat,
    /// The format of the lines about requests.
    pub access: AccessFormat,
    /// A `tracing` filter: `info`, `calendar_edge=debug`.
    pub filter: String,
    /// Refusals that are kept in memory for their explanation; 0: none.
    pub refusals: usize,
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

/// The format of lines about requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AccessFormat {
    /// That of all lines.
    #[default]
    Log,
    /// The combined format of Apache and nginx, on standard output.
    Combined,
}

// === impl LogSettings ===

impl Default for LogSettings {
    fn default() -> Self {
        Self {
            format: LogFormat::default(),
            access: AccessFormat::default(),
            filter: "info".to_owned(),
            refusals: 1000,
        }
    }
}
