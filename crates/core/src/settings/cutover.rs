//! Calls that other backends answer instead of the site.

use std::time::Duration;

use super::{OperationPattern, Percentage};

/// One table of `[[cutover]]`: which calls of which clients another backend answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutoverRule {
    /// The name in logs, metrics and commands; each rule has its own.
    pub name: String,
    /// The name of the backend.
    pub backend: String,
    /// The operations; at least one.
    pub operations: Vec<OperationPattern>,
    /// The methods of these operations.
    pub methods: CutMethods,
    /// The share of clients.
    pub share: Percentage,
    /// True if reads that fail at the backend are asked of the site.
    pub fallback: bool,
    /// True if the backend and the site see one database.
    pub same_store: bool,
    /// When all calls return to the site by themselves; none: never.
    pub guard: Option<GuardSettings>,
    /// Shares that the rule takes one after the other; empty: `share` at once.
    pub steps: Vec<Percentage>,
    /// The least time of each step.
    pub step_time: Duration,
    /// The least number of calls at the backend in each step.
    pub step_calls: u64,
}

/// The limits of a rule, over a window of time. What has no limit is not judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardSettings {
    /// The length of the window.
    pub window: Duration,
    /// The number of calls, or of compared answers, from which on their share alone decides. Fewer must be beyond chance.
    pub calls: u64,
    /// The most calls that may fail.
    pub failures: Option<Percentage>,
    /// The most compared answers that may differ.
    pub different: Option<Percentage>,
    /// By how many per cent the backend may be slower than the site, at the median and at the slowest tenth.
    pub slower: Option<u32>,
}

/// The methods of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CutMethods {
    /// GET and HEAD.
    #[default]
    Reads,
    /// POST, PUT, PATCH and DELETE.
    Writes,
    /// Both.
    All,
}

// === impl CutoverRule ===

impl CutoverRule {
    /// Returns true if the rule is about an operation with this name, which is a write or a read.
    pub fn is_about(&self, operation: &str, access: CutMethods) -> bool {
        self.methods.include(access) && self.operations.iter().any(|pattern| pattern.matches(operation))
    }
}

impl Default for CutoverRule {
    /// The defaults for a rule that is not named yet.
    fn default() -> Self {
        Self {
            name: String::new(),
            backend: String::new(),
            operations: Vec::new(),
            methods: CutMethods::default(),
            share: Percentage::ALL,
            fallback: false,
            same_store: false,
            guard: None,
            steps: Vec::new(),
            step_time: Duration::from_hours(1),
            step_calls: 1_000,
        }
    }
}

impl Default for GuardSettings {
    fn default() -> Self {
        Self {
            window: Duration::from_mins(5),
            calls: 200,
            failures: Some(Percentage::of_millionths(10_000)),
            different: None,
            slower: None,
        }
    }
}

// === impl CutMethods ===

impl CutMethods {
    /// The methods of a call.
    pub const fn of(is_write: bool) -> Self {
        if is_write { Self::Writes } else { Self::Reads }
    }

    /// The name in settings and for operators.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::Writes => "writes",
            Self::All => "all",
        }
    }

    /// Returns true if all of these methods are among the own.
    pub fn include(self, others: Self) -> bool {
        self == Self::All || self == others
    }
}
