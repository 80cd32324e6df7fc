//! Query parameters of the lists and path parameters of the item routes (specification, "Endpoints").

use super::argument::{Argument, ClockUse, DefaultValue, Role, Schema};
use super::documented::Documented;
use super::documented::Documented::{
    Any, Boolean, BooleanLike, Date, DateTime, Double, Integer, IntegerList, String,
};
use super::fatal::FatalShape;
use super::kind::{Kind, RECORD_NUMBER};
use super::rule::Rule;
use super::strict::{LARGEST_PAGE, LAST_PAGE, Relation, STATUSES, StrictRule};

/// The query parameters of a collection's list operation, in declaration order.
pub(super) const fn list(kind: Kind) -> &'static [Argument] {
    match kind {
        Kind::Event => EVENTS,
        Kind::Venue | Kind::Organizer => LINKED_POSTS,
        Kind::Category => CATEGORIES,
        Kind::Tag => TAGS,
    }
}

/// An argument that makes no response depend on the clock.
const fn steady(name: &'static str, documented: Documented, meaning: &'static str) -> Argument {
    Argument::new(name, documented, meaning).by_clock(ClockUse::Steady)
}

/// The `id` of an item route.
pub(super) const fn id(kind: Kind) -> Argument {
    let (rule, meaning) = match kind {
        Kind::Event => (Rule::EventNumber, "Event post ID."),
        Kind::Venue => (Rule::VenueId, "Venue post ID."),
        Kind::Organizer => (Rule::OrganizerId, "Organizer post ID."),
        Kind::Category => (Rule::TermList, "Category term ID."),
        Kind::Tag => (Rule::TermList, "Tag term ID."),
    };
    steady(RECORD_NUMBER, Integer, meaning)
        .typed(Schema::Integer)
        .ruled(rule)
        .required()
}

/// The `slug` of a by-slug route; [`event_slug_on_update`] has looser rules.
pub(super) const fn slug(kind: Kind) -> Argument {
    let (rule, meaning) = match kind {
        Kind::Venue => (Rule::VenueSlug, "Venue slug."),
        Kind::Organizer => (Rule::OrganizerSlug, "Organizer slug."),
        Kind::Event | Kind::Category | Kind::Tag => (Rule::EventSlug, "Event slug."),
    };
    steady("slug", String, meaning)
        .typed(Schema::String)
        .ruled(rule)
        .strictly(StrictRule::InPath)
        .required()
}

/// The `slug` of an event update by slug: optional, and only checked to be text.
pub(super) const fn event_slug_on_update() -> Argument {
    steady("slug", String, "Slug of the event to address.")
        .typed(Schema::String)
        .ruled(Rule::NonEmptyString)
        .strictly(StrictRule::InPath)
}

/// The event password, declared on routes by number only.
pub(super) const PASSWORD: Argument = steady("password", String, "Event password.")
    .typed(Schema::String)
    .ruled(Rule::NonEmptyString);

/// The arguments of the namespace index.
pub(super) const INDEX: &[Argument] = &[
    steady("namespace", Any, "Namespace to describe.")
        .crashing_on(FatalShape::Array)
        .naming(Role::Namespace)
        .default(DefaultValue::Text("calendar/events/v1")),
    steady("context", Any, "Scope of the response.")
        .strictly(StrictRule::Word(&["view"]))
        .default(DefaultValue::Text("view")),
];

/// The argument that is the number of a page of a list.
pub const PAGE_NUMBER: &str = "page";

/// The argument that is the number of records on a page.
pub const PAGE_SIZE: &str = "per_page";

const fn page(meaning: &'static str) -> Argument {
    steady(PAGE_NUMBER, Integer, meaning)
        .typed(Schema::Integer)
        .ruled(Rule::PositiveInt)
        .strictly(StrictRule::Whole { most: LAST_PAGE })
        .default(DefaultValue::Int(1))
}

