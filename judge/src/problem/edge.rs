//! The catalogue of the edge's own errors, one row each; `docs/reference/errors.md` and the `OpenAPI` document are
//! written from it.

use http::StatusCode;

use super::proxy_error::ProxyError;

/// The properties that all responses with one code share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EdgeEntry {
    /// The stable code, `edge_…`.
    pub code: &'static str,
    /// The HTTP status.
    pub status: StatusCode,
    /// The `error` of `Proxy-Status`, unless a [`Cause`](super::Cause) has its own.
    pub proxy_error: ProxyError,
    /// One sentence for the client, unless a [`Cause`](super::Cause) has its own. It contains no internal
    /// details and no bytes of the request.
    pub sentence: &'static str,
    /// The meaning of the error.
    pub meaning: &'static str,
    /// Advice for the client.
    pub client: &'static str,
    /// Advice for the operator.
    pub operator: &'static str,
}

/// Advice for an operator about clients that send broken requests.
pub(super) const LOOK_AT_CLIENT: &str = "Nothing: the request is wrong. The access log names the client.";

macro_rules! catalogue {
    ($($name:ident {
        code: $code:literal,
        status: $status:ident,
        proxy_error: $proxy:ident,
        sentence: $sentence:literal,
        meaning: $meaning:literal,
        client: $client:literal,
        operator: $operator:expr,
    })+) => {
        /// An error of the edge's own.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum EdgeError {
            $(#[doc = $meaning] $name,)+
        }

        impl EdgeError {
            /// Every error, by status.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// Its row in the catalogue.
            pub const fn entry(self) -> &'static EdgeEntry {
                match self {
                    $(Self::$name => &EdgeEntry {
                        code: $code,
                        status: StatusCode::$status,
                        proxy_error: ProxyError::$proxy,
                        sentence: $sentence,
                        meaning: $meaning,
                        client: $client,
                        operator: $operator,
                    },)+
                }
            }
        }
    };
}

