//! The catalogue of the edge's own errors, one row each; `docs/reference/errors.md` and the `OpenAPI` document are
//! written from it.

use calendar_edge_judge::problem::OwnError;
use http::StatusCode;

/// Makes a constant of each row, and a list of all. A name without a row is an error of the judge; a row without
/// `proxy_error` is about a request that is wrong.
macro_rules! catalogue {
    ($($name:ident $({ $($row:tt)+ })?,)+) => {
        $(catalogue!(@one $name $({ $($row)+ })?);)+

        /// Every error of the edge's own, by status.
        pub const ALL: &[&OwnError] = &[$($name),+];
    };
    (@kind) => { "http_request_error" };
    (@kind $proxy:literal) => { $proxy };
    (@one $name:ident) => {
        #[doc = concat!("[`OwnError::", stringify!($name), "`]")]
        pub const $name: &OwnError = OwnError::$name;
    };
    (@one $name:ident {
        code: $code:literal,
        status: $status:ident,
        sentence: $sentence:literal,
        meaning: $meaning:literal,
        $(proxy_error: $proxy:literal,)?
        client: $client:literal,
        operator: $operator:expr,
    }) => {
        #[doc = $meaning]
        pub const $name: &OwnError = &OwnError {
            code: $code,
            status: StatusCode::$status,
            sentence: $sentence,
            meaning: $meaning,
            proxy_error: catalogue!(@kind $($proxy)?),
            client: $client,
            operator: $operator,
        };
    };
}

