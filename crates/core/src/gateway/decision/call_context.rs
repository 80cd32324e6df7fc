//! The facts about a request to the site by which its response is checked.

use http::Method;

use crate::relay::{CallContext, Content};
use calendar_edge_judge::call::ForwardableCall;

// === impl CallContext ===

impl CallContext {
    /// The facts about a call; `target` is the path and query at the origin.
    pub fn of_call(call: &ForwardableCall, target: &str) -> Self {
        let request = call.request();
        Self {
            root: request.root,
            operation: call.operation().filter(|_| request.method != Method::OPTIONS),
            method: request.method.clone(),
            content: match call.operation() {
                Some(operation) if request.method != Method::OPTIONS => {
                    Content::of(operation.id, &request.method)
                }
                Some(_) | None => Content::Description,
            },
            may_be_script: call.expects_javascript,
            enveloped: call.expects_envelope,
            may_change_language: call.may_change_language(),
            target: target.into(),
        }
    }

    /// The facts about a read of the edge's own beside a call to this root: its response is not for clients.
    pub fn of_own_request(root: usize, target: &str) -> Self {
        Self {
            root,
            operation: None,
            method: Method::GET,
            content: Content::Description,
            may_be_script: false,
            enveloped: false,
            may_change_language: true,
            target: target.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;
    use crate::gateway::decision::{Decider, Decision, RequestHead};
    use crate::settings::Settings;
    use calendar_edge_judge::call::Outcome;

    fn of(method: &str, target: &str) -> CallContext {
        let mut settings = Settings::for_origin("http://wp.example/wp-json".parse().unwrap());
        settings.allow_jsonp = true;
        let request = Request::builder().method(method).uri(target);
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let head = RequestHead::from_nowhere(&parts);
        let Decision::Judged(judgement) = Decider::new(&settings).decide(&head, &[]) else {
            panic!("it is a call: {target}");
        };
        let Outcome::Forward(call) = judgement.outcome else {
            panic!("it is valid: {target}");
        };
        CallContext::of_call(&call, "/x")
    }

    #[test]
    fn the_response_is_read_by_what_was_asked_for() {
        const EVENTS: &str = "/wp-json/tribe/events/v1/events";
        let plain = of("GET", EVENTS);
        assert_eq!(plain.content, Content::Records);
        assert_eq!((plain.may_be_script, plain.enveloped), (false, false));
        assert!(!plain.may_change_language);
        assert!(of("GET", &format!("{EVENTS}?_envelope=1")).enveloped);
        assert!(of("GET", &format!("{EVENTS}?_jsonp=f")).may_be_script);
        assert_eq!(of("OPTIONS", EVENTS).content, Content::Description);
    }
}
