//! Categories and tags, alone and inside events (backend.md section 11).

use super::shape::{ResponseMember, ResponseModel, Shape};

/// An empty map is an empty list.
const MAP_OR_EMPTY: Shape = Shape::Either(&[Shape::OBJECT, Shape::EmptyList]);

/// The members of a category and of a tag.
const TERM: &[ResponseMember] = &[
    ResponseMember::new("id", Shape::Integer, "The number of the term."),
    ResponseMember::new("count", Shape::Integer, "How many events have it."),
    ResponseMember::text("description", "The text, as HTML."),
    ResponseMember::text("name", "The name."),
    ResponseMember::text("slug", "The part of its address that names it, percent-encoded."),
    ResponseMember::text(
        "taxonomy",
        "`tribe_events_cat` for categories, `post_tag` for tags.",
    ),
    ResponseMember::new(
        "meta",
        MAP_OR_EMPTY,
        "What plugins store with it; an empty list for nothing.",
    ),
    ResponseMember::text("url", "The address of its page."),
    ResponseMember::new("urls", Shape::Model(&TERM_URLS), "Its addresses in the API."),
    ResponseMember::new("_links", MAP_OR_EMPTY, "Links to WordPress's own API.").optional(),
    ResponseMember::new("_embedded", Shape::OBJECT, "The records that `_embed` adds.").optional(),
];

/// A category.
pub static CATEGORY: ResponseModel = ResponseModel::new(
    "Category",
    "A category.",
    &[
        TERM,
        &[ResponseMember::new(
            "parent",
            Shape::Integer,
            "The number of the category above it; 0 for none.",
        )],
    ],
)
.extended();

/// A tag.
pub static TAG: ResponseModel = ResponseModel::new("Tag", "A tag.", &[TERM]).extended();

/// A term inside an event, which WordPress prints differently from a term alone.
pub(super) static EVENT_TERM: ResponseModel = ResponseModel::new(
    "EventTerm",
    "A category or a tag of an event.",
    &[&[
        ResponseMember::new("id", Shape::Integer, "The number of the term."),
        ResponseMember::text("name", "The name."),
        ResponseMember::text("slug", "The part of its address that names it, percent-encoded."),
        ResponseMember::new(
            "term_group",
            Shape::Integer,
            "Its group in WordPress; 0 for none.",
        ),
        ResponseMember::new(
            "term_taxonomy_id",
            Shape::Integer,
            "Its number within its taxonomy.",
        ),
        ResponseMember::text(
            "taxonomy",
            "`tribe_events_cat` for categories, `post_tag` for tags.",
        ),
        ResponseMember::text("description", "The text, as HTML."),
        ResponseMember::new(
            "parent",
            Shape::Integer,
            "The number of the category above it; 0 for none.",
        ),
        ResponseMember::new("count", Shape::Integer, "How many events have it."),
        ResponseMember::text("filter", "How WordPress prepared its texts."),
        ResponseMember::new("urls", Shape::Model(&TERM_URLS), "Its addresses in the API."),
    ]],
)
.extended();

static TERM_URLS: ResponseModel = ResponseModel::new(
    "TermUrls",
    "Addresses of a term in the API.",
    &[&[
        ResponseMember::text("self", "The term."),
        ResponseMember::text("collection", "All terms of its kind."),
        ResponseMember::text("up", "The category above it.").optional(),
    ]],
);
