//! The time of one exchange with a backend, and its span.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::{Method, StatusCode};
use url::{Position, Url};

use super::labels::method_label;
use super::request_log::RequestLog;
use super::spans::{Attributes, Span, SpanKind};
use super::values::{cut, milliseconds};

/// Adds the time until it is dropped to that of all exchanges of a request, and records the exchange.
#[derive(Debug)]
pub(crate) struct ExchangeTimer {
    log: Arc<RequestLog>,
    started: Instant,
    /// None if the trace is not recorded.
    span: Option<Box<ExchangeSpan>>,
}

/// The facts of an exchange for its span.
#[derive(Debug)]
struct ExchangeSpan {
    /// The number of the exchange within its request, from 1 on.
    number: u32,
    /// The waits of the request before.
    queued_before: Duration,
    name: String,
    attributes: Attributes,
    /// The kind of error, if it is one for the client: each status from 400 on is.
    error: Option<Cow<'static, str>>,
}

// === impl ExchangeTimer ===

impl ExchangeTimer {
    /// Begins an exchange with a backend, whose headers were written; it ends when the timer is dropped.
    pub(crate) fn new(log: &Arc<RequestLog>) -> Self {
        let span = log.recorded().map(|_| Box::new(ExchangeSpan::of(log)));
        Self {
            log: log.clone(),
            started: Instant::now(),
            span,
        }
    }

    /// Notes method and URL.
    pub(crate) fn set_request(&mut self, method: &Method, url: &Url) {
        if let Some(span) = &mut self.span {
            span.set_request(method, url, &self.log);
        }
    }

    /// Notes the status of the response, or the kind of its failure; kinds are a closed set.
    pub(crate) fn ended(&mut self, answer: Result<StatusCode, &'static str>) {
        if let Some(span) = &mut self.span {
            span.ended(answer);
        }
    }
}

impl Drop for ExchangeTimer {
    fn drop(&mut self) {
        let duration = self.started.elapsed();
        self.log.exchanged(duration);
        if let Some(span) = self.span.take() {
            span.record(&self.log, self.started, duration);
        }
    }
}

// === impl ExchangeSpan ===

impl ExchangeSpan {
    fn of(log: &RequestLog) -> Self {
        Self {
            number: log.exchange_number(),
            queued_before: log.time_queued(),
            name: String::new(),
            attributes: Attributes::default(),
            error: Some("cancelled".into()),
        }
    }

    fn set_request(&mut self, method: &Method, url: &Url, log: &RequestLog) {
        let method = method_label(method);
        let route = log.called().map(|operation| operation.id.route.template());
        self.name = span_name(method, route.as_deref());
        let attributes = &mut self.attributes;
        attributes.add("http.request.method", method);
        attributes.add("server.address", url.host_str());
        attributes.add("server.port", url.port_or_known_default());
        // The query may hold secrets of clients.
        attributes.add("url.full", cut(&url[..Position::AfterPath]));
        attributes.add("url.template", route.as_deref());
        attributes.add("edge.operation", log.operation());
    }

    /// A failure after a response leaves its status as it was.
    fn ended(&mut self, answer: Result<StatusCode, &'static str>) {
        if let Ok(status) = answer {
            self.attributes.add("http.response.status_code", status.as_u16());
        }
        self.error = match answer {
            Ok(status) => (status.as_u16() >= 400).then(|| status.as_str().to_owned().into()),
            Err(kind) => Some(kind.into()),
        };
    }

    fn record(mut self, log: &RequestLog, started: Instant, duration: Duration) {
        let Some((trace, recorder)) = log.recorded() else {
            return;
        };
        let queue = log.time_queued().saturating_sub(self.queued_before);
        self.attributes.add("edge.queue_ms", milliseconds(queue));
        self.attributes
            .add("edge.backend_ms", milliseconds(duration.saturating_sub(queue)));
        self.attributes.add("error.type", self.error.as_deref());
        recorder.record(Span {
            kind: SpanKind::Client,
            name: self.name,
            ids: trace.exchange_ids(self.number),
            state: trace.state(),
            started,
            duration,
            is_error: self.error.is_some(),
            attributes: self.attributes,
        });
    }
}

/// The name of a span: method and route, of which neither holds text of clients.
pub(crate) fn span_name(method: &'static str, route: Option<&str>) -> String {
    // OpenTelemetry's word for methods that it does not know.
    let method = if method == "other" { "HTTP" } else { method };
    match route {
        Some(route) if !route.is_empty() => format!("{method} {route}"),
        Some(_) | None => method.to_owned(),
    }
}
