//! The rules that counted calls suggest. A route that was answered to callers without credentials stays open.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::calls::Calls;
use super::surface_report::{NamespaceRow, Observed, SurfaceReport};
use super::surface_scope::SurfaceScope;
use crate::gateway::surface::SurfaceRules;
use crate::settings::{RoutePattern, SiteDoor, SurfaceCallers, SurfacePreset};

/// A rule for one subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposedRule {
    /// The name of the preset.
    pub name: String,
    /// The patterns: the preset, or its routes alone if it has pages as well, whose calls are not counted.
    pub routes: Vec<String>,
    /// The callers that pass: `credentials` or `nobody`.
    pub callers: String,
    /// The calls that suggest it.
    pub reason: String,
}

/// Closes all other namespaces to callers without credentials.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposedDefault {
    /// The namespaces that stay open, sorted.
    pub known: Vec<String>,
    /// The calls that suggest it.
    pub reason: String,
}

/// All that counts suggest.
#[derive(Debug, Default)]
pub(super) struct Proposals {
    pub(super) rules: Vec<ProposedRule>,
    pub(super) default: Option<ProposedDefault>,
    /// Why no more is suggested.
    pub(super) hints: Vec<String>,
}

/// The presets that are proposed, each with the callers that pass if nobody calls it.
const SUBJECTS: [(&str, SurfaceCallers); 5] = [
    ("users", SurfaceCallers::Credentials),
    ("batch", SurfaceCallers::Nobody),
    ("xmlrpc", SurfaceCallers::Nobody),
    ("tec/v1", SurfaceCallers::Nobody),
    ("tickets", SurfaceCallers::Credentials),
];

/// The time from which on a route may be closed to callers without credentials.
const OBSERVED_LEAST: Duration = Duration::from_hours(3 * 24);

/// The time after which a route counts as unused: some are called once a week.
const UNUSED_AFTER: Duration = Duration::from_hours(7 * 24);

// === impl Proposals ===

impl Proposals {
    /// What the calls of this time suggest beside the rules that there are.
    pub(super) fn of(report: &SurfaceReport, observed: Duration, scope: &SurfaceScope) -> Self {
        if !report.is_listed {
            return Self::none("the site's list of routes is not read: nothing is proposed");
        }
        if total(report) == 0 {
            return Self::none("no call was counted: nothing is proposed");
        }
        if observed < OBSERVED_LEAST {
            return Self::none(&format!(
                "counted for {}: rules are proposed after {}",
                length(observed),
                length(OBSERVED_LEAST)
            ));
        }
        let mut proposals = Self::default();
        for (name, unused) in SUBJECTS {
            if let Some(preset) = SurfacePreset::named(name).filter(|preset| !scope.has_rule(preset)) {
                proposals.consider(preset, unused, report, observed);
            }
        }
        if observed < UNUSED_AFTER {
            proposals.hints.push(format!(
                "counted for {}: what is not called, and all other namespaces, are proposed to be closed after {}",
                length(observed),
                length(UNUSED_AFTER)
            ));
        } else if !scope.has_default() {
            proposals.default = default(report, observed);
        }
        proposals
    }

    fn none(hint: &str) -> Self {
        Self {
            hints: vec![hint.to_owned()],
            ..Self::default()
        }
    }

    fn consider(
        &mut self,
        preset: &SurfacePreset,
        unused: SurfaceCallers,
        report: &SurfaceReport,
        observed: Duration,
    ) {
        let Some(calls) = calls_of(preset, report) else {
            return;
        };
        let name = preset.name;
        let answered = calls.without.outcomes().answered;
        let is_script = preset
            .doors
            .iter()
            .any(|door| matches!(door, SiteDoor::Script(_)));
        if answered > 0 {
            self.hints.push(format!(
                "{name} stays open: calls without credentials that were answered: {answered}"
            ));
            return;
        }
        let callers = match calls.with.total() {
            0 if unused == SurfaceCallers::Nobody && observed < UNUSED_AFTER => return,
            0 => unused,
            // The credentials of a script stand in its body.
            _ if is_script => return,
            _ => SurfaceCallers::Credentials,
        };
        self.rules.push(ProposedRule {
            name: name.to_owned(),
            routes: patterns(preset),
            callers: callers.name().to_owned(),
            reason: reason(&calls, observed),
        });
    }
}

/// The calls of all that a preset names and that is counted; none if the site has nothing of it.
fn calls_of(preset: &SurfacePreset, report: &SurfaceReport) -> Option<Calls> {
    let mut sum = None;
    for door in preset.doors {
        match door {
            SiteDoor::Route(pattern) => {
                let Some(pattern) = RoutePattern::parse(pattern) else {
                    continue;
                };
                let rows = report.namespaces.iter();
                for calls in rows.flat_map(|row| calls_by(&pattern, row)) {
                    *sum.get_or_insert_default() += calls;
                }
            }
            SiteDoor::Script(name) => {
                let called = report.scripts.iter().find(|row| row.script == *name);
                *sum.get_or_insert_default() += called.map(|row| row.calls).unwrap_or_default();
            }
            SiteDoor::PageNamed(..) | SiteDoor::PageWith(..) | SiteDoor::Calls(_) => {}
        }
    }
    sum
}

