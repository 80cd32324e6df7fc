//! Events, venues and organizers (backend.md section 11).

use super::shape::{AnswerMember, AnswerModel, Shape};
use super::term_models::EVENT_TERM;

/// What every post has.
const POST: &[AnswerMember] = &[
    AnswerMember::new("id", Shape::Integer, "The number of the record."),
    AnswerMember::text(
        "global_id",
        "The number with the site's host and path: unique over sites.",
    ),
    AnswerMember::new(
        "global_id_lineage",
        Shape::TEXTS,
        "Every `global_id` that the record has had.",
    ),
    AnswerMember::text("author", "The number of the author's account, as text."),
    AnswerMember::text("status", "The post status, such as `publish`."),
    AnswerMember::text(
        "date",
        "When it was published, in the site's time: `2026-11-20 09:39:45`.",
    ),
    AnswerMember::text("date_utc", "The same in UTC."),
    AnswerMember::text("modified", "When it was last changed, in the site's time."),
    AnswerMember::text("modified_utc", "The same in UTC."),
    AnswerMember::text("url", "The address of its page."),
];

/// An image, or `false` if there is none.
const IMAGE_OR_FALSE: Shape = Shape::Either(&[Shape::Model(&IMAGE), Shape::False]);

/// Structured data, whose shape is that of schema.org and of the site's settings.
const JSON_LD: AnswerMember = AnswerMember::new(
    "json_ld",
    Shape::Either(&[Shape::OBJECT, Shape::List(&Shape::Any), Shape::False]),
    "The record in terms of schema.org.",
)
.optional();

/// An event.
pub static EVENT: AnswerModel = AnswerModel::new("Event", "An event.", &[POST, EVENT_MEMBERS]).extended();

static EVENT_MEMBERS: &[AnswerMember] = &[
    AnswerMember::text("rest_url", "The address of the record in the API."),
    AnswerMember::text("title", "The title, as HTML."),
    AnswerMember::text("description", "The text, as HTML."),
    AnswerMember::text("excerpt", "A short form of the text, as HTML."),
    AnswerMember::text("slug", "The part of its address that names it, percent-encoded."),
    AnswerMember::new("image", IMAGE_OR_FALSE, "The featured image, or `false`."),
    // In lists, the origin blanks these for protected events (backend.md section 8).
    AnswerMember::new("all_day", Shape::BLANKED_FLAG, "Whether it lasts whole days."),
    AnswerMember::text(
        "start_date",
        "The beginning in the event's time zone: `2027-04-02 19:00:00`.",
    ),
    AnswerMember::new("start_date_details", DATE_PARTS, "The beginning in parts."),
    AnswerMember::text("end_date", "The end in the event's time zone."),
    AnswerMember::new("end_date_details", DATE_PARTS, "The end in parts."),
    AnswerMember::new("utc_start_date", Shape::TEXT_OR_NULL, "The beginning in UTC."),
    AnswerMember::new(
        "utc_start_date_details",
        DATE_PARTS,
        "The beginning in UTC, in parts.",
    ),
    AnswerMember::new("utc_end_date", Shape::TEXT_OR_NULL, "The end in UTC."),
    AnswerMember::new("utc_end_date_details", DATE_PARTS, "The end in UTC, in parts."),
    AnswerMember::text("timezone", "The event's time zone: a name by area or an offset."),
    AnswerMember::text(
        "timezone_abbr",
        "The abbreviation of the time zone at the beginning.",
    ),
    AnswerMember::text("cost", "The cost as it is shown, with its currency."),
    AnswerMember::new("cost_details", Shape::Model(&COST_DETAILS), "The cost in parts."),
    AnswerMember::text(
        "website",
        "The address of the event's own website; empty without one.",
    ),
    AnswerMember::new("show_map", Shape::BLANKED_FLAG, "Whether its page shows a map."),
    AnswerMember::new(
        "show_map_link",
        Shape::BLANKED_FLAG,
        "Whether its page links to a map.",
    ),
    AnswerMember::new(
        "hide_from_listings",
        Shape::BLANKED_FLAG,
        "Whether calendar views leave it out.",
    ),
    AnswerMember::new(
        "sticky",
        Shape::BLANKED_FLAG,
        "Whether it comes first in the month view.",
    ),
    AnswerMember::new("featured", Shape::BLANKED_FLAG, "Whether it is featured."),
    AnswerMember::new("categories", EVENT_TERMS, "Its categories."),
    AnswerMember::new("tags", EVENT_TERMS, "Its tags."),
    AnswerMember::new(
        "venue",
        Shape::Either(&[Shape::Model(&VENUE), Shape::EmptyList]),
        "Its venue, or an empty list.",
    ),
    AnswerMember::new(
        "organizer",
        Shape::List(&Shape::Model(&ORGANIZER)),
        "Its organizers.",
    ),
    JSON_LD,
];

const DATE_PARTS: Shape = Shape::Model(&DATE_DETAILS);
const EVENT_TERMS: Shape = Shape::List(&Shape::Model(&EVENT_TERM));

/// A venue, alone or inside an event.
pub static VENUE: AnswerModel = AnswerModel::new("Venue", "A venue.", &[POST, VENUE_MEMBERS]).extended();

