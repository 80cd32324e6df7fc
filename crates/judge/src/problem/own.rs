//! Errors that WordPress does not have, in WordPress's shape.

use http::StatusCode;

/// An error that WordPress does not have: one of the judge's, or one that a gateway adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OwnError {
    /// The stable code, `edge_…`.
    pub code: &'static str,
    /// The HTTP status.
    pub status: StatusCode,
    /// One sentence for the client. It contains no internal details and no bytes of the request.
    pub sentence: &'static str,
    /// The meaning of the error.
    pub meaning: &'static str,
    /// The kind of failure, as `Proxy-Status` names it (RFC 9209 section 2.3).
    pub proxy_error: &'static str,
}

/// The kind of failure of all that the judge and WordPress refuse: the request is wrong.
pub(super) const REQUEST_ERROR: &str = "http_request_error";

impl OwnError {
    /// The request target is not a path, has a fragment, or holds a broken percent-escape or an encoded NUL.
    pub const BAD_TARGET: Self = Self {
        code: "edge_bad_target",
        status: StatusCode::BAD_REQUEST,
        sentence: "The request target must be a path.",
        meaning: "The request target is not a path, has a fragment, or holds a broken percent-escape or an encoded NUL.",
        proxy_error: REQUEST_ERROR,
    };

    /// The origin could read the request target as another one, for example because of dot segments.
    pub const AMBIGUOUS_TARGET: Self = Self {
        code: "edge_ambiguous_target",
        status: StatusCode::BAD_REQUEST,
        sentence: "The request target can be read in two ways.",
        meaning: "The origin could read the request target as another one, for example because of dot segments.",
        proxy_error: REQUEST_ERROR,
    };

    /// The request has a body, although its operation takes none (strict profile).
    pub const UNEXPECTED_BODY: Self = Self {
        code: "edge_unexpected_body",
        status: StatusCode::BAD_REQUEST,
        sentence: "This operation takes no body.",
        meaning: "The request has a body, although its operation takes none (strict profile).",
        proxy_error: REQUEST_ERROR,
    };

    /// The multipart body is malformed, or `Content-Type` lets the body be read in two ways.
    pub const UNREADABLE_BODY: Self = Self {
        code: "edge_unreadable_body",
        status: StatusCode::BAD_REQUEST,
        sentence: "The multipart body cannot be read without guessing.",
        meaning: "The multipart body is malformed, or `Content-Type` lets the body be read in two ways.",
        proxy_error: REQUEST_ERROR,
    };

    /// A value of the form is not valid UTF-8, so that it cannot be sent to the site as JSON.
    pub const INVALID_UTF8: Self = Self {
        code: "edge_invalid_utf8",
        status: StatusCode::BAD_REQUEST,
        sentence: "A value of the form is not valid UTF-8.",
        meaning: "A value of the form is not valid UTF-8, so that it cannot be sent to the site as JSON.",
        proxy_error: REQUEST_ERROR,
    };

    /// The query or the form has more parameters than the edge reads, or the JSON body or the names of the form
    /// have more than 10000 elements.
    pub const TOO_MANY_PARAMETERS: Self = Self {
        code: "edge_too_many_parameters",
        status: StatusCode::BAD_REQUEST,
        sentence: "The query has too many parameters.",
        meaning: "The query or the form has more parameters than the edge reads, or the JSON body or the names of \
            the form have more than 10000 elements.",
        proxy_error: REQUEST_ERROR,
    };

    /// A parameter `rest_route` in the query or the form names another route than the path, or cannot be read.
    pub const ROUTE_CONTRADICTION: Self = Self {
        code: "edge_route_contradiction",
        status: StatusCode::BAD_REQUEST,
        sentence: "The parameter rest_route names another route than the path.",
        meaning: "A parameter `rest_route` in the query or the form names another route than the path, or cannot be \
            read.",
        proxy_error: REQUEST_ERROR,
    };

    /// The `id` or `slug` of the path is sent a second time with another value.
    pub const PATH_CONTRADICTION: Self = Self {
        code: "edge_path_contradiction",
        status: StatusCode::BAD_REQUEST,
        sentence: "A parameter of the path is repeated with another value.",
        meaning: "The `id` or `slug` of the path is sent a second time with another value.",
        proxy_error: REQUEST_ERROR,
    };

    /// The method that a write names beside its own cannot be followed: `_method` is an array,
    /// `X-HTTP-Method-Override` is repeated or named by `Connection`, or the strict profile takes no such name.
    pub const METHOD_CONTRADICTION: Self = Self {
        code: "edge_method_contradiction",
        status: StatusCode::BAD_REQUEST,
        sentence: "The request names another method in a way that is not accepted here.",
        meaning: "The method that a write names beside its own cannot be followed: `_method` is an array, \
            `X-HTTP-Method-Override` is repeated or named by `Connection`, or the strict profile takes no such name.",
        proxy_error: REQUEST_ERROR,
    };

