//! Differences between what a site publishes and the table, one group for each argument, with what the edge does.

use std::collections::BTreeMap;

use calendar_edge_core::settings::{Profile, Settings, UndeclaredParameters};
use calendar_edge_judge::contract::drift::Drift;
use calendar_edge_judge::contract::{TableInForce, table};

use crate::survey::is_forwarded;

/// Differences that have one subject and one consequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    /// What differs, where, and what the edge does about it.
    pub(super) text: String,
    /// Configuration lines that settle it; empty: there are none.
    pub(super) paste: Vec<String>,
    /// Whether an operator has to decide something.
    pub(super) weight: GroupWeight,
}

/// Whether a difference needs a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GroupWeight {
    /// The edge follows the site.
    Note,
    /// The edge refuses or drops what the site takes, or nobody has decided yet.
    Finding,
}

/// What several differences have in common; the order is the order of the report.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    Missing,
    ExtraRoutes,
    Extra(String),
    Required(String, bool),
    Unpublished(String),
}

/// Groups the differences of one root. Arguments that the settings let pass are left out.
pub(super) fn groups(drifts: &[Drift], in_force: &TableInForce, settings: &Settings) -> Vec<Group> {
    let mut subjects: BTreeMap<Subject, Vec<String>> = BTreeMap::new();
    for drift in drifts {
        let (subject, place) = classified(drift);
        if !is_settled(&subject, &place, settings) {
            subjects.entry(subject).or_default().push(place);
        }
    }
    let told = |(subject, places): (Subject, Vec<String>)| told(&subject, &places, in_force, settings);
    subjects.into_iter().map(told).collect()
}

/// The subject of a difference, and the route or operation where it was found.
fn classified(drift: &Drift) -> (Subject, String) {
    match drift {
        Drift::NotThisNamespace { .. } => (Subject::Missing, drift.to_string()),
        Drift::RouteMissing { route } => (Subject::Missing, route.clone()),
        Drift::MethodMissing { route, method } => (Subject::Missing, format!("{method} {route}")),
        Drift::RouteExtra { path } => (Subject::ExtraRoutes, path.clone()),
        Drift::MethodExtra { route, method } => (Subject::ExtraRoutes, format!("{method} {route}")),
        Drift::ArgumentMissing { operation, argument } => {
            (Subject::Unpublished(argument.clone()), operation.clone())
        }
        Drift::ArgumentExtra { operation, argument } => (Subject::Extra(argument.clone()), operation.clone()),
        Drift::RequiredDiffers {
            operation,
            argument,
            specified,
        } => (Subject::Required(argument.clone(), *specified), operation.clone()),
    }
}

/// Whether the settings already say what happens to an argument of an operation.
fn is_settled(subject: &Subject, operation: &str, settings: &Settings) -> bool {
    let own = table()
        .named(operation)
        .and_then(|operation| settings.operations.get(&operation.id));
    match subject {
        Subject::Extra(argument) => {
            let listed = own.map_or(&[][..], |own| &own.extra_parameters);
            listed.contains(argument) || settings.extra_parameters.contains(argument)
        }
        Subject::Required(..) => {
            let mode = own.and_then(|own| own.mode).unwrap_or(settings.mode);
            mode != calendar_edge_core::settings::Mode::Enforce
        }
        _ => false,
    }
}

fn told(subject: &Subject, places: &[String], in_force: &TableInForce, settings: &Settings) -> Group {
    let at = listed(places);
    match subject {
        Subject::Missing => Group::finding(format!(
            "the origin does not publish {}: calls are forwarded, and the site answers them with 404",
            places.join(", ")
        )),
        Subject::ExtraRoutes => Group::finding(format!(
            "the origin publishes {}, which the table does not have: the edge refuses it with 404",
            places.join(", ")
        )),
        Subject::Extra(argument) => extra(argument, places, in_force, settings),
        Subject::Required(argument, true) => Group::finding(format!(
            "`{argument}` is required in the table and optional at the origin ({at}): the edge refuses calls without it"
        ))
        .with(reporting(places)),
        Subject::Required(argument, false) => Group::note(format!(
            "`{argument}` is optional in the table and required at the origin ({at}): the edge forwards calls without \
             it, and the site refuses them"
        )),
        Subject::Unpublished(argument) => Group::note(format!(
            "the origin does not publish `{argument}` ({at}): the edge does not judge it, and forwards it"
        )),
    }
}

/// An argument that only the site has.
fn extra(argument: &str, places: &[String], in_force: &TableInForce, settings: &Settings) -> Group {
    let at = listed(places);
    let published = format!("the origin publishes `{argument}` ({at}), which the table does not have");
    if !is_forwarded(argument, places, in_force) {
        return Group::note(format!(
            "{published}: the edge drops it, because it would change what other rules judge"
        ));
    }
    let fate = match (settings.profile, settings.undeclared) {
        (Profile::Compatible, _) | (Profile::Strict, Some(UndeclaredParameters::Forward)) => {
            "the edge forwards it unjudged"
        }
        (Profile::Strict, Some(UndeclaredParameters::Drop)) => "the strict profile drops it",
        (Profile::Strict, None | Some(UndeclaredParameters::Refuse)) => {
            "the strict profile refuses calls with it"
        }
    };
    Group::finding(format!("{published}: {fate}")).with(vec![
        "# at the top of the file".to_owned(),
        format!("extra_parameters = [\"{argument}\"]"),
    ])
}

/// Lines by which the rules of these operations are only reported.
fn reporting(operations: &[String]) -> Vec<String> {
    let lines = |operation: &String| {
        [
            format!("[operations.\"{operation}\"]"),
            "mode = \"report\"".to_owned(),
        ]
    };
    operations.iter().flat_map(lines).collect()
}

/// Places in words: all of them where they are few.
fn listed(places: &[String]) -> String {
    const FEW: usize = 4;
    if places.len() == table().operations().len() {
        return format!("all {} operations", places.len());
    }
    match places {
        few if few.len() <= FEW => few.join(", "),
        [first, second, rest @ ..] => format!("{first}, {second} and {} more", rest.len()),
        _ => String::new(),
    }
}

// === impl Group ===

impl Group {
    const fn note(text: String) -> Self {
        Self {
            text,
            paste: Vec::new(),
            weight: GroupWeight::Note,
        }
    }

    const fn finding(text: String) -> Self {
        Self {
            text,
            paste: Vec::new(),
            weight: GroupWeight::Finding,
        }
    }

    /// The same with lines to paste.
    fn with(self, paste: Vec<String>) -> Self {
        Self { paste, ..self }
    }
}
