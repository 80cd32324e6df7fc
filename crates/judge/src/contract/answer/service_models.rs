//! What the API says about itself: its index, its documentation, the description of a route.

use super::shape::{AnswerMember, AnswerModel, Shape};

/// The response of the namespace index.
pub(super) static NAMESPACE_INDEX: AnswerModel = AnswerModel::new(
    "NamespaceIndex",
    "The routes of the namespace.",
    &[&[
        AnswerMember::text("namespace", "The namespace."),
        AnswerMember::new(
            "routes",
            Shape::Map(&Shape::Model(&ROUTE_DESCRIPTION)),
            "The routes by their patterns.",
        ),
        AnswerMember::new("_links", Shape::OBJECT, "Links of the index.").optional(),
    ]],
);

/// The response to OPTIONS, and what the index says of each route.
pub static ROUTE_DESCRIPTION: AnswerModel = AnswerModel::new(
    "RouteDescription",
    "A route with its methods and arguments.",
    &[&[
        AnswerMember::text("namespace", "The namespace."),
        AnswerMember::new("methods", Shape::TEXTS, "The methods that the route takes."),
        AnswerMember::new(
            "endpoints",
            Shape::List(&Shape::Model(&ENDPOINT)),
            "The arguments by methods.",
        ),
        AnswerMember::new(
            "_links",
            Shape::OBJECT,
            "The address of a route without parameters.",
        )
        .optional(),
    ]],
);

static ENDPOINT: AnswerModel = AnswerModel::new(
    "EndpointDescription",
    "The arguments that some methods of a route take.",
    &[&[
        AnswerMember::new("methods", Shape::TEXTS, "These methods."),
        AnswerMember::new(
            "args",
            Shape::Either(&[Shape::Map(&Shape::Model(&ARGUMENT)), Shape::EmptyList]),
            "Arguments by name; an empty list for none.",
        ),
    ]],
);

static ARGUMENT: AnswerModel = AnswerModel::new(
    "ArgumentDescription",
    "An argument as WordPress publishes it.",
    &[&[
        AnswerMember::new(
            "type",
            Shape::Either(&[Shape::Text, Shape::TEXTS]),
            "The types of its values.",
        )
        .optional(),
        AnswerMember::new("required", Shape::Boolean, "Whether a call needs it."),
        AnswerMember::text("description", "Its meaning.").optional(),
        AnswerMember::new("default", Shape::Any, "The value in its absence.").optional(),
    ]],
)
.extended();

/// The response of `/doc`.
pub(super) static DOCUMENTATION: AnswerModel = AnswerModel::new(
    "Documentation",
    "The plugin's own OpenAPI 3.0 document.",
    &[&[
        AnswerMember::text("openapi", "The version of OpenAPI."),
        AnswerMember::new("info", Shape::OBJECT, "Title, version and description."),
        AnswerMember::new("servers", Shape::List(&Shape::OBJECT), "Addresses of the API."),
        AnswerMember::new("paths", Shape::OBJECT, "Operations by path."),
        AnswerMember::new("components", Shape::OBJECT, "Schemas that the paths refer to."),
    ]],
);
