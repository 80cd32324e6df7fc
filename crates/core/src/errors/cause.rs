//! Specific causes of an edge error: same code and status, another sentence or another `Proxy-Status`.

use calendar_edge_judge::problem::{OwnError, Problem};
use http::StatusCode;

use super::edge::EdgeError;

macro_rules! causes {
    ($($(#[doc = $meaning:literal])+ $name:ident => $error:ident $(, says $sentence:literal)? $(, reports $proxy:literal)?;)+) => {
        /// One of several causes of the same [`EdgeError`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Cause {
            $($(#[doc = $meaning])+ $name,)+
        }

        impl Cause {
            /// Every cause.
            #[cfg(test)]
            pub(super) const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The error it belongs to.
            pub(super) const fn error(self) -> EdgeError {
                match self {
                    $(Self::$name => EdgeError::$error,)+
                }
            }

            /// The error with the sentence or the kind of failure that this cause has of its own.
            pub(super) const fn own(self) -> OwnError {
                let own = self.error().entry().own;
                match self {
                    $(Self::$name => OwnError { $(sentence: $sentence,)? $(proxy_error: $proxy,)? ..own },)+
                }
            }
        }
    };
}

causes! {
    /// The method is not a token.
    MalformedMethod => BadRequestLine, says "The request method is malformed.";
    /// Neither HTTP/1.0, HTTP/1.1 nor HTTP/2.
    UnsupportedVersion => BadRequestLine, says "The HTTP version is not supported.";
    /// CGI would read a header as one that frames the body.
    LookAlikeHeader => BadHeader, says "A request header looks like one that frames the body.";
    /// Content-Length beside Transfer-Encoding.
    LengthAndCoding => AmbiguousLength,
        says "The request must not have both Content-Length and Transfer-Encoding.";
    /// Transfer-Encoding is repeated or malformed.
    BadTransferEncoding => AmbiguousLength, says "The request must have at most one valid Transfer-Encoding.";
    /// The trailers are malformed or too large.
    BadTrailers => BadChunk, says "The trailers of the request body are malformed or too large.";
    /// A form to the rest of the site could be read by PHP in another way.
    UnreadableForm => UnreadableBody, says "The form cannot be read in one way only.";
    /// A form that is too large to be read whole names a route of the calendar.
    RouteInLargeForm => RouteContradiction, says "A large form must not name a route of the calendar.";
    /// A form that is too large to be read whole names a route that a rule of `[[surface]]` closes.
    ClosedRouteInForm => RouteContradiction, says "The form names a route that is closed.";
    /// A call to `xmlrpc.php` that is too large to be read whole names a method that a rule of `[[surface]]` closes.
    ClosedMethodInCall => RouteContradiction, says "The call names a method that is closed.";
    /// A form names a route in a way that only PHP can read.
    UnreadableRouteInForm => RouteContradiction, says "The form names a route that cannot be read.";
    /// The bodies of other requests left no memory for this one.
    NoMemoryForBody => Overloaded, says "Too many large requests are being sent. Please try again.";

    /// The web server in front of WordPress takes no such body.
    OriginLimitsBody => BodyTooLarge, says "The request body is too large for the site.";
    /// The web server in front of WordPress takes no such target.
    OriginLimitsTarget => TargetTooLong, says "The request target is too long for the site.";
    /// The web server in front of WordPress takes no such headers.
    OriginLimitsHeaders => HeadersTooLarge, says "The request headers are too many or too large for the site.";

    /// The origin's name does not resolve.
    OriginName => OriginFailed, reports "dns_error";
    /// The origin refused the connection.
    OriginRefused => OriginFailed, reports "connection_refused";
    /// TLS with the origin failed.
    OriginTls => OriginFailed, reports "tls_protocol_error";
    /// The origin cannot be reached, or reports that the site is down.
    OriginDown => OriginFailed, reports "destination_unavailable";
    /// The response ended early.
    OriginIncomplete => OriginFailed, reports "http_response_incomplete";
    /// The response is not HTTP.
    OriginProtocol => OriginFailed, reports "http_protocol_error";
    /// The header section of the response is too large.
    OriginHeaderSize => OriginFailed, reports "http_response_header_section_size";
    /// The body of the response is too large.
    OriginBodySize => OriginFailed, reports "http_response_body_size";
    /// The response is compressed, although the edge asked for none.
    OriginCoding => OriginFailed, reports "http_response_content_coding";
    /// The origin did not accept the connection in time.
    OriginConnectTimeout => OriginTimeout, reports "connection_timeout";
    /// The call outlived its deadlines inside the edge.
    DeadlineMissed => OriginTimeout, reports "proxy_internal_error";
}

// === impl Cause ===

impl Cause {
    /// The cause as a problem of a request.
    pub const fn problem(self) -> Problem {
        Problem::Own(self.own())
    }

    /// The `received-status` of `Proxy-Status`: the origin's status, where the client gets the same one.
    pub fn received_status(problem: &Problem) -> Option<StatusCode> {
        let limits = [
            Self::OriginLimitsBody,
            Self::OriginLimitsTarget,
            Self::OriginLimitsHeaders,
        ];
        let is_theirs = limits.iter().any(|cause| cause.problem() == *problem);
        is_theirs.then(|| problem.status())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_differ_from_their_error() {
        for cause in Cause::ALL {
            assert_ne!(cause.own(), cause.error().entry().own, "{cause:?}");
        }
    }

    #[test]
    fn every_sentence_of_an_error_is_a_sentence() {
        let own = EdgeError::ALL.iter().map(|error| error.entry().own.sentence);
        for text in own.chain(Cause::ALL.iter().map(|cause| cause.own().sentence)) {
            assert!(text.ends_with('.') && !text.contains("  "), "{text}");
        }
    }

    #[test]
    fn every_kind_of_failure_is_one_of_rfc_9209() {
        let own = EdgeError::ALL.iter().map(|error| error.entry().own.proxy_error);
        for kind in own.chain(Cause::ALL.iter().map(|cause| cause.own().proxy_error)) {
            assert!(KINDS.contains(&kind), "{kind}");
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
