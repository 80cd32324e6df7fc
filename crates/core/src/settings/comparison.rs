//! How the answers of two backends are compared.

use std::time::Duration;

use jiff::civil::Date;

use super::OperationPattern;

/// Comparison of the answers of two backends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompareSettings {
    /// Differences that do not count.
    pub ignore: Vec<IgnoreRule>,
    /// The compared calls that an operation needs before it is ready, and needs again after each difference.
    pub calls: u64,
    /// The distinct records in the primary's answers that an operation needs before it is ready.
    pub records: u64,
    /// The distinct arguments that calls of an operation need to have before it is ready, or all that it has.
    pub arguments: u64,
    /// The time after a difference in which its operation is not ready.
    pub quiet: Duration,
}

// === impl CompareSettings ===

impl Default for CompareSettings {
    fn default() -> Self {
        Self {
            ignore: Vec::new(),
            // None of 300 calls: with 95 per cent of confidence, fewer than one of 100 differ.
            calls: 300,
            records: 0,
            arguments: 0,
            quiet: Duration::from_hours(24),
        }
    }
}

/// A difference that does not count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IgnoreRule {
    /// The operations; at least one.
    pub operations: Vec<OperationPattern>,
    /// The path as reports print it, with everything below: `events[].modified_utc`, `:header.link`.
    pub path: String,
    /// Why it does not count.
    pub reason: String,
    /// The first day on which it counts again, in UTC; none: it never does.
    pub until: Option<Date>,
}
