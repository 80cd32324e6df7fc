//! The facts about one request: for its log line, its span, its counts and the explanation of its refusal.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::header::{HOST, USER_AGENT};
use http::request::Parts;
use http::{HeaderValue, Method, StatusCode, Uri, Version};

use super::arrived_request::ArrivedRequest;
use super::read_progress::ReadProgress;
use super::request_id::RequestId;
use super::served_facts::ServedFacts;
use crate::server::response::ResponseSource;
use crate::telemetry::{
    ACCESS, DecidedBy, GaugeGuard, Metrics, ProxyWatch, RecordedRefusal, RefusalNote, Refusals, RequestLog,
    Served, SiteVerdict, SpanRecorder, TraceHeaders, cut, method_label, unix_time,
};
use calendar_edge_core::gateway::authority::Scheme;
use calendar_edge_core::settings::Settings;
use calendar_edge_judge::policy::{Mode, Policy};

/// The logged status of a request whose client disconnected. The number is nginx's; no response has it.
const CLIENT_GONE: u16 = 499;

/// Where the facts about requests go besides the log, and the settings that they depend on.
#[derive(Debug)]
pub(crate) struct LogSinks {
    metrics: Metrics,
    refusals: Refusals,
    /// Takes the spans of recorded traces; none without a collector.
    spans: Option<Arc<SpanRecorder>>,
    policy: Policy,
    roots: Vec<Arc<str>>,
    keeps_refusals: bool,
}

/// The facts about a running request; logged and counted when dropped.
#[derive(Debug)]
pub(super) struct Record {
    sinks: Arc<LogSinks>,
    /// The part that inner services write to.
    pub(super) log: Arc<RequestLog>,
    id: Option<RequestId>,
    arrival: SentHead,
    started: Instant,
    response: Option<ResponseHead>,
    bytes: u64,
    complete: bool,
    body: Option<Arc<ReadProgress>>,
    _inflight: GaugeGuard,
}

/// Facts of the request's head and connection. Cloning a header's value copies nothing.
#[derive(Debug)]
struct SentHead {
    client: Option<IpAddr>,
    scheme: Option<Scheme>,
    is_tls: bool,
    method: Method,
    version: Version,
    target: Uri,
    host: Option<HeaderValue>,
    program: Option<HeaderValue>,
}

/// The head of the response.
#[derive(Debug, Clone, Copy)]
struct ResponseHead {
    status: StatusCode,
    by: Option<ResponseSource>,
    /// From the head of the request.
    after: Duration,
}

// === impl LogSinks ===

impl LogSinks {
    /// Logs and counts by these settings.
    pub(crate) fn new(
        settings: &Settings,
        metrics: Metrics,
        refusals: Refusals,
        spans: Option<Arc<SpanRecorder>>,
    ) -> Self {
        let roots = settings.roots.iter().map(|root| Arc::from(root.path.as_str()));
        let roots: Vec<Arc<str>> = roots.collect();
        metrics.requests().expect(settings);
        Self {
            metrics,
            refusals,
            spans,
            policy: settings.policy(),
            roots,
            keeps_refusals: settings.admin.listen.is_some(),
        }
    }

    /// The signs of a proxy that the settings do not list.
    pub(super) const fn proxy(&self) -> &Arc<ProxyWatch> {
        self.metrics.requests().proxy()
    }
}

// === impl SentHead ===

impl SentHead {
    fn of<B>(request: &ArrivedRequest<B>) -> Self {
        let client = request.context.client;
        let Parts {
            headers,
            method,
            version,
            uri,
            ..
        } = &request.head;
        Self {
            client: client.and_then(|client| client.address),
            scheme: client.map(|client| client.scheme),
            is_tls: request.peer.is_tls,
            method: method.clone(),
            version: *version,
            target: uri.clone(),
            host: headers.get(HOST).cloned(),
            program: headers.get(USER_AGENT).cloned(),
        }
    }

    /// The host as sent, from HTTP/2 or HTTP/1.
    fn host(&self) -> Option<&str> {
        let authority = self.target.authority().map(http::uri::Authority::as_str);
        authority.or_else(|| plain(self.host.as_ref())).map(cut)
    }

    const fn version(&self) -> &'static str {
        match self.version {
            Version::HTTP_10 => "1.0",
            Version::HTTP_2 => "2",
            _ => "1.1",
        }
    }
}

fn plain(value: Option<&HeaderValue>) -> Option<&str> {
    value.and_then(|value| value.to_str().ok())
}

// === impl Record ===

impl Record {
    /// Begins with the head of a request.
    pub(super) fn begin<B>(sinks: &Arc<LogSinks>, request: &ArrivedRequest<B>) -> Self {
        let trace = TraceHeaders::of(&request.head.headers);
        Self {
            log: RequestLog::new(trace, sinks.keeps_refusals, sinks.spans.clone()),
            id: request.context.id.clone(),
            body: request.context.body.clone(),
            arrival: SentHead::of(request),
            started: Instant::now(),
            response: None,
            bytes: 0,
            complete: false,
            _inflight: sinks.metrics.requests().begin(),
            sinks: Arc::clone(sinks),
        }
    }

    /// The id of the request.
    pub(super) fn id(&self) -> Option<&str> {
        self.id.as_ref().map(RequestId::as_str)
    }

