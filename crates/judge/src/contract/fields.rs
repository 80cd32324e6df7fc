//! Writable fields of the five kinds (specification, "Resources and their fields").
//!
//! Presence is that of *create*; updates use the same rows with every field optional. The order is the
//! backend's declaration order, which is the order of its validation errors.

use super::argument::{Argument, DefaultValue::Bool, DefaultValue::Null, Role, Schema};
use super::documented::Documented::{
    self, Any, Boolean, DateTime, Email, Integer, IntegerList, String, Url, UtcDate,
};
use super::fatal::FatalShape;
use super::kind::Kind;
use super::rule::Rule;
use super::strict::{Relation, STATUSES, StrictRule};

/// The writable fields of a kind, in declaration order.
pub(super) const fn writable(kind: Kind) -> &'static [Argument] {
    match kind {
        Kind::Event => EVENT,
        Kind::Venue => VENUE,
        Kind::Organizer => ORGANIZER,
        Kind::Category => CATEGORY,
        Kind::Tag => TAG,
    }
}

const fn text(name: &'static str, meaning: &'static str) -> Argument {
    Argument::new(name, String, meaning)
        .typed(Schema::String)
        .ruled(Rule::NonEmptyString)
}

const fn loose_text(name: &'static str, meaning: &'static str) -> Argument {
    Argument::new(name, String, meaning)
        .typed(Schema::String)
        .ruled(Rule::StringOrEmpty)
        .default(Null)
}

const fn date(name: &'static str, documented: Documented, meaning: &'static str) -> Argument {
    Argument::new(name, documented, meaning)
        .typed(Schema::String)
        .ruled(Rule::Time)
        .strictly(StrictRule::AbsoluteDate)
}

const fn flag(name: &'static str, meaning: &'static str) -> Argument {
    Argument::new(name, Boolean, meaning).typed(Schema::Boolean)
}

const fn status(meaning: &'static str) -> Argument {
    Argument::new("status", String, meaning)
        .typed(Schema::String)
        .ruled(Rule::PostStatus)
        .strictly(STATUSES)
}

const AUTHOR: Argument = Argument::new("author", Integer, "Author ID.")
    .typed(Schema::Integer)
    .ruled(Rule::UserId)
    .naming(Role::Author);
const DATE: Argument = date("date", String, "Publication date.");
const DATE_UTC: Argument = date("date_utc", UtcDate, "Publication date in UTC.");
const IMAGE: &str = "Featured image ID or URL.";

const EVENT: &[Argument] = &[
    AUTHOR,
    DATE,
    // The specification documents a text here, and a text in UTC on venues and organizers.
    date("date_utc", String, "Publication date in UTC."),
    text("title", "Event title.").required(),
    text("description", "Event description.").strictly(StrictRule::LongText),
    text("slug", "Event slug.").strictly(StrictRule::Slug),
    text("excerpt", "Event excerpt.").strictly(StrictRule::LongText),
    status("Post status of the event."),
    Argument::new("timezone", String, "Event time zone.")
        .typed(Schema::String)
        .ruled(Rule::TimezoneOrEmpty),
    flag("all_day", "Whether the event lasts the whole day.").default(Bool(false)),
    date("start_date", DateTime, "Start date and time.").required(),
    date("end_date", DateTime, "End date and time.")
        .required()
        .related(Relation::NotBefore("start_date")),
    Argument::new("image", String, IMAGE)
        .typed(Schema::String)
        .ruled(Rule::Image)
        .strictly(StrictRule::Image),
    // Terms and costs of an event have no callback: the plugin reads their elements one by one.
    Argument::new("cost", Any, "Event cost.").crashing_on(FatalShape::NestedArray),
    Argument::new("website", Any, "Event website URL.")
        .ruled(Rule::UrlOrEmpty)
        .strictly(StrictRule::Url)
        .default(Null),
    flag("show_map", "Show a map."),
    flag("show_map_link", "Show a map link."),
    flag("hide_from_listings", "Hide the event in the calendar view."),
    flag("sticky", "Make the event sticky in the calendar view."),
    flag("featured", "Mark the event as featured."),
    Argument::new(
        "categories",
        IntegerList,
        "Category IDs (described as ID or name).",
    )
    .strictly(StrictRule::Terms)
    .crashing_on(FatalShape::NestedArray)
    .default(Null),
    Argument::new("tags", IntegerList, "Tag IDs (described as ID or name).")
        .strictly(StrictRule::Terms)
        .crashing_on(FatalShape::NestedArray)
        .default(Null),
    Argument::new("venue", IntegerList, "Venue IDs (described as IDs or data).")
        .ruled(Rule::VenueEntry)
        .default(Null),
    Argument::new(
        "organizer",
        IntegerList,
        "Organizer IDs (described as IDs or data).",
    )
    .ruled(Rule::OrganizerEntry)
    .default(Null),
];

const VENUE: &[Argument] = &[
    AUTHOR,
    DATE,
    DATE_UTC,
    text("venue", "Venue name.").required(),
    loose_text("description", "Venue description.").strictly(StrictRule::LongText),
    status("Post status of the venue."),
    Argument::new("show_map", String, "Show a map.")
        .typed(Schema::String)
        .default(Null),
    Argument::new("show_map_link", String, "Show a map link.")
        .typed(Schema::String)
        .default(Null),
    loose_text("address", "Street address."),
    loose_text("city", "City."),
    loose_text("country", "Country."),
    loose_text("province", "Province."),
    loose_text("state", "State."),
    loose_text("zip", "Postal code."),
    loose_text("phone", "Phone number."),
    loose_text("stateprovince", "State or province."),
    Argument::new("website", Url, "Venue website URL.")
        .typed(Schema::String)
        .ruled(Rule::UrlOrEmpty)
        .strictly(StrictRule::Url)
        .default(Null),
    Argument::new("image", String, IMAGE)
        .typed(Schema::String)
        .ruled(Rule::ImageOrEmpty)
        .strictly(StrictRule::Image)
        .default(Null),
];

const ORGANIZER: &[Argument] = &[
    AUTHOR.default(Null),
    DATE.default(Null),
    DATE_UTC.default(Null),
    text("organizer", "Organizer name.").default(Null).required(),
    loose_text("description", "Organizer description.").strictly(StrictRule::LongText),
    status("Post status of the organizer.").default(Null),
    loose_text("phone", "Phone number."),
    Argument::new("website", String, "Organizer website URL.")
        .typed(Schema::String)
        .ruled(Rule::UrlOrEmpty)
        .strictly(StrictRule::Url)
        .default(Null),
    Argument::new("email", Email, "E-mail address.")
        .typed(Schema::String)
        .ruled(Rule::StringOrEmpty)
        .default(Null),
    Argument::new("image", String, IMAGE)
        .typed(Schema::String)
        .ruled(Rule::ImageOrEmpty)
        .strictly(StrictRule::Image)
        .default(Null),
];

const CATEGORY: &[Argument] = &[
    text("name", "Category name.").required(),
    text("description", "Category description.").strictly(StrictRule::LongText),
    text("slug", "Category slug.").strictly(StrictRule::Slug),
    Argument::new("parent", Integer, "Parent category term ID.")
        .typed(Schema::Integer)
        .ruled(Rule::TermList),
];

const TAG: &[Argument] = &[
    text("name", "Tag name.").required(),
    text("description", "Tag description.").strictly(StrictRule::LongText),
    text("slug", "Tag slug.").strictly(StrictRule::Slug),
];
