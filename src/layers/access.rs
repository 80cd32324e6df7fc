//! One log line and one count for each request, when its last byte has left or it was given up.

use std::convert::Infallible;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use bytes::Bytes;
use http::{Method, Request, StatusCode};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use pin_project_lite::pin_project;
use tower::{Layer, Service};
use tracing::instrument::Instrumented;
use tracing::{Instrument, info_span};

use super::client_address::ClientAddress;
use super::request_id::RequestId;
use crate::answer::{Answer, AnswerBody, AnsweredBy, BoxError};
use crate::telemetry::{Inflight, Journal, Metrics, Served, method_label};

/// What a request that its client gave up is logged as; the number is nginx's, no answer carries it.
const CLIENT_GONE: u16 = 499;

/// Logs and counts requests.
#[derive(Debug, Clone)]
pub(super) struct AccessLayer {
    metrics: Metrics,
}

/// Logs and counts each request once; never answers itself.
#[derive(Debug, Clone)]
pub(super) struct Access<S> {
    inner: S,
    metrics: Metrics,
}

/// What is known about a running request; written to the log when dropped.
#[derive(Debug)]
struct Record {
    metrics: Metrics,
    journal: Journal,
    id: Option<RequestId>,
    client: Option<IpAddr>,
    method: Method,
    started: Instant,
    answer: Option<(StatusCode, Option<AnsweredBy>)>,
    bytes: u64,
    complete: bool,
    _inflight: Inflight,
}

// === impl AccessLayer ===

impl AccessLayer {
    pub(super) fn new(metrics: Metrics) -> Self {
        Self { metrics }
    }
}

impl<S> Layer<S> for AccessLayer {
    type Service = Access<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Access {
            inner,
            metrics: self.metrics.clone(),
        }
    }
}

// === impl Access ===

impl<S, B> Service<Request<B>> for Access<S>
where
    S: Service<Request<B>, Response = Answer, Error = Infallible>,
{
    type Response = Answer;
    type Error = Infallible;
    type Future = AccessFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let record = Record::begin(&self.metrics, &request);
        request.extensions_mut().insert(record.journal.clone());
        let span = info_span!("request", id = record.id.as_ref().map(RequestId::as_str));
        AccessFuture {
            inner: span.in_scope(|| self.inner.call(request)).instrument(span),
            record: Some(record),
        }
    }
}

pin_project! {
    /// Ties the record to the answer's body.
    pub(super) struct AccessFuture<F> {
        #[pin]
        inner: Instrumented<F>,
        record: Option<Record>,
    }
}

impl<F> Future for AccessFuture<F>
where
    F: Future<Output = Result<Answer, Infallible>>,
{
    type Output = Result<Answer, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let Ok(answer) = ready!(this.inner.poll(cx));
        let Some(mut record) = this.record.take() else {
            return Poll::Ready(Ok(answer));
        };
        record.answer = Some((answer.status(), answer.extensions().get().copied()));
        record.complete = answer.body().is_end_stream();
        Poll::Ready(Ok(
            answer.map(|inner| RecordedBody { inner, record }.boxed_unsync())
        ))
    }
}

/// An answer's body that counts its bytes.
#[derive(Debug)]
struct RecordedBody {
    inner: AnswerBody,
    record: Record,
}

impl Body for RecordedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let frame = ready!(Pin::new(&mut self.inner).poll_frame(cx));
        match &frame {
            Some(Ok(frame)) => {
                let bytes = frame.data_ref().map_or(0, Bytes::len);
                self.record.bytes += u64::try_from(bytes).unwrap_or(u64::MAX);
                self.record.complete = self.inner.is_end_stream();
            }
            None => self.record.complete = true,
            Some(Err(_)) => {}
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

// === impl Record ===

impl Record {
    fn begin<B>(metrics: &Metrics, request: &Request<B>) -> Self {
        let client = request.extensions().get::<ClientAddress>();
        Self {
            journal: Journal::default(),
            id: request.extensions().get().cloned(),
            client: client.and_then(|client| client.address),
            method: request.method().clone(),
            started: Instant::now(),
            answer: None,
            bytes: 0,
            complete: false,
            _inflight: metrics.begin(),
            metrics: metrics.clone(),
        }
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        let duration = self.started.elapsed();
        let operation = self.journal.operation();
        let (status, code) = match self.answer {
            Some((status, answered_by)) => (status.as_u16(), answered_by.and_then(AnsweredBy::code)),
            None => (CLIENT_GONE, None),
        };
        let source = match (self.answer, code) {
            (None, _) => "client",
            (Some(_), Some(_)) => "edge",
            (Some(_), None) => "origin",
        };
        if let Some((status, _)) = self.answer {
            self.metrics.served(&Served {
                operation,
                method: &self.method,
                status,
                source,
                duration,
            });
        }
        tracing::info!(
            target: "calendar_edge::access",
            request_id = self.id.as_ref().map(RequestId::as_str),
            client = self.client.map(tracing::field::display),
            method = method_label(&self.method),
            operation,
            status,
            source,
            code,
            duration_ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
            bytes = self.bytes,
            complete = self.complete,
            "request served"
        );
    }
}
