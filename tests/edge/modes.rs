//! Modes and profiles: report finds what enforce refuses, off judges nothing, operations may differ.

use std::collections::BTreeMap;

use calendar_edge_core::settings::{Mode, OperationSettings, Profile, Settings};
use calendar_edge_judge::call::{Finding, ForwardableCall, Judgement, Outcome, Waiver, breakable_rules};
use calendar_edge_judge::contract::table;
use http::{HeaderMap, HeaderValue, Method};

use crate::judging::{Edge, NAMESPACE, Request, Said, settings, well_formed};

fn in_mode(mode: Mode) -> Edge {
    Edge::new(&Settings { mode, ..settings() })
}

fn judged(edge: &Edge, request: &Request) -> Option<Judgement> {
    match edge.say(request) {
        Said::Judged(judgement) => Some(judgement),
        Said::Turned(_) => None,
    }
}

#[test]
fn report_finds_what_enforce_refuses() {
    let (enforcing, reporting) = (in_mode(Mode::Enforce), in_mode(Mode::Report));
    let mut counts: BTreeMap<(&str, Option<String>, &str), [usize; 2]> = BTreeMap::new();
    let mut waived = 0;
    for (record, request) in well_formed() {
        let (Some(enforced), Some(reported)) = (judged(&enforcing, &request), judged(&reporting, &request))
        else {
            continue;
        };
        for (judgement, at) in [(&enforced, 0), (&reported, 1)] {
            for Finding {
                code,
                parameter,
                rule,
            } in judgement
                .findings
                .iter()
                .filter(|finding| finding.rule != "undeclared")
            {
                counts
                    .entry((*code, parameter.as_deref().map(str::to_owned), *rule))
                    .or_default()[at] += 1;
            }
        }
        // In mode report the names that enforce drops are findings as well.
        let (undeclared, others): (Vec<Finding>, Vec<Finding>) =
            (reported.findings.iter().cloned()).partition(|finding| finding.rule == "undeclared");
        assert_eq!(enforced.findings, others, "{}", record.id);
        assert_eq!((enforced.mode, reported.mode), (Mode::Enforce, Mode::Report));
        match (&enforced.outcome, &reported.outcome) {
            (Outcome::Refuse(_), Outcome::Forward(_)) => {
                assert!(!reported.findings.is_empty(), "{}", record.id);
                waived += 1;
            }
            (Outcome::Forward(one), Outcome::Forward(other)) => {
                if undeclared.is_empty() {
                    assert_same_call(one, other, &record.id);
                }
                assert!(matches!(
                    one.waiver(),
                    None | Some(Waiver::OriginWords | Waiver::Description)
                ));
                let is_read = other.operation().is_some_and(|operation| !operation.is_write());
                let is_admitted = is_read && one.validated().is_some() && undeclared.is_empty();
                assert_eq!(other.validated().is_some(), is_admitted, "{}", record.id);
            }
            (one, other) => assert_eq!(one, other, "{}", record.id),
        }
    }
    for (finding, [enforced, reported]) in &counts {
        assert_eq!(enforced, reported, "{finding:?}");
    }
    println!("{waived} refusals waived, {} kinds of findings", counts.len());
    assert!(waived > 600, "{waived}");
    assert!(counts.len() > 100, "{}", counts.len());
}

/// Metrics have a series for each of them from the start.
#[test]
fn every_finding_names_a_rule_that_the_operation_can_break() {
    let mut findings = 0;
    for (mode, profile) in [
        (Mode::Enforce, Profile::Compatible),
        (Mode::Report, Profile::Compatible),
        (Mode::Enforce, Profile::Strict),
        (Mode::Report, Profile::Strict),
    ] {
        let settings = Settings {
            mode,
            profile,
            ..settings()
        };
        let edge = Edge::new(&settings);
        for (record, request) in well_formed() {
            let Some(judgement) = judged(&edge, &request) else {
                continue;
            };
            for finding in &judgement.findings {
                let is_known = match judgement.operation {
                    Some(operation) => breakable_rules(operation, &settings.policy()).contains(finding.rule),
                    None => finding.rule == "request",
                };
                assert!(is_known, "{}: {finding:?} in {mode:?}", record.id);
                findings += 1;
            }
        }
    }
    assert!(findings > 2000, "{findings}");
}

