//! Copies of reads to another backend, whose responses are compared.

use crate::settings::keys::group::settings_group;
use crate::settings::keys::rule_form::{BACKEND, OPERATIONS, SHARE};
use crate::settings::operation_pattern::OperationPattern;
use crate::settings::percentage::Percentage;

settings_group! {
    /// One table per rule that copies reads to a backend after the client's response is on its way, and compares the
    /// two responses, see [migration.md](../guides/migration.md). Of several rules for one backend the first that is
    /// about an operation counts. Writes are never copied.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ShadowRule {
        /// The backend that gets the copies, by the name of its table.
        pub backend: String = String::new() => text(BACKEND), "required";
        /// The operations whose reads are copied.
        pub operations: Vec<OperationPattern> = Vec::new() => list(OPERATIONS, 1), "required";
        /// The share of these reads.
        pub share: Percentage = Percentage::ALL => printed(SHARE);
        /// The share of the copied reads that the owner gets a second time, to learn where it differs from itself.
        pub double: Percentage = Percentage::of_millionths(10_000);
        /// Copy reads with credentials too, with their credentials.
        pub credentialed: bool = false => flag();
        /// The most copies per second.
        pub requests_per_second: u32 = 10;
        /// The most copies at once; further reads are not copied. The edges of a `[fleet]` have equal parts.
        pub in_flight: usize = 4;
        /// The most bytes of the body of one response; larger responses are not compared.
        pub bytes: u64 = 1 << 20;
    }
}

// === impl ShadowRule ===

impl ShadowRule {
    /// Returns true if the rule is about the operation with this name.
    pub fn is_about(&self, operation: &str) -> bool {
        self.operations.iter().any(|pattern| pattern.matches(operation))
    }
}
