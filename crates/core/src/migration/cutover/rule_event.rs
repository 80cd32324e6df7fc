//! The events of calls that the guard of a rule takes.

use http::StatusCode;

use crate::migration::comparison::DifferenceClass;

/// Something that happened to a call that a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleEvent {
    /// The backend responded.
    Responded,
    /// The head of a response came; its body follows.
    Began,
    /// A response that had begun ended well.
    Ended,
    /// A response that had begun broke off.
    BrokeOff,
    /// The backend failed: no connection, a timeout, an unusable response, status 429, or one of 500 or more.
    Failed,
    /// The responses of backend and site do not differ in value.
    Same,
    /// The responses of backend and site differ in value.
    Different,
}

// === impl RuleEvent ===

impl RuleEvent {
    /// The response of the backend. An envelope that was not read hides the status.
    pub fn of_response(status: Option<StatusCode>, is_streamed: bool) -> Self {
        // A client would see a failure, or a request to slow down.
        let is_failure =
            |status: StatusCode| status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
        if status.is_some_and(is_failure) {
            Self::Failed
        } else if is_streamed {
            Self::Began
        } else {
            Self::Responded
        }
    }

    /// The result of the comparison of both responses.
    pub fn of_difference(class: DifferenceClass) -> Self {
        if class.is_another_value() {
            Self::Different
        } else {
            Self::Same
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_a_server_and_too_many_requests_are_failures() {
        for (status, is_streamed, expected) in [
            (Some(200), false, RuleEvent::Responded),
            (Some(404), false, RuleEvent::Responded),
            (None, false, RuleEvent::Responded),
            (Some(200), true, RuleEvent::Began),
            (Some(429), false, RuleEvent::Failed),
            (Some(500), false, RuleEvent::Failed),
            (Some(503), true, RuleEvent::Failed),
        ] {
            let status = status.map(|status| StatusCode::from_u16(status).unwrap());
            assert_eq!(RuleEvent::of_response(status, is_streamed), expected);
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
