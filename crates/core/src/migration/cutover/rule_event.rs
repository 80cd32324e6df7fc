//! What the guard of a rule is told about calls.

use std::time::Duration;

use http::StatusCode;

use crate::migration::comparison::DifferenceClass;

/// Something that happened to a call that a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleEvent {
    /// The backend answered within this time.
    Answered(Duration),
    /// The head of a response came within this time; its body follows.
    Began(Duration),
    /// A response that had begun ended well.
    Ended,
    /// A response that had begun broke off.
    BrokeOff,
    /// The backend failed: no connection, a timeout, an unusable answer, status 429, or one of 500 or more.
    Failed,
    /// The client left before the backend had answered.
    GivenUp(Duration),
    /// The site answered a call of a client that the rule does not take.
    PrimaryAnswered(Duration),
    /// The responses of backend and site do not differ in value.
    Same,
    /// The responses of backend and site differ in value.
    Different,
}

// === impl RuleEvent ===

impl RuleEvent {
    /// The response of the backend, whose head came within this time. An envelope that was not read hides the status.
    pub fn of_response(status: Option<StatusCode>, is_streamed: bool, took: Duration) -> Self {
        if is_failure(status) {
            Self::Failed
        } else if is_streamed {
            Self::Began(took)
        } else {
            Self::Answered(took)
        }
    }

    /// The response of the site to a call that the rule is about; none if its time says nothing.
    pub fn of_primary(status: Option<StatusCode>, took: Duration) -> Option<Self> {
        (!is_failure(status)).then_some(Self::PrimaryAnswered(took))
    }

    /// What the comparison of both responses found.
    pub fn of_difference(class: DifferenceClass) -> Self {
        if class.is_another_value() {
            Self::Different
        } else {
            Self::Same
        }
    }
}

/// Returns true if a client would see a failure, or would be told to ask less often.
fn is_failure(status: Option<StatusCode>) -> bool {
    status.is_some_and(|status| status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOK: Duration = Duration::from_millis(7);

    #[test]
    fn errors_of_a_server_and_too_many_requests_are_failures() {
        for (status, is_streamed, expected) in [
            (Some(200), false, RuleEvent::Answered(TOOK)),
            (Some(404), false, RuleEvent::Answered(TOOK)),
            (None, false, RuleEvent::Answered(TOOK)),
            (Some(200), true, RuleEvent::Began(TOOK)),
            (Some(429), false, RuleEvent::Failed),
            (Some(500), false, RuleEvent::Failed),
            (Some(503), true, RuleEvent::Failed),
        ] {
            let status = status.map(|status| StatusCode::from_u16(status).unwrap());
            assert_eq!(RuleEvent::of_response(status, is_streamed, TOOK), expected);
            let of_primary = RuleEvent::of_primary(status, TOOK);
            assert_eq!(of_primary.is_none(), expected == RuleEvent::Failed, "{status:?}");
        }
    }

    #[test]
    fn responses_differ_from_the_class_of_hosts_on() {
        for class in DifferenceClass::ALL {
            let is_different = RuleEvent::of_difference(*class) == RuleEvent::Different;
            assert_eq!(is_different, *class >= DifferenceClass::Host, "{class:?}");
        }
        assert_eq!(
            RuleEvent::of_difference(DifferenceClass::Volatile),
            RuleEvent::Same
        );
    }
}
