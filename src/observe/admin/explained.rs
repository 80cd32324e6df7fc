//! Kept refusals as operators see them.

use std::sync::Arc;

use http::{HeaderName, HeaderValue};
use serde_json::{Value, json};

use crate::server::joined;
use crate::telemetry::RecordedRefusal;
use calendar_edge_core::errors::remedy;
use calendar_edge_core::explain::finding;
use calendar_edge_core::gateway::refusals::{KeptRequest, RecordedPart};

/// The document at `/refusals`, newest first.
pub(super) fn refusal_list(newest: &[Arc<RecordedRefusal>]) -> Value {
    json!({"refusals": newest.iter().map(|kept| summary(kept)).collect::<Value>()})
}

/// A refusal in the list: with the parameters that its findings are about, and what was done with the request.
fn summary(kept: &RecordedRefusal) -> Value {
    let findings = kept.note.iter().flat_map(|note| &note.findings);
    let parameters = findings.filter_map(|finding| finding.parameter.as_deref());
    let action = match kept.forwarded {
        None => "refused",
        Some(_) => "forwarded",
    };
    joined([
        json!(kept),
        json!({
            "parameters": parameters.collect::<Vec<_>>(),
            "refused_in_every_mode_because": insists(kept),
            "action": action,
        }),
    ])
}

/// The reason why a request was refused although the mode lets requests pass that break a rule.
fn insists(kept: &RecordedRefusal) -> Option<&'static str> {
    let reason = kept.note.as_ref().map(|note| note.insists);
    reason.filter(|reason| kept.mode != "enforce" && !reason.is_empty())
}

/// All about a refusal: its reasons, the site's response to a forwarded request, and the request.
pub(super) fn explained_refusal(kept: &RecordedRefusal) -> Value {
    let remedy = remedy(kept.code);
    let note = kept.note.as_ref();
    let findings = note.into_iter().flat_map(|note| &note.findings);
    let site = kept.forwarded.as_ref();
    let site = site.map(|verdict| joined([json!({"outcome": verdict.outcome()}), json!(verdict)]));
    joined([
        summary(kept),
        json!({
            "meaning": remedy.map(|(meaning, _)| meaning),
            "remedy": remedy.map(|(_, operator)| operator),
            "site": site,
            "decided_by": note.map(|note| note.decided_by),
            "findings": findings.map(finding).collect::<Value>(),
            "request": note.and_then(|note| note.request.as_ref()).map(request),
        }),
    ])
}

/// A request without its secrets, with the names of what was replaced; of a body that is absent, why it is.
fn request(request: &KeptRequest) -> Value {
    let head = &request.head;
    let left_out = |why: &str| json!({"left_out": why});
    json!({
        "target": head.uri.path_and_query().map_or("/", |target| target.as_str()),
        "headers": head.headers.iter().map(header).collect::<Vec<_>>(),
        "body": match &request.body {
            RecordedPart::Whole(body) => json!({"kept": String::from_utf8_lossy(body)}),
            RecordedPart::Irrelevant => left_out("the head decides"),
            RecordedPart::Unread => left_out("it was not read"),
            RecordedPart::TooLarge => left_out("it is too large to be kept"),
            RecordedPart::Withheld => left_out("it may hold secrets"),
        },
        "redacted": request.redacted,
    })
}

fn header((name, value): (&HeaderName, &HeaderValue)) -> [String; 2] {
    let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
    [name.to_string(), value]
}
