//! The handling of a request as one JSON object, from which the text is written as well.

use http::request::Parts;
use serde_json::{Value, json};

use super::basis::Basis;
use super::cacheability::{forwarded, treatment};
use super::fate::{fate, verdict_name};
use super::responding_backends::{backends, responding};
use super::typed_request::TypedRequest;
use crate::errors;
use crate::gateway::authority::PublicAddress;
use crate::gateway::decision::{Decider, Decision, HeadRules, RequestHead};
use crate::settings::{Mode, Root, Settings};
use calendar_edge_judge::call::credentials::Caller;
use calendar_edge_judge::call::{Explanation, Finding, ForwardableCall, Judgement, Outcome};
use calendar_edge_judge::contract::{
    ArgumentStanding, DatedDifference, Operation, Schema, TableInForce, dated_differences, rule_meaning,
};
use calendar_edge_judge::problem::Refusal;
use calendar_edge_judge::routing::CallTarget;
use calendar_edge_judge::wordpress::payload::{Source, SourceParameters, spellings};
use calendar_edge_judge::wordpress::value::{Value as PhpValue, write_json};

/// The decision about one request with its reasons: by the decider of these settings, which a running edge uses as
/// well.
pub fn explain(request: &TypedRequest, basis: &Basis<'_>) -> Value {
    let parts = request.parts(basis.settings);
    let mut story = empty_story(request, basis);
    match HeadRules::new(&basis.settings.limits, &basis.settings.hosts).check(&parts) {
        Ok(host) => {
            let head = RequestHead::over_http(&parts, request.client, host.as_ref());
            add_decision(&mut story, request, &head, basis);
        }
        Err(refusal) => add_refusal(&mut story, &refusal),
    }
    if story["outcome"] == "site" && basis.settings.calendar_pages.mode != Mode::Off {
        story["page"] = (basis.page)(request.target.as_str());
    }
    story
}

/// All members, in the order in which they are printed.
fn empty_story(request: &TypedRequest, basis: &Basis<'_>) -> Value {
    json!({
        "method": request.method.as_str(),
        "target": request.target.as_str(),
        "assumed_content_type": request.assumed_type,
        // The namespace of the calendar at the site.
        "namespace": basis.settings.origin.namespace.as_str(),
        // The edge that has the index of the site by which the request is judged, and its mode.
        "index": null,
        // `forwarded`, `refused`, `preflight`, `rest index`, `OpenAPI document`, or `site`: forwarded as it is because it
        // is not a calendar call.
        "outcome": "",
        // The public root of the target, with its language.
        "root": null,
        // The path of the route, with its placeholder.
        "route": null,
        "operation": null,
        "mode": null,
        "caller": null,
        // Declared arguments that were sent.
        "arguments": [],
        // Parameters that the operation does not declare.
        "undeclared": [],
        // The version whose contract the client gets, and the rows that lie between it and the site; null: the site's own.
        "answers": null,
        // Violated rules.
        "findings": [],
        // The backends that would respond, and those that get a copy; empty without further backends.
        "backends": [],
        // The request to the origin.
        "request": null,
        // The edge's own response.
        "response": null,
        "cache": null,
        "surface": null,
    })
}

fn add_decision(story: &mut Value, request: &TypedRequest, head: &RequestHead<'_>, basis: &Basis<'_>) {
    let settings = basis.settings;
    let decider = Decider::before(settings, basis.tables.clone());
    let body = request.body.as_bytes();
    let target = decider.target_of(head, body);
    if let Some(target) = &target {
        let matched = target.matched.as_ref();
        story["root"] = settings.roots.get(target.root).map(root_name).into();
        story["route"] = matched
            .map(|matched| format!("/{{namespace}}{}", matched.route.template()))
            .into();
    }
    if settings.origin.awaits_namespace() && decider.depends_on_namespace(head) {
        return add_refusal(story, &errors::ORIGIN_UNAVAILABLE.refusal());
    }
    match decider.decide(head, body) {
        Decision::Preflight => story["outcome"] = "preflight".into(),
        Decision::RestIndex(root) => {
            story["root"] = settings.roots.get(root).map(root_name).into();
            story["outcome"] = "rest index".into();
        }
        Decision::OpenApi(_) => story["outcome"] = "OpenAPI document".into(),
        Decision::Site => add_site(story, &decider, head.parts, body),
        Decision::Refuse(refusal) => add_refusal(story, &refusal),
        Decision::Judged(judgement) => {
            // The reason why a call is unreadable is the judgement's refusal already.
            decider.explain(head, body, |explanation| {
                add_readings(story, request, &explanation, settings);
            });
            add_judgement(story, head, target.as_ref(), &judgement, basis);
        }
    }
}

fn add_judgement(
    story: &mut Value,
    head: &RequestHead<'_>,
    target: Option<&CallTarget>,
    judgement: &Judgement,
    basis: &Basis<'_>,
) {
    story["mode"] = judgement.mode.name().into();
    story["findings"] = judgement.findings.iter().map(finding).collect();
    if let Some(operation) = judgement.operation {
        story["operation"] = operation.name.as_str().into();
        let table = target.map(|target| basis.tables.of_root(target.root));
        story["answers"] = table.map(|table| dated_rows(table, operation)).into();
    }
    match &judgement.outcome {
        Outcome::Forward(call) => {
            add_request(story, call, head, basis);
            story["backends"] = backends(call, basis).into();
            story["cache"] = treatment(call, head, target, basis);
        }
        Outcome::Refuse(refusal) => add_refusal(story, refusal),
    }
}