/// Everything but the waiver.
fn assert_same_call(one: &ForwardableCall, other: &ForwardableCall, id: &str) {
    assert_eq!(one.request(), other.request(), "{id}");
    assert_eq!(one.operation(), other.operation(), "{id}");
    assert_eq!(one.deferred, other.deferred, "{id}");
    let expected = |call: &ForwardableCall| {
        let script = call.expects_javascript;
        (script, call.expects_envelope, call.expects_privacy)
    };
    assert_eq!(expected(one), expected(other), "{id}");
}

/// The guarantee for a cache or a shadow copy: no objection of any kind, and no rule omitted.
#[test]
fn only_what_passed_every_rule_is_validated() {
    let mut counts: BTreeMap<(&str, Option<Waiver>), usize> = BTreeMap::new();
    for (name, mode) in [
        ("enforce", Mode::Enforce),
        ("report", Mode::Report),
        ("off", Mode::Off),
    ] {
        let edge = in_mode(mode);
        for (record, request) in well_formed() {
            let Some(judgement) = judged(&edge, &request) else {
                continue;
            };
            let Outcome::Forward(call) = &judgement.outcome else {
                continue;
            };
            let waiver = call.waiver();
            *counts.entry((name, waiver)).or_default() += 1;
            assert_eq!(call.validated().is_none(), waiver.is_some(), "{}", record.id);
            if let Some(valid) = call.validated() {
                let may_be_valid =
                    mode == Mode::Enforce || mode == Mode::Report && !valid.operation().is_write();
                assert!(may_be_valid && judgement.findings.is_empty(), "{}", record.id);
                assert_eq!(Some(valid.operation()), judgement.operation, "{}", record.id);
            }
        }
    }
    println!("{counts:?}");
    let met: Vec<_> = counts.keys().copied().collect();
    assert_eq!(
        met,
        [
            ("enforce", None),
            ("enforce", Some(Waiver::OriginWords)),
            ("enforce", Some(Waiver::Description)),
            ("off", Some(Waiver::Off)),
            ("off", Some(Waiver::Description)),
            ("report", None),
            ("report", Some(Waiver::Report)),
            ("report", Some(Waiver::Description)),
        ]
    );
}

#[test]
fn off_judges_no_arguments() {
    let (enforcing, off) = (in_mode(Mode::Enforce), in_mode(Mode::Off));
    for (record, request) in well_formed() {
        let (Some(enforced), Some(unjudged)) = (judged(&enforcing, &request), judged(&off, &request)) else {
            continue;
        };
        match (&enforced.outcome, &unjudged.outcome) {
            (Outcome::Forward(enforced), Outcome::Forward(unjudged)) => {
                assert_eq!(enforced.request(), unjudged.request(), "{}", record.id);
            }
            (Outcome::Forward(_), Outcome::Refuse(_)) => panic!("{} is refused when off", record.id),
            _ => {}
        }
        if let Outcome::Forward(call) = &unjudged.outcome {
            assert!(
                unjudged.findings.is_empty() && call.deferred.is_empty(),
                "{}: {:?} {:?}",
                record.id,
                unjudged.findings,
                call.deferred
            );
        }
    }
}

/// A list of events or venues with an argument that WordPress refuses and one that only the strict profile does.
fn list(kind: &str, query: &str) -> Request {
    Request {
        method: Method::GET,
        path: format!("/wp-json/{NAMESPACE}/{kind}"),
        query: Some(query.to_owned()),
        headers: HeaderMap::new(),
        body: Vec::new(),
    }
}

fn with_operation(name: &str, operation: OperationSettings) -> Edge {
    let mut settings = settings();
    let id = table().named(name).expect("an operation").id;
    settings.operations.insert(id, operation);
    Edge::new(&settings)
}

