//! Errors that WordPress does not have, in WordPress's shape: a row for each that the judge finds.

use http::StatusCode;

/// The row of an error that WordPress does not have: one of the judge's, or one that a gateway adds.
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
    /// Advice for the client.
    pub client: &'static str,
    /// Advice for the operator.
    pub operator: &'static str,
}

/// The kind of failure of all that the judge and WordPress refuse: the request is wrong.
pub(super) const REQUEST_ERROR: &str = "http_request_error";

impl OwnError {
    /// The request target is no path, or has a fragment, a broken percent-escape or an encoded NUL.
    pub const BAD_TARGET: &'static Self = &Self {
        code: "edge_bad_target",
        status: StatusCode::BAD_REQUEST,
        sentence: "The request target must be a path.",
        meaning: "The request target is no path, or has a fragment, a broken percent-escape or an encoded NUL.",
        proxy_error: REQUEST_ERROR,
        client: "Send a path that begins with `/`, and percent-encode it correctly.",
        operator: Self::LOOK_AT_CLIENT,
    };

    /// The site could read the request target as another one, such as with dot segments.
    pub const AMBIGUOUS_TARGET: &'static Self = &Self {
        code: "edge_ambiguous_target",
        status: StatusCode::BAD_REQUEST,
        sentence: "The request target can be read in two ways.",
        meaning: "The site could read the request target as another one, such as with dot segments.",
        proxy_error: REQUEST_ERROR,
        client: "Send the resolved path, without `.`, `..` and backslashes.",
        operator: Self::LOOK_AT_CLIENT,
    };

    /// The request has a body, although its operation takes none (strict profile).
    pub const UNEXPECTED_BODY: &'static Self = &Self {
        code: "edge_unexpected_body",
        status: StatusCode::BAD_REQUEST,
        sentence: "This operation takes no body.",
        meaning: "The request has a body, although its operation takes none (strict profile).",
        proxy_error: REQUEST_ERROR,
        client: "Send the parameters in the query, without a body.",
        operator: "Use the compatible profile for such clients.",
    };

    /// The multipart body is malformed, or `Content-Type` lets the body be read in two ways.
    pub const UNREADABLE_BODY: &'static Self = &Self {
        code: "edge_unreadable_body",
        status: StatusCode::BAD_REQUEST,
        sentence: "The multipart body cannot be read without guessing.",
        meaning: "The multipart body is malformed, or `Content-Type` lets the body be read in two ways.",
        proxy_error: REQUEST_ERROR,
        client: "Send JSON as `application/json`, or a form as `application/x-www-form-urlencoded`.",
        operator: Self::LOOK_AT_CLIENT,
    };

    /// A value of the form is not valid UTF-8.
    pub const INVALID_UTF8: &'static Self = &Self {
        code: "edge_invalid_utf8",
        status: StatusCode::BAD_REQUEST,
        sentence: "A value of the form is not valid UTF-8.",
        meaning: "A value of the form is not valid UTF-8.",
        proxy_error: REQUEST_ERROR,
        client: "Encode the form in UTF-8.",
        operator: Self::LOOK_AT_CLIENT,
    };

    /// The query or the form has more parameters than the edge reads, or the JSON body or the names of the form
    /// have more than 10000 elements.
    pub const TOO_MANY_PARAMETERS: &'static Self = &Self {
        code: "edge_too_many_parameters",
        status: StatusCode::BAD_REQUEST,
        sentence: "The query has too many parameters.",
        meaning: "The query or the form has more parameters than the edge reads, or the JSON body or the names of \
            the form have more than 10000 elements.",
        proxy_error: REQUEST_ERROR,
        client: "Send fewer parameters.",
        operator: "The limits are fixed.",
    };

    /// A parameter `rest_route` in the query or the form names another route than the path, or cannot be read.
    pub const ROUTE_CONTRADICTION: &'static Self = &Self {
        code: "edge_route_contradiction",
        status: StatusCode::BAD_REQUEST,
        sentence: "The parameter rest_route names another route than the path.",
        meaning: "A parameter `rest_route` in the query or the form names another route than the path, or cannot be \
            read.",
        proxy_error: REQUEST_ERROR,
        client: "Remove `rest_route`; the path names the route.",
        operator: "Look at the client: this can be an attempt to get around the rules.",
    };

    /// The `id` or `slug` of the path is sent a second time with another value.
    pub const PATH_CONTRADICTION: &'static Self = &Self {
        code: "edge_path_contradiction",
        status: StatusCode::BAD_REQUEST,
        sentence: "A parameter of the path is repeated with another value.",
        meaning: "The `id` or `slug` of the path is sent a second time with another value.",
        proxy_error: REQUEST_ERROR,
        client: "Send `id` and `slug` in the path only.",
        operator: Self::LOOK_AT_CLIENT,
    };

    /// The method that a write names beside its own cannot be followed: `_method` is an array,
    /// `X-HTTP-Method-Override` is repeated or named by `Connection`, or the strict profile takes no such name.
    pub const METHOD_CONTRADICTION: &'static Self = &Self {
        code: "edge_method_contradiction",
        status: StatusCode::BAD_REQUEST,
        sentence: "The request names another method in a way that is not accepted here.",
        meaning: "The method that a write names beside its own cannot be followed: `_method` is an array, \
            `X-HTTP-Method-Override` is repeated or named by `Connection`, or the strict profile takes no such name.",
        proxy_error: REQUEST_ERROR,
        client: "Send the method itself, or name it once.",
        operator: Self::LOOK_AT_CLIENT,
    };

    /// Query and form of a POST give different values to one of WordPress's public query variables.
    pub const VARIABLE_MISMATCH: &'static Self = &Self {
        code: "edge_variable_mismatch",
        status: StatusCode::BAD_REQUEST,
        sentence: "The query and the form give different values to the same variable.",
        meaning: "Query and form of a POST give different values to one of WordPress's public query variables.",
        proxy_error: REQUEST_ERROR,
        client: "Send each parameter in one place.",
        operator: Self::LOOK_AT_CLIENT,
    };

    /// `Authorization` is repeated or too long or, in the strict profile, malformed or not Basic. With `writers`,
    /// `failed_logins` or rates of credentials, Basic must be exactly one blank and the base64 of `name:password`.
    pub const BAD_AUTHORIZATION: &'static Self = &Self {
        code: "edge_bad_authorization",
        status: StatusCode::BAD_REQUEST,
        sentence: "The request must carry at most one valid Authorization.",
        meaning: "`Authorization` is repeated or too long or, in the strict profile, malformed or not Basic. With \
            `writers`, `failed_logins` or rates of credentials, Basic must be exactly one blank and the base64 of \
            `name:password`.",
        proxy_error: REQUEST_ERROR,
        client: "Send one `Authorization` header, as Basic credentials with an application password.",
        operator: "Use the profile `compatible` for clients with another scheme.",
    };

    /// The request names the `author` of a record, which the settings forbid.
    pub const AUTHOR_DENIED: &'static Self = &Self {
        code: "edge_author_denied",
        status: StatusCode::FORBIDDEN,
        sentence: "The author of a record cannot be chosen here.",
        meaning: "The request names the `author` of a record, which the settings forbid.",
        proxy_error: REQUEST_ERROR,
        client: "Leave out `author`: the writing account becomes the author.",
        operator: "Set `allow_author = true`.",
    };

    /// The settings switch this operation off.
    pub const OPERATION_DENIED: &'static Self = &Self {
        code: "edge_operation_denied",
        status: StatusCode::FORBIDDEN,
        sentence: "This operation is not offered here.",
        meaning: "The settings switch this operation off.",
        proxy_error: REQUEST_ERROR,
        client: "Do without the operation.",
        operator: "Set `allow = true` for the operation.",
    };

    /// The settings refuse every write.
    pub const READ_ONLY: &'static Self = &Self {
        code: "edge_read_only",
        status: StatusCode::FORBIDDEN,
        sentence: "The calendar is read-only at the moment.",
        meaning: "The settings refuse every write.",
        proxy_error: REQUEST_ERROR,
        client: "Write later.",
        operator: "Set `read_only = false`.",
    };

    /// The route exists, but not with this method (strict profile).
    pub const METHOD_NOT_ALLOWED: &'static Self = &Self {
        code: "edge_method_not_allowed",
        status: StatusCode::METHOD_NOT_ALLOWED,
        sentence: "This route does not take this method.",
        meaning: "The route exists, but not with this method (strict profile).",
        proxy_error: REQUEST_ERROR,
        client: "Use a method of the `Allow` header.",
        operator: "Nothing.",
    };

    /// The request body is larger than the edge accepts, or the web server in front of WordPress; the strict
    /// profile accepts 1 MiB at most.
    pub const BODY_TOO_LARGE: &'static Self = &Self {
        code: "edge_body_too_large",
        status: StatusCode::PAYLOAD_TOO_LARGE,
        sentence: "The request body is too large.",
        meaning: "The request body is larger than the edge accepts, or the web server in front of WordPress; the \
            strict profile accepts 1 MiB at most.",
        proxy_error: REQUEST_ERROR,
        client: "Send a smaller body; upload an image to WordPress first and name its id.",
        operator: "Raise `limits.body_bytes`, or use the compatible profile. If `Proxy-Status` has a `received-status`, raise \
            the limit of the web server in front of WordPress.",
    };

    /// The body is of another type than JSON or a form, or is compressed (strict profile).
    pub const UNSUPPORTED_MEDIA_TYPE: &'static Self = &Self {
        code: "edge_unsupported_media_type",
        status: StatusCode::UNSUPPORTED_MEDIA_TYPE,
        sentence: "The body must be application/json or application/x-www-form-urlencoded.",
        meaning: "The body is of another type than JSON or a form, or is compressed (strict profile).",
        proxy_error: REQUEST_ERROR,
        client: "Send JSON as `application/json`, or a form as `application/x-www-form-urlencoded`, uncompressed.",
        operator: "Use the compatible profile for such clients.",
    };

    /// No route of the API has this method (strict profile).
    pub const METHOD_UNKNOWN: &'static Self = &Self {
        code: "edge_method_unknown",
        status: StatusCode::NOT_IMPLEMENTED,
        sentence: "This method is not known here.",
        meaning: "No route of the API has this method (strict profile).",
        proxy_error: REQUEST_ERROR,
        client: "Use GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS.",
        operator: Self::LOOK_AT_CLIENT,
    };

    /// The path contains a broken percent-escape or an encoded NUL.
    pub const UNREADABLE_PATH: &'static Self =
        &Self::BAD_TARGET.because("The path of the request cannot be read.");

    /// A form field `rest_route` contradicts the path.
    pub const ROUTE_IN_FORM: &'static Self =
        &Self::ROUTE_CONTRADICTION.because("The form field rest_route names another route than the path.");

    /// The path names the calendar below a root, or in a spelling, that the edge does not serve.
    pub const UNREAD_CALENDAR_PATH: &'static Self = &Self::AMBIGUOUS_TARGET
        .because("The path names the calendar below a REST root, or in a spelling, that is not served here.");

    /// The form has too many fields.
    pub const TOO_MANY_FORM_FIELDS: &'static Self =
        &Self::TOO_MANY_PARAMETERS.because("The form has too many fields.");

    /// The JSON body has too many elements.
    pub const TOO_MANY_JSON_ELEMENTS: &'static Self =
        &Self::TOO_MANY_PARAMETERS.because("The JSON body has too many elements.");

    /// The content type allows two readings of the body.
    pub const TWO_BODY_READINGS: &'static Self =
        &Self::UNREADABLE_BODY.because("The content type makes the body readable in two ways.");

    /// Advice for an operator about clients that send broken requests.
    pub const LOOK_AT_CLIENT: &'static str =
        "Nothing: the request is wrong. The access log names the client.";

    /// The same error with the sentence of a cause.
    const fn because(&self, sentence: &'static str) -> Self {
        Self { sentence, ..*self }
    }
}