fn add_readings(
    story: &mut Value,
    request: &TypedRequest,
    explanation: &Explanation<'_>,
    settings: &Settings,
) {
    story["caller"] = Value::from(match explanation.caller {
        Caller::Anonymous => "anonymous",
        Caller::Credentialed => "with credentials",
    });
    let arguments = explanation.readings.iter().filter_map(|reading| {
        let (source, value) = reading.winner?;
        Some(json!({
            "name": reading.argument.name,
            "source": source.name(),
            // The names in the request, if they differ and PHP maps them to this name.
            "sent_as": sent_as(request, source, reading.argument.name),
            // The value that WordPress reads, as JSON.
            "value": written(value),
            "rule": reading.argument.rule.name(),
            "verdict": match reading.standing {
                ArgumentStanding::Judged | ArgumentStanding::Unsure => verdict_name(reading.verdict),
                ArgumentStanding::Unjudged => "not judged: the site does not publish it",
                ArgumentStanding::Dropped => "dropped: the version of `answers` does not have it",
            },
            // The schema type, which WordPress enforces after all rules.
            "type": reading.argument.schema.map(Schema::name),
        }))
    });
    story["arguments"] = arguments.collect();
    let mut undeclared = Vec::new();
    for SourceParameters { source, parameters } in explanation.parameters.in_order() {
        for (key, _) in parameters.entries() {
            let name = key.to_bytes();
            if explanation.operation.argument(&name).is_none() {
                undeclared.push(json!({
                    "name": String::from_utf8_lossy(&name),
                    "source": source.name(),
                    "fate": fate(explanation, &name, *source, settings.allow_jsonp),
                }));
            }
        }
    }
    story["undeclared"] = undeclared.into();
}

/// The version whose contract the client gets, and the rows of an operation between it and the site; null where that is
/// the site's own contract.
fn dated_rows(table: &TableInForce, operation: &Operation) -> Value {
    let Some(wanted) = table.wanted else {
        return Value::Null;
    };
    let site = table.site_version;
    let rows = dated_differences().iter().filter(|row| row.concerns(operation));
    let between = rows.filter(|row| {
        let is_wanted = row.since <= wanted;
        site.has(row).map_or(!is_wanted, |has| has != is_wanted)
    });
    let row = |row: &DatedDifference| {
        json!({
            "name": row.name,
            "since": row.since.to_string(),
            "meaning": row.meaning,
            "is_translated": row.since > wanted && row.is_translated(),
        })
    };
    json!({"version": wanted.to_string(), "site": site.to_string(), "rows": between.map(row).collect::<Vec<_>>()})
}

fn add_request(story: &mut Value, call: &ForwardableCall, head: &RequestHead<'_>, basis: &Basis<'_>) {
    let backend = responding(call, basis);
    let public = PublicAddress::of(backend.public_url.as_ref(), head.addressed);
    match (basis.write)(&backend, &forwarded(call, basis), head, &public) {
        Ok(request) => {
            story["outcome"] = "forwarded".into();
            story["request"] = request;
        }
        Err(refusal) => add_refusal(story, &refusal),
    }
}

/// Adds the rule of a request to the rest of the site, and whether it passes.
fn add_site(story: &mut Value, decider: &Decider, head: &Parts, body: &[u8]) {
    story["outcome"] = "site".into();
    let Some(verdict) = decider.surface_verdict(head, body) else {
        return;
    };
    let rule = verdict.rule;
    story["surface"] = json!({
        "rule": rule.name,
        // The callers that pass.
        "callers": rule.callers.name(),
        "mode": rule.mode.name(),
        "passes": !verdict.is_closed,
        // True if requests beyond a rate are refused; no rate is part of the decision.
        "has_rate": rule.rate.is_some(),
    });
    if !verdict.is_refused() {
        return;
    }
    add_refusal(story, &verdict.refusal());
    if let Some((status, text)) = verdict.page() {
        story["response"]["status"] = status.as_u16().into();
        story["response"]["body"] = text.into();
    }
}

fn add_refusal(story: &mut Value, refusal: &Refusal) {
    story["outcome"] = "refused".into();
    story["response"] = json!({
        "status": refusal.status().as_u16(),
        "code": refusal.code(),
        "allow": refusal.allow().methods(),
        "body": String::from_utf8_lossy(refusal.body()),
    });
}

/// A broken rule, with its sentence.
pub fn finding(finding: &Finding) -> Value {
    json!({
        "code": finding.code,
        "parameter": finding.parameter.as_deref(),
        "rule": finding.rule,
        // The rule in a sentence.
        "meaning": rule_meaning(finding.rule),
    })
}

/// The spellings of a name in its source, unless the name itself is the only one.
fn sent_as(request: &TypedRequest, source: Source, name: &str) -> Vec<String> {
    let text = match source {
        Source::Query => request.target.query().unwrap_or_default(),
        Source::Form => &request.body,
        Source::Json | Source::Path => return Vec::new(),
    };
    let spelt = spellings(text.as_bytes(), name.as_bytes());
    if spelt == [name.as_bytes()] {
        return Vec::new();
    }
    spelt
        .into_iter()
        .map(|sent| String::from_utf8_lossy(sent).into_owned())
        .collect()
}

fn root_name(root: &Root) -> String {
    match &root.language {
        Some(language) => format!("{} ({language})", root.path),
        None => root.path.clone(),
    }
}

fn written(value: &PhpValue) -> String {
    let mut text = Vec::new();
    match write_json(value, &mut text) {
        Ok(()) => String::from_utf8_lossy(&text).into_owned(),
        Err(_) => "text that is not UTF-8".to_owned(),
    }
}
