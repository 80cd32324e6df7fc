//! Tests of the proposals, by tables of calls.

use std::time::Duration;

use super::call_counts::{CalledDoor, SurfaceCounts};
use super::listed_routes::ListedRoutes;
use super::route_calls::{CallKind, CallOutcome};
use super::surface_report::SurfaceReport;
use super::surface_scope::SurfaceScope;
use crate::settings::{Settings, SurfaceCallers, SurfacePattern, SurfaceRule};
use crate::unix_time::UnixTime;

const INDEX: &[u8] =
    br#"{"namespaces": ["contact/v1", "oembed/1.0", "shop/v3", "tec/v1", "tribe/events/v1", "wp/v2"],
    "routes": {"/wp/v2/users": {"namespace": "wp/v2"}, "/wp/v2/users/(?P<id>[\\d]+)": {"namespace": "wp/v2"},
    "/wp/v2/posts": {"namespace": "wp/v2"}, "/tec/v1/events": {"namespace": "tec/v1"},
    "/batch/v1": {"namespace": ""}, "/contact/v1/send": {"namespace": "contact/v1"}}}"#;

const WITH: bool = true;
const WITHOUT: bool = false;

type Called = (CalledDoor<'static>, bool, CallOutcome);

/// The report after these calls, a number of days after the first.
fn report(days: u64, called: &[Called]) -> SurfaceReport {
    report_beside(&settings(), days, called)
}

/// The same beside the rules of settings.
fn report_beside(settings: &Settings, days: u64, called: &[Called]) -> SurfaceReport {
    let routes = ListedRoutes::read(INDEX).expect("an index");
    let start = UnixTime::from_secs(1_800_000_000);
    let end = start.saturating_add(Duration::from_hours(24 * days));
    let mut counts = SurfaceCounts::default();
    counts.begin(start);
    for (door, has_credentials, outcome) in called {
        let kind = CallKind {
            is_write: false,
            has_credentials: *has_credentials,
            outcome: *outcome,
        };
        counts.count(*door, kind, end);
    }
    let scope = SurfaceScope::of(settings);
    SurfaceReport::of_site("https://wp.example/wp-json", Some(&routes), &scope)
        .counted(counts.sums(end), &scope)
}

fn settings() -> Settings {
    Settings::for_origin("https://wp.example/wp-json".parse().expect("a URL"))
}

fn rules(report: &SurfaceReport) -> Vec<(&str, &str)> {
    let rules = report.proposals.iter();
    rules
        .map(|rule| (rule.name.as_str(), rule.callers.as_str()))
        .collect()
}

const POST: Called = (CalledDoor::Listed("wp/v2/posts"), WITHOUT, CallOutcome::Answered);

#[test]
fn what_nobody_calls_without_credentials_may_be_closed() {
    let week = report(
        7,
        &[
            POST,
            (CalledDoor::Listed("wp/v2/users"), WITH, CallOutcome::Answered),
            (CalledDoor::Listed("wp/v2/users/*"), WITHOUT, CallOutcome::Denied),
            (
                CalledDoor::Listed("contact/v1/send"),
                WITHOUT,
                CallOutcome::Answered,
            ),
            (CalledDoor::Script("xmlrpc.php"), WITHOUT, CallOutcome::Refused),
        ],
    );
    assert_eq!(
        rules(&week),
        [
            ("users", "credentials"),
            ("batch", "nobody"),
            ("xmlrpc", "nobody"),
            ("tec/v1", "nobody")
        ]
    );
    let users = &week.proposals[0];
    assert_eq!(users.routes, ["wp/v2/users", "wp/v2/users/*"]);
    let reason = "in 7 days: calls with credentials 1, without 1, none of these answered";
    assert_eq!(users.reason, reason);
    let default = week.default.expect("a default");
    assert_eq!(default.known, ["contact/v1"]);
    assert!(
        default.reason.ends_with("in shop/v3, tec/v1"),
        "{}",
        default.reason
    );
}

#[test]
fn what_is_answered_without_credentials_stays_open() {
    for (door, name) in [
        (CalledDoor::Listed("wp/v2/users/*"), "users"),
        (CalledDoor::Listed("batch/v1"), "batch"),
        (CalledDoor::Script("xmlrpc.php"), "xmlrpc"),
        (CalledDoor::Listed("tec/v1/events"), "tec/v1"),
        (CalledDoor::Unlisted("tec/v1"), "tec/v1"),
    ] {
        let report = report(
            7,
            &[
                (door, WITHOUT, CallOutcome::Answered),
                (door, WITH, CallOutcome::Answered),
            ],
        );
        assert!(rules(&report).iter().all(|(named, _)| *named != name), "{door:?}");
        assert!(
            report.hints.iter().any(|hint| hint.starts_with(name)),
            "{:?}",
            report.hints
        );
    }
}

#[test]
fn callers_with_credentials_keep_what_they_call() {
    let week = report(
        7,
        &[
            (CalledDoor::Listed("batch/v1"), WITH, CallOutcome::Answered),
            (CalledDoor::Script("xmlrpc.php"), WITH, CallOutcome::Answered),
        ],
    );
    assert_eq!(
        rules(&week),
        [
            ("users", "credentials"),
            ("batch", "credentials"),
            ("tec/v1", "nobody")
        ]
    );
}

#[test]
fn nothing_follows_from_too_little() {
    for (days, called, hint) in [(2, &[POST][..], "after 3 days"), (7, &[], "no call was counted")] {
        let report = report(days, called);
        assert_eq!((rules(&report).len(), report.default.is_some()), (0, false));
        assert!(report.hints[0].contains(hint), "{:?}", report.hints);
        assert_eq!(report.toml, "");
    }
    let few = report(3, &[POST]);
    assert_eq!(rules(&few), [("users", "credentials")]);
    assert!(few.default.is_none() && few.hints[0].contains("after 7 days"));
}

#[test]
fn what_has_a_rule_is_not_proposed_again() {
    let rule = |callers, routes: &[&str]| SurfaceRule {
        routes: routes
            .iter()
            .map(|text| SurfacePattern::parse(text).expect("a pattern"))
            .collect(),
        callers,
        ..SurfaceRule::default()
    };
    let mut settings = settings();
    settings.surface = vec![
        rule(SurfaceCallers::Credentials, &["wp/v2/users", "wp/v2/users/*"]),
        rule(SurfaceCallers::Nobody, &["xmlrpc"]),
        rule(SurfaceCallers::Anybody, &["batch"]),
    ];
    settings.surface_default.unknown = Some(SurfaceCallers::Credentials);
    let report = report_beside(&settings, 7, &[POST]);
    assert_eq!(
        rules(&report),
        [("batch", "credentials"), ("tec/v1", "credentials")]
    );
    assert_eq!(report.default, None);
}

#[test]
fn the_companion_plugin_takes_what_is_proposed() {
    let week = report(7, &[POST]);
    let list = week.companion.expect("a list");
    assert!(
        list.starts_with(
            "credentials wp/v2/users, credentials wp/v2/users/*, credentials batch/v1, credentials batch/v1/*, \
             credentials tec/v1, credentials tec/v1/*, "
        ),
        "{list}"
    );
    assert!(list.ends_with(", credentials *"), "{list}");
    assert_eq!(report(1, &[POST]).companion, None);
}
