//! The facts about one request: for its log line, its counts and the explanation of its refusal.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::header::{HOST, USER_AGENT};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, Version};

use super::arrived_request::ArrivedRequest;
use super::read_progress::ReadProgress;
use super::request_id::RequestId;
use crate::server::response::ResponseSource;
use crate::telemetry::{
    DecidedBy, GaugeGuard, Metrics, ProxyWatch, RecordedRefusal, RefusalNote, Refusals, RequestLog, Served,
    SiteVerdict, TraceHeaders, cut, method_label, unix_time,
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
    id: RequestId,
    pub(super) arrival: SentHead,
    pub(super) started: Instant,
    response: Option<ResponseHead>,
    bytes: u64,
    pub(super) complete: bool,
    body: Option<Arc<ReadProgress>>,
    _inflight: GaugeGuard,
}

/// Facts of the request's head and connection. Cloning a header's value copies nothing.
#[derive(Debug)]
pub(super) struct SentHead {
    pub(super) client: Option<IpAddr>,
    pub(super) scheme: Scheme,
    pub(super) is_tls: bool,
    pub(super) method: Method,
    version: Version,
    pub(super) target: Uri,
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
    pub(crate) fn new(settings: &Settings, metrics: Metrics, refusals: Refusals) -> Self {
        let roots = settings.roots.iter().map(|root| Arc::from(root.path.as_str()));
        let roots: Vec<Arc<str>> = roots.collect();
        metrics.requests().expect(settings);
        Self {
            metrics,
            refusals,
            policy: settings.policy(),
            roots,
            keeps_refusals: settings.admin.listen.is_some(),
        }
    }

    /// The record of a request for inner services.
    pub(super) fn begin(&self, headers: &HeaderMap) -> Arc<RequestLog> {
        RequestLog::new(TraceHeaders::of(headers), self.keeps_refusals)
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
            client: client.address,
            scheme: client.scheme,
            is_tls: request.peer.is_tls,
            method: method.clone(),
            version: *version,
            target: uri.clone(),
            host: headers.get(HOST).cloned(),
            program: headers.get(USER_AGENT).cloned(),
        }
    }

    /// The host as sent, from HTTP/2 or HTTP/1.
    pub(super) fn host(&self) -> Option<&str> {
        let authority = self.target.authority().map(http::uri::Authority::as_str);
        authority.or_else(|| plain(self.host.as_ref())).map(cut)
    }

    /// The program of the client.
    pub(super) fn program(&self) -> Option<&str> {
        plain(self.program.as_ref()).map(cut)
    }

    pub(super) const fn version(&self) -> &'static str {
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
        Self {
            log: Arc::clone(&request.context.log),
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
    pub(super) fn id(&self) -> &str {
        self.id.as_str()
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
            id: self.id().into(),
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

    /// The method that WordPress takes.
    pub(super) fn method(&self) -> &'static str {
        method_label(self.log.taken().unwrap_or(&self.arrival.method))
    }

    /// The template of the route of a call.
    pub(super) fn route(&self) -> Option<String> {
        self.log.called().map(|operation| operation.id.route.template())
    }

    /// The code of a response that the edge made.
    pub(super) fn code(&self) -> Option<&'static str> {
        self.response.and_then(|response| response.by?.code())
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
        self.write_line(&served);
    }
}
