//! Specific causes of an edge error: same code and status, another sentence or another `Proxy-Status`.

use calendar_edge_judge::problem::{OwnError, Problem};
use http::StatusCode;

use super::edge::EdgeError;
use super::proxy_error::ProxyError;

macro_rules! causes {
    ($($(#[doc = $meaning:literal])+ $name:ident => $error:ident $(, of $own:ident)? $(, says $sentence:literal)? $(, reports $proxy:ident)?;)+) => {
        /// One of several causes of the same [`EdgeError`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Cause {
            $($(#[doc = $meaning])+ $name,)+
        }

        impl Cause {
            /// Every cause.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            const fn row(self) -> CauseRow {
                match self {
                    $(Self::$name => CauseRow {
                        name: stringify!($name),
                        error: EdgeError::$error,
                        sentence: causes!(@optional $($sentence)? $(OwnError::$own.sentence)?),
                        proxy: causes!(@optional $(ProxyError::$proxy)?),
                    },)+
                }
            }
        }
    };
    (@optional) => { None };
    (@optional $value:expr) => { Some($value) };
}

causes! {
    /// The method is not a token.
    MalformedMethod => BadRequestLine, says "The request method is malformed.";
    /// Neither HTTP/1.0, HTTP/1.1 nor HTTP/2.
    UnsupportedVersion => BadRequestLine, says "The HTTP version is not supported.";
    /// The path contains a broken percent-escape or an encoded NUL.
    UnreadablePath => BadTarget, of UNREADABLE_PATH;
    /// CGI would read a header as one that frames the body.
    LookAlikeHeader => BadHeader, says "A request header looks like one that frames the body.";
    /// Content-Length beside Transfer-Encoding.
    LengthAndCoding => AmbiguousLength,
        says "The request must not have both Content-Length and Transfer-Encoding.";
    /// Transfer-Encoding is repeated or malformed.
    BadTransferEncoding => AmbiguousLength, says "The request must have at most one valid Transfer-Encoding.";
    /// The trailers are malformed or too large.
    BadTrailers => BadChunk, says "The trailers of the request body are malformed or too large.";
    /// A form field `rest_route` contradicts the path.
    RouteInForm => RouteContradiction, of ROUTE_IN_FORM;
    /// The path names the calendar below a root, or in a spelling, that the edge does not serve.
    UnreadCalendarPath => AmbiguousTarget, of UNREAD_CALENDAR_PATH;
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
    /// The form has too many fields.
    TooManyFormFields => TooManyParameters, of TOO_MANY_FORM_FIELDS;
    /// The JSON body has too many elements.
    TooManyJsonElements => TooManyParameters, of TOO_MANY_JSON_ELEMENTS;
    /// The content type allows two readings of the body.
    TwoBodyReadings => UnreadableBody, of TWO_BODY_READINGS;
    /// The bodies of other requests left no memory for this one.
    NoMemoryForBody => Overloaded, says "Too many large requests are being sent. Please try again.";

    /// The web server in front of WordPress takes no such body.
    OriginLimitsBody => BodyTooLarge, says "The request body is too large for the site.";
    /// The web server in front of WordPress takes no such target.
    OriginLimitsTarget => TargetTooLong, says "The request target is too long for the site.";
    /// The web server in front of WordPress takes no such headers.
    OriginLimitsHeaders => HeadersTooLarge, says "The request headers are too many or too large for the site.";

    /// The origin's name does not resolve.
    OriginName => OriginFailed, reports DnsError;
    /// The origin refused the connection.
    OriginRefused => OriginFailed, reports ConnectionRefused;
    /// TLS with the origin failed.
    OriginTls => OriginFailed, reports TlsProtocolError;
    /// The origin cannot be reached, or reports that the site is down.
    OriginDown => OriginFailed, reports DestinationUnavailable;
    /// The response ended early.
    OriginIncomplete => OriginFailed, reports HttpResponseIncomplete;
    /// The response is not HTTP.
    OriginProtocol => OriginFailed, reports HttpProtocolError;
    /// The header section of the response is too large.
    OriginHeaderSize => OriginFailed, reports HttpResponseHeaderSectionSize;
    /// The body of the response is too large.
    OriginBodySize => OriginFailed, reports HttpResponseBodySize;
    /// The response is compressed, although the edge asked for none.
    OriginCoding => OriginFailed, reports HttpResponseContentCoding;
    /// The origin did not accept the connection in time.
    OriginConnectTimeout => OriginTimeout, reports ConnectionTimeout;
    /// The call outlived its deadlines inside the edge.
    DeadlineMissed => OriginTimeout, reports ProxyInternalError;
}

struct CauseRow {
    name: &'static str,
    error: EdgeError,
    sentence: Option<&'static str>,
    proxy: Option<ProxyError>,
}

// === impl Cause ===

impl Cause {
    /// The error it belongs to.
    pub const fn error(self) -> EdgeError {
        self.row().error
    }

    /// Its own sentence for the client, if it has one.
    pub const fn sentence(self) -> Option<&'static str> {
        self.row().sentence
    }

    /// The cause that an error names.
    pub fn of(own: OwnError) -> Option<Self> {
        let name = own.cause?;
        Self::ALL.iter().copied().find(|cause| cause.row().name == name)
    }

    /// The cause as a problem of a request.
    pub const fn problem(self) -> Problem {
        let row = self.row();
        let own = row.error.entry().own;
        let sentence = match row.sentence {
            Some(sentence) => sentence,
            None => own.sentence,
        };
        Problem::Own(own.because(row.name, sentence))
    }

    /// The `received-status` of `Proxy-Status`: the origin's status, where the client gets the same one.
    pub fn received_status(problem: &Problem) -> Option<StatusCode> {
        let Problem::Own(own) = problem else { return None };
        let limits = [
            Self::OriginLimitsBody,
            Self::OriginLimitsTarget,
            Self::OriginLimitsHeaders,
        ];
        limits.contains(&Self::of(*own)?).then_some(own.status)
    }

    /// Its own `Proxy-Status` error, if it has one.
    pub const fn proxy_error(self) -> Option<ProxyError> {
        self.row().proxy
    }
}

// === impl EdgeError ===

impl EdgeError {
    /// The specific causes of this error.
    pub fn causes(self) -> impl Iterator<Item = Cause> {
        Cause::ALL
            .iter()
            .copied()
            .filter(move |cause| cause.error() == self)
    }

    /// Every `error` that `Proxy-Status` may contain, the usual one first.
    pub fn proxy_errors(self) -> Vec<ProxyError> {
        let causes = self.causes().filter_map(Cause::proxy_error);
        std::iter::once(self.entry().proxy_error).chain(causes).collect()
    }
}

// === impl ProxyError ===

impl ProxyError {
    /// The kind of failure of a problem.
    pub fn of(problem: &Problem) -> Self {
        match problem {
            Problem::Own(own) => Self::of_own(*own),
            Problem::NoRoute
            | Problem::NothingToDescribe
            | Problem::InvalidNamespace
            | Problem::Forbidden
            | Problem::InvalidCallback
            | Problem::CallbackDisabled
            | Problem::InvalidJson(_)
            | Problem::Missing(_)
            | Problem::Invalid(_) => Self::HttpRequestError,
        }
    }

    fn of_own(own: OwnError) -> Self {
        let of_cause = Cause::of(own).and_then(Cause::proxy_error);
        let of_error = || EdgeError::with_code(own.code).map(|error| error.entry().proxy_error);
        of_cause.or_else(of_error).unwrap_or(Self::HttpRequestError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_differ_from_their_error() {
        for cause in Cause::ALL {
            let entry = cause.error().entry();
            let says = cause
                .sentence()
                .is_some_and(|sentence| sentence != entry.own.sentence);
            let reports = cause
                .proxy_error()
                .is_some_and(|error| error != entry.proxy_error);
            assert!(says || reports, "{cause:?}");
        }
    }

    #[test]
    fn a_cause_is_found_in_its_problem() {
        for cause in Cause::ALL {
            let Problem::Own(own) = cause.problem() else {
                panic!("an error of the edge's own");
            };
            assert_eq!(Cause::of(own), Some(*cause));
            assert_eq!(EdgeError::with_code(own.code), Some(cause.error()));
        }
    }

    #[test]
    fn the_judges_causes_have_rows() {
        for own in [
            OwnError::UNREADABLE_PATH,
            OwnError::ROUTE_IN_FORM,
            OwnError::UNREAD_CALENDAR_PATH,
            OwnError::TOO_MANY_FORM_FIELDS,
            OwnError::TOO_MANY_JSON_ELEMENTS,
            OwnError::TWO_BODY_READINGS,
        ] {
            assert_eq!(Cause::of(own).map(Cause::problem), Some(Problem::Own(own)));
        }
    }

    #[test]
    fn every_sentence_of_an_error_is_a_sentence() {
        let own = EdgeError::ALL.iter().map(|error| error.entry().own.sentence);
        for text in own.chain(Cause::ALL.iter().filter_map(|cause| cause.sentence())) {
            assert!(text.ends_with('.') && !text.contains("  "), "{text}");
        }
    }
}