const fn per_page(meaning: &'static str) -> Argument {
    // The backend gives `per_page` a sanitiser of its own, so its schema type is never enforced.
    steady(PAGE_SIZE, Integer, meaning)
        .ruled(Rule::PositiveInt)
        .strictly(StrictRule::Whole { most: LARGEST_PAGE })
        .default(DefaultValue::Int(10))
}

const fn text(name: &'static str, meaning: &'static str) -> Argument {
    steady(name, String, meaning)
        .typed(Schema::String)
        .ruled(Rule::NonEmptyString)
}

const fn event_id(name: &'static str, meaning: &'static str) -> Argument {
    steady(name, Integer, meaning)
        .typed(Schema::Integer)
        .ruled(Rule::EventId)
}

const fn bound(name: &'static str, meaning: &'static str) -> Argument {
    steady(name, Date, meaning)
        .ruled(Rule::Time)
        .by_clock(ClockUse::Time)
}

const fn list_of(name: &'static str, rule: Rule, meaning: &'static str) -> Argument {
    steady(name, IntegerList, meaning).ruled(rule)
}

const fn flag(name: &'static str, meaning: &'static str) -> Argument {
    steady(name, Boolean, meaning).typed(Schema::Boolean)
}

const EVENTS: &[Argument] = &[
    page("Archive page to return."),
    per_page("Events per page."),
    steady("start_date", DateTime, "Events that start on the given date.")
        .ruled(Rule::Time)
        .by_clock(ClockUse::Time)
        .default(DefaultValue::Generated),
    steady("end_date", DateTime, "Events that end on the given date.")
        .ruled(Rule::Time)
        .by_clock(ClockUse::Time)
        .default(DefaultValue::Generated),
    bound("starts_before", "Events starting before the date."),
    bound("starts_after", "Events starting after the date."),
    bound("ends_before", "Events ending before the date."),
    bound("ends_after", "Events ending after the date."),
    steady(
        "strict_dates",
        BooleanLike,
        "When set, the given dates are used at their exact times. By default whole days are included.",
    )
    .ruled(Rule::NonEmptyString)
    .default(DefaultValue::Bool(false)),
    text("search", "Events containing the string in title or description."),
    term(
        "categories",
        "Events assigned to one of the given categories (slugs or IDs).",
    ),
    term("tags", "Events assigned to one of the given tags (slugs or IDs)."),
    list_of(
        "venue",
        Rule::VenueIdList,
        "Events assigned to one of the given venue IDs.",
    ),
    list_of(
        "organizer",
        Rule::OrganizerIdList,
        "Events assigned to one of the given organizer IDs.",
    ),
    flag("featured", "Filter by featured status."),
    steady("status", String, "Filter by event post status.")
        .ruled(Rule::StatusFilter)
        .strictly(STATUSES),
    flag(
        "geoloc",
        "Filter by whether the venue has geolocation data. Needs an optional premium calendar extension.",
    ),
    steady(
        "geoloc_lat",
        Double,
        "Venue latitude filter; must be accompanied by geoloc_lng. Needs the same extension.",
    )
    .strictly(StrictRule::Degrees { most: 90 })
    .related(Relation::OtherCoordinate("geoloc_lng")),
    steady(
        "geoloc_lng",
        Double,
        "Venue longitude filter; must be accompanied by geoloc_lat. Needs the same extension.",
    )
    .strictly(StrictRule::Degrees { most: 180 })
    .related(Relation::OtherCoordinate("geoloc_lat")),
    // Sanitised by the backend's own list reader: its schema type is never enforced.
    list_of(
        "include",
        Rule::PositiveIntList,
        "Only events with these post IDs; date filters are then ignored.",
    ),
    event_id("post_parent", "Events whose post parent is the given ID."),
    flag("ticketed", "Events with or without tickets.").ruled(Rule::Ticketed),
];

const LINKED_POSTS: &[Argument] = &[
    page("Archive page."),
    per_page("Items per page."),
    text(
        "search",
        "Items containing the string in title, description or custom fields.",
    ),
    event_id("event", "Items related to this event ID."),
    steady("has_events", Any, "Items that have events associated."),
    steady(
        "only_with_upcoming",
        Any,
        "Items that have upcoming events associated.",
    )
    .by_clock(ClockUse::IfTrue)
    .default(DefaultValue::Bool(false)),
    steady("status", String, "Post status filter.")
        .ruled(Rule::StatusFilter)
        .strictly(STATUSES),
];