catalogue! {
    BadLine {
        code: "edge_bad_line",
        status: BAD_REQUEST,
        proxy_error: HttpRequestError,
        sentence: "Lines must end in CRLF and hold no control characters.",
        meaning: "A line of the request head ends in something other than CRLF, or holds a control character.",
        client: "Use an HTTP library instead of writing requests by hand.",
        operator: LOOK_AT_CLIENT,
    }
    BadRequestLine {
        code: "edge_bad_request_line",
        status: BAD_REQUEST,
        proxy_error: HttpRequestError,
        sentence: "The request line must be method, target and version.",
        meaning: "The request line is malformed, its method is not a token, or its version is not supported.",
        client: "Send HTTP/1.1 or HTTP/2 with one space between method, target and version.",
        operator: LOOK_AT_CLIENT,
    }
    BadTarget {
        code: "edge_bad_target",
        status: BAD_REQUEST,
        proxy_error: HttpRequestError,
        sentence: "The request target must be a path.",
        meaning: "The request target is not a path, has a fragment, or holds a broken percent-escape or an encoded NUL.",
        client: "Send a path that begins with `/`, and percent-encode it correctly.",
        operator: LOOK_AT_CLIENT,
    }
    AmbiguousTarget {
        code: "edge_ambiguous_target",
        status: BAD_REQUEST,
        proxy_error: HttpRequestError,
        sentence: "The request target can be read in two ways.",
        meaning: "The origin could read the request target as another one, for example because of dot segments.",
        client: "Send the path in its resolved form, without `.` and `..` segments and backslashes.",
        operator: LOOK_AT_CLIENT,
    }
    BadHost {
        code: "edge_bad_host",
        status: BAD_REQUEST,
        proxy_error: HttpRequestError,
        sentence: "The request must name exactly one valid host.",
        meaning: "The `Host` header is missing, repeated or malformed, or `:authority` and `Host` differ.",
        client: "Send one `Host` header with a host name or address and an optional port.",
        operator: "If a proxy stands in front, check the `Host` header that it sends.",
    }
    BadHeader {
        code: "edge_bad_header",
        status: BAD_REQUEST,
        proxy_error: HttpRequestError,
        sentence: "A request header is malformed.",
        meaning: "A request header is malformed, or PHP would take its name for a header that frames the body.",
        client: "Check the names of the headers: letters, digits and hyphens, no space before the colon, no folding.",
        operator: LOOK_AT_CLIENT,
    }
    AmbiguousLength {
        code: "edge_ambiguous_length",
        status: BAD_REQUEST,
        proxy_error: HttpRequestError,
        sentence: "The request must have at most one valid Content-Length.",
        meaning: "The length of the request body is unclear: `Content-Length` or `Transfer-Encoding` is repeated or \
            malformed, or both are there.",
        client: "Send one `Content-Length`, or `Transfer-Encoding: chunked`.",
        operator: "Look at the client and at proxies in front: such requests can be an attempt at request smuggling.",
    }
    BadChunk {
        code: "edge_bad_chunk",
        status: BAD_REQUEST,
        proxy_error: HttpRequestError,
        sentence: "The chunks of the request body are malformed.",
        meaning: "The chunked request body or its trailers are malformed.",
        client: "Leave chunked encoding to an HTTP library, or send `Content-Length`.",
        operator: LOOK_AT_CLIENT,
    }
    BadBody {
        code: "edge_bad_body",
        status: BAD_REQUEST,
        proxy_error: HttpRequestError,
        sentence: "The request body is incomplete.",
        meaning: "The connection ended before the request body was complete.",
        client: "Send the request again; a write to the calendar has not reached the site.",
        operator: "Nothing, unless it happens often: then look for a proxy in front that closes connections early.",
    }
    UnexpectedBody {
        code: "edge_unexpected_body",
        status: BAD_REQUEST,
        proxy_error: HttpRequestError,
        sentence: "This operation takes no body.",
        meaning: "The request has a body, although its operation takes none (strict profile).",
        client: "Send the parameters in the query, without a body.",
        operator: "Use the compatible profile if clients depend on such bodies.",
    }
    UnreadableBody {
        code: "edge_unreadable_body",
        status: BAD_REQUEST,
        proxy_error: HttpRequestError,
        sentence: "The multipart body cannot be read without guessing.",
        meaning: "The multipart body is malformed, or `Content-Type` lets the body be read in two ways.",
        client: "Send JSON as `application/json`, or a form as `application/x-www-form-urlencoded`.",
        operator: LOOK_AT_CLIENT,
    }
    InvalidUtf8 {
        code: "edge_invalid_utf8",
        status: BAD_REQUEST,
        proxy_error: HttpRequestError,
        sentence: "A value of the form is not valid UTF-8.",
        meaning: "A value of the form is not valid UTF-8, so that it cannot be sent to the site as JSON.",
        client: "Encode the form in UTF-8.",
        operator: LOOK_AT_CLIENT,
    }
    TooManyParameters {
        code: "edge_too_many_parameters",
        status: BAD_REQUEST,
        proxy_error: HttpRequestError,
        sentence: "The query has too many parameters.",
        meaning: "The query or the form has more parameters than the edge reads, or the JSON body or the names of \
            the form have more than 10000 elements.",
        client: "Send fewer parameters.",
        operator: "Raise `limits.query_pairs` or `limits.form_fields`; keep the latter below PHP's `max_input_vars`.",
    }
    RouteContradiction {
        code: "edge_route_contradiction",
        status: BAD_REQUEST,
        proxy_error: HttpRequestError,
        sentence: "The parameter rest_route names another route than the path.",
        meaning: "A parameter `rest_route` in the query or the form names another route than the path, or cannot be \
            read.",
        client: "Remove `rest_route`; the path names the route.",
        operator: "Look at the client: such a request can be an attempt to get around the rules.",
    }
    PathContradiction {
        code: "edge_path_contradiction",
        status: BAD_REQUEST,
        proxy_error: HttpRequestError,
        sentence: "A parameter of the path is repeated with another value.",
        meaning: "The `id` or `slug` of the path is sent a second time with another value.",
        client: "Send `id` and `slug` in the path only.",
        operator: LOOK_AT_CLIENT,
    }
    VariableMismatch {
        code: "edge_variable_mismatch",
        status: BAD_REQUEST,
        proxy_error: HttpRequestError,
        sentence: "The query and the form give different values to the same variable.",
        meaning: "Query and form of a POST give different values to one of WordPress's public query variables.",
        client: "Send each parameter in one place.",
        operator: LOOK_AT_CLIENT,
    }
    BadAuthorization {
        code: "edge_bad_authorization",
        status: BAD_REQUEST,
        proxy_error: HttpRequestError,
        sentence: "The request must carry at most one valid Authorization.",
        meaning: "`Authorization` is repeated or too long or, in the strict profile, malformed or of a scheme that \
            is not accepted. With `writers`, `failed_logins` or rates of credentials, Basic must be exactly one blank \
            and the base64 of `name:password`.",
        client: "Send one `Authorization` header, as Basic credentials with an application password.",
        operator: "Add a scheme that clients need to `authorization_schemes`.",
    }
    BadPurge {
        code: "edge_bad_purge",
        status: BAD_REQUEST,
        proxy_error: HttpRequestError,
        sentence: "The order names nothing that could be removed.",
        meaning: "The body of an order to remove kept answers is not one: `{\"tags\":[\"event:50\",\"events\"]}` or `{\"all\":true}`.",
        client: "Send JSON with `tags`, or with `all` and the value true.",
        operator: "If the companion plugin sends it, install the plugin's version that belongs to this edge.",
    }
    BadLogFilter {
        code: "edge_bad_log_filter",
        status: BAD_REQUEST,
        proxy_error: HttpRequestError,
        sentence: "The log filter cannot be read.",
        meaning: "The admin listener was told to filter the log by a text that is no filter, or for a time that is none. The \
            message names the reason.",
        client: "Send a level, or parts of the program with levels: `info,hyper=debug`.",
        operator: "As the client.",
    }
    AdminUnauthorized {
        code: "edge_admin_unauthorized",
        status: UNAUTHORIZED,
        proxy_error: HttpRequestError,
        sentence: "Operators on other machines need a token.",
        meaning: "A request to the admin listener came from another machine without the token of `admin.token_file`, or with \
            another one.",
        client: "Send `Authorization: Bearer …` with the content of that file; commands take `--token-file`.",
        operator: "Give the token to whoever needs it. `/livez` and `/readyz` need none.",
    }
    PurgeDenied {
        code: "edge_purge_denied",
        status: FORBIDDEN,
        proxy_error: HttpRequestError,
        sentence: "Only the site and its operators may remove answers.",
        meaning: "An order to remove kept answers is not signed with the secret of the edge, or its signature is older or \
            newer than a minute.",
        client: "Nothing: only the companion plugin of the site gives such orders.",
        operator: "Compare `origin.secret_file` with the secret of the companion plugin, and the clocks of the two machines. \
            Orders without a signature are taken from this machine by the admin listener.",
    }
    AdminDenied {
        code: "edge_admin_denied",
        status: FORBIDDEN,
        proxy_error: HttpRequestError,
        sentence: "This page is for operators on this machine.",
        meaning: "The admin listener was asked for the configuration or for a page about single requests from another machine, under a name that is \
            not this machine's, or by a page of another site.",
        client: "Ask from the machine of the edge, by `localhost` or a loopback address, for example through `ssh -L`; or with the \
            token of `admin.token_file`.",
        operator: "Nothing, if nobody else should see what refused requests contained.",
    }
    OperatorsOnly {
        code: "edge_operators_only",
        status: FORBIDDEN,
        proxy_error: HttpRequestError,
        sentence: "Only operators may do that.",
        meaning: "A request to change something through the admin listener came from another machine, or from a page in a \
            browser.",
        client: "Nothing: only operators change anything there.",
        operator: "Run the command on the machine of the edge, or set `admin.token_file`.",
    }
    AddressDenied {
        code: "edge_address_denied",
        status: FORBIDDEN,
        proxy_error: HttpRequestError,
        sentence: "Writing is not possible from this address.",
        meaning: "The address of the client is not among those that may write.",
        client: "Write from a permitted network, or ask the operator.",
        operator: "Add the network to `write_addresses`. Behind a proxy, check `trusted_proxies` as well.",
    }
    WriterDenied {
        code: "edge_writer_denied",
        status: FORBIDDEN,
        proxy_error: HttpRequestError,
        sentence: "This account may not write here.",
        meaning: "The account of the Basic credentials is not among those that may write.",
        client: "Use another account, or ask the operator.",
        operator: "Add the account name to `writers`.",
    }
    AuthorDenied {
        code: "edge_author_denied",
        status: FORBIDDEN,
        proxy_error: HttpRequestError,
        sentence: "The author of a record cannot be chosen here.",
        meaning: "The request names the `author` of a record, which the settings forbid.",
        client: "Leave out `author`; the account that writes becomes the author.",
        operator: "Set `allow_author = true` to permit it.",
    }
    OperationDenied {
        code: "edge_operation_denied",
        status: FORBIDDEN,
        proxy_error: HttpRequestError,
        sentence: "This operation is not offered here.",
        meaning: "The settings switch this operation off.",
        client: "Do without the operation.",
        operator: "Set `allow = true` for the operation to offer it.",
    }
    ReadOnly {
        code: "edge_read_only",
        status: FORBIDDEN,
        proxy_error: HttpRequestError,
        sentence: "The calendar is read-only at the moment.",
        meaning: "The settings refuse every write.",
        client: "Write later.",
        operator: "Set `read_only = false` to permit writes.",
    }
    UnknownRefusal {
        code: "edge_unknown_refusal",
        status: NOT_FOUND,
        proxy_error: HttpRequestError,
        sentence: "No refusal with this id is kept.",
        meaning: "The admin listener was asked for a refusal that it does not keep: the request was not refused by the edge, \
            it was refused by another edge or before a restart, or newer refusals took its place.",
        client: "Copy the id from `X-Request-Id` of the response or from the log.",
        operator: "Increase `log.refusals` if refusals are needed for longer.",
    }
    MethodNotAllowed {
        code: "edge_method_not_allowed",
        status: METHOD_NOT_ALLOWED,
        proxy_error: HttpRequestError,
        sentence: "This route does not take this method.",
        meaning: "The route exists, but not with this method (strict profile).",
        client: "Use one of the methods in the `Allow` header.",
        operator: "Nothing: the API does not have this operation.",
    }
    RequestTimeout {
        code: "edge_request_timeout",
        status: REQUEST_TIMEOUT,
        proxy_error: HttpRequestError,
        sentence: "The request body came too slowly.",
        meaning: "The request body did not arrive in time.",
        client: "Send the request again over a faster connection; a write to the calendar has not reached the site.",
        operator: "Raise `timeouts.client_body` or `timeouts.client_body_grace`, or lower `limits.min_body_rate`, if \
            honest clients are that slow.",
    }
    PurgeReplayed {
        code: "edge_purge_replayed",
        status: CONFLICT,
        proxy_error: HttpRequestError,
        sentence: "This order was carried out before.",
        meaning: "A signed order to remove kept answers came a second time.",
        client: "Sign each order anew.",
        operator: "Nothing, if the companion plugin repeated a message. Otherwise somebody reads the traffic between site and edge.",
    }
    PatchConflict {
        code: "edge_patch_conflict",
        status: CONFLICT,
        proxy_error: HttpRequestError,
        sentence: "The record has changed meanwhile. Please read it and try again.",
        meaning: "Somebody else changed the record while the edge merged a PATCH with it (`patch = \"merge\"`). Nothing was \
            written.",
        client: "Read the record, and send the PATCH again if it still makes sense.",
        operator: "Nothing, unless it happens often: then look for a client that writes the same record all the time.",
    }
    PreconditionFailed {
        code: "edge_precondition_failed",
        status: PRECONDITION_FAILED,
        proxy_error: HttpRequestError,
        sentence: "The record does not meet the precondition of the request.",
        meaning: "The record was changed after the date in `If-Unmodified-Since`, or the PATCH has an `If-Match` with an \
            entity tag, which records do not have for callers with credentials. Nothing was written.",
        client: "Read the record, and send the PATCH with its `modified_utc` as `If-Unmodified-Since`.",
        operator: LOOK_AT_CLIENT,
    }
    BodyTooLarge {
        code: "edge_body_too_large",
        status: PAYLOAD_TOO_LARGE,
        proxy_error: HttpRequestError,
        sentence: "The request body is too large.",
        meaning: "The request body is larger than the edge accepts, or the web server in front of WordPress; the \
            strict profile accepts 1 MiB at most.",
        client: "Send a smaller body. An image is best uploaded to WordPress first and named by its id.",
        operator: "Raise `limits.body_bytes`, or use the compatible profile. If `Proxy-Status` has a `received-status`, raise \
            the limit of the web server in front of WordPress.",
    }
    TargetTooLong {
        code: "edge_target_too_long",
        status: URI_TOO_LONG,
        proxy_error: HttpRequestError,
        sentence: "The request target is too long.",
        meaning: "Path and query together are longer than the edge accepts, or the web server in front of WordPress.",
        client: "Send a shorter query.",
        operator: "Raise `limits.target_bytes`. If `Proxy-Status` has a `received-status`, raise the limit of the web \
            server in front of WordPress.",
    }
    UnsupportedMediaType {
        code: "edge_unsupported_media_type",
        status: UNSUPPORTED_MEDIA_TYPE,
        proxy_error: HttpRequestError,
        sentence: "The body must be application/json or application/x-www-form-urlencoded.",
        meaning: "The body is of another type than JSON or a form, or is compressed (strict profile).",
        client: "Send JSON as `application/json`, or a form as `application/x-www-form-urlencoded`, uncompressed.",
        operator: "Use the compatible profile if clients depend on other types.",
    }
    UnknownExpectation {
        code: "edge_unknown_expectation",
        status: EXPECTATION_FAILED,
        proxy_error: HttpRequestError,
        sentence: "The only expectation is 100-continue.",
        meaning: "The `Expect` header holds something other than `100-continue`.",
        client: "Send `Expect: 100-continue`, or no `Expect` at all.",
        operator: LOOK_AT_CLIENT,
    }
    Misdirected {
        code: "edge_misdirected",
        status: MISDIRECTED_REQUEST,
        proxy_error: HttpRequestError,
        sentence: "This host is not served here.",
        meaning: "The host of the request is not one of those that the edge serves.",
        client: "Check the host name of the URL.",
        operator: "Add the name to `hosts`, and check `public_url`. Behind a proxy, check the `Host` that it sends.",
    }
    RateLimited {
        code: "edge_rate_limited",
        status: TOO_MANY_REQUESTS,
        proxy_error: HttpRequestError,
        sentence: "Too many requests. Please wait and try again.",
        meaning: "The client has used up one of its rate limits.",
        client: "Wait for the seconds in `Retry-After`, then continue more slowly. `RateLimit` shows what is left.",
        operator: "Raise the rates in `[rate_limits]` if honest clients meet them. Behind a proxy, check \
            `trusted_proxies`: without it all clients share the proxy's address.",
    }
    HeadersTooLarge {
        code: "edge_headers_too_large",
        status: REQUEST_HEADER_FIELDS_TOO_LARGE,
        proxy_error: HttpRequestError,
        sentence: "The request headers are too many or too large.",
        meaning: "The request has too many headers, or one of them or all together are too large, for the edge or for \
            the web server in front of WordPress.",
        client: "Send fewer or shorter headers; cookies are the usual cause.",
        operator: "Raise `limits.headers`, `limits.header_bytes` or `limits.header_list_bytes`. If `Proxy-Status` has a \
            `received-status`, raise the limit of the web server in front of WordPress.",
    }
    InternalError {
        code: "edge_internal_error",
        status: INTERNAL_SERVER_ERROR,
        proxy_error: ProxyInternalError,
        sentence: "The edge failed to handle the request.",
        meaning: "The edge itself failed; this is a defect of calendar-edge.",
        client: "Report the `X-Request-Id` to the operator.",
        operator: "Look for the request id in the log, and report the defect.",
    }
    UnknownTransferCoding {
        code: "edge_unknown_transfer_coding",
        status: NOT_IMPLEMENTED,
        proxy_error: HttpRequestError,
        sentence: "The only transfer coding is chunked.",
        meaning: "`Transfer-Encoding` names a coding other than `chunked`.",
        client: "Send `Transfer-Encoding: chunked` or `Content-Length`.",
        operator: LOOK_AT_CLIENT,
    }
    MethodUnknown {
        code: "edge_method_unknown",
        status: NOT_IMPLEMENTED,
        proxy_error: HttpRequestError,
        sentence: "This method is not known here.",
        meaning: "No route of the API has this method (strict profile).",
        client: "Use GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS.",
        operator: LOOK_AT_CLIENT,
    }
    OriginFailed {
        code: "edge_origin_failed",
        status: BAD_GATEWAY,
        proxy_error: ProxyInternalResponse,
        sentence: "The site could not answer.",
        meaning: "The site cannot be reached, or its response is not one that may be passed on. A write may have \
            been carried out.",
        client: "Read the record before you repeat a write. Repeat a read later.",
        operator: "Read the warning with the same request id in the log: it names the cause and often the remedy.",
    }
    Overloaded {
        code: "edge_overloaded",
        status: SERVICE_UNAVAILABLE,
        proxy_error: ConnectionLimitReached,
        sentence: "The site is busy. Please try again.",
        meaning: "All connections to the site are in use: the request was not sent, or its response was dropped because \
            the client read it too slowly. Or request bodies use up their memory, and the body of this one came more \
            slowly than others.",
        client: "Wait for the seconds in `Retry-After` and try again.",
        operator: "Find out why the site is slow. Raise `origin.max_in_flight` if it has more PHP workers than that. If the \
            sentence is about large requests, look for the clients that send them, or raise `limits.request_buffer_total`.",
    }
    OriginUnavailable {
        code: "edge_origin_unavailable",
        status: SERVICE_UNAVAILABLE,
        proxy_error: DestinationUnavailable,
        sentence: "The site is not available at the moment. Please try again.",
        meaning: "The site failed several times in a row, so reads are not sent to it for a while.",
        client: "Wait for the seconds in `Retry-After` and try again.",
        operator: "Repair the site; the log names its failures. `[breaker]` sets when reads stop and resume.",
    }
    OriginTimeout {
        code: "edge_origin_timeout",
        status: GATEWAY_TIMEOUT,
        proxy_error: HttpResponseTimeout,
        sentence: "The site did not answer in time.",
        meaning: "The site did not answer within its deadline. A write may have been carried out.",
        client: "Read the record before you repeat a write. Repeat a read later, perhaps with a smaller `per_page`.",
        operator: "Find out why the site is slow, or raise `timeouts.origin_first_byte`, `timeouts.origin_read` or \
            `timeouts.origin_write`.",
    }
}

