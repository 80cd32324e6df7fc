//! Specific causes of an error: same code and status, another sentence or another `Proxy-Status`.

use calendar_edge_judge::problem::{OwnError, Problem};
use http::StatusCode;

use super::edge;

/// Makes a constant of each cause: the row of its error, with the sentence or the kind of failure that it has of its own.
macro_rules! causes {
    ($($(#[doc = $meaning:literal])+ $name:ident = $error:ident $(, says $sentence:literal)? $(, reports $proxy:literal)?;)+) => {
        $(
            $(#[doc = $meaning])+
            pub const $name: &OwnError = &OwnError { $(sentence: $sentence,)? $(proxy_error: $proxy,)? ..*edge::$error };
        )+

        /// Every cause.
        #[cfg(test)]
        pub(super) const CAUSES: &[&OwnError] = &[$($name),+];
    };
}

causes! {
    /// The method is not a token.
    MALFORMED_METHOD = BAD_REQUEST_LINE, says "The request method is malformed.";
    /// Neither HTTP/1.0, HTTP/1.1 nor HTTP/2.
    UNSUPPORTED_VERSION = BAD_REQUEST_LINE, says "The HTTP version is not supported.";
    /// CGI would read a header as one that frames the body.
    LOOK_ALIKE_HEADER = BAD_HEADER, says "A request header looks like one that frames the body.";
    /// Content-Length beside Transfer-Encoding.
    LENGTH_AND_CODING = AMBIGUOUS_LENGTH,
        says "The request must not have both Content-Length and Transfer-Encoding.";
    /// Transfer-Encoding is repeated or malformed.
    BAD_TRANSFER_ENCODING = AMBIGUOUS_LENGTH, says "The request must have at most one valid Transfer-Encoding.";
    /// The trailers are malformed or too large.
    BAD_TRAILERS = BAD_CHUNK, says "The trailers of the request body are malformed or too large.";
    /// A form to the rest of the site could be read by PHP in another way.
    UNREADABLE_FORM = UNREADABLE_BODY, says "The form cannot be read in one way only.";
    /// A form that is too large to be read whole names a route of the calendar.
    ROUTE_IN_LARGE_FORM = ROUTE_CONTRADICTION, says "A large form must not name a route of the calendar.";
    /// A form that is too large to be read whole names a route that a rule of `[[surface]]` closes.
    CLOSED_ROUTE_IN_FORM = ROUTE_CONTRADICTION, says "The form names a route that is closed.";
    /// A call to `xmlrpc.php` that is too large to be read whole names a method that a rule of `[[surface]]` closes.
    CLOSED_METHOD_IN_CALL = ROUTE_CONTRADICTION, says "The call names a method that is closed.";
    /// A form names a route in a way that only PHP can read.
    UNREADABLE_ROUTE_IN_FORM = ROUTE_CONTRADICTION, says "The form names a route that cannot be read.";
    /// The bodies of other requests left no memory for this one.
    NO_MEMORY_FOR_BODY = OVERLOADED, says "Too many large requests are being sent. Please try again.";

    /// The web server in front of WordPress takes no such body.
    ORIGIN_LIMITS_BODY = BODY_TOO_LARGE, says "The request body is too large for the site.";
    /// The web server in front of WordPress takes no such target.
    ORIGIN_LIMITS_TARGET = TARGET_TOO_LONG, says "The request target is too long for the site.";
    /// The web server in front of WordPress takes no such headers.
    ORIGIN_LIMITS_HEADERS = HEADERS_TOO_LARGE, says "The request headers are too many or too large for the site.";

    /// The origin's name does not resolve.
    ORIGIN_NAME = ORIGIN_FAILED, reports "dns_error";
    /// The origin refused the connection.
    ORIGIN_REFUSED = ORIGIN_FAILED, reports "connection_refused";
    /// TLS with the origin failed.
    ORIGIN_TLS = ORIGIN_FAILED, reports "tls_protocol_error";
    /// The origin cannot be reached, or reports that the site is down.
    ORIGIN_DOWN = ORIGIN_FAILED, reports "destination_unavailable";
    /// The response ended early.
    ORIGIN_INCOMPLETE = ORIGIN_FAILED, reports "http_response_incomplete";
    /// The response is not HTTP.
    ORIGIN_PROTOCOL = ORIGIN_FAILED, reports "http_protocol_error";
    /// The header section of the response is too large.
    ORIGIN_HEADER_SIZE = ORIGIN_FAILED, reports "http_response_header_section_size";
    /// The body of the response is too large.
    ORIGIN_BODY_SIZE = ORIGIN_FAILED, reports "http_response_body_size";
    /// The response is compressed, although the edge accepts none.
    ORIGIN_CODING = ORIGIN_FAILED, reports "http_response_content_coding";
    /// The origin did not accept the connection in time.
    ORIGIN_CONNECT_TIMEOUT = ORIGIN_TIMEOUT, reports "connection_timeout";
    /// The call outlived its deadlines inside the edge.
    DEADLINE_MISSED = ORIGIN_TIMEOUT, reports "proxy_internal_error";
}

/// The `received-status` of `Proxy-Status`: the origin's status, where the client gets the same one.
pub fn received_status(problem: &Problem) -> Option<StatusCode> {
    let limits = [ORIGIN_LIMITS_BODY, ORIGIN_LIMITS_TARGET, ORIGIN_LIMITS_HEADERS];
    let is_theirs = limits.iter().any(|cause| Problem::Own(cause) == *problem);
    is_theirs.then(|| problem.status())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_differ_from_their_error() {
        for cause in CAUSES {
            let error = edge::ALL.iter().find(|error| error.code == cause.code);
            assert!(error.is_some_and(|error| error != cause), "{cause:?}");
        }
    }

    #[test]
    fn every_sentence_of_an_error_is_a_sentence() {
        for OwnError { sentence, .. } in edge::ALL.iter().chain(CAUSES) {
            assert!(sentence.ends_with('.') && !sentence.contains("  "), "{sentence}");
        }
    }

    #[test]
    fn every_kind_of_failure_is_one_of_rfc_9209() {
        for OwnError { proxy_error, .. } in edge::ALL.iter().chain(CAUSES) {
            assert!(KINDS.contains(proxy_error), "{proxy_error}");
        }
    }

    /// The error types of `Proxy-Status` (section 2.3) for failures that the edge has.
    const KINDS: [&str; 16] = [
        "connection_timeout",
        "connection_limit_reached",
        "connection_refused",
        "dns_error",
        "destination_unavailable",
        "tls_protocol_error",
        "http_request_error",
        "http_response_incomplete",
        "http_response_header_section_size",
        "http_response_body_size",
        "http_response_content_coding",
        "http_response_timeout",
        "http_protocol_error",
        "proxy_internal_response",
        "proxy_internal_error",
        "proxy_loop_detected",
    ];
}