const fn term(name: &'static str, meaning: &'static str) -> Argument {
    list_of(name, Rule::TermList, meaning).strictly(StrictRule::Terms)
}

const HIDE_EMPTY: Argument =
    flag("hide_empty", "Hide terms assigned to no posts.").default(DefaultValue::Int(1));
const ORDER: Argument = text("order", "Sort direction, ascending or descending.")
    .strictly(StrictRule::WordInAnyCase(&["asc", "desc"]));
const ORDERBY: Argument = text("orderby", "Term attribute to sort by.");
const SEARCH_TERMS: Argument = text("search", "Terms matching the string.");
const POST: Argument = event_id("post", "Terms assigned to this post ID.");
const EVENT_OF_TERM: Argument = event_id("event", "Alias of `post`.");
const TERM_SLUG: Argument = text("slug", "Terms with this slug.").strictly(StrictRule::Slug);

const CATEGORIES: &[Argument] = &[
    page("Archive page."),
    per_page("Terms per page."),
    SEARCH_TERMS,
    term("exclude", "Exclude these term IDs."),
    term("include", "Only these term IDs."),
    ORDER,
    ORDERBY,
    HIDE_EMPTY,
    steady("parent", Integer, "Categories only: terms with this parent.")
        .typed(Schema::Integer)
        .ruled(Rule::TermList),
    POST,
    EVENT_OF_TERM,
    TERM_SLUG,
];

const TAGS: &[Argument] = &[
    page("Archive page."),
    per_page("Terms per page."),
    SEARCH_TERMS,
    term("exclude", "Exclude these term IDs."),
    term("include", "Only these term IDs."),
    ORDER,
    ORDERBY,
    HIDE_EMPTY,
    POST,
    EVENT_OF_TERM,
    TERM_SLUG,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::table;

    #[test]
    fn each_argument_of_a_read_states_how_it_depends_on_the_clock() {
        let reads = table().operations().iter();
        let reads = reads.filter(|operation| !operation.is_write());
        let unstated: Vec<_> = reads
            .flat_map(|operation| {
                operation
                    .arguments
                    .iter()
                    .map(move |argument| (operation, argument))
            })
            .filter(|(_, argument)| argument.clock == ClockUse::Unstated)
            .map(|(operation, argument)| format!("{}: {}", operation.name, argument.name))
            .collect();
        assert!(unstated.is_empty(), "state `by_clock`: {unstated:?}");
    }

    #[test]
    fn an_argument_that_is_read_as_a_time_depends_on_the_clock() {
        let arguments = table()
            .operations()
            .iter()
            .flat_map(|operation| &operation.arguments);
        for argument in arguments.filter(|argument| argument.clock != ClockUse::Unstated) {
            let is_time = argument.rule == Rule::Time;
            assert_eq!(argument.clock == ClockUse::Time, is_time, "{}", argument.name);
        }
    }

    /// Arguments with responses that caches keep as long as nothing is written.
    const STEADY: &str = "categories context event exclude featured geoloc geoloc_lat geoloc_lng has_events hide_empty \
                          id include namespace order orderby organizer page parent password per_page post post_parent \
                          search slug status strict_dates tags ticketed venue";

    /// Rows of most kinds are steady unless they state otherwise: a new one is not to be by oversight.
    #[test]
    fn an_argument_is_steady_by_its_name_and_not_by_its_kind() {
        let arguments = table()
            .operations()
            .iter()
            .flat_map(|operation| &operation.arguments);
        let steady = arguments.filter(|argument| argument.clock == ClockUse::Steady);
        let names: std::collections::BTreeSet<&str> = steady.map(|argument| argument.name).collect();
        let known: Vec<&str> = STEADY.split_whitespace().collect();
        assert_eq!(names.into_iter().collect::<Vec<_>>(), known);
    }
}
