//! Answers to HEAD keep their headers and lose their body.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::{Method, Request};
use pin_project_lite::pin_project;
use tower::{Layer, Service};

use crate::answer::{Answer, AnswerBody};

/// Takes the body from answers to HEAD.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeadAnswerLayer;

/// Takes the body from answers to HEAD; hyper does so on HTTP/1 only.
#[derive(Debug, Clone)]
pub(super) struct HeadAnswer<S> {
    inner: S,
}

impl<S> Layer<S> for HeadAnswerLayer {
    type Service = HeadAnswer<S>;

    fn layer(&self, inner: S) -> Self::Service {
        HeadAnswer { inner }
    }
}

impl<S, B> Service<Request<B>> for HeadAnswer<S>
where
    S: Service<Request<B>, Response = Answer, Error = Infallible>,
{
    type Response = Answer;
    type Error = Infallible;
    type Future = HeadAnswerFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        HeadAnswerFuture {
            bodiless: *request.method() == Method::HEAD,
            inner: self.inner.call(request),
        }
    }
}

pin_project! {
    /// Drops the body when the answer is ready.
    pub(super) struct HeadAnswerFuture<F> {
        #[pin]
        inner: F,
        bodiless: bool,
    }
}

impl<F> Future for HeadAnswerFuture<F>
where
    F: Future<Output = Result<Answer, Infallible>>,
{
    type Output = Result<Answer, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let bodiless = *this.bodiless;
        this.inner.poll(cx).map_ok(|mut answer| {
            if bodiless {
                *answer.body_mut() = AnswerBody::default();
            }
            answer
        })
    }
}
