//! The table of changes of the plugin, from 5.12 on, by version.

use super::dated_difference::{DatedDifference, FormerResponse, VersionChange};
use super::plugin_version::PluginVersion;

const LIST: &[&str] = &["events.list"];
const BY_NUMBER: &[&str] = &["events.read", "events.update", "events.delete"];
const READS: &[&str] = &["events.read", "events.by-slug.read"];
const UNDECLARED_PASSWORD: &[&str] = &["events.list", "events.by-slug.read"];
const EVENTS: &[&str] = &[
    "events.list",
    "events.create",
    "events.read",
    "events.update",
    "events.delete",
    "events.by-slug.read",
    "events.by-slug.update",
    "events.by-slug.delete",
];
const PLACES: &[&str] = &[
    "venues.list",
    "venues.read",
    "venues.by-slug.read",
    "organizers.list",
    "organizers.read",
    "organizers.by-slug.read",
];
const CHANGES: &[&str] = &[
    "events.update",
    "events.delete",
    "venues.update",
    "venues.delete",
    "organizers.update",
    "organizers.delete",
];
const TERMS: &[&str] = &[
    "categories.create",
    "categories.update",
    "categories.delete",
    "tags.create",
    "tags.update",
    "tags.delete",
];
const RELATED: &[&str] = &[
    "events.list",
    "venues.list",
    "organizers.list",
    "categories.list",
    "tags.list",
];

/// Every row, the oldest change first.
pub const fn dated_differences() -> &'static [DatedDifference] {
    &ROWS
}

