//! One log line and one count for each request, after its last byte was sent or its client disconnected.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::Body;
use http_body_util::BodyExt;
use tower::Service;
use tracing::instrument::Instrumented;
use tracing::{Instrument, info_span};

use super::access_record::{LogSinks, Record};
use super::around::AroundRequest;
use super::arrived_request::ArrivedRequest;
use super::response::EdgeResponse;
use crate::server::bodies::{BodyHook, HookedBody, PolledFrame};
use crate::server::response::{BoxError, EdgeBody};

/// Logs and counts each request once; makes no response of its own.
#[derive(Debug, Clone)]
pub(super) struct AccessLog(pub(super) Arc<LogSinks>);

/// Gives the log lines of a request its id.
#[derive(Debug, Clone)]
pub(super) struct RequestSpan<S> {
    pub(super) inner: S,
}

// === impl AccessLog ===

impl AroundRequest for AccessLog {
    /// Behind a pointer: it moves with the response, into its body.
    type Facts = Option<Box<Record>>;

    fn request<B>(&self, request: &mut ArrivedRequest<B>) -> Self::Facts {
        Some(Box::new(Record::begin(&self.0, request)))
    }

    fn response(record: &mut Self::Facts, answer: &mut EdgeResponse) {
        let Some(mut record) = record.take() else {
            return;
        };
        record.responded(answer.status(), answer.facts.by());
        record.sent(0, answer.body().is_end_stream());
        let body = std::mem::take(answer.body_mut());
        *answer.body_mut() = HookedBody { body, hook: record }.boxed_unsync();
    }
}

// === impl RequestSpan ===

impl<S, B> Service<Box<ArrivedRequest<B>>> for RequestSpan<S>
where
    S: Service<Box<ArrivedRequest<B>>, Response = EdgeResponse, Error = Infallible>,
{
    type Response = EdgeResponse;
    type Error = Infallible;
    type Future = Instrumented<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Box<ArrivedRequest<B>>) -> Self::Future {
        let span = info_span!("request", id = request.context.id.as_str());
        let entered = span.enter();
        let inner = self.inner.call(request);
        drop(entered);
        inner.instrument(span)
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
