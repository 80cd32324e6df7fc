//! Calls that go to other backends instead of the site.

use std::time::Duration;

use crate::settings::keys::group::settings_group;
use crate::settings::keys::rule_form::{BACKEND, OPERATIONS, RULE_NAME, SHARE};
use crate::settings::operation_pattern::OperationPattern;
use crate::settings::percentage::Percentage;

const METHODS: [(&str, CutMethods); 3] = [
    (CutMethods::Reads.name(), CutMethods::Reads),
    (CutMethods::Writes.name(), CutMethods::Writes),
    (CutMethods::All.name(), CutMethods::All),
];

settings_group! {
    /// One table per rule that sends calls to a backend instead of the site, see
    /// [migration.md](../guides/migration.md). The first rule that is about a call and whose share has its client
    /// counts. Rules that would split the records of one kind between two stores are refused.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct CutoverRule {
        /// The name in logs, metrics and commands.
        pub name: String = String::new() => text(RULE_NAME), "required";
        /// The backend that gets the calls, by the name of its table.
        pub backend: String = String::new() => text(BACKEND), "required";
        /// The operations.
        pub operations: Vec<OperationPattern> = Vec::new() => list(OPERATIONS, 1), "required";
        /// A rule that takes writes sends their credentials to the backend; reads with credentials go there with
        /// `methods = "all"`, or with `credentials = "forward"` of the backend.
        pub methods: CutMethods = CutMethods::Reads => choice(METHODS);
        /// The share of clients. A client is the account in its credentials, or else its address, and stays in or out
        /// until the share changes. A share that grows keeps every client that was in.
        pub share: Percentage = Percentage::ALL => printed(SHARE);
        /// Reads that fail at the backend go to the site: no connection, a timeout, an unusable response, or a status
        /// of 500 or more. The backend then has half of `timeouts.origin_read`.
        pub fallback: bool = false => flag();
        /// The backend and the site see one database.
        pub same_store: bool = false => flag();
        /// The limits at which all calls return to the site by themselves; none: never.
        pub guard: Option<GuardSettings> = None;
    }
}

settings_group! {
    /// The guard of the `[[cutover]]` table above, also written `guard = { calls = 200 }`. When a limit is exceeded,
    /// all calls go to the site at once, until `calendar-edge migration resume RULE`. Without this table there is no
    /// guard.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct GuardSettings {
        /// The time over which the guard counts.
        pub window: Duration = Duration::from_mins(5) => seconds(1..=86_400), "`\"5m\"`";
        /// The number of calls, or of compared responses, in the window from which on their share alone decides. Among
        /// fewer, a limit is exceeded only if chance does not explain it.
        pub calls: u64 = 200 => count(1..=1_000_000);
        /// The most calls that may fail: no connection, a timeout, an unusable response, status 429, one of 500 or
        /// more, or a response that breaks off.
        pub failures: Option<Percentage> = Some(Percentage::of_millionths(10_000)) => printed(SHARE);
        /// The most responses that may be `different` or `host`, of those that `[[shadow]]` rules for the same backend
        /// and operations compare.
        pub different: Option<Percentage> = None => text(SHARE), "not judged";
    }
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
