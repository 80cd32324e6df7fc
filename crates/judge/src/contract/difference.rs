//! Differences between the specification and the measured backend, and the behaviour of the edge in each
//! case.
//!
//! The list is complete: a test compares the table with the backend's published index and fails on any
//! difference that is not a row here. From the same rows, `check` knows the deviations of a live index that
//! are expected.

/// One difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Difference {
    /// The subject, in a few words.
    pub subject: &'static str,
    /// The rule of the specification.
    pub specification: &'static str,
    /// The behaviour of the backend (backend.md sections 1 to 9).
    pub backend: &'static str,
    /// The behaviour of the edge in the `compatible` profile.
    pub edge: &'static str,
    /// The operations concerned, by name; empty: all of them.
    pub operations: &'static [&'static str],
    /// The arguments concerned; empty: the operation as a whole.
    pub arguments: &'static [&'static str],
    /// The effect of the difference on the backend's published index.
    pub published: Published,
}

/// The effect of a difference on the published index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Published {
    /// No effect: only behaviour differs.
    Unseen,
    /// No `type` is published.
    NoType,
    /// The default is this text instead of the specified value.
    DefaultText(&'static str),
    /// The default is any number, as number or text: a setting of the site.
    AnyNumber,
    /// The default is the namespace the origin uses.
    OwnNamespace,
    /// Routes are published under the origin's own namespace.
    Namespace,
}

/// Every difference that has been measured.
pub const fn differences() -> &'static [Difference] {
    DIFFERENCES
}

impl Difference {
    /// Returns true if the row is about this argument of this operation.
    pub fn concerns(&self, operation: &str, argument: &str) -> bool {
        let here = self.operations.is_empty() || self.operations.contains(&operation);
        here && self.arguments.contains(&argument)
    }
}

/// A row that does not yet name its operations and arguments.
const fn row(
    subject: &'static str,
    specification: &'static str,
    backend: &'static str,
    edge: &'static str,
) -> Difference {
    Difference {
        subject,
        specification,
        backend,
        edge,
        operations: &[],
        arguments: &[],
        published: Published::Unseen,
    }
}

impl Difference {
    const fn on(self, operations: &'static [&'static str]) -> Self {
        Self { operations, ..self }
    }

    const fn of(self, arguments: &'static [&'static str]) -> Self {
        Self { arguments, ..self }
    }

    const fn shown(self, published: Published) -> Self {
        Self { published, ..self }
    }
}

