//! Events, venues and organizers (backend.md section 11).

use super::shape::{ResponseMember, ResponseModel, Shape};
use super::term_models::EVENT_TERM;

/// The members of every post.
const POST: &[ResponseMember] = &[
    ResponseMember::new("id", Shape::Integer, "The number of the record."),
    ResponseMember::text(
        "global_id",
        "The number with the site's host and path: unique over sites.",
    ),
    ResponseMember::new(
        "global_id_lineage",
        Shape::TEXTS,
        "Every `global_id` that the record has had.",
    ),
    ResponseMember::text("author", "The number of the author's account, as text."),
    ResponseMember::text("status", "The post status, such as `publish`."),
    ResponseMember::date(
        "date",
        "When it was published, in the site's time: `2026-11-20 09:39:45`.",
    ),
    ResponseMember::date("date_utc", "The same in UTC."),
    ResponseMember::date("modified", "When it was last changed, in the site's time."),
    ResponseMember::date("modified_utc", "The same in UTC."),
    ResponseMember::text("url", "The address of its page."),
];

/// An image, or `false` if there is none.
const IMAGE_OR_FALSE: Shape = Shape::Either(&[Shape::Model(&IMAGE), Shape::False]);

/// Structured data, whose shape is that of schema.org and of the site's settings.
const JSON_LD: ResponseMember = ResponseMember::new(
    "json_ld",
    Shape::Either(&[Shape::OBJECT, Shape::List(&Shape::Any), Shape::False]),
    "The record in terms of schema.org.",
)
.optional();

/// An event.
pub static EVENT: ResponseModel = ResponseModel::new("Event", "An event.", &[POST, EVENT_MEMBERS]).extended();

static EVENT_MEMBERS: &[ResponseMember] = &[
    ResponseMember::text("rest_url", "The address of the record in the API."),
    ResponseMember::text("title", "The title, as HTML."),
    ResponseMember::text("description", "The text, as HTML."),
    ResponseMember::text("excerpt", "A short form of the text, as HTML."),
    ResponseMember::text("slug", "The part of its address that names it, percent-encoded."),
    ResponseMember::new("image", IMAGE_OR_FALSE, "The featured image, or `false`."),
    // In lists, the origin blanks these for protected events (backend.md section 8).
    ResponseMember::new("all_day", Shape::BLANKED_FLAG, "Whether it lasts whole days."),
    ResponseMember::date(
        "start_date",
        "The beginning in the event's time zone: `2027-04-02 19:00:00`.",
    ),
    ResponseMember::new("start_date_details", DATE_PARTS, "The beginning in parts."),
    ResponseMember::date("end_date", "The end in the event's time zone."),
    ResponseMember::new("end_date_details", DATE_PARTS, "The end in parts."),
    ResponseMember::new("utc_start_date", Shape::DATE_OR_NULL, "The beginning in UTC."),
    ResponseMember::new(
        "utc_start_date_details",
        DATE_PARTS,
        "The beginning in UTC, in parts.",
    ),
    ResponseMember::new("utc_end_date", Shape::DATE_OR_NULL, "The end in UTC."),
    ResponseMember::new("utc_end_date_details", DATE_PARTS, "The end in UTC, in parts."),
    ResponseMember::text("timezone", "The event's time zone: a name by area or an offset."),
    ResponseMember::text(
        "timezone_abbr",
        "The abbreviation of the time zone at the beginning.",
    ),
    ResponseMember::text("cost", "The cost as it is shown, with its currency."),
    ResponseMember::new("cost_details", Shape::Model(&COST_DETAILS), "The cost in parts."),
    ResponseMember::text(
        "website",
        "The address of the event's own website; empty without one.",
    ),
    ResponseMember::new("show_map", Shape::BLANKED_FLAG, "Whether its page shows a map."),
    ResponseMember::new(
        "show_map_link",
        Shape::BLANKED_FLAG,
        "Whether its page links to a map.",
    ),
    ResponseMember::new(
        "hide_from_listings",
        Shape::BLANKED_FLAG,
        "Whether calendar views leave it out.",
    ),
    ResponseMember::new(
        "sticky",
        Shape::BLANKED_FLAG,
        "Whether it comes first in the month view.",
    ),
    ResponseMember::new("featured", Shape::BLANKED_FLAG, "Whether it is featured."),
    ResponseMember::new("categories", EVENT_TERMS, "Its categories."),
    ResponseMember::new("tags", EVENT_TERMS, "Its tags."),
    ResponseMember::new(
        "venue",
        Shape::Either(&[Shape::Model(&VENUE), Shape::EmptyList]),
        "Its venue, or an empty list.",
    ),
    ResponseMember::new(
        "organizer",
        Shape::List(&Shape::Model(&ORGANIZER)),
        "Its organizers.",
    ),
    JSON_LD,
];

const DATE_PARTS: Shape = Shape::Model(&DATE_DETAILS);
const EVENT_TERMS: Shape = Shape::List(&Shape::Model(&EVENT_TERM));