#[test]
fn one_operation_may_have_its_own_mode() {
    for mode in [Mode::Report, Mode::Off] {
        let edge = with_operation(
            "events.list",
            OperationSettings {
                mode: Some(mode),
                ..OperationSettings::default()
            },
        );
        let events = judged(&edge, &list("events", "page=0")).expect("a call");
        let venues = judged(&edge, &list("venues", "page=0")).expect("a call");
        assert!(matches!(events.outcome, Outcome::Forward(_)), "{mode:?}");
        assert_eq!(
            (events.mode, events.findings.len()),
            (mode, usize::from(mode == Mode::Report))
        );
        assert!(matches!(venues.outcome, Outcome::Refuse(_)), "{mode:?}");
        assert_eq!(venues.mode, Mode::Enforce);
    }
}

#[test]
fn one_operation_may_have_its_own_profile() {
    let edge = with_operation(
        "events.list",
        OperationSettings {
            profile: Some(Profile::Strict),
            ..OperationSettings::default()
        },
    );
    let is_forwarded =
        |kind: &str, query: &str| matches!(edge.outcome(&list(kind, query)), Outcome::Forward(_));
    assert!(!is_forwarded("events", "per.page=3"));
    assert!(is_forwarded("events", "per_page=3"));
    assert!(is_forwarded("venues", "per.page=3"));
}

#[test]
fn extra_parameters_are_names_of_the_strict_profile_too() {
    let edge = with_operation(
        "events.list",
        OperationSettings {
            profile: Some(Profile::Strict),
            extra_parameters: vec!["series".to_owned()],
            ..OperationSettings::default()
        },
    );
    let Outcome::Forward(call) = edge.outcome(&list("events", "series=4")) else {
        panic!("the settings let it through")
    };
    assert_eq!(call.request().query(NAMESPACE).as_deref(), Some("series=4"));
    assert!(matches!(
        edge.outcome(&list("events", "other=4")),
        Outcome::Refuse(_)
    ));
}

#[test]
fn report_lets_the_strict_profile_be_tried() {
    let mut settings = settings();
    settings.mode = Mode::Report;
    settings.profile = Profile::Strict;
    let judgement = judged(&Edge::new(&settings), &list("events", "per.page=3")).expect("a call");
    assert!(matches!(judgement.outcome, Outcome::Forward(_)));
    assert_eq!(judgement.findings.len(), 1);
}

/// An error in an envelope is left to the origin if only the origin knows the `Allow` header; a refusal of the
/// strict profile is not an error of the origin.
#[test]
fn an_envelope_opens_no_door_in_the_strict_profile() {
    let mut settings = settings();
    settings.profile = Profile::Strict;
    let mut request = list("events", "_envelope=1&page=1");
    request
        .headers
        .insert("authorization", HeaderValue::from_static("Basic YTpi"));
    assert!(matches!(
        Edge::new(&settings).outcome(&request),
        Outcome::Refuse(_)
    ));
}

/// A form's text that cannot become JSON stops a call in every mode, but the first objection is reported.
#[test]
fn text_that_is_not_utf_8_is_the_last_objection() {
    let form = |body: &[u8]| {
        let mut headers = HeaderMap::new();
        let content_type = HeaderValue::from_static("application/x-www-form-urlencoded");
        headers.insert("content-type", content_type);
        headers.insert("authorization", HeaderValue::from_static("Basic YTpi"));
        Request {
            method: Method::POST,
            path: format!("/wp-json/{NAMESPACE}/tags"),
            query: None,
            headers,
            body: body.to_vec(),
        }
    };
    for (mode, empty_slug) in [
        (Mode::Enforce, "rest_invalid_param"),
        (Mode::Report, "rest_invalid_param"),
        (Mode::Off, "edge_invalid_utf8"),
    ] {
        let edge = in_mode(mode);
        for (body, code) in [
            (&b"name=%FF"[..], "edge_invalid_utf8"),
            (b"name=%FF&slug=", empty_slug),
        ] {
            match edge.outcome(&form(body)) {
                Outcome::Refuse(refusal) => assert_eq!(refusal.code(), code, "{mode:?}"),
                Outcome::Forward(call) => panic!("{mode:?}: {:?} is forwarded", call.request()),
            }
        }
    }
}