const EVENT_LIST: &[&str] = &["events.list"];
const LINKED_LISTS: &[&str] = &["venues.list", "organizers.list"];
const POST_LISTS: &[&str] = &["events.list", "venues.list", "organizers.list"];
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
    // --- differences that the index shows ---
    row(
        "name of the namespace",
        "calendar/events/v1",
        "The plugin registers tribe/events/v1; the specified name is 404 rest_no_route.",
        "Answers under its public names and forwards under the origin's.",
    )
    .shown(Published::Namespace),
    row(
        "default of the index's namespace",
        "calendar/events/v1",
        "The origin's own namespace.",
        "A public name becomes the origin's; any other is 404 rest_invalid_namespace.",
    )
    .on(&["index"])
    .of(&["namespace"])
    .shown(Published::OwnNamespace),
    row(
        "default of per_page",
        "10, a number",
        "The site's reading setting, as text.",
        "Never sends the default; the origin's holds.",
    )
    .on(LISTS)
    .of(&["per_page"])
    .shown(Published::AnyNumber),
    row(
        "default of hide_empty",
        "1, a number",
        "The text \"1\".",
        "Never sends the default; the two mean the same.",
    )
    .on(TERM_LISTS)
    .of(&["hide_empty"])
    .shown(Published::DefaultText("1")),
    row(
        "default of strict_dates",
        "false",
        "The text \"false\".",
        "Never sends the default; the two mean the same.",
    )
    .on(EVENT_LIST)
    .of(&["strict_dates"])
    .shown(Published::DefaultText("false")),
    row(
        "type of strict_dates",
        "boolean-like",
        "No type. Any text but \"\" and \"0\" passes; all but true, 1, yes and on mean false.",
        "Checks as the origin does and forwards the text.",
    )
    .on(EVENT_LIST)
    .of(&["strict_dates"])
    .shown(Published::NoType),
    row(
        "type of list filters",
        "array of integer",
        "No type. Callbacks take comma lists and arrays; terms also by slug or name.",
        "Checks the form of each entry; the origin decides whether it exists.",
    )
    .on(EVENT_LIST)
    .of(&["categories", "tags", "venue", "organizer", "include"])
    .shown(Published::NoType),
    row(
        "type of term filters",
        "array of integer",
        "No type. Slugs and names pass the callback, but only ids filter.",
        "Checks the form of each entry and forwards it.",
    )
    .on(TERM_LISTS)
    .of(&["exclude", "include"])
    .shown(Published::NoType),
    row(
        "type of list dates",
        "date-time string, date string",
        "No type. A callback takes numbers and whatever strtotime reads, save the epoch itself.",
        "Checks as the callback does.",
    )
    .on(EVENT_LIST)
    .of(&[
        "start_date",
        "end_date",
        "starts_before",
        "starts_after",
        "ends_before",
        "ends_after",
    ])
    .shown(Published::NoType),
    row(
        "type of the status filter",
        "string",
        "Only a format. A comma list of statuses; callers who cannot edit may only name publish.",
        "Refuses what no caller may ask for; the origin decides on the rest.",
    )
    .on(POST_LISTS)
    .of(&["status"])
    .shown(Published::NoType),
    row(
        "type of the coordinates",
        "number (double)",
        "Only a format: geoloc_lat=abc is 200, and neither needs the other.",
        "Forwards them unchecked.",
    )
    .on(EVENT_LIST)
    .of(&["geoloc_lat", "geoloc_lng"])
    .shown(Published::NoType),
    row(
        "type of an event's terms",
        "array of integer",
        "No type and no callback. One id or name, a comma list or a flat list; unknown names are created; a \
         nested list crashes PHP.",
        "Forwards flat values and refuses nested ones.",
    )
    .on(EVENT_WRITES)
    .of(&["categories", "tags"])
    .shown(Published::NoType),
    row(
        "type of an event's venue",
        "array of integer",
        "No type. An id or an object works; every list passes validation and then fails with \
         could-not-create-venue.",
        "Unwraps a list of one; longer lists go as they are.",
    )
    .on(EVENT_WRITES)
    .of(&["venue"])
    .shown(Published::NoType),
    row(
        "type of an event's organizer",
        "array of integer",
        "No type. Ids, lists and lists of objects work; the text \"15,16\" and a bare object that creates one \
         fail with could-not-create-organizer.",
        "Splits the text and wraps the object in a list.",
    )
    .on(EVENT_WRITES)
    .of(&["organizer"])
    .shown(Published::NoType),
    // --- differences in behaviour only ---
    row(
        "another namespace's index",
        "The index describes this namespace.",
        "?namespace=wp/v2 prints another namespace's index; an array crashes PHP.",
        "Only public names pass.",
    )
    .on(&["index"])
    .of(&["namespace"]),
    row(
        "context of the index",
        "Optional, view.",
        "Any value, without effect.",
        "Forwards it.",
    )
    .on(&["index"])
    .of(&["context"]),
    row(
        "largest page",
        "Maximum per_page not shown.",
        "The most is 50; larger values are capped, not refused.",
        "Forwards the value.",
    )
    .on(LISTS)
    .of(&["per_page"]),
    row(
        "include and the date filters",
        "Date filters are ignored when include is given.",
        "The date window stays: a past event is not found by its id.",
        "Forwards as sent; send start_date and end_date with include.",
    )
    .on(EVENT_LIST)
    .of(&["include"]),
    row(
        "start_date and end_date of the list",
        "Events that start, or end, on the given date.",
        "Both bound one window, by whole days unless strict_dates is set; without them, yesterday to two years on.",
        "Never sends the defaults, because relative filters drop them.",
    )
    .on(EVENT_LIST)
    .of(&["start_date", "end_date"]),
    row(
        "ticketed without tickets",
        "boolean",
        "True values are 400 event-tickets-not-active where Event Tickets is missing.",
        "The origin decides on true values.",
    )
    .on(EVENT_LIST)
    .of(&["ticketed"]),
    row(
        "password where it is not declared",
        "Accepted on routes addressed by number only.",
        "Honoured, unvalidated, on the event list and on reads by slug.",
        "Forwards it there.",
    )
    .on(&["events.list", "events.by-slug.read"])
    .of(&["password"]),
    row(
        "has_events and only_with_upcoming",
        "A value, false by default.",
        "Unchecked: true, 1 and yes mean true, anything else false.",
        "Forwards them unchecked.",
    )
    .on(LINKED_LISTS)
    .of(&["has_events", "only_with_upcoming"]),
    row(
        "event and post together",
        "event is an alias of post.",
        "event wins when both are sent.",
        "Forwards both.",
    )
    .on(TERM_LISTS)
    .of(&["post", "event"]),
    row(
        "no body on GET and DELETE",
        "GET and DELETE carry no body.",
        "Bodies are read, and win over query and path.",
        "Drops bodies of GET and HEAD; judges those of DELETE and forwards none.",
    ),
    row(
        "source of the path parameter",
        "id and slug come from the path.",
        "Query and body win over the path.",
        "The path wins; another value elsewhere is refused.",
    )
    .of(&["id", "slug"]),
    row(
        "parameters nobody declared",
        "Not mentioned.",
        "rest_route, _method and their odd spellings replace path and method; the rest is ignored.",
        "They never reach the origin; other undeclared parameters are dropped.",
    ),
    row(
        "texts that PHP calls empty",
        "string",
        "\"\" and \"0\" are refused for most text arguments.",
        "Refuses them likewise.",
    ),
    row(
        "null as a value",
        "The default of many fields is null.",
        "A null that is sent fails the type check of every typed argument.",
        "Refuses it likewise; leave the field out.",
    ),
    row(
        "by-slug update of a missing event",
        "Updates the event of that slug.",
        "A slug of no event is 200 with an errors object, and nothing is written.",
        "Relays the answer.",
    )
    .on(&["events.by-slug.update"])
    .of(&["slug"]),
    row(
        "partial updates",
        "Every field is optional on update.",
        "What is not sent is reset: status becomes publish or draft, flags false, cost, website, image and \
         organizer empty.",
        "Forwards as sent; send every field that is to stay.",
    )
    .on(POST_UPDATES),
    row(
        "one date of an update",
        "start_date and end_date are optional each.",
        "One without the other is ignored.",
        "Forwards as sent.",
    )
    .on(EVENT_UPDATES)
    .of(&["start_date", "end_date"]),
    row(
        "cost",
        "Any value.",
        "Re-read as numbers: $1,250.50 comes back as $.50.",
        "Forwards as sent.",
    )
    .on(EVENT_WRITES)
    .of(&["cost"]),
    row(
        "e-mail addresses",
        "string (e-mail address)",
        "Any text.",
        "Checks as the origin does.",
    )
    .on(&[
        "organizers.create",
        "organizers.update",
        "organizers.by-slug.update",
    ])
    .of(&["email"]),
    row(
        "creating what is there",
        "Creates a record.",
        "201 with the existing record when the data are the same.",
        "Relays the answer.",
    )
    .on(&["venues.create", "organizers.create"]),
    row(
        "slugs of venues and organizers",
        "Not writable.",
        "In a body it is ignored: the slug stays.",
        "Dropped on create, refused on updates by slug when it contradicts the path.",
    )
    .on(VENUE_AND_ORGANIZER_WRITES)
    .of(&["slug"]),
    row(
        "no parent",
        "parent is an integer.",
        "0 is refused: no category can be moved to the top, or be asked for there.",
        "Refuses it likewise.",
    )
    .on(&["categories.list", "categories.create", "categories.update"])
    .of(&["parent"]),
    row(
        "parent of a tag",
        "Tags have none.",
        "Any value but null is 400 rest_taxonomy_not_hierarchical.",
        "Forwards it, so that the origin refuses it.",
    )
    .on(&["tags.create", "tags.update"])
    .of(&["parent"]),
    row(
        "offset of the list of tags",
        "Unknown.",
        "Skips that many tags; on the list of categories it has no effect.",
        "Forwards it there.",
    )
    .on(&["tags.list"])
    .of(&["offset"]),
    row(
        "deleting",
        "Permanent or to trash: not shown.",
        "Posts go to the trash, where a second delete is 410 by number and 400 by slug.",
        "Relays the answer.",
    )
    .on(POST_DELETES),
    row(
        "a record that is not there",
        "Error status not shown.",
        "400 rest_invalid_param on id or slug; 404 rest-event-not-found in newer versions.",
        "The origin decides.",
    )
    .of(&["id", "slug"]),
    row(
        "order of errors",
        "Not shown.",
        "Missing, then invalid arguments are refused before anyone asks for credentials.",
        "Keeps the order; see the phases of the call.",
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
                assert!(table().named(name).is_some(), "{}: {name}", difference.subject);
            }
        }
    }

    #[test]
    fn rows_that_show_name_arguments_of_the_table() {
        let shown = differences()
            .iter()
            .filter(|row| !matches!(row.published, Published::Unseen | Published::Namespace));
        for difference in shown {
            for name in difference.operations {
                let operation = table().named(name).expect("listed");
                for argument in difference.arguments {
                    assert!(
                        operation.argument(argument.as_bytes()).is_some(),
                        "{name} {argument}"
                    );
                }
            }
        }
    }

    #[test]
    fn subjects_are_unique() {
        for (index, difference) in differences().iter().enumerate() {
            let rest = &differences()[index + 1..];
            assert!(
                !rest.iter().any(|other| other.subject == difference.subject),
                "{}",
                difference.subject
            );
        }
    }
}
