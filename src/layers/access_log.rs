//! One log line and one count for each request, after its last byte was sent or its client disconnected.

use std::convert::Infallible;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use bytes::Bytes;
use http::{Method, Request, StatusCode, Uri};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use pin_project_lite::pin_project;
use tower::{Layer, Service};
use tracing::instrument::Instrumented;
use tracing::{Instrument, info_span};

use super::client_address::ClientAddress;
use super::request_id::RequestId;
use crate::response::{AnsweredBy, BoxError, EdgeBody, EdgeResponse};
use crate::settings::{Mode, Modes, Settings};
use crate::telemetry::{
    Inflight, KeptRefusal, Metrics, Refusals, RequestLog, Served, method_label, since_1970,
};

/// The logged status of a request whose client disconnected. The number is nginx's; no response has it.
const CLIENT_GONE: u16 = 499;

/// Logs and counts requests.
#[derive(Debug, Clone)]
pub(super) struct AccessLogLayer {
    sinks: Arc<LogSinks>,
}

/// Where the facts about requests go besides the log.
#[derive(Debug, Clone)]
pub(crate) struct AccessLogSinks {
    /// Everything that is counted.
    pub(crate) metrics: Metrics,
    /// The last refusals.
    pub(crate) refusals: Refusals,
}

/// The same, and the settings that they depend on.
#[derive(Debug)]
struct LogSinks {
    metrics: Metrics,
    refusals: Refusals,
    modes: Modes,
    keeps_refusals: bool,
}

/// Logs and counts each request once; makes no response of its own.
#[derive(Debug, Clone)]
pub(super) struct AccessLog<S> {
    inner: S,
    sinks: Arc<LogSinks>,
}

/// The facts about a running request; written to the log when dropped.
#[derive(Debug)]
struct Record {
    sinks: Arc<LogSinks>,
    request_log: RequestLog,
    id: Option<RequestId>,
    client: Option<IpAddr>,
    method: Method,
    target: Uri,
    started: Instant,
    answer: Option<(StatusCode, Option<AnsweredBy>)>,
    bytes: u64,
    complete: bool,
    _inflight: Inflight,
}

// === impl AccessLogLayer ===

impl AccessLogLayer {
    pub(super) fn new(settings: &Settings, sinks: AccessLogSinks) -> Self {
        let AccessLogSinks { metrics, refusals } = sinks;
        let sinks = LogSinks {
            metrics,
            refusals,
            modes: Modes::of(settings),
            keeps_refusals: settings.admin.is_some() && settings.log.refusals > 0,
        };
        Self {
            sinks: Arc::new(sinks),
        }
    }
}

impl<S> Layer<S> for AccessLogLayer {
    type Service = AccessLog<S>;

    fn layer(&self, inner: S) -> Self::Service {
        AccessLog {
            inner,
            sinks: Arc::clone(&self.sinks),
        }
    }
}

// === impl AccessLog ===

impl<S, B> Service<Request<B>> for AccessLog<S>
where
    S: Service<Request<B>, Response = EdgeResponse, Error = Infallible>,
{
    type Response = EdgeResponse;
    type Error = Infallible;
    type Future = AccessLogFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let record = Record::begin(&self.sinks, &request);
        request.extensions_mut().insert(record.request_log.clone());
        let span = info_span!("request", id = record.id.as_ref().map(RequestId::as_str));
        AccessLogFuture {
            inner: span.in_scope(|| self.inner.call(request)).instrument(span),
            record: Some(record),
        }
    }
}

pin_project! {
    /// Attaches the record to the body of the response.
    pub(super) struct AccessLogFuture<F> {
        #[pin]
        inner: Instrumented<F>,
        record: Option<Record>,
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
        record.answer = Some((answer.status(), answer.extensions().get().copied()));
        record.complete = answer.body().is_end_stream();
        Poll::Ready(Ok(
            answer.map(|inner| RecordedBody { inner, record }.boxed_unsync())
        ))
    }
}

/// The body of a response, with a count of its bytes.
#[derive(Debug)]
struct RecordedBody {
    inner: EdgeBody,
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
    fn begin<B>(sinks: &Arc<LogSinks>, request: &Request<B>) -> Self {
        let client = request.extensions().get::<ClientAddress>();
        let request_log = if sinks.keeps_refusals {
            RequestLog::keeping_refusals()
        } else {
            RequestLog::default()
        };
        Self {
            request_log,
            id: request.extensions().get().cloned(),
            client: client.and_then(|client| client.address),
            method: request.method().clone(),
            target: request.uri().clone(),
            started: Instant::now(),
            answer: None,
            bytes: 0,
            complete: false,
            _inflight: sinks.metrics.begin(),
            sinks: Arc::clone(sinks),
        }
    }

    /// Keeps a refusal for its explanation; says in the log what is refused although the mode is `report`.
    fn refused(&self, status: StatusCode, code: &'static str) {
        let mode = self.sinks.modes.of_operation(self.request_log.called());
        let note = self.request_log.refusal();
        if let (Mode::Report, Some(note)) = (mode, note) {
            tracing::info!(
                operation = self.request_log.operation(),
                code,
                reason = note.insists,
                "refused although the mode is report"
            );
        }
        if !self.sinks.keeps_refusals {
            return;
        }
        self.sinks.refusals.keep(KeptRefusal {
            id: self.id.as_ref().map_or("", RequestId::as_str).into(),
            at: since_1970(),
            client: self.client,
            method: self.method.clone(),
            path: self.target.path().into(),
            status: status.as_u16(),
            code,
            operation: self.request_log.operation(),
            mode: mode.name(),
            note: note.cloned(),
        });
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        let duration = self.started.elapsed();
        let operation = self.request_log.operation();
        let (status, code) = match self.answer {
            Some((status, answered_by)) => (status.as_u16(), answered_by.and_then(AnsweredBy::code)),
            None => (CLIENT_GONE, None),
        };
        let source = match self.answer {
            None => "client",
            Some((_, answered_by)) => answered_by.map_or("origin", AnsweredBy::source),
        };
        if let Some((status, answered_by)) = self.answer {
            if let Some(AnsweredBy::Edge { code }) = answered_by {
                self.refused(status, code);
            }
            self.sinks.metrics.served(&Served {
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