    /// Query and form of a POST give different values to one of WordPress's public query variables.
    pub const VARIABLE_MISMATCH: Self = Self {
        code: "edge_variable_mismatch",
        status: StatusCode::BAD_REQUEST,
        sentence: "The query and the form give different values to the same variable.",
        meaning: "Query and form of a POST give different values to one of WordPress's public query variables.",
        proxy_error: REQUEST_ERROR,
    };

    /// `Authorization` is repeated or too long or, in the strict profile, malformed or of a scheme that is not
    /// accepted. With `writers`, `failed_logins` or rates of credentials, Basic must be exactly one blank and the
    /// base64 of `name:password`.
    pub const BAD_AUTHORIZATION: Self = Self {
        code: "edge_bad_authorization",
        status: StatusCode::BAD_REQUEST,
        sentence: "The request must carry at most one valid Authorization.",
        meaning: "`Authorization` is repeated or too long or, in the strict profile, malformed or of a scheme that \
            is not accepted. With `writers`, `failed_logins` or rates of credentials, Basic must be exactly one blank \
            and the base64 of `name:password`.",
        proxy_error: REQUEST_ERROR,
    };

    /// The request names the `author` of a record, which the settings forbid.
    pub const AUTHOR_DENIED: Self = Self {
        code: "edge_author_denied",
        status: StatusCode::FORBIDDEN,
        sentence: "The author of a record cannot be chosen here.",
        meaning: "The request names the `author` of a record, which the settings forbid.",
        proxy_error: REQUEST_ERROR,
    };

    /// The settings switch this operation off.
    pub const OPERATION_DENIED: Self = Self {
        code: "edge_operation_denied",
        status: StatusCode::FORBIDDEN,
        sentence: "This operation is not offered here.",
        meaning: "The settings switch this operation off.",
        proxy_error: REQUEST_ERROR,
    };

    /// The settings refuse every write.
    pub const READ_ONLY: Self = Self {
        code: "edge_read_only",
        status: StatusCode::FORBIDDEN,
        sentence: "The calendar is read-only at the moment.",
        meaning: "The settings refuse every write.",
        proxy_error: REQUEST_ERROR,
    };

    /// The route exists, but not with this method (strict profile).
    pub const METHOD_NOT_ALLOWED: Self = Self {
        code: "edge_method_not_allowed",
        status: StatusCode::METHOD_NOT_ALLOWED,
        sentence: "This route does not take this method.",
        meaning: "The route exists, but not with this method (strict profile).",
        proxy_error: REQUEST_ERROR,
    };

    /// The request body is larger than the edge accepts, or the web server in front of WordPress; the strict
    /// profile accepts 1 MiB at most.
    pub const BODY_TOO_LARGE: Self = Self {
        code: "edge_body_too_large",
        status: StatusCode::PAYLOAD_TOO_LARGE,
        sentence: "The request body is too large.",
        meaning: "The request body is larger than the edge accepts, or the web server in front of WordPress; the \
            strict profile accepts 1 MiB at most.",
        proxy_error: REQUEST_ERROR,
    };

    /// The body is of another type than JSON or a form, or is compressed (strict profile).
    pub const UNSUPPORTED_MEDIA_TYPE: Self = Self {
        code: "edge_unsupported_media_type",
        status: StatusCode::UNSUPPORTED_MEDIA_TYPE,
        sentence: "The body must be application/json or application/x-www-form-urlencoded.",
        meaning: "The body is of another type than JSON or a form, or is compressed (strict profile).",
        proxy_error: REQUEST_ERROR,
    };

    /// No route of the API has this method (strict profile).
    pub const METHOD_UNKNOWN: Self = Self {
        code: "edge_method_unknown",
        status: StatusCode::NOT_IMPLEMENTED,
        sentence: "This method is not known here.",
        meaning: "No route of the API has this method (strict profile).",
        proxy_error: REQUEST_ERROR,
    };

    /// The path contains a broken percent-escape or an encoded NUL.
    pub const UNREADABLE_PATH: Self = Self::BAD_TARGET.because("The path of the request cannot be read.");

    /// A form field `rest_route` contradicts the path.
    pub const ROUTE_IN_FORM: Self =
        Self::ROUTE_CONTRADICTION.because("The form field rest_route names another route than the path.");

    /// The path names the calendar below a root, or in a spelling, that the edge does not serve.
    pub const UNREAD_CALENDAR_PATH: Self = Self::AMBIGUOUS_TARGET
        .because("The path names the calendar below a REST root, or in a spelling, that is not served here.");

    /// The form has too many fields.
    pub const TOO_MANY_FORM_FIELDS: Self = Self::TOO_MANY_PARAMETERS.because("The form has too many fields.");

    /// The JSON body has too many elements.
    pub const TOO_MANY_JSON_ELEMENTS: Self =
        Self::TOO_MANY_PARAMETERS.because("The JSON body has too many elements.");

    /// The content type allows two readings of the body.
    pub const TWO_BODY_READINGS: Self =
        Self::UNREADABLE_BODY.because("The content type makes the body readable in two ways.");

    /// The same error with the sentence of a cause.
    const fn because(self, sentence: &'static str) -> Self {
        Self { sentence, ..self }
    }
}
