//! Cross-origin headers on every response of the calendar API, relayed or the edge's own. No other code writes them.
//!
//! The layer is above the head checks and above panics, so that web pages can read those refusals too. It also adds the
//! headers to responses to preflights. The gateway recognises a preflight, because only those for the calendar are
//! answered here, and the target is located below the head checks. The rest of the site answers its own preflights.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::request::Parts;
use http::{HeaderValue, Method};
use pin_project_lite::pin_project;
use tower::{Layer, Service};

use super::arrived_request::ArrivedRequest;
use crate::server::response::{AnsweredBy, EdgeResponse};
use calendar_edge_core::call::credentials::Caller;
use calendar_edge_core::relay::cors::{Audience, CorsRules, Preflight, Visibility, sole_origin};
use calendar_edge_core::settings::CorsSettings;

/// Lets web pages read responses.
#[derive(Debug, Clone)]
pub(super) struct CorsLayer {
    rules: Arc<CorsRules>,
}

/// Adds cross-origin headers; makes no response of its own.
#[derive(Debug, Clone)]
pub(super) struct Cors<S> {
    inner: S,
    rules: Arc<CorsRules>,
}

/// The facts of a request about its web page.
#[derive(Debug)]
struct RequestingPage {
    method: Method,
    audience: Audience,
    origin: Option<HeaderValue>,
    preflight: Option<Preflight>,
}

// === impl CorsLayer ===

impl CorsLayer {
    pub(super) fn new(settings: CorsSettings) -> Self {
        Self {
            rules: Arc::new(CorsRules::new(settings)),
        }
    }
}

impl<S> Layer<S> for CorsLayer {
    type Service = Cors<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Cors {
            inner,
            rules: Arc::clone(&self.rules),
        }
    }
}

// === impl Cors ===

impl<S, B> Service<Box<ArrivedRequest<B>>> for Cors<S>
where
    S: Service<Box<ArrivedRequest<B>>, Response = EdgeResponse, Error = Infallible>,
{
    type Response = EdgeResponse;
    type Error = Infallible;
    type Future = CorsFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Box<ArrivedRequest<B>>) -> Self::Future {
        CorsFuture {
            page: RequestingPage::of(&request.head),
            rules: Arc::clone(&self.rules),
            inner: self.inner.call(request),
        }
    }
}

pin_project! {
    /// Adds the headers when the response is ready.
    pub(super) struct CorsFuture<F> {
        #[pin]
        inner: F,
        rules: Arc<CorsRules>,
        page: RequestingPage,
    }
}

impl<F> Future for CorsFuture<F>
where
    F: Future<Output = Result<EdgeResponse, Infallible>>,
{
    type Output = Result<EdgeResponse, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let (rules, page) = (this.rules, this.page);
        this.inner.poll(cx).map_ok(|mut answer| {
            page.write(rules, &mut answer);
            answer
        })
    }
}

// === impl RequestingPage ===

impl RequestingPage {
    fn of(head: &Parts) -> Self {
        let audience = match Caller::shown_by(&head.headers) {
            Caller::Anonymous => Audience::Everybody,
            Caller::Credentialed => Audience::OneClient,
        };
        Self {
            method: head.method.clone(),
            audience,
            origin: sole_origin(&head.headers).cloned(),
            preflight: Preflight::of(&head.method, &head.headers),
        }
    }

    fn write(&self, rules: &CorsRules, answer: &mut EdgeResponse) {
        match (answer.extensions().get(), &self.preflight) {
            (Some(AnsweredBy::Preflight), Some(preflight)) => {
                rules.write_preflight(preflight, answer.headers_mut());
            }
            (
                Some(
                    AnsweredBy::Edge { .. } | AnsweredBy::RestIndex | AnsweredBy::Backend | AnsweredBy::Cache,
                ),
                _,
            ) => {
                // For a relayed response the gateway knows the audience better than the head shows.
                let known = answer.extensions().get().copied();
                let visibility = Visibility::of(&self.method, known.unwrap_or(self.audience));
                rules.write(visibility, self.origin.as_ref(), answer.headers_mut());
            }
            // A preflight without a permission, and the rest of the site.
            (Some(AnsweredBy::Preflight), None) | (None, _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use http::header::{
        ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_REQUEST_METHOD,
        AUTHORIZATION, ORIGIN,
    };
    use http::{HeaderMap, Request, Response};

    use super::*;
    use crate::server::response::{EdgeBody, preflight};

    fn request(method: Method, fields: &[(http::HeaderName, &str)]) -> RequestingPage {
        let mut request = Request::new(());
        *request.method_mut() = method;
        for (name, value) in fields {
            let value = HeaderValue::from_str(value).unwrap();
            request.headers_mut().insert(name, value);
        }
        RequestingPage::of(&request.into_parts().0)
    }

    fn answered(by: Option<AnsweredBy>, audience: Option<Audience>) -> EdgeResponse {
        let mut answer = Response::new(EdgeBody::default());
        by.map(|by| answer.extensions_mut().insert(by));
        audience.map(|audience| answer.extensions_mut().insert(audience));
        answer
    }

    fn written(page: &RequestingPage, mut answer: EdgeResponse) -> HeaderMap {
        page.write(&CorsRules::new(CorsSettings::default()), &mut answer);
        answer.into_parts().0.headers
    }

    #[test]
    fn every_answer_of_the_calendar_may_be_read() {
        let page = request(Method::GET, &[]);
        for by in [AnsweredBy::Edge { code: "x" }, AnsweredBy::Backend] {
            let headers = written(&page, answered(Some(by), None));
            assert_eq!(headers[ACCESS_CONTROL_ALLOW_ORIGIN], "*", "{by:?}");
        }
    }

    #[test]
    fn the_rest_of_the_site_speaks_for_itself() {
        let page = request(Method::GET, &[]);
        assert_eq!(written(&page, answered(None, None)), HeaderMap::new());
    }

    #[test]
    fn a_relayed_answer_knows_its_audience() {
        let anonymous = request(Method::GET, &[]);
        let personal = answered(Some(AnsweredBy::Backend), Some(Audience::OneClient));
        assert_eq!(written(&anonymous, personal), HeaderMap::new());
        let credentialed = request(Method::GET, &[(AUTHORIZATION, "Basic x")]);
        let refused = answered(Some(AnsweredBy::Edge { code: "x" }), None);
        assert_eq!(written(&credentialed, refused), HeaderMap::new());
    }

    #[test]
    fn a_preflight_is_permitted_only_where_the_gateway_found_one() {
        let fields = [
            (ORIGIN, "https://a.example"),
            (ACCESS_CONTROL_REQUEST_METHOD, "GET"),
        ];
        let page = request(Method::OPTIONS, &fields);
        let headers = written(&page, preflight());
        assert!(headers.contains_key(ACCESS_CONTROL_ALLOW_METHODS));
        let refused = answered(Some(AnsweredBy::Edge { code: "x" }), None);
        assert!(!written(&page, refused).contains_key(ACCESS_CONTROL_ALLOW_METHODS));
    }
}
