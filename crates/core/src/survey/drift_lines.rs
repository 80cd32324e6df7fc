//! Differences between what a site publishes and the table, one group for each argument, with what the edge does.

use std::collections::BTreeMap;

use crate::settings::{Profile, Settings, UndeclaredParameters};
use calendar_edge_judge::contract::drift::{Drift, DriftKind};
use calendar_edge_judge::contract::{TableInForce, table};

use super::check_line::LineKind::{Differs, Note, Ok as Fine};
use super::check_line::{CheckLine, shortened};
use super::site_table::is_forwarded;

/// The differences between the index of one root and the table. Arguments that the settings let pass are left out.
pub(super) fn drift_lines(
    drifts: &[Drift],
    path: &str,
    in_force: &TableInForce,
    settings: &Settings,
) -> Vec<CheckLine> {
    let mut subjects: BTreeMap<&DriftKind, Vec<String>> = BTreeMap::new();
    for Drift { kind, place } in drifts {
        if !is_settled(kind, place, settings) {
            subjects.entry(kind).or_default().push(place.clone());
        }
    }
    if subjects.is_empty() {
        let listed = if drifts.is_empty() {
            ""
        } else {
            ", and what the settings list"
        };
        return vec![Fine.line(format!("{path}: the index agrees with the table{listed}"))];
    }
    let subjects = subjects.iter();
    subjects
        .map(|(subject, places)| line(subject, places, path, in_force, settings))
        .collect()
}

/// True if the settings already decide about an argument of an operation.
fn is_settled(subject: &DriftKind, operation: &str, settings: &Settings) -> bool {
    let own = table()
        .named(operation)
        .and_then(|operation| settings.operations.get(&operation.id));
    match subject {
        DriftKind::Extra(argument) => {
            let listed = own.map_or(&[][..], |own| &own.extra_parameters);
            listed.contains(argument) || settings.extra_parameters.contains(argument)
        }
        DriftKind::Required(..) => {
            let mode = own.and_then(|own| own.mode).unwrap_or(settings.mode);
            mode != crate::settings::Mode::Enforce
        }
        _ => false,
    }
}

/// The difference, its place, and its treatment by the edge. It is a finding where the edge refuses or drops an
/// argument that the site takes, or where the settings do not decide yet, and a note where the edge follows the site.
fn line(
    subject: &DriftKind,
    places: &[String],
    path: &str,
    in_force: &TableInForce,
    settings: &Settings,
) -> CheckLine {
    let (at, all) = (listed(places), places.join(", "));
    match subject {
        DriftKind::NotThisNamespace(_) => Differs.line(format!("{path}: {}", subject.clone().at(all))),
        DriftKind::Missing => Differs.line(format!(
            "{path}: the origin does not publish {all}: calls are forwarded, and the site responds with 404"
        )),
        DriftKind::ExtraRoute => Differs.line(format!(
            "{path}: the origin publishes {all}, which the table does not have: the edge refuses it with 404"
        )),
        DriftKind::Extra(argument) => {
            let published =
                format!("{path}: the origin publishes `{argument}` ({at}), which the table does not have");
            if !is_forwarded(argument, places, in_force) {
                let dropped = "the edge drops it, because it would change what other rules judge";
                return Note.line(format!("{published}: {dropped}"));
            }
            let setting = format!("extra_parameters = [\"{argument}\"]");
            let paste = vec!["# at the top of the file".to_owned(), setting];
            Differs.pasting(format!("{published}: {}", fate(settings)), paste)
        }
        DriftKind::Required(argument, true) => Differs.pasting(
            format!(
                "{path}: `{argument}` is required in the table and optional at the origin ({at}): the edge refuses calls \
                 without it"
            ),
            reporting(places),
        ),
        DriftKind::Required(argument, false) => Note.line(format!(
            "{path}: `{argument}` is optional in the table and required at the origin ({at}): the edge forwards calls without \
             it, and the site refuses them"
        )),
        DriftKind::Unpublished(argument) => Note.line(format!(
            "{path}: the origin does not publish `{argument}` ({at}): the edge does not judge it, and forwards it"
        )),
    }
}

/// The edge's treatment of an argument that only the site has.
fn fate(settings: &Settings) -> &'static str {
    match (settings.profile, settings.undeclared) {
        (Profile::Compatible, _) | (Profile::Strict, Some(UndeclaredParameters::Forward)) => {
            "the edge forwards it unjudged"
        }
        (Profile::Strict, Some(UndeclaredParameters::Drop)) => "the strict profile drops it",
        (Profile::Strict, None | Some(UndeclaredParameters::Refuse)) => {
            "the strict profile refuses calls with it"
        }
    }
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
    if places.len() == table().operations().len() {
        return format!("all {} operations", places.len());
    }
    shortened(places, 4, 2)
}
