//! Human-readable texts of the rendered documents.

use calendar_edge_judge::contract::{Action, Kind, OperationId, Route};

/// An argument that the site does not publish.
pub(super) const UNPUBLISHED: &str = "The site does not publish it: it is not judged, and forwarded.";
/// An argument that only the site publishes.
pub(super) const EXTRA: &str = "Published by the site and not part of the API: forwarded unjudged.";

pub(super) const ABOUT: &str =
    "Reads and manages a calendar: events and the venues, organizers, categories and tags \
tied to them.

The schemas describe what is accepted in the `compatible` profile. Dates may be written in many more ways \
than the pattern shows; numbers may come as text.

Two parameters work on every operation and change the shape of the response, so they are not listed with the \
operations: `_fields` and `_envelope` (see `components.parameters`). HEAD works wherever GET does.

Every response is JSON. An error has `code`, `message` and mostly `data.status`; codes that begin with `edge_` \
come from the gateway, all others from WordPress.";

/// The tags with their meanings, by the kind of records; none: the informational routes.
pub(super) const TAGS: [(Option<Kind>, &str, &str); 6] = [
    (
        Some(Kind::Event),
        "Events",
        "Calendar entries with start and end date-time, cost, links and related records.",
    ),
    (Some(Kind::Venue), "Venues", "Places where events happen."),
    (
        Some(Kind::Organizer),
        "Organizers",
        "People or groups that run events.",
    ),
    (Some(Kind::Category), "Categories", "Terms that group events."),
    (Some(Kind::Tag), "Tags", "Terms that label events."),
    (None, "Service", "What the service is and offers."),
];

/// The tag of the operations about a kind of records, or of the informational routes.
pub(super) fn tag(kind: Option<Kind>) -> &'static str {
    let tag = TAGS.iter().find(|(of, ..)| *of == kind);
    tag.map_or("Service", |(_, name, _)| name)
}

pub(super) fn summary(id: OperationId) -> String {
    let by = match id.route {
        Route::BySlug(_) => " by slug",
        Route::Index | Route::Doc | Route::Collection(_) | Route::Item(_) => "",
    };
    let Some(kind) = id.kind() else {
        return match id.route {
            Route::Doc => "Read the plugin's own documentation".to_owned(),
            Route::Index | Route::Collection(_) | Route::Item(_) | Route::BySlug(_) => {
                "Read the namespace index".to_owned()
            }
        };
    };
    let (one, many) = (kind.singular(), kind.collection());
    match id.action {
        Action::Describe => format!("Describe {many}"),
        Action::List => format!("List {many}"),
        Action::Create if matches!(kind, Kind::Event | Kind::Organizer) => format!("Create an {one}"),
        Action::Create => format!("Create a {one}"),
        Action::Read => format!("Read one {one}{by}"),
        Action::Update => format!("Update one {one}{by}"),
        Action::Delete => format!("Delete one {one}{by}"),
    }
}

pub(super) fn success(id: OperationId) -> String {
    let Some(kind) = id.kind() else {
        return "The description.".to_owned();
    };
    let (one, many) = (kind.singular(), kind.collection());
    match id.action {
        Action::Describe => "The description.".to_owned(),
        Action::List => format!("One page of {many}."),
        Action::Create => format!("The new {one}."),
        Action::Read => format!("The {one}."),
        Action::Update => format!("The {one} after the update."),
        Action::Delete if kind.is_term() => format!("The {one} that was; it is gone for good."),
        Action::Delete => format!("The {one}, now in the trash."),
    }
}

pub(super) fn global(name: &str) -> &'static str {
    match name {
        "_fields" => {
            "Limits the response to these top-level members, with dots for nested ones. Without a hit the \
             response is an empty list. No effect on errors."
        }
        "_envelope" => {
            "Wraps status, headers and body in a 200, whatever the value. No effect in a request body."
        }
        "_embed" => "Embeds linked records in terms.",
        "_locale" => "Selects the locale of the user.",
        "_pretty" => "Indents the response, whatever the value.",
        "context" => "`edit` shows editors the content of protected events.",
        "lang" => "Language of the response, for translation plugins.",
        _ => "A global parameter.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calendar_edge_judge::contract::table;

    #[test]
    fn every_operation_has_a_summary_of_its_own() {
        let mut summaries: Vec<String> = table()
            .operations()
            .iter()
            .map(|operation| summary(operation.id))
            .collect();
        summaries.sort_unstable();
        summaries.dedup();
        assert_eq!(summaries.len(), table().operations().len());
    }
}
