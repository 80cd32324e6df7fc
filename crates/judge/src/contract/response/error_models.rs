//! Errors of WordPress, of the plugin and of the edge (backend.md section 3).

use super::shape::{ResponseMember, ResponseModel, Shape};

const MESSAGE: ResponseMember = ResponseMember::text("message", "The error in words of the site's language.");
const STATUS: ResponseMember = ResponseMember::new("status", Shape::Integer, "The status of the response.");

/// Any error.
pub static ERROR: ResponseModel = ResponseModel::new(
    "Error",
    "An error.",
    &[&[
        ResponseMember::text("code", "The code of the error."),
        MESSAGE,
        ResponseMember::new(
            "data",
            // WordPress prints null or a text if an error has no status.
            Shape::Either(&[
                Shape::Model(&ERROR_DETAILS),
                Shape::List(&Shape::Any),
                Shape::Text,
                Shape::Null,
            ]),
            "More about the error.",
        )
        .optional(),
    ]],
);

static ERROR_DETAILS: ResponseModel = ResponseModel::new(
    "ErrorDetails",
    "The members of an error besides code and message.",
    &[&[STATUS.optional()]],
)
.extended();

/// A call without arguments that it needs.
pub static MISSING_PARAMETERS: ResponseModel = ResponseModel::new(
    "MissingParameters",
    "Arguments that are required are missing.",
    &[&[
        ResponseMember::new(
            "code",
            Shape::Exactly("rest_missing_callback_param"),
            "The code of the error.",
        ),
        MESSAGE,
        ResponseMember::new("data", Shape::Model(&MISSING_PARAMETERS_DATA), "Which ones."),
    ]],
);

static MISSING_PARAMETERS_DATA: ResponseModel = ResponseModel::new(
    "MissingParametersData",
    "The arguments that are missing.",
    &[&[
        STATUS,
        ResponseMember::new("params", Shape::TEXTS, "Their names."),
    ]],
);

/// A call with invalid values.
pub static INVALID_PARAMETERS: ResponseModel = ResponseModel::new(
    "InvalidParameters",
    "Values of arguments are invalid.",
    &[&[
        ResponseMember::new(
            "code",
            Shape::Exactly("rest_invalid_param"),
            "The code of the error.",
        ),
        MESSAGE,
        ResponseMember::new("data", Shape::Model(&INVALID_PARAMETERS_DATA), "Which ones."),
    ]],
);

static INVALID_PARAMETERS_DATA: ResponseModel = ResponseModel::new(
    "InvalidParametersData",
    "The arguments whose values are invalid.",
    &[&[
        STATUS,
        ResponseMember::new("params", Shape::Map(&Shape::Text), "What is wrong, by argument."),
        ResponseMember::new(
            "details",
            // An unkeyed PHP array, printed as a list when it is empty.
            Shape::Either(&[Shape::Map(&Shape::Model(&ERROR)), Shape::EmptyList]),
            "The error of each argument, where there is one.",
        ),
    ]],
);

/// A body that is no JSON.
pub static INVALID_JSON: ResponseModel = ResponseModel::new(
    "InvalidJson",
    "The body is no JSON.",
    &[&[
        ResponseMember::new(
            "code",
            Shape::Exactly("rest_invalid_json"),
            "The code of the error.",
        ),
        MESSAGE,
        ResponseMember::new("data", Shape::Model(&INVALID_JSON_DATA), "Why not."),
    ]],
);

static INVALID_JSON_DATA: ResponseModel = ResponseModel::new(
    "InvalidJsonData",
    "Why a body is no JSON.",
    &[&[
        STATUS,
        ResponseMember::new("json_error_code", Shape::Count, "PHP's number of the error."),
        ResponseMember::text("json_error_message", "PHP's words for it."),
    ]],
);

/// The response to an update, by slug, of an event that does not exist: a success of a list of errors.
pub static UPDATE_ERRORS: ResponseModel = ResponseModel::new(
    "UpdateErrors",
    "Errors, with the status of a success.",
    &[&[
        ResponseMember::new("errors", Shape::Map(&Shape::TEXTS), "Messages by code."),
        ResponseMember::new(
            "error_data",
            Shape::Either(&[Shape::OBJECT, Shape::EmptyList]),
            "More by code; an empty list for nothing.",
        ),
    ]],
);