/// Every change. A row that cites an index was read there; one that cites a method, in the plugin's source of this
/// version and of the one before.
static ROWS: [DatedDifference; 20] = [
    DatedDifference {
        name: "currency_code",
        since: PluginVersion::new([5, 14, 1, 0]),
        operations: EVENTS,
        change: VersionChange::Member("currency_code"),
        meaning: "`cost_details` has the code of the currency.",
        evidence: "Post_Repository::get_event_data",
    },
    DatedDifference {
        name: "ticketed",
        since: PluginVersion::new([5, 16, 4, 0]),
        operations: LIST,
        change: VersionChange::Arguments(&["ticketed"]),
        meaning: "Lists of events take `ticketed`.",
        evidence: "fixtures/versions/index-5.16.1.1+pro.json, index-6.0.6.2.json",
    },
    DatedDifference {
        name: "relative_dates",
        since: PluginVersion::new([6, 0, 2, 0]),
        operations: LIST,
        change: VersionChange::Arguments(&[
            "starts_before",
            "starts_after",
            "ends_before",
            "ends_after",
            "strict_dates",
        ]),
        meaning: "Lists of events take five more dates.",
        evidence: "fixtures/versions/index-5.16.1.1+pro.json, index-6.0.6.2.json",
    },
    DatedDifference {
        name: "several_venues",
        since: PluginVersion::new([6, 2, 0, 0]),
        operations: EVENTS,
        change: VersionChange::Several("venue"),
        meaning: "An event may have several venues, which stand in a list.",
        evidence: "Post_Repository::get_venue_data",
    },
    DatedDifference {
        name: "password",
        since: PluginVersion::new([6, 5, 0, 1]),
        operations: BY_NUMBER,
        change: VersionChange::Arguments(&["password"]),
        meaning: "Single events take `password`.",
        evidence: "fixtures/versions/index-6.1.3+pro.json, index-6.5.1.2.json",
    },
    DatedDifference {
        name: "password_array",
        since: PluginVersion::new([6, 5, 0, 1]),
        operations: UNDECLARED_PASSWORD,
        change: VersionChange::CrashesOnArray("password"),
        meaning: "A list as `password` ends PHP with a fatal error.",
        evidence: "fixtures/versions/recorded.jsonl, by slug; Validator::can_access_password_content",
    },
    DatedDifference {
        name: "password_required",
        since: PluginVersion::new([6, 5, 0, 1]),
        operations: READS,
        change: VersionChange::Unshown,
        meaning: "A protected event is shown to callers with its password only; before, to every caller.",
        evidence: "Single_Event::get",
    },
    DatedDifference {
        name: "protected_events",
        since: PluginVersion::new([6, 8, 2, 1]),
        operations: LIST,
        change: VersionChange::Unshown,
        meaning: "Lists blank the content of protected events.",
        evidence: "Main::filter_out_password_protected_events",
    },
    DatedDifference {
        name: "custom_fields",
        since: PluginVersion::new([6, 10, 1, 0]),
        operations: EVENTS,
        change: VersionChange::Member("custom_fields"),
        meaning: "Events have `custom_fields`.",
        evidence: "Post_Repository::get_event_data",
    },
    DatedDifference {
        name: "search_by_date",
        since: PluginVersion::new([6, 15, 1, 1]),
        operations: LIST,
        change: VersionChange::Unshown,
        meaning: "Searches are sorted by dates alone; before, the best match comes first.",
        evidence: "Custom_Tables_Query::redirect_posts_orderby",
    },
    DatedDifference {
        name: "protected_places",
        since: PluginVersion::new([6, 15, 3, 0]),
        operations: PLACES,
        change: VersionChange::Unshown,
        meaning: "The content of protected venues and organizers is blanked.",
        evidence: "Main::filter_out_password_protected_data",
    },
    DatedDifference {
        name: "rights_by_record",
        since: PluginVersion::new([6, 15, 16, 1]),
        operations: CHANGES,
        change: VersionChange::Unshown,
        meaning: "A caller may change the records that WordPress lets the account edit; before, every record.",
        evidence: "Single_Event::can_edit, can_delete, and those of venues and organizers",
    },
    DatedDifference {
        name: "rights_of_terms",
        since: PluginVersion::new([6, 15, 19, 0]),
        operations: TERMS,
        change: VersionChange::Unshown,
        meaning: "Categories and tags are changed by accounts that may manage terms; before, by every author.",
        evidence: "Term_Single_Base::can_manage_terms",
    },
    DatedDifference {
        name: "event_numbers",
        since: PluginVersion::new([6, 17, 2, 0]),
        operations: BY_NUMBER,
        change: VersionChange::EventNumbers,
        meaning: "Any number passes the check of the path; the handler looks for the event.",
        evidence: "fixtures/versions/recorded.jsonl; Validator::is_event_id_format",
    },
    DatedDifference {
        name: "event_unknown",
        since: PluginVersion::new([6, 17, 2, 0]),
        operations: BY_NUMBER,
        change: VersionChange::Refusal {
            status: 404,
            code: "rest-event-not-found",
            former: FormerResponse::InvalidNumber,
        },
        meaning: "An event that does not exist is 404; before, 400 about `id`.",
        evidence: "fixtures/versions/recorded.jsonl; Single_Event::validate_event_exists",
    },
    DatedDifference {
        name: "not_an_event",
        since: PluginVersion::new([6, 17, 2, 0]),
        operations: BY_NUMBER,
        change: VersionChange::Refusal {
            status: 400,
            code: "rest-invalid-event-id",
            former: FormerResponse::InvalidNumber,
        },
        meaning: "The number of another record has a code of its own; before, it was an invalid `id`.",
        evidence: "Single_Event::validate_event_exists",
    },
    DatedDifference {
        name: "event_in_trash",
        since: PluginVersion::new([6, 17, 2, 0]),
        operations: READS,
        change: VersionChange::Refusal {
            status: 403,
            code: "event-no-longer-available",
            former: FormerResponse::Error {
                code: "event-not-accessible",
                message: "The requested event is not accessible",
            },
        },
        meaning: "An event in the trash is shown to no caller; before, to those that may read it.",
        evidence: "Single_Event::validate_event_accessible",
    },
    DatedDifference {
        name: "listed_once",
        since: PluginVersion::new([6, 17, 2, 0]),
        operations: LIST,
        change: VersionChange::Unshown,
        meaning: "Lists have each event once; before, once for each of its occurrences.",
        evidence: "Custom_Tables_Query::recurring_occurrences_supported, deduplicate_posts_when_pro_inactive",
    },
    DatedDifference {
        name: "unknown_slug",
        since: PluginVersion::new([6, 17, 2, 0]),
        operations: &["events.by-slug.update"],
        change: VersionChange::Refusal {
            status: 404,
            code: "rest-event-not-found",
            former: FormerResponse::Success(
                r#"{"errors":{"event-not-found":["The requested post ID does not exist or is not an event"]},"error_data":[]}"#,
            ),
        },
        meaning: "An update by a slug that no event has is 404; before, a success with a list of errors.",
        evidence: "fixtures/backend/error-event-update-missing-slug-is-200.json; Single_Event::update",
    },
    DatedDifference {
        name: "related_event",
        since: PluginVersion::new([6, 17, 2, 0]),
        operations: RELATED,
        change: VersionChange::Unshown,
        meaning: "Numbers of related events are looked up once more, and refused with a code of their own.",
        evidence: "Archive_Base::validate_event_id_param",
    },
];
