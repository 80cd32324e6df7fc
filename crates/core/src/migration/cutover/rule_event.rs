//! What happens to the calls of a rule, as its guard counts it.

use std::time::Duration;

use crate::migration::comparison::DifferenceClass;

/// Something that happened to a call that a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleEvent {
    /// The backend answered within this time.
    Answered(Duration),
    /// The head of an answer came within this time; its body follows.
    Began(Duration),
    /// An answer that had begun ended well.
    Ended,
    /// An answer that had begun broke off.
    BrokeOff,
    /// The backend failed: no connection, a timeout, an unusable answer, status 429, or one of 500 or more.
    Failed,
    /// The client left before the backend had answered.
    GivenUp(Duration),
    /// The site answered a call of a client that the rule does not take.
    PrimaryAnswered(Duration),
    /// The answers of backend and site do not differ in value.
    Same,
    /// The answers of backend and site differ in value.
    Different,
}

// === impl RuleEvent ===

impl RuleEvent {
    /// What two compared answers say. Another spelling, another order or noise is no other value.
    pub fn compared(class: DifferenceClass) -> Self {
        if class >= DifferenceClass::Host {
            Self::Different
        } else {
            Self::Same
        }
    }
}
