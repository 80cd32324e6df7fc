//! The comparison of two backends' responses.

use std::time::Duration;

use jiff::civil::Date;

use crate::settings::keys::form::REASON;
use crate::settings::keys::group::settings_group;
use crate::settings::keys::rule_form::{DAY, DIFFERENCE_PATH, OPERATIONS};
use crate::settings::operation_pattern::OperationPattern;

settings_group! {
    /// Comparison of the responses of two backends, see [candidate.md](candidate.md#comparison).
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CompareSettings {
        /// Differences that do not count.
        pub ignore: Vec<IgnoreRule> = Vec::new();
        /// The compared calls that an operation needs before it is ready, and needs again after each difference. None
        /// of 300 calls: with 95 per cent of confidence, fewer than one of 100 differ.
        pub calls: u64 = 300;
        /// The time after a difference in which its operation is not ready.
        pub quiet: Duration = Duration::from_hours(24);
    }
}

settings_group! {
    /// One table per difference that does not count.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct IgnoreRule {
        /// The operations.
        pub operations: Vec<OperationPattern> = Vec::new() => list(OPERATIONS, 1), "required";
        /// The path that does not count, with everything below it.
        pub path: String = String::new() => text(DIFFERENCE_PATH), "required";
        /// The reason for which it does not count.
        pub reason: String = String::new() => text(REASON), "required";
        /// The day from which it counts again, in UTC; the report then names the rule.
        pub until: Option<Date> = None => text(DAY), "never";
    }
}
