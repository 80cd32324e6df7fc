//! Categories and tags, alone and inside events (backend.md section 11).

use super::post_models::PAGING;
use super::shape::{AnswerMember, AnswerModel, Shape};

/// An empty map is an empty list.
const MAP_OR_EMPTY: Shape = Shape::Either(&[Shape::OBJECT, Shape::EmptyList]);

/// What a category and a tag have.
const TERM: &[AnswerMember] = &[
    AnswerMember::new("id", Shape::Integer, "The number of the term."),
    AnswerMember::new("count", Shape::Integer, "How many events have it."),
    AnswerMember::text("description", "The text, as HTML."),
    AnswerMember::text("name", "The name."),
    AnswerMember::text("slug", "The part of its address that names it, percent-encoded."),
    AnswerMember::text(
        "taxonomy",
        "`tribe_events_cat` for categories, `post_tag` for tags.",
    ),
    AnswerMember::new(
        "meta",
        MAP_OR_EMPTY,
        "What plugins store with it; an empty list for nothing.",
    ),
    AnswerMember::text("url", "The address of its page."),
    AnswerMember::new("urls", Shape::Model(&TERM_URLS), "Its addresses in the API."),
    AnswerMember::new("_links", MAP_OR_EMPTY, "Links to WordPress's own API.").optional(),
    AnswerMember::new("_embedded", Shape::OBJECT, "What `_embed` asked for.").optional(),
];

/// A category.
pub static CATEGORY: AnswerModel = AnswerModel::new(
    "Category",
    "A category.",
    &[
        TERM,
        &[AnswerMember::new(
            "parent",
            Shape::Integer,
            "The number of the category above it; 0 for none.",
        )],
    ],
)
.extended();

/// A tag.
pub static TAG: AnswerModel = AnswerModel::new("Tag", "A tag.", &[TERM]).extended();

/// A page of categories.
pub(super) static CATEGORY_LIST: AnswerModel = AnswerModel::new(
    "CategoryList",
    "A page of categories.",
    &[
        &[AnswerMember::new(
            "categories",
            Shape::List(&Shape::Model(&CATEGORY)),
            "The categories of the page.",
        )],
        PAGING,
    ],
);

/// A page of tags.
pub(super) static TAG_LIST: AnswerModel = AnswerModel::new(
    "TagList",
    "A page of tags.",
    &[
        &[AnswerMember::new(
            "tags",
            Shape::List(&Shape::Model(&TAG)),
            "The tags of the page.",
        )],
        PAGING,
    ],
);

/// A term inside an event, which WordPress prints differently from a term alone.
pub(super) static EVENT_TERM: AnswerModel = AnswerModel::new(
    "EventTerm",
    "A category or a tag of an event.",
    &[&[
        AnswerMember::new("id", Shape::Integer, "The number of the term."),
        AnswerMember::text("name", "The name."),
        AnswerMember::text("slug", "The part of its address that names it, percent-encoded."),
        AnswerMember::new(
            "term_group",
            Shape::Integer,
            "Its group in WordPress; 0 for none.",
        ),
        AnswerMember::new(
            "term_taxonomy_id",
            Shape::Integer,
            "Its number within its taxonomy.",
        ),
        AnswerMember::text(
            "taxonomy",
            "`tribe_events_cat` for categories, `post_tag` for tags.",
        ),
        AnswerMember::text("description", "The text, as HTML."),
        AnswerMember::new(
            "parent",
            Shape::Integer,
            "The number of the category above it; 0 for none.",
        ),
        AnswerMember::new("count", Shape::Integer, "How many events have it."),
        AnswerMember::text("filter", "How WordPress prepared its texts."),
        AnswerMember::new("urls", Shape::Model(&TERM_URLS), "Its addresses in the API."),
    ]],
)
.extended();

static TERM_URLS: AnswerModel = AnswerModel::new(
    "TermUrls",
    "Addresses of a term in the API.",
    &[&[
        AnswerMember::text("self", "The term."),
        AnswerMember::text("collection", "All terms of its kind."),
        AnswerMember::text("up", "The category above it.").optional(),
    ]],
);
