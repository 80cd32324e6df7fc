//! The handling of a request as one JSON object, from which the text is written as well.

use calendar_edge::backend::preview;
use calendar_edge_core::gateway::authority::{Addressed, Host, PublicAddress, Scheme};
use calendar_edge_core::gateway::decision::{Decider, Decision, HeadRules, RequestHead};
use calendar_edge_core::settings::{BackendSettings, Root, Settings};
use calendar_edge_judge::call::credentials::Caller;
use calendar_edge_judge::call::{Explanation, Finding, ForwardableCall, Judgement, Outcome};
use calendar_edge_judge::contract::{
    ArgumentStanding, DatedDifference, Operation, Schema, TableInForce, TablesInForce, dated_differences,
    rule_meaning,
};
use calendar_edge_judge::problem::Refusal;
use calendar_edge_judge::routing::CallTarget;
use calendar_edge_judge::wordpress::payload::{Source, SourceParameters, spellings};
use calendar_edge_judge::wordpress::value::{Value as PhpValue, write_json};
use http::header::{AUTHORIZATION, COOKIE};
use http::request::Parts;
use http::{HeaderName, HeaderValue};
use serde_json::{Value, json};

use super::super::typed_request::TypedRequest;
use super::answering_backends::{answering, backends};
use super::cacheability::{asked, treatment};
use super::fate::{fate, verdict_name};
use super::known_site::KnownSite;

/// Headers whose values are not shown: explanations end up in tickets.
const SECRET: [HeaderName; 3] = [AUTHORIZATION, COOKIE, HeaderName::from_static("x-wp-nonce")];

/// The decision about one request with its reasons: by the decider of these settings, which a running edge asks as well.
pub(super) fn story(request: &TypedRequest, known: &KnownSite) -> Value {
    let settings = &known.settings;
    let parts = request.parts(settings);
    let mut story = untold(request, known);
    match HeadRules::new(&settings.limits, &settings.hosts).check(&parts) {
        Ok(host) => tell_decision(&mut story, request, &parts, host.as_ref(), known),
        Err(refusal) => tell_refusal(&mut story, &refusal),
    }
    story
}

/// All members, in the order in which they are printed.
fn untold(request: &TypedRequest, known: &KnownSite) -> Value {
    json!({
        "method": request.method.as_str(),
        "target": request.target.as_str(),
        "assumed_content_type": request.assumed_type,
        // The namespace of the calendar at the site.
        "namespace": known.settings.origin.namespace.as_str(),
        // Where the index of the site was read, by which the request is judged.
        "index": known.index,
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
        // Who would answer, and who gets a copy; empty without further backends.
        "backends": [],
        // The request to the origin.
        "request": null,
        // The edge's own response.
        "response": null,
        "cache": null,
        "surface": null,
    })
}

fn tell_decision(
    story: &mut Value,
    request: &TypedRequest,
    parts: &Parts,
    host: Option<&Host>,
    KnownSite { settings, tables, .. }: &KnownSite,
) {
    let head = RequestHead {
        parts,
        client: request.client,
        addressed: Addressed {
            scheme: Scheme::Http,
            host,
            local: None,
        },
    };
    let decider = Decider::before(settings, tables.clone());
    let body = request.body.as_bytes();
    let target = decider.target_of(&head, body);
    if let Some(target) = &target {
        let matched = target.matched.as_ref();
        story["root"] = settings.roots.get(target.root).map(root_name).into();
        story["route"] = matched
            .map(|matched| format!("/{{namespace}}{}", matched.route.template()))
            .into();
    }
    match decider.decide(&head, body) {
        Decision::Preflight => story["outcome"] = "preflight".into(),
        Decision::RestIndex(root) => {
            story["root"] = settings.roots.get(root).map(root_name).into();
            story["outcome"] = "rest index".into();
        }
        Decision::OpenApi(_) => story["outcome"] = "OpenAPI document".into(),
        Decision::Site => tell_site(story, &decider, parts, body),
        Decision::Refuse(refusal) => tell_refusal(story, &refusal),
        Decision::Judged(judgement) => {
            story["operation"] = judgement
                .operation
                .map(|operation| operation.name.as_str())
                .into();
            story["mode"] = judgement.mode.name().into();
            story["findings"] = judgement.findings.iter().map(finding).collect();
            // The reason why a call is unreadable is the judgement's refusal already.
            let _ = decider.explain(&head, body, |explanation| {
                if let Some(explanation) = explanation {
                    tell_readings(story, request, &explanation, &judgement, settings);
                }
            });
            story["answers"] = answers(target.as_ref(), &judgement, tables);
            match &judgement.outcome {
                Outcome::Forward(call) => {
                    tell_forward(story, &asked(call, settings), &head, &answering(call, settings));
                    story["backends"] = backends(call, settings).into();
                    story["cache"] = treatment(call, &head, target.as_ref(), settings);
                }
                Outcome::Refuse(refusal) => tell_refusal(story, refusal),
            }
        }
    }
}

