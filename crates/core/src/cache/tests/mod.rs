//! Requests judged as a running edge judges them, and what the cache makes of them.

mod calls;
mod changes;
mod keys;

use http::Request;

use super::*;
use crate::gateway::decision::{Decider, Decision, RequestHead};
use crate::settings::{OriginNamespace, Settings, Writes};
use calendar_edge_judge::call::{ForwardableCall, Outcome};

const API: &str = "/wp-json/calendar/events/v1";
const BASE: &str = "http://localhost:8787";
const REACHED: ReachedBy<'_> = ReachedBy {
    public_base: BASE,
    namespace: None,
};

fn settings() -> Settings {
    let mut settings = Settings::for_origin("https://wp.example/wp-json".parse().unwrap());
    settings.origin.namespace = OriginNamespace::set("tribe/events/v1");
    settings.writes = Writes::Forward;
    settings
}

/// The call of a request that may be forwarded.
fn forwardable(settings: &Settings, request: &Request<Vec<u8>>) -> ForwardableCall {
    let (parts, body) = request.clone().into_parts();
    let head = RequestHead::from_nowhere(&parts);
    match Decider::new(settings).decide(&head, &body) {
        Decision::Judged(judgement) => match judgement.outcome {
            Outcome::Forward(call) => (*call).clone(),
            Outcome::Refuse(refusal) => panic!("{}: {:?}", parts.uri, refusal.body()),
        },
        other => panic!("{}: {other:?}", parts.uri),
    }
}

fn request(method: &str, target: &str, fields: &[(&str, &str)], body: &str) -> Request<Vec<u8>> {
    let mut request = Request::builder().method(method).uri(format!("{API}{target}"));
    for (name, value) in fields {
        request = request.header(*name, *value);
    }
    request.body(body.as_bytes().to_vec()).unwrap()
}

pub(super) fn get(target: &str) -> ForwardableCall {
    forwardable(&settings(), &request("GET", target, &[], ""))
}

fn cacheable(call: &ForwardableCall) -> CacheableCall<'_> {
    let judged = CachePolicy::new(&settings()).judge(call).expect("a read");
    judged.expect("a call for the cache")
}
