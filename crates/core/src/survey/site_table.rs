//! The table as the index of a site changes it, and the parameters that plugins add there.

use std::collections::BTreeSet;

use calendar_edge_judge::contract::{EventIds, PublishedIndex, TableInForce, table};
use serde_json::Value;

use super::surveyed_site::SurveyedSite;

/// The table as the edge will form it from this index.
pub(super) fn in_force(index: &Value, place: &SurveyedSite<'_>) -> TableInForce {
    let Ok(published) = PublishedIndex::of_document(index, &place.backend.origin.namespace) else {
        return (*TableInForce::unread()).clone();
    };
    let shown = place.calendar(EventIds::PROBE).ok();
    let shown = shown.and_then(|answer| EventIds::shown_by(answer.status.as_u16(), &answer.body));
    TableInForce::over(&published.with_event_ids(shown))
}

/// True if the edge forwards an argument that only the site has, in all of these operations.
pub(super) fn is_forwarded(argument: &str, operations: &[String], in_force: &TableInForce) -> bool {
    operations.iter().all(|name| {
        let operation = table().named(name);
        operation.is_some_and(|operation| in_force.operation(operation).has_extra(argument.as_bytes()))
    })
}

/// The arguments that only the site has and that the edge forwards: parameters that plugins add.
pub(super) fn added_parameters(in_force: &TableInForce) -> BTreeSet<&str> {
    let operations = table().operations().iter();
    operations
        .flat_map(|operation| in_force.operation(operation).extra())
        .collect()
}
