//! The differences between backend and specification that a client needs: the `OpenAPI` document lists them with the
//! argument or operation (backend.md sections 1 to 9).

/// One difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Difference {
    /// The operations concerned, by name.
    pub operations: &'static [&'static str],
    /// The arguments concerned; empty: the operation as a whole.
    pub arguments: &'static [&'static str],
    /// The behaviour of the backend.
    pub backend: &'static str,
}

/// Every difference that is documented for clients.
pub const fn differences() -> &'static [Difference] {
    DIFFERENCES
}

impl Difference {
    /// Returns true if the row is about this argument of this operation.
    pub fn concerns(&self, operation: &str, argument: &str) -> bool {
        self.operations.contains(&operation) && self.arguments.contains(&argument)
    }
}

const fn row(
    operations: &'static [&'static str],
    arguments: &'static [&'static str],
    backend: &'static str,
) -> Difference {
    Difference {
        operations,
        arguments,
        backend,
    }
}

const EVENT_LIST: &[&str] = &["events.list"];
const LINKED_LISTS: &[&str] = &["venues.list", "organizers.list"];
const TERM_LISTS: &[&str] = &["categories.list", "tags.list"];
const LISTS: &[&str] = &[
    "events.list",
    "venues.list",
    "organizers.list",
    "categories.list",
    "tags.list",
];
const EVENT_WRITES: &[&str] = &["events.create", "events.update", "events.by-slug.update"];
const EVENT_UPDATES: &[&str] = &["events.update", "events.by-slug.update"];
const VENUE_AND_ORGANIZER_WRITES: &[&str] = &[
    "venues.create",
    "venues.update",
    "venues.by-slug.update",
    "organizers.create",
    "organizers.update",
    "organizers.by-slug.update",
];
const POST_UPDATES: &[&str] = &[
    "events.update",
    "events.by-slug.update",
    "venues.update",
    "venues.by-slug.update",
    "organizers.update",
    "organizers.by-slug.update",
];
const POST_DELETES: &[&str] = &[
    "events.delete",
    "events.by-slug.delete",
    "venues.delete",
    "venues.by-slug.delete",
    "organizers.delete",
    "organizers.by-slug.delete",
];

const DIFFERENCES: &[Difference] = &[
    row(
        &["index"],
        &["namespace"],
        "?namespace=wp/v2 prints another namespace's index; an array crashes PHP.",
    ),
    row(&["index"], &["context"], "Any value, without effect."),
    row(
        LISTS,
        &["per_page"],
        "The most is 50; larger values are capped, not refused.",
    ),
    row(
        EVENT_LIST,
        &["include"],
        "The date window stays: a past event is not found by its id.",
    ),
    row(
        EVENT_LIST,
        &["start_date", "end_date"],
        "Both bound one window, by whole days unless strict_dates is set; without them, yesterday to two years on.",
    ),
    row(
        EVENT_LIST,
        &["ticketed"],
        "True values are 400 event-tickets-not-active where Event Tickets is missing.",
    ),
    row(
        &["events.list", "events.by-slug.read"],
        &["password"],
        "Honoured, unvalidated, on the event list and on reads by slug.",
    ),
    row(
        LINKED_LISTS,
        &["has_events", "only_with_upcoming"],
        "Unchecked: true, 1 and yes mean true, anything else false.",
    ),
    row(TERM_LISTS, &["post", "event"], "event wins when both are sent."),
    row(
        &["events.by-slug.update"],
        &["slug"],
        "A slug of no event is 200 with an errors object, and nothing is written.",
    ),
    row(
        POST_UPDATES,
        &[],
        "What is not sent is reset: status becomes publish or draft, flags false, cost, website, image and \
         organizer empty.",
    ),
    row(
        EVENT_UPDATES,
        &["start_date", "end_date"],
        "One without the other is ignored.",
    ),
    row(
        EVENT_WRITES,
        &["cost"],
        "Re-read as numbers: $1,250.50 comes back as $.50.",
    ),
    row(
        &[
            "organizers.create",
            "organizers.update",
            "organizers.by-slug.update",
        ],
        &["email"],
        "Any text.",
    ),
    row(
        &["venues.create", "organizers.create"],
        &[],
        "201 with the existing record when the data are the same.",
    ),
    row(
        VENUE_AND_ORGANIZER_WRITES,
        &["slug"],
        "In a body it is ignored: the slug stays.",
    ),
    row(
        &["categories.list", "categories.create", "categories.update"],
        &["parent"],
        "0 is refused: no category can be moved to the top, or be requested there.",
    ),
    row(
        &["tags.create", "tags.update"],
        &["parent"],
        "Any value but null is 400 rest_taxonomy_not_hierarchical.",
    ),
    row(
        &["tags.list"],
        &["offset"],
        "Skips that many tags; on the list of categories it has no effect.",
    ),
    row(
        POST_DELETES,
        &[],
        "Posts go to the trash, where a second delete is 410 by number and 400 by slug.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::table;

    #[test]
    fn names_only_operations_of_the_table() {
        for difference in differences() {
            for name in difference.operations {
                assert!(table().named(name).is_some(), "{}: {name}", difference.backend);
            }
        }
    }
}
