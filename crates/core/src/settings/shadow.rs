//! Copies of reads to another backend, whose answers are compared.

use super::{OperationPattern, Percentage};

/// One table of `[[shadow]]`: which reads are copied to which backend, and within which bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShadowRule {
    /// The name of the backend.
    pub backend: String,
    /// The operations; at least one. Their writes are never copied.
    pub operations: Vec<OperationPattern>,
    /// The share of their reads that are copied.
    pub share: Percentage,
    /// The share of the copied reads that the owner is asked a second time, to learn where it differs from itself.
    pub double: Percentage,
    /// True if reads with credentials are copied, with their credentials.
    pub credentialed: bool,
    /// The most copies per second.
    pub requests_per_second: u32,
    /// The most copies at once.
    pub in_flight: usize,
    /// The most bytes of the body of one answer; larger answers are not compared.
    pub bytes: u64,
}

// === impl ShadowRule ===

impl ShadowRule {
    /// Returns true if the rule is about the operation with this name.
    pub fn is_about(&self, operation: &str) -> bool {
        self.operations.iter().any(|pattern| pattern.matches(operation))
    }
}

impl Default for ShadowRule {
    /// The defaults for a backend and operations that are not named yet.
    fn default() -> Self {
        Self {
            backend: String::new(),
            operations: Vec::new(),
            share: Percentage::ALL,
            double: Percentage::of_millionths(10_000),
            credentialed: false,
            requests_per_second: 10,
            in_flight: 4,
            bytes: 1024 * 1024,
        }
    }
}