    /// Notes the head of the response.
    pub(super) fn responded(&mut self, status: StatusCode, by: Option<ResponseSource>) {
        self.response = Some(ResponseHead {
            status,
            by,
            after: self.started.elapsed(),
        });
    }

    /// Notes bytes of the response that were sent, and whether they were the last.
    pub(super) fn sent(&mut self, bytes: usize, is_complete: bool) {
        self.bytes += u64::try_from(bytes).unwrap_or(u64::MAX);
        self.complete = is_complete;
    }

    /// The part that gave the response, for logs and metrics.
    fn source(&self) -> &'static str {
        match self.response {
            None => "client",
            Some(ResponseHead { by, .. }) => by.map_or("backend", ResponseSource::source),
        }
    }

    /// From head to head, without the time at backends.
    fn edge_time(&self) -> Duration {
        let head = self
            .response
            .map_or_else(|| self.started.elapsed(), |response| response.after);
        let times = self.log.backend_times();
        head.saturating_sub(times.map_or(Duration::ZERO, |times| times.queue + times.backend))
    }

    /// Counts a refusal; logs one that happens although the mode is `report`.
    fn refused(&self, status: StatusCode, code: &'static str) {
        self.sinks.metrics.requests().refused(self.log.operation(), code);
        let note = self.log.refusal();
        let decided = note.filter(|note| note.decided_by != DecidedBy::Site);
        if let (Mode::Report, Some(note)) = (self.mode(), decided) {
            tracing::info!(
                request_id = self.id(),
                operation = self.log.operation(),
                code,
                reason = note.insists,
                "refused although the mode is report"
            );
        }
        self.keep(status.as_u16(), code, None);
    }

    /// Keeps a forwarded request that breaks rules, once the site has responded to it.
    fn reported(&self) {
        let findings = self.log.refusal().map(|note: &RefusalNote| &note.findings);
        let first = findings.and_then(|findings| findings.first());
        if let (Some(first), Some(verdict)) = (first, self.log.site_verdict()) {
            let status = self
                .response
                .map_or(CLIENT_GONE, |response| response.status.as_u16());
            self.keep(status, first.code, Some(verdict.clone()));
        }
    }

    /// Keeps the request for its explanation.
    fn keep(&self, status: u16, code: &'static str, forwarded: Option<SiteVerdict>) {
        if !self.sinks.keeps_refusals {
            return;
        }
        self.sinks.refusals.keep(RecordedRefusal {
            id: self.id().unwrap_or_default().into(),
            at: unix_time(),
            client: self.arrival.client,
            method: self.arrival.method.clone(),
            path: self.arrival.target.path().into(),
            status,
            code,
            forwarded,
            operation: self.log.operation(),
            mode: self.mode().name(),
            note: self.log.refusal().cloned(),
        });
    }

    /// The mode of the operation.
    fn mode(&self) -> Mode {
        self.sinks.policy.mode(self.log.called())
    }

    /// The facts about the request that metrics count.
    fn served(&self, duration: Duration) -> Served<'_> {
        let root = self.log.root().and_then(|root| self.sinks.roots.get(root));
        Served {
            operation: self.log.operation(),
            root,
            status: self
                .response
                .map_or(CLIENT_GONE, |response| response.status.as_u16()),
            source: self.source(),
            duration,
            bytes: self.bytes,
            received: self.body.as_ref().map_or(0, |body| body.bytes()),
            edge: self.edge_time(),
            backend: self.log.backend_times(),
        }
    }

    /// All that is logged about the request.
    fn facts<'r>(&'r self, served: &'r Served<'r>) -> ServedFacts<'r> {
        let arrival = &self.arrival;
        ServedFacts {
            served,
            request_id: self.id(),
            client: arrival.client,
            method: method_label(self.log.taken().unwrap_or(&arrival.method)),
            original_method: self.log.taken().map(|_| method_label(&arrival.method)),
            scheme: arrival.scheme.map(Scheme::as_str),
            host: arrival.host(),
            path: cut(arrival.target.path()),
            route: self.log.called().map(|operation| operation.id.route.template()),
            version: arrival.version(),
            program: plain(arrival.program.as_ref()).map(cut),
            is_tls: arrival.is_tls,
            code: self.response.and_then(|response| response.by?.code()),
            verdict: self.log.verdict(),
            is_complete: self.complete,
        }
    }

    /// Writes the log line and the span of the request, as far as they are wanted.
    fn write(&self, served: &Served<'_>) {
        let is_logged = tracing::event_enabled!(target: ACCESS, tracing::Level::INFO);
        let recorded = self.log.recorded();
        if !is_logged && recorded.is_none() {
            return;
        }
        let facts = self.facts(served);
        if let Some((trace, recorder)) = recorded {
            recorder.record(facts.span(trace, self.started));
        }
        if is_logged {
            facts.write_line(self.log.trace());
        }
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        let duration = self.started.elapsed();
        let refusal = self.response.and_then(|response| match response.by {
            Some(ResponseSource::Edge { code }) => Some((response.status, code)),
            _ => None,
        });
        if let Some((status, code)) = refusal {
            self.refused(status, code);
        } else {
            self.reported();
        }
        let served = self.served(duration);
        self.sinks.metrics.requests().served(&served);
        self.write(&served);
    }
}