/// The calls of the listed routes in a namespace that a pattern takes, and of all others if it takes the namespace.
fn calls_by(pattern: &RoutePattern, row: &NamespaceRow) -> Vec<Calls> {
    let listed = row.routes.iter().filter(|route| pattern.matches(&route.route));
    let mut calls: Vec<Calls> = listed.map(|route| route.calls).collect();
    if row.unlisted.total() > 0 && pattern.matches(&format!("{}/*", row.namespace)) {
        calls.push(row.unlisted);
    }
    calls
}

fn patterns(preset: &SurfacePreset) -> Vec<String> {
    let is_counted = |door: &SiteDoor| matches!(door, SiteDoor::Route(_) | SiteDoor::Script(_));
    if preset.doors.iter().all(is_counted) {
        return vec![preset.name.to_owned()];
    }
    let routes = preset.doors.iter().filter_map(|door| match door {
        SiteDoor::Route(pattern) => Some((*pattern).to_owned()),
        _ => None,
    });
    routes.collect()
}

/// Keeps open what was answered without credentials; none if nothing would be closed.
fn default(report: &SurfaceReport, observed: Duration) -> Option<ProposedDefault> {
    let rows = report.namespaces.iter();
    let others = rows.filter(|row| !row.is_judged && !SurfaceRules::leave_open(&row.namespace));
    let is_called = |row: &&NamespaceRow| row.calls().without.outcomes().answered > 0;
    let (known, closed): (Vec<&NamespaceRow>, Vec<&NamespaceRow>) = others.partition(is_called);
    let closed: Vec<&str> = closed.iter().map(|row| row.namespace.as_str()).collect();
    (!closed.is_empty()).then(|| ProposedDefault {
        known: known.iter().map(|row| row.namespace.clone()).collect(),
        reason: format!(
            "in {}: no call without credentials was answered in {}",
            length(observed),
            closed.join(", ")
        ),
    })
}

fn reason(calls: &Calls, observed: Duration) -> String {
    let (with, without) = (calls.with.total(), calls.without.total());
    format!(
        "in {}: calls with credentials {with}, without {without}, none of these answered",
        length(observed)
    )
}

fn total(report: &SurfaceReport) -> u64 {
    let namespaces = report.namespaces.iter().map(|row| row.calls().total());
    let scripts = report.scripts.iter().map(|row| row.calls.total());
    namespaces.chain(scripts).sum()
}

fn length(time: Duration) -> Observed {
    Observed {
        seconds: time.as_secs(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::call_counts::{CallCounts, CalledDoor};
    use super::super::calls::{CallKind, CallOutcome};
    use super::super::listed_routes::ListedRoutes;
    use super::*;
    use crate::settings::{Settings, SurfacePattern, SurfaceRule};
    use crate::unix_time::UnixTime;

    const INDEX: &[u8] = br#"{"namespaces": ["contact/v1", "oembed/1.0", "shop/v3", "tec/v1", "tribe/events/v1", "wp/v2"],
        "routes": {"/wp/v2/users": {"namespace": "wp/v2"}, "/wp/v2/users/(?P<id>[\\d]+)": {"namespace": "wp/v2"},
        "/wp/v2/posts": {"namespace": "wp/v2"}, "/tec/v1/events": {"namespace": "tec/v1"},
        "/batch/v1": {"namespace": ""}, "/contact/v1/send": {"namespace": "contact/v1"}}}"#;

    const WITH: bool = true;
    const WITHOUT: bool = false;

    type Called = (CalledDoor<'static>, bool, CallOutcome);

    /// The report after these calls, a number of days after the first.
    fn report(days: u64, called: &[Called]) -> SurfaceReport {
        report_beside(settings(), days, called)
    }

    /// The same beside the rules of settings.
    fn report_beside(settings: Settings, days: u64, called: &[Called]) -> SurfaceReport {
        let routes = ListedRoutes::read(INDEX).expect("an index");
        let start = UnixTime::from_secs(1_800_000_000);
        let end = start.saturating_add(Duration::from_hours(24 * days));
        let mut counts = CallCounts::default();
        counts.begin(start);
        for (door, has_credentials, outcome) in called {
            let kind = CallKind {
                is_write: false,
                has_credentials: *has_credentials,
                outcome: *outcome,
            };
            counts.count(*door, kind, end);
        }
        let scope = SurfaceScope::of(&settings);
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
        let report = report_beside(settings, 7, &[POST]);
        assert_eq!(rules(&report), [("batch", "nobody"), ("tec/v1", "nobody")]);
        assert_eq!(report.default, None);
    }

    #[test]
    fn the_companion_plugin_takes_what_is_proposed() {
        let week = report(7, &[POST]);
        let list = week.companion.expect("a list");
        assert!(
            list.starts_with(
                "credentials wp/v2/users, credentials wp/v2/users/*, nobody batch/v1, nobody batch/v1/*, \
                 nobody tec/v1, nobody tec/v1/*, "
            ),
            "{list}"
        );
        assert!(list.ends_with(", credentials *"), "{list}");
        assert_eq!(report(1, &[POST]).companion, None);
    }
}