// === impl EdgeError ===

impl EdgeError {
    /// The stable code, `edge_…`.
    pub const fn code(self) -> &'static str {
        self.entry().code
    }

    /// The HTTP status.
    pub const fn status(self) -> StatusCode {
        self.entry().status
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn codes_are_unique_and_have_one_prefix() {
        let codes: BTreeSet<&str> = EdgeError::ALL.iter().map(|error| error.code()).collect();
        assert_eq!(codes.len(), EdgeError::ALL.len());
        assert!(codes.iter().all(|code| code.starts_with("edge_")));
    }

    #[test]
    fn rows_are_in_order_of_status() {
        assert!(EdgeError::ALL.is_sorted_by_key(|error| error.status()));
    }

    #[test]
    fn only_the_clients_own_faults_are_called_request_errors() {
        for error in EdgeError::ALL {
            let entry = error.entry();
            let is_request_error = entry.proxy_error == ProxyError::HttpRequestError;
            // 501: the client uses an unknown transfer coding or method.
            let is_clients = entry.status.is_client_error() || entry.status == StatusCode::NOT_IMPLEMENTED;
            assert_eq!(is_request_error, is_clients, "{}", entry.code);
        }
    }

    #[test]
    fn every_text_is_a_sentence() {
        for error in EdgeError::ALL {
            let entry = error.entry();
            for text in [entry.sentence, entry.meaning, entry.client, entry.operator] {
                assert!(text.ends_with('.') && !text.contains("  "), "{text}");
            }
        }
    }
}
