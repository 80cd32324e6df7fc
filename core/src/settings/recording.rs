//! The recording of calls.

use std::path::PathBuf;

use super::Percentage;

/// The recording of judged calls into a file, from which `replay` reads them.
#[derive(Debug, Clone)]
pub struct RecordSettings {
    /// The file; none: nothing is recorded. The file before it has the same name with `.1`.
    pub file: Option<PathBuf>,
    /// Whether the edge records from its start on; operators switch it.
    pub on: bool,
    /// The share of the calls.
    pub share: Percentage,
    /// Maximum calls of one operation in one file, 1 or more.
    pub quota: u32,
    /// Maximum bytes of a file.
    pub size: u64,
}

// === impl RecordSettings ===

impl Default for RecordSettings {
    fn default() -> Self {
        Self {
            file: None,
            on: true,
            share: Percentage::of_millionths(10_000),
            quota: 1000,
            size: 64 << 20,
        }
    }
}
