//! How the answers of two backends are compared.

use jiff::civil::Date;

use super::OperationPattern;

/// Comparison of the answers of two backends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CompareSettings {
    /// Differences that do not count.
    pub ignore: Vec<IgnoreRule>,
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