/// A venue, alone or inside an event.
pub static VENUE: ResponseModel = ResponseModel::new("Venue", "A venue.", &[POST, VENUE_MEMBERS]).extended();

const VENUE_MEMBERS: &[ResponseMember] = &[
    ResponseMember::text("venue", "The name."),
    ResponseMember::text("slug", "The part of its address that names it, percent-encoded.").optional(),
    ResponseMember::text("description", "The text, as HTML.").optional(),
    ResponseMember::text("excerpt", "A short form of the text, as HTML.").optional(),
    ResponseMember::new("image", IMAGE_OR_FALSE, "The featured image.").optional(),
    ResponseMember::text("address", "Street and number.").optional(),
    ResponseMember::text("city", "The city.").optional(),
    ResponseMember::text("country", "The country.").optional(),
    ResponseMember::text("province", "The province, outside of the United States.").optional(),
    ResponseMember::text("state", "The state, in the United States.").optional(),
    ResponseMember::text("zip", "The postal code.").optional(),
    ResponseMember::text("phone", "The telephone number.").optional(),
    ResponseMember::text("website", "The address of its website.").optional(),
    ResponseMember::text("stateprovince", "The state or the province.").optional(),
    ResponseMember::new("show_map", Shape::Boolean, "Whether pages show a map."),
    ResponseMember::new("show_map_link", Shape::Boolean, "Whether pages link to a map."),
    JSON_LD,
];

/// An organizer, alone or inside an event.
pub static ORGANIZER: ResponseModel =
    ResponseModel::new("Organizer", "An organizer.", &[POST, ORGANIZER_MEMBERS]).extended();

const ORGANIZER_MEMBERS: &[ResponseMember] = &[
    ResponseMember::text("organizer", "The name."),
    ResponseMember::text("slug", "The part of its address that names it, percent-encoded.").optional(),
    ResponseMember::text("description", "The text, as HTML.").optional(),
    ResponseMember::text("excerpt", "A short form of the text, as HTML.").optional(),
    ResponseMember::new("image", IMAGE_OR_FALSE, "The featured image.").optional(),
    ResponseMember::text("phone", "The telephone number.").optional(),
    ResponseMember::text("website", "The address of its website.").optional(),
    ResponseMember::text(
        "email",
        "The e-mail address, with its `@` as an HTML entity where the site hides it.",
    )
    .optional(),
    JSON_LD,
];

static IMAGE: ResponseModel = ResponseModel::new(
    "Image",
    "An image of the media library.",
    &[&[
        ResponseMember::text("url", "The address of the whole image."),
        ResponseMember::new("id", Shape::Integer, "Its number in the media library."),
        ResponseMember::text("extension", "The end of its file's name.").optional(),
        ResponseMember::new("width", Shape::Integer, "Its width in pixels.").optional(),
        ResponseMember::new("height", Shape::Integer, "Its height in pixels.").optional(),
        ResponseMember::new("filesize", Shape::Integer, "Its size in bytes.").optional(),
        ResponseMember::new(
            "sizes",
            Shape::Either(&[
                Shape::Map(&Shape::Model(&IMAGE_SIZE)),
                Shape::EmptyList,
                Shape::False,
            ]),
            "Smaller forms of the image by their names, or an empty list.",
        )
        .optional(),
    ]],
);

static IMAGE_SIZE: ResponseModel = ResponseModel::new(
    "ImageSize",
    "A smaller form of an image.",
    &[&[
        ResponseMember::text("url", "Its address."),
        ResponseMember::new("width", Shape::Integer, "Its width in pixels."),
        ResponseMember::new("height", Shape::Integer, "Its height in pixels."),
        ResponseMember::text("mime-type", "Its media type.").optional(),
        ResponseMember::new("filesize", Shape::Integer, "Its size in bytes.").optional(),
    ]],
);

static DATE_DETAILS: ResponseModel = ResponseModel::new(
    "DateDetails",
    "The parts of a date, as text with leading zeros.",
    &[&[
        ResponseMember::text("year", "The year."),
        ResponseMember::text("month", "The month, from `01`."),
        ResponseMember::text("day", "The day of the month."),
        ResponseMember::text("hour", "The hour, from `00` to `23`."),
        ResponseMember::text("minutes", "The minutes."),
        ResponseMember::text("seconds", "The seconds."),
    ]],
);

static COST_DETAILS: ResponseModel = ResponseModel::new(
    "CostDetails",
    "The parts of a cost.",
    &[&[
        ResponseMember::text("currency_symbol", "The symbol of the currency.").optional(),
        ResponseMember::text("currency_code", "The code of the currency.").optional(),
        ResponseMember::text(
            "currency_position",
            "Where the symbol stands: `prefix` or `suffix`.",
        )
        .optional(),
        ResponseMember::new(
            "values",
            Shape::List(&Shape::Either(&[Shape::Text, Shape::Number])),
            "The amounts, the smallest first.",
        ),
    ]],
);
