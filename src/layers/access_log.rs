//! One log line and one count for each request, after its last byte was sent or its client disconnected.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::Body;
use http_body_util::BodyExt;
use pin_project_lite::pin_project;
use tower::layer::layer_fn;
use tower::{Layer, Service};
use tracing::instrument::Instrumented;
use tracing::{Instrument, info_span};

use super::access_record::{LogSinks, Record};
use super::arrived_request::ArrivedRequest;
use super::response::EdgeResponse;
use crate::server::bodies::{BodyHook, HookedBody, PolledFrame};
use crate::server::response::{BoxError, EdgeBody};

/// Logs and counts each request once; makes no response of its own.
#[derive(Debug, Clone)]
pub(super) struct AccessLog<S> {
    inner: S,
    sinks: Arc<LogSinks>,
}

/// The layer that logs and counts.
pub(super) fn access_log<S>(sinks: Arc<LogSinks>) -> impl Layer<S, Service = AccessLog<S>> {
    layer_fn(move |inner| AccessLog {
        inner,
        sinks: Arc::clone(&sinks),
    })
}

// === impl AccessLog ===

impl<S, B> Service<Box<ArrivedRequest<B>>> for AccessLog<S>
where
    S: Service<Box<ArrivedRequest<B>>, Response = EdgeResponse, Error = Infallible>,
{
    type Response = EdgeResponse;
    type Error = Infallible;
    type Future = AccessLogFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Box<ArrivedRequest<B>>) -> Self::Future {
        // Behind a pointer: it moves with the response, into its body.
        let record = Box::new(Record::begin(&self.sinks, &request));
        let span = info_span!("request", id = record.id());
        let entered = span.enter();
        let inner = self.inner.call(request);
        drop(entered);
        AccessLogFuture {
            inner: inner.instrument(span),
            record: Some(record),
        }
    }
}

pin_project! {
    /// Attaches the record to the body of the response.
    pub(super) struct AccessLogFuture<F> {
        #[pin]
        inner: Instrumented<F>,
        record: Option<Box<Record>>,
    }
}

impl<F> Future for AccessLogFuture<F>
where
    F: Future<Output = Result<EdgeResponse, Infallible>>,
{
    type Output = Result<EdgeResponse, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let Ok(answer) = ready!(this.inner.poll(cx));
        let Some(mut record) = this.record.take() else {
            return Poll::Ready(Ok(answer));
        };
        record.responded(answer.status(), answer.facts.by());
        record.sent(0, answer.body().is_end_stream());
        Poll::Ready(Ok(
            answer.map(|body| HookedBody { body, hook: record }.boxed_unsync())
        ))
    }
}

/// Counts the bytes of a response that are sent.
impl BodyHook<EdgeBody> for Box<Record> {
    type Error = BoxError;

    fn poll_frame(&mut self, mut body: Pin<&mut EdgeBody>, cx: &mut Context<'_>) -> PolledFrame<BoxError> {
        let frame = ready!(body.as_mut().poll_frame(cx));
        match &frame {
            Some(Ok(frame)) => {
                let bytes = frame.data_ref().map_or(0, Bytes::len);
                self.sent(bytes, body.is_end_stream());
            }
            None => self.sent(0, true),
            Some(Err(_)) => {}
        }
        Poll::Ready(frame)
    }
}