catalogue! {
    BAD_LINE {
        code: "edge_bad_line",
        status: BAD_REQUEST,
        sentence: "Lines must end in CRLF and hold no control characters.",
        meaning: "A line of the request head does not end in CRLF, or holds a control character.",
        client: "Use an HTTP library instead of writing requests by hand.",
        operator: OwnError::LOOK_AT_CLIENT,
    },
    BAD_REQUEST_LINE {
        code: "edge_bad_request_line",
        status: BAD_REQUEST,
        sentence: "The request line must be method, target and version.",
        meaning: "The request line is malformed, its method is not a token, or its version is not supported.",
        client: "Send HTTP/1.1 or HTTP/2, with one space between the parts.",
        operator: OwnError::LOOK_AT_CLIENT,
    },
    BAD_TARGET,
    AMBIGUOUS_TARGET,
    BAD_HOST {
        code: "edge_bad_host",
        status: BAD_REQUEST,
        sentence: "The request must name exactly one valid host.",
        meaning: "The `Host` header is missing, repeated or malformed, or `:authority` and `Host` differ.",
        client: "Send one `Host` header: a name or address, and an optional port.",
        operator: "Check the `Host` header of a proxy in front.",
    },
    BAD_HEADER {
        code: "edge_bad_header",
        status: BAD_REQUEST,
        sentence: "A request header is malformed.",
        meaning: "A request header is malformed, or PHP would take its name for a header that frames the body.",
        client: "Name headers by letters, digits and hyphens, without a space before the colon or folding.",
        operator: OwnError::LOOK_AT_CLIENT,
    },
    AMBIGUOUS_LENGTH {
        code: "edge_ambiguous_length",
        status: BAD_REQUEST,
        sentence: "The request must have at most one valid Content-Length.",
        meaning: "`Content-Length` or `Transfer-Encoding` is repeated or malformed, or both are there.",
        client: "Send one `Content-Length`, or `Transfer-Encoding: chunked`.",
        operator: "Look at the client and at proxies in front: this can be an attempt at request smuggling.",
    },
    BAD_CHUNK {
        code: "edge_bad_chunk",
        status: BAD_REQUEST,
        sentence: "The chunks of the request body are malformed.",
        meaning: "The chunked request body or its trailers are malformed.",
        client: "Use an HTTP library, or send `Content-Length`.",
        operator: OwnError::LOOK_AT_CLIENT,
    },
    BAD_BODY {
        code: "edge_bad_body",
        status: BAD_REQUEST,
        sentence: "The request body is incomplete.",
        meaning: "The connection ended before the request body was complete.",
        client: "Send the request again; a write to the calendar has not reached the site.",
        operator: "If it happens often, look for a proxy in front that closes connections early.",
    },
    UNEXPECTED_BODY,
    UNREADABLE_BODY,
    INVALID_UTF8,
    TOO_MANY_PARAMETERS,
    ROUTE_CONTRADICTION,
    METHOD_CONTRADICTION,
    PATH_CONTRADICTION,
    VARIABLE_MISMATCH,
    BAD_AUTHORIZATION,
    BAD_PURGE {
        code: "edge_bad_purge",
        status: BAD_REQUEST,
        sentence: "The order names nothing that could be removed.",
        meaning: "A purge has another body than `{\"tags\":[\"event:50\",\"events\"]}` or `{\"all\":true}`.",
        client: "Send such a body.",
        operator: "If the companion plugin sends it, install the version that belongs to this edge.",
    },
    BAD_LOG_FILTER {
        code: "edge_bad_log_filter",
        status: BAD_REQUEST,
        sentence: "The log filter cannot be read.",
        meaning: "The filter or the time for the log is malformed. The message names the reason.",
        client: "Send a level, or levels of parts: `info,hyper=debug`.",
        operator: "As the client.",
    },
    ADMIN_UNAUTHORIZED {
        code: "edge_admin_unauthorized",
        status: UNAUTHORIZED,
        sentence: "Operators on other machines need a token.",
        meaning: "The request came from another machine without the token of `admin.token_file`.",
        client: "Send `Authorization: Bearer …` with its content; commands take `--token-file`.",
        operator: "Give the token to operators. `/livez` and `/readyz` need none.",
    },
    PURGE_DENIED {
        code: "edge_purge_denied",
        status: FORBIDDEN,
        sentence: "Only the site and its operators may remove stored responses.",
        meaning: "A purge is not signed with the secret of the edge, its signature is older or newer than a minute, or it \
            is for another edge or from another site.",
        client: "Nothing: only the companion plugin purges.",
        operator: "Compare `origin.secret_file` with the secret of the companion plugin, and the clocks of the two \
            machines; a proxy between them must keep `Host`, or be the one of `public_url`. The admin listener takes \
            purges from this machine without a signature.",
    },
    ADMIN_DENIED {
        code: "edge_admin_denied",
        status: FORBIDDEN,
        sentence: "This page is for operators on this machine.",
        meaning: "The configuration or a page about single requests was requested from another machine, under a name that \
            is not this machine's, or by a page of another site.",
        client: "Use `localhost` or a loopback address of the machine of the edge, for example through `ssh -L`, or the \
            token of `admin.token_file`.",
        operator: "Nothing, if only operators should see refused requests.",
    },
    OPERATORS_ONLY {
        code: "edge_operators_only",
        status: FORBIDDEN,
        sentence: "Only operators may do that.",
        meaning: "A change was requested from another machine, or by a page in a browser.",
        client: "Nothing: only operators change the edge.",
        operator: "Run the command on the machine of the edge, or set `admin.token_file`.",
    },
    ADDRESS_DENIED {
        code: "edge_address_denied",
        status: FORBIDDEN,
        sentence: "Writing is not possible from this address.",
        meaning: "The address of the client may not write.",
        client: "Write from a permitted network.",
        operator: "Add the network to `write_addresses`. Behind a proxy, check `trusted_proxies`.",
    },
    WRITER_DENIED {
        code: "edge_writer_denied",
        status: FORBIDDEN,
        sentence: "This account may not write here.",
        meaning: "The account of the Basic credentials may not write.",
        client: "Use another account.",
        operator: "Add the account name to `writers`.",
    },
    AUTHOR_DENIED,
    OPERATION_DENIED,
    READ_ONLY,
    UNKNOWN_REFUSAL {
        code: "edge_unknown_refusal",
        status: NOT_FOUND,
        sentence: "No refusal with this id is kept.",
        meaning: "The edge keeps no refusal with this id: another edge refused the request, or a restart or newer \
            refusals removed it.",
        client: "Copy the id from `X-Request-Id` or the log.",
        operator: "Look for the id in the log: the edge keeps the newest 1,000.",
    },
    FEED_OFF {
        code: "edge_feed_off",
        status: NOT_FOUND,
        sentence: "This calendar has no feed of changes.",
        meaning: "`feed.enabled` is false.",
        client: "Read the lists instead.",
        operator: "Set `feed.enabled = true`.",
    },
    METHOD_NOT_ALLOWED,
    REQUEST_TIMEOUT {
        code: "edge_request_timeout",
        status: REQUEST_TIMEOUT,
        sentence: "The request body came too slowly.",
        meaning: "The request body did not arrive in time.",
        client: "Send the request again, faster; a write to the calendar has not reached the site.",
        operator: "Raise `timeouts.client_body` for slow clients.",
    },
    PURGE_REPLAYED {
        code: "edge_purge_replayed",
        status: CONFLICT,
        sentence: "This order was carried out before.",
        meaning: "A signed purge came a second time.",
        client: "Sign each purge anew.",
        operator: "Nothing, if the companion plugin repeated a message. Otherwise a stranger reads the traffic between \
            site and edge.",
    },
    PATCH_CONFLICT {
        code: "edge_patch_conflict",
        status: CONFLICT,
        sentence: "The record has changed meanwhile. Please read it and try again.",
        meaning: "Another client changed the record while the edge merged a PATCH with it. Nothing was written.",
        client: "Read the record, and send the PATCH again.",
        operator: "If it happens often, look for a client that writes the same record all the time.",
    },
    PRECONDITION_FAILED {
        code: "edge_precondition_failed",
        status: PRECONDITION_FAILED,
        sentence: "The precondition of the request is false.",
        meaning: "The record was changed after the date in `If-Unmodified-Since`, or the PATCH has an `If-Match` with an \
            entity tag, which records do not have for callers with credentials. Nothing was written.",
        client: "Read the record, and send the PATCH with its `modified_utc` as `If-Unmodified-Since`.",
        operator: OwnError::LOOK_AT_CLIENT,
    },
    BODY_TOO_LARGE,
    TARGET_TOO_LONG {
        code: "edge_target_too_long",
        status: URI_TOO_LONG,
        sentence: "The request target is too long.",
        meaning: "Path and query together are longer than the edge accepts (8 KiB), or the web server in front of \
            WordPress.",
        client: "Send a shorter query.",
        operator: "If `Proxy-Status` has a `received-status`, raise the limit of the web server in front of \
            WordPress.",
    },
    UNSUPPORTED_MEDIA_TYPE,
    UNKNOWN_EXPECTATION {
        code: "edge_unknown_expectation",
        status: EXPECTATION_FAILED,
        sentence: "The only expectation is 100-continue.",
        meaning: "The `Expect` header holds something other than `100-continue`.",
        client: "Send `Expect: 100-continue`, or no `Expect` at all.",
        operator: OwnError::LOOK_AT_CLIENT,
    },
    MISDIRECTED {
        code: "edge_misdirected",
        status: MISDIRECTED_REQUEST,
        sentence: "This host is not served here.",
        meaning: "The edge does not serve the host of the request.",
        client: "Check the host of the URL.",
        operator: "Add the name to `hosts`, and check `public_url`, or the `Host` that a proxy sends.",
    },
    RATE_LIMITED {
        code: "edge_rate_limited",
        status: TOO_MANY_REQUESTS,
        sentence: "Too many requests. Please wait and try again.",
        meaning: "The client has used up one of its rate limits.",
        client: "Wait for the seconds in `Retry-After`, then continue more slowly. `RateLimit` shows the rest.",
        operator: "Raise the rates in `[rate_limits]` if honest clients exceed them. Behind a proxy, check \
            `trusted_proxies`: without it all clients share the proxy's address.",
    },
    HEADERS_TOO_LARGE {
        code: "edge_headers_too_large",
        status: REQUEST_HEADER_FIELDS_TOO_LARGE,
        sentence: "The request headers are too many or too large.",
        meaning: "The headers are too many or too large for the edge, or for the web server in front of WordPress.",
        client: "Send fewer or shorter headers; cookies are the usual cause.",
        operator: "If `Proxy-Status` has a `received-status`, raise the limit of the web server in front of \
            WordPress.",
    },
    INTERNAL_ERROR {
        code: "edge_internal_error",
        status: INTERNAL_SERVER_ERROR,
        sentence: "The edge failed to handle the request.",
        meaning: "A defect of calendar-edge.",
        proxy_error: "proxy_internal_error",
        client: "Report the `X-Request-Id` to the operator.",
        operator: "Find the request id in the log, and report the defect.",
    },
    NO_UPGRADE {
        code: "edge_no_upgrade",
        status: NOT_IMPLEMENTED,
        sentence: "Connections of other protocols do not pass here.",
        meaning: "A request offers another protocol, such as WebSocket. The edge forwards HTTP only.",
        client: "Use the route over HTTP.",
        operator: "Let the proxy in front send the path straight to the site.",
    },
    FEED_UNAVAILABLE {
        code: "edge_feed_unavailable",
        status: NOT_IMPLEMENTED,
        sentence: "The feed of changes needs the site's companion plugin, which does not respond.",
        meaning: "The site does not count its changes: the companion plugin is not installed, has another secret, or sent \
            nothing since the edge started.",
        client: "Read the lists instead, and try again later.",
        operator: "Install the companion plugin, and give it the secret of `origin.secret_file`; `calendar-edge check` \
            compares them.",
    },
    UNKNOWN_TRANSFER_CODING {
        code: "edge_unknown_transfer_coding",
        status: NOT_IMPLEMENTED,
        sentence: "The only transfer coding is chunked.",
        meaning: "`Transfer-Encoding` names a coding other than `chunked`.",
        client: "Send `Transfer-Encoding: chunked` or `Content-Length`.",
        operator: OwnError::LOOK_AT_CLIENT,
    },
    METHOD_UNKNOWN,
    ORIGIN_FAILED {
        code: "edge_origin_failed",
        status: BAD_GATEWAY,
        sentence: "The site could not respond.",
        meaning: "The site cannot be reached, or its response is unusable. A write may have been carried out.",
        proxy_error: "proxy_internal_response",
        client: "Read the record before you repeat a write. Repeat a read later.",
        operator: "Read the warning with the same request id in the log: it names the cause.",
    },
    FEED_FULL {
        code: "edge_feed_full",
        status: SERVICE_UNAVAILABLE,
        sentence: "Too many readers wait for changes. Please try again.",
        meaning: "256 readers wait for changes, or have a stream of them.",
        proxy_error: "connection_limit_reached",
        client: "Request without `wait`, or wait for the seconds in `Retry-After`.",
        operator: "Find the readers in the log, or add an edge.",
    },
    RECORDS_BEHIND {
        code: "edge_records_behind",
        status: SERVICE_UNAVAILABLE,
        sentence: "The records of this calendar are not all known. Please try again.",
        meaning: "The companion plugin has not named all records.",
        proxy_error: "destination_unavailable",
        client: "Wait for the seconds in `Retry-After` and try again.",
        operator: "Use the companion plugin 0.10 or later. The log has the reason; `edge_facts_whole` is 1 once all are \
            known.",
    },
    OVERLOADED {
        code: "edge_overloaded",
        status: SERVICE_UNAVAILABLE,
        sentence: "The site is busy. Please try again.",
        meaning: "All connections to the site are in use: the request was not sent, or its response was dropped because \
            the client read it too slowly. Or request bodies use up their memory, and this one came more slowly than others.",
        proxy_error: "connection_limit_reached",
        client: "Wait for the seconds in `Retry-After` and try again.",
        operator: "Look at the site for the cause. Raise `origin.max_in_flight` if it has more PHP workers than that. If \
            the sentence is about large requests, look for the clients that send them.",
    },
    ORIGIN_UNAVAILABLE {
        code: "edge_origin_unavailable",
        status: SERVICE_UNAVAILABLE,
        sentence: "The site is not available at the moment. Please try again.",
        meaning: "The site failed several times in a row, so reads are not sent to it for a while. Or it has not named \
            its calendar yet.",
        proxy_error: "destination_unavailable",
        client: "Wait for the seconds in `Retry-After` and try again.",
        operator: "Repair the site; the log names its failures. With `origin.namespace` calls need not wait for the \
            name.",
    },
    ORIGIN_TIMEOUT {
        code: "edge_origin_timeout",
        status: GATEWAY_TIMEOUT,
        sentence: "The site did not respond in time.",
        meaning: "The site did not respond within its deadline. A write may have been carried out.",
        proxy_error: "http_response_timeout",
        client: "Read the record before you repeat a write. Repeat a read later, perhaps with a smaller `per_page`.",
        operator: "Look at the site for the cause, or raise `timeouts.origin_read` or `timeouts.origin_write`.",
    },
    LOOP_DETECTED {
        code: "edge_loop_detected",
        status: LOOP_DETECTED,
        sentence: "The address of the site leads back to this server.",
        meaning: "The address in `origin.url` leads back to this edge, or to another edge of its fleet. Nothing was read \
            or written.",
        proxy_error: "proxy_loop_detected",
        client: "Try again later.",
        operator: "Give the site an address of its own, such as a second port of its web server, and name it in `origin.url`.",
    },
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn codes_are_unique_and_have_one_prefix() {
        let codes: BTreeSet<&str> = ALL.iter().map(|error| error.code).collect();
        assert_eq!(codes.len(), ALL.len());
        assert!(codes.iter().all(|code| code.starts_with("edge_")));
    }

    #[test]
    fn rows_are_in_order_of_status() {
        assert!(ALL.is_sorted_by_key(|error| error.status));
    }

    #[test]
    fn only_the_clients_own_faults_are_called_request_errors() {
        for error in ALL {
            let is_request_error = error.proxy_error == "http_request_error";
            // 501: the client uses an unknown transfer coding or method.
            let status = error.status;
            let is_clients = status.is_client_error() || status == StatusCode::NOT_IMPLEMENTED;
            assert_eq!(is_request_error, is_clients, "{}", error.code);
        }
    }

    #[test]
    fn every_text_is_a_sentence() {
        for error in ALL {
            for text in [error.sentence, error.meaning, error.client, error.operator] {
                assert!(text.ends_with('.') && !text.contains("  "), "{text}");
            }
        }
    }
}
