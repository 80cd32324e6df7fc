//! The rules that counted calls suggest. A route that was answered to callers without credentials stays open.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::route_calls::Calls;
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
        let callers = match (calls.with.total(), unused) {
            (0, SurfaceCallers::Nobody) if observed < UNUSED_AFTER => return,
            // Without an editor in all that time, what editors need is not known.
            (0, SurfaceCallers::Nobody) if !is_script && with_credentials(report) == 0 => {
                SurfaceCallers::Credentials
            }
            (0, unused) => unused,
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

fn with_credentials(report: &SurfaceReport) -> u64 {
    let rows = report.namespaces.iter();
    rows.map(|row| row.calls().with.total()).sum()
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