const VENUE_MEMBERS: &[AnswerMember] = &[
    AnswerMember::text("venue", "The name."),
    AnswerMember::text("slug", "The part of its address that names it, percent-encoded.").optional(),
    AnswerMember::text("description", "The text, as HTML.").optional(),
    AnswerMember::text("excerpt", "A short form of the text, as HTML.").optional(),
    AnswerMember::new("image", IMAGE_OR_FALSE, "The featured image.").optional(),
    AnswerMember::text("address", "Street and number.").optional(),
    AnswerMember::text("city", "The city.").optional(),
    AnswerMember::text("country", "The country.").optional(),
    AnswerMember::text("province", "The province, outside of the United States.").optional(),
    AnswerMember::text("state", "The state, in the United States.").optional(),
    AnswerMember::text("zip", "The postal code.").optional(),
    AnswerMember::text("phone", "The telephone number.").optional(),
    AnswerMember::text("website", "The address of its website.").optional(),
    AnswerMember::text("stateprovince", "The state or the province.").optional(),
    AnswerMember::new("show_map", Shape::Boolean, "Whether pages show a map."),
    AnswerMember::new("show_map_link", Shape::Boolean, "Whether pages link to a map."),
    JSON_LD,
];

/// An organizer, alone or inside an event.
pub static ORGANIZER: AnswerModel =
    AnswerModel::new("Organizer", "An organizer.", &[POST, ORGANIZER_MEMBERS]).extended();

const ORGANIZER_MEMBERS: &[AnswerMember] = &[
    AnswerMember::text("organizer", "The name."),
    AnswerMember::text("slug", "The part of its address that names it, percent-encoded.").optional(),
    AnswerMember::text("description", "The text, as HTML.").optional(),
    AnswerMember::text("excerpt", "A short form of the text, as HTML.").optional(),
    AnswerMember::new("image", IMAGE_OR_FALSE, "The featured image.").optional(),
    AnswerMember::text("phone", "The telephone number.").optional(),
    AnswerMember::text("website", "The address of its website.").optional(),
    AnswerMember::text(
        "email",
        "The e-mail address, with its `@` as an HTML entity where the site hides it.",
    )
    .optional(),
    JSON_LD,
];

/// What every page of a list has.
pub(super) const PAGING: &[AnswerMember] = &[
    AnswerMember::text(
        "rest_url",
        "The address of this page with the arguments in force.",
    ),
    AnswerMember::text(
        "next_rest_url",
        "The address of the next page, unless this is the last one.",
    )
    .optional(),
    AnswerMember::text(
        "previous_rest_url",
        "The address of the page before, unless this is the first one.",
    )
    .optional(),
    AnswerMember::new("total", Shape::Count, "The records on all pages."),
    AnswerMember::new("total_pages", Shape::Count, "The pages."),
];

/// A page of events.
pub(super) static EVENT_LIST: AnswerModel = AnswerModel::new(
    "EventList",
    "A page of events.",
    &[
        &[AnswerMember::new(
            "events",
            Shape::List(&Shape::Model(&EVENT)),
            "The events of the page.",
        )],
        PAGING,
    ],
);

/// A page of venues.
pub(super) static VENUE_LIST: AnswerModel = AnswerModel::new(
    "VenueList",
    "A page of venues.",
    &[
        &[AnswerMember::new(
            "venues",
            Shape::List(&Shape::Model(&VENUE)),
            "The venues of the page.",
        )],
        PAGING,
    ],
);

/// A page of organizers.
pub(super) static ORGANIZER_LIST: AnswerModel = AnswerModel::new(
    "OrganizerList",
    "A page of organizers.",
    &[
        &[AnswerMember::new(
            "organizers",
            Shape::List(&Shape::Model(&ORGANIZER)),
            "The organizers of the page.",
        )],
        PAGING,
    ],
);

static IMAGE: AnswerModel = AnswerModel::new(
    "Image",
    "An image of the media library.",
    &[&[
        AnswerMember::text("url", "The address of the whole image."),
        AnswerMember::new("id", Shape::Integer, "Its number in the media library."),
        AnswerMember::text("extension", "The end of its file's name.").optional(),
        AnswerMember::new("width", Shape::Integer, "Its width in pixels.").optional(),
        AnswerMember::new("height", Shape::Integer, "Its height in pixels.").optional(),
        AnswerMember::new("filesize", Shape::Integer, "Its size in bytes.").optional(),
        AnswerMember::new(
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

static IMAGE_SIZE: AnswerModel = AnswerModel::new(
    "ImageSize",
    "A smaller form of an image.",
    &[&[
        AnswerMember::text("url", "Its address."),
        AnswerMember::new("width", Shape::Integer, "Its width in pixels."),
        AnswerMember::new("height", Shape::Integer, "Its height in pixels."),
        AnswerMember::text("mime-type", "Its media type.").optional(),
        AnswerMember::new("filesize", Shape::Integer, "Its size in bytes.").optional(),
    ]],
);

static DATE_DETAILS: AnswerModel = AnswerModel::new(
    "DateDetails",
    "The parts of a date, as text with leading zeros.",
    &[&[
        AnswerMember::text("year", "The year."),
        AnswerMember::text("month", "The month, from `01`."),
        AnswerMember::text("day", "The day of the month."),
        AnswerMember::text("hour", "The hour, from `00` to `23`."),
        AnswerMember::text("minutes", "The minutes."),
        AnswerMember::text("seconds", "The seconds."),
    ]],
);

static COST_DETAILS: AnswerModel = AnswerModel::new(
    "CostDetails",
    "The parts of a cost.",
    &[&[
        AnswerMember::text("currency_symbol", "The symbol of the currency.").optional(),
        AnswerMember::text("currency_code", "The code of the currency.").optional(),
        AnswerMember::text(
            "currency_position",
            "Where the symbol stands: `prefix` or `suffix`.",
        )
        .optional(),
        AnswerMember::new(
            "values",
            Shape::List(&Shape::Either(&[Shape::Text, Shape::Number])),
            "The amounts, the smallest first.",
        ),
    ]],
);
