//! Cross-origin headers on the edge's own answers; relayed ones have theirs already.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::{HeaderValue, Request, StatusCode};
use pin_project_lite::pin_project;
use tower::{Layer, Service};

use crate::answer::{Answer, MadeHere};
use crate::call::Caller;
use crate::relay::{Access, Audience, allow_origin, sole_origin};
use crate::settings::CorsSettings;

/// Lets pages read refusals.
#[derive(Debug, Clone)]
pub(super) struct CorsLayer {
    settings: Arc<CorsSettings>,
}

/// Adds cross-origin headers to what the edge answers itself; never answers itself.
#[derive(Debug, Clone)]
pub(super) struct Cors<S> {
    inner: S,
    settings: Arc<CorsSettings>,
}

// === impl CorsLayer ===

impl CorsLayer {
    pub(super) fn new(settings: CorsSettings) -> Self {
        Self {
            settings: Arc::new(settings),
        }
    }
}

impl<S> Layer<S> for CorsLayer {
    type Service = Cors<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Cors {
            inner,
            settings: Arc::clone(&self.settings),
        }
    }
}

// === impl Cors ===

impl<S, B> Service<Request<B>> for Cors<S>
where
    S: Service<Request<B>, Response = Answer, Error = Infallible>,
{
    type Response = Answer;
    type Error = Infallible;
    type Future = CorsFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let audience = match Caller::of(request.headers(), false) {
            Caller::Anonymous => Audience::Everybody,
            Caller::Credentialed => Audience::OneClient,
        };
        CorsFuture {
            access: Access::of(request.method(), audience),
            origin: sole_origin(request.headers()).cloned(),
            settings: Arc::clone(&self.settings),
            inner: self.inner.call(request),
        }
    }
}

pin_project! {
    /// Adds the headers when the answer is ready.
    pub(super) struct CorsFuture<F> {
        #[pin]
        inner: F,
        settings: Arc<CorsSettings>,
        access: Access,
        origin: Option<HeaderValue>,
    }
}

impl<F> Future for CorsFuture<F>
where
    F: Future<Output = Result<Answer, Infallible>>,
{
    type Output = Result<Answer, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let (settings, access, origin) = (this.settings, *this.access, this.origin);
        this.inner.poll(cx).map_ok(|mut answer| {
            // A preflight's answer is complete: what it leaves out is not allowed.
            let is_refusal =
                answer.extensions().get::<MadeHere>().is_some() && answer.status() != StatusCode::NO_CONTENT;
            if is_refusal {
                allow_origin(answer.headers_mut(), settings, access, origin.as_ref());
            }
            answer
        })
    }
}
