//! The API's documents about itself: its index, its documentation, the description of a route.

use super::shape::{ResponseMember, ResponseModel, Shape};

/// The response of the namespace index.
pub(super) static NAMESPACE_INDEX: ResponseModel = ResponseModel::new(
    "NamespaceIndex",
    "The routes of the namespace.",
    &[&[
        ResponseMember::text("namespace", "The namespace."),
        ResponseMember::new(
            "routes",
            Shape::Map(&Shape::Model(&ROUTE_DESCRIPTION)),
            "The routes by their patterns.",
        ),
        ResponseMember::new("_links", Shape::OBJECT, "Links of the index.").optional(),
    ]],
);

/// The response to OPTIONS, and the entry of each route in the index.
pub static ROUTE_DESCRIPTION: ResponseModel = ResponseModel::new(
    "RouteDescription",
    "A route with its methods and arguments.",
    &[&[
        ResponseMember::text("namespace", "The namespace."),
        ResponseMember::new("methods", Shape::TEXTS, "The methods that the route takes."),
        ResponseMember::new(
            "endpoints",
            Shape::List(&Shape::Model(&ENDPOINT)),
            "The arguments by methods.",
        ),
        ResponseMember::new(
            "_links",
            Shape::OBJECT,
            "The address of a route without parameters.",
        )
        .optional(),
    ]],
);

static ENDPOINT: ResponseModel = ResponseModel::new(
    "EndpointDescription",
    "The arguments that some methods of a route take.",
    &[&[
        ResponseMember::new("methods", Shape::TEXTS, "These methods."),
        ResponseMember::new(
            "args",
            Shape::Either(&[Shape::Map(&Shape::Model(&ARGUMENT)), Shape::EmptyList]),
            "Arguments by name; an empty list for none.",
        ),
    ]],
);

static ARGUMENT: ResponseModel = ResponseModel::new(
    "ArgumentDescription",
    "An argument as WordPress publishes it.",
    &[&[
        ResponseMember::new(
            "type",
            Shape::Either(&[Shape::Text, Shape::TEXTS]),
            "The types of its values.",
        )
        .optional(),
        ResponseMember::new("required", Shape::Boolean, "Whether a call needs it."),
        ResponseMember::text("description", "Its meaning.").optional(),
        ResponseMember::new("default", Shape::Any, "The value in its absence.").optional(),
    ]],
)
.extended();

/// The response of `/doc`.
pub(super) static DOCUMENTATION: ResponseModel = ResponseModel::new(
    "Documentation",
    "The plugin's own OpenAPI 3.0 document.",
    &[&[
        ResponseMember::text("openapi", "The version of OpenAPI."),
        ResponseMember::new("info", Shape::OBJECT, "Title, version and description."),
        ResponseMember::new("servers", Shape::List(&Shape::OBJECT), "Addresses of the API."),
        ResponseMember::new("paths", Shape::OBJECT, "Operations by path."),
        ResponseMember::new("components", Shape::OBJECT, "Schemas that the paths refer to."),
    ]],
);
