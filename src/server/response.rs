//! The edge's own responses, and the body of every response.

use bytes::Bytes;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, HeaderName, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};

use calendar_edge_core::errors::received_status;
use calendar_edge_judge::problem::Refusal;

pub(crate) use calendar_edge_core::relay::BoxError;

/// The body of every response, buffered or streamed.
pub(crate) type EdgeBody = UnsyncBoxBody<Bytes, BoxError>;

/// A response of which nothing is known beside its head and body.
pub(crate) type PlainResponse = Response<EdgeBody>;

/// The media type of the edge's own responses, as WordPress spells it (backend.md section 10).
pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=UTF-8");

/// `Proxy-Status` (RFC 9209): the failed party and the kind of failure.
pub(crate) const PROXY_STATUS: HeaderName = HeaderName::from_static("proxy-status");

/// `X-Robots-Tag`, which WordPress sends with every REST response.
const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// The source of a response. Those of the rest of the site have none: they pass unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResponseSource {
    /// The edge refused the request.
    Edge {
        /// The refusal's code, `rest_no_route` or `edge_…`.
        code: &'static str,
    },
    /// The edge responded to a CORS preflight.
    Preflight,
    /// The edge responded at a route of its own, or with the index of a REST root.
    OwnRoute {
        /// The name of the route in logs.
        code: &'static str,
    },
    /// The calendar API's backend.
    Backend,
    /// The cache, with a response of the backend.
    Cache,
}

/// A complete body.
pub(crate) fn whole(bytes: Bytes) -> EdgeBody {
    Full::new(bytes).map_err(|never| match never {}).boxed_unsync()
}

/// A JSON response with the headers of every response of the edge.
pub(crate) fn json(status: StatusCode, body: Bytes) -> PlainResponse {
    let mut answer = Response::new(EdgeBody::default());
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, JSON);
    // Explicit, so that a response to HEAD has the length of the omitted body.
    headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_ROBOTS_TAG, HeaderValue::from_static("noindex"));
    *answer.body_mut() = whole(body);
    answer
}

/// The edge's response in place of the origin's; the refusal determines `Proxy-Status`.
pub(crate) fn refused(refusal: &Refusal) -> PlainResponse {
    let mut answer = json(refusal.status(), refusal.body().clone());
    let headers = answer.headers_mut();
    if let Some(methods) = refusal.allow().methods() {
        headers.insert(ALLOW, HeaderValue::try_from(methods).expect("methods are tokens"));
    }
    let problem = refusal.problem();
    let received = received_status(problem).map(|status| status.as_u16());
    let received = received.map_or_else(String::new, |status| format!("; received-status={status}"));
    let status = format!("calendar-edge; error={}{received}", problem.proxy_error());
    headers.insert(
        PROXY_STATUS,
        HeaderValue::try_from(status).expect("RFC 9209 error types are tokens"),
    );
    answer
}

/// The response to a preflight, without CORS headers.
pub(crate) fn preflight() -> PlainResponse {
    let mut answer = Response::new(EdgeBody::default());
    *answer.status_mut() = StatusCode::NO_CONTENT;
    answer
}

// === impl ResponseSource ===

impl ResponseSource {
    /// The source for logs and metrics.
    pub(crate) const fn source(self) -> &'static str {
        match self {
            Self::Edge { .. } | Self::Preflight | Self::OwnRoute { .. } => "edge",
            Self::Backend => "backend",
            Self::Cache => "cache",
        }
    }

    /// The code for the log, if the edge made the response.
    pub(crate) const fn code(self) -> Option<&'static str> {
        match self {
            Self::Edge { code } | Self::OwnRoute { code } => Some(code),
            Self::Preflight => Some("preflight"),
            Self::Backend | Self::Cache => None,
        }
    }
}
