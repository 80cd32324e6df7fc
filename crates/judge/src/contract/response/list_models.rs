//! Pages of lists (backend.md section 11).

use super::post_models::{EVENT, ORGANIZER, VENUE};
use super::shape::{ResponseMember, ResponseModel, Shape};
use super::term_models::{CATEGORY, TAG};

/// The members of every page of a list.
const PAGING: &[ResponseMember] = &[
    ResponseMember::text(
        "rest_url",
        "The address of this page with the arguments in force.",
    ),
    ResponseMember::text(
        "next_rest_url",
        "The address of the next page, unless this is the last one.",
    )
    .optional(),
    ResponseMember::text(
        "previous_rest_url",
        "The address of the page before, unless this is the first one.",
    )
    .optional(),
    ResponseMember::new("total", Shape::Count, "The records on all pages."),
    ResponseMember::new("total_pages", Shape::Count, "The pages."),
];

/// A page of events.
pub(super) static EVENT_LIST: ResponseModel = ResponseModel::new(
    "EventList",
    "A page of events.",
    &[
        &[ResponseMember::new(
            "events",
            Shape::List(&Shape::Model(&EVENT)),
            "The events of the page.",
        )],
        PAGING,
    ],
);

/// A page of venues.
pub(super) static VENUE_LIST: ResponseModel = ResponseModel::new(
    "VenueList",
    "A page of venues.",
    &[
        &[ResponseMember::new(
            "venues",
            Shape::List(&Shape::Model(&VENUE)),
            "The venues of the page.",
        )],
        PAGING,
    ],
);

/// A page of organizers.
pub(super) static ORGANIZER_LIST: ResponseModel = ResponseModel::new(
    "OrganizerList",
    "A page of organizers.",
    &[
        &[ResponseMember::new(
            "organizers",
            Shape::List(&Shape::Model(&ORGANIZER)),
            "The organizers of the page.",
        )],
        PAGING,
    ],
);

/// A page of categories.
pub(super) static CATEGORY_LIST: ResponseModel = ResponseModel::new(
    "CategoryList",
    "A page of categories.",
    &[
        &[ResponseMember::new(
            "categories",
            Shape::List(&Shape::Model(&CATEGORY)),
            "The categories of the page.",
        )],
        PAGING,
    ],
);

/// A page of tags.
pub(super) static TAG_LIST: ResponseModel = ResponseModel::new(
    "TagList",
    "A page of tags.",
    &[
        &[ResponseMember::new(
            "tags",
            Shape::List(&Shape::Model(&TAG)),
            "The tags of the page.",
        )],
        PAGING,
    ],
);