fn tell_readings(
    story: &mut Value,
    request: &TypedRequest,
    explanation: &Explanation<'_>,
    judgement: &Judgement,
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
    let Some(operation) = judgement.operation else {
        return;
    };
    let mut undeclared = Vec::new();
    for SourceParameters { source, parameters } in explanation.parameters.in_order() {
        for (key, _) in parameters.entries() {
            let name = key.to_bytes();
            if operation.argument(&name).is_none() {
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

/// The contract that a judged call gets.
fn answers(target: Option<&CallTarget>, judgement: &Judgement, tables: &TablesInForce) -> Value {
    let asked = target.zip(judgement.operation);
    asked.map_or(Value::Null, |(target, operation)| {
        dated_rows(tables.of_root(target.root), operation)
    })
}

/// The rows that a call meets on its way to the site and back; null where clients get the site's own contract.
fn dated_rows(table: &TableInForce, operation: &Operation) -> Value {
    let Some(wanted) = table.wanted() else {
        return Value::Null;
    };
    let site = table.site_version();
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

fn tell_forward(
    story: &mut Value,
    call: &ForwardableCall,
    head: &RequestHead<'_>,
    backend: &BackendSettings,
) {
    let public = PublicAddress::of(backend.public_url.as_ref(), head.addressed);
    match preview(backend, call, head, &public) {
        Ok(request) => {
            story["outcome"] = "forwarded".into();
            story["request"] = sent(&request);
        }
        Err(fault) => tell_refusal(story, &fault.refusal()),
    }
}

/// Tells whether a request to the rest of the site passes its rule.
fn tell_site(story: &mut Value, decider: &Decider, head: &Parts, body: &[u8]) {
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
    tell_refusal(story, &verdict.refusal());
    if let Some((status, text)) = verdict.page() {
        story["response"]["status"] = status.as_u16().into();
        story["response"]["body"] = text.into();
    }
}

fn tell_refusal(story: &mut Value, refusal: &Refusal) {
    story["outcome"] = "refused".into();
    story["response"] = json!({
        "status": refusal.status().as_u16(),
        "code": refusal.code(),
        "allow": refusal.allow().methods(),
        "body": String::from_utf8_lossy(refusal.body()),
    });
}

fn sent(request: &reqwest::Request) -> Value {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let header = |(name, value): (&HeaderName, &HeaderValue)| {
        let shown = if SECRET.contains(name) {
            "[redacted]".to_owned()
        } else {
            text(value.as_bytes())
        };
        (name.to_string(), shown)
    };
    json!({
        "method": request.method().as_str(),
        "url": request.url().as_str(),
        "headers": request.headers().iter().map(header).collect::<Vec<_>>(),
        "body": request.body().and_then(reqwest::Body::as_bytes).map(text),
    })
}

fn finding(finding: &Finding) -> Value {
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

#[cfg(test)]
mod tests {
    use calendar_edge_core::settings::Profile;
    use http::uri::PathAndQuery;
    use http::{HeaderMap, Method};

    use super::*;

    fn told(profile: Profile, name: HeaderName, value: &'static str) -> Value {
        let mut settings = Settings::for_origin("http://wp.example/wp-json".parse().expect("a URL"));
        settings.profile = profile;
        let request = TypedRequest {
            method: Method::DELETE,
            target: PathAndQuery::from_static("/wp-json/calendar/events/v1/events/7"),
            headers: HeaderMap::from_iter([(name, HeaderValue::from_static(value))]),
            body: String::new(),
            assumed_type: None,
            client: Some([127, 0, 0, 1].into()),
        };
        story(&request, &KnownSite::unknown(settings, &[]))
    }

    fn status(profile: Profile, name: HeaderName, value: &'static str) -> Option<u64> {
        told(profile, name, value)["response"]["status"].as_u64()
    }

    #[test]
    fn a_refusal_by_the_head_names_the_route_too() {
        let story = told(Profile::Strict, AUTHORIZATION, "Digest x");
        assert_eq!(story["outcome"], "refused");
        assert_eq!(story["route"], "/{namespace}/events/{id}");
    }

    #[test]
    fn the_strict_profile_accepts_fewer_credentials() {
        for (name, value, strict) in [
            (AUTHORIZATION, "Basic YTpi", None),
            (AUTHORIZATION, "Digest x", Some(400)),
            (COOKIE, "wordpress_logged_in_1=a", Some(401)),
        ] {
            assert_eq!(status(Profile::Compatible, name.clone(), value), None, "{value}");
            assert_eq!(status(Profile::Strict, name, value), strict, "{value}");
        }
    }
}
