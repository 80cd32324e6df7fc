//! Requests by operation, root, source and status, and where their time went.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use prometheus_client::registry::Registry;
use serde_json::{Value, json};

use super::finding_labels::expected_findings;
use super::labels::class_of;
use super::latency::{LATENCY_BOUNDS, Latency, LatencySums};
use super::permits::GaugeGuard;
use super::proxy_watch::ProxyWatch;
use super::request_kind::{BESIDE, RequestKind};
use super::request_log::BackendTimes;
use super::series::{ByLabels, Counter, Gauge, Label, metrics};
use super::site_verdict::OUTCOMES;
use calendar_edge_core::errors;
use calendar_edge_core::settings::Settings;
use calendar_edge_judge::contract::{Action, table};

metrics! {
    struct RequestSeries {
        http_refusals: Counter["code" in errors::codes()] = "Requests refused by the edge, by the code of the response";
        http_request_body_bytes: Counter["source" in SOURCES] = "Bytes of request bodies read from clients";
        http_request_duration_seconds: Latency["kind" in RequestKind::ALL] =
            "From a request's head to the last byte of its response, which waits for slow clients";
        http_request_phase_seconds: Latency["phase"] =
            "Parts of the time to a response's head: in the queue toward a backend, at the backend, and at the edge";
        http_requests: Counter["operation", "root", "source", "status"] =
            "Responses, by operation, root, source, and status";
        http_response_body_bytes: Counter["source" in SOURCES] = "Bytes of response bodies sent to clients";
        inflight: Gauge = "Requests running";
        reported_requests: Counter["site" in OUTCOMES] =
            "Forwarded requests that mode enforce would refuse, by the response of the site";
        validation_findings: Counter["operation", "rule", "mode", "action"] = "Broken rules found in requests";
    }
}

/// The part that responded, or the client that left before: the closed set of the label `source`.
const SOURCES: [&str; 4] = ["edge", "cache", "backend", "client"];

/// The classes of statuses.
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// Sources and statuses of refusals, for every operation; these series exist from the start.
const REFUSED: [(&str, u16); 6] = [
    ("backend", 500),
    ("edge", 400),
    ("edge", 502),
    ("edge", 503),
    ("edge", 504),
    ("client", 499),
];

/// Source and status of a call beyond a rate limit.
const LIMITED: [(&str, u16); 1] = [("edge", 429)];

/// Sources and statuses of reads that succeed or find nothing.
const READ: [(&str, u16); 3] = [("backend", 200), ("backend", 404), ("cache", 200)];

/// Sources and statuses of updates and deletions.
const WRITTEN: [(&str, u16); 3] = [("backend", 200), ("backend", 404), ("edge", 401)];

/// Sources and statuses of creates.
const CREATED: [(&str, u16); 2] = [("backend", 201), ("edge", 401)];

/// Sources and statuses of requests for the rest of the site, and of those that lead to no operation.
const PASSED: [(&str, u16); 3] = [("backend", 200), ("backend", 404), ("edge", 404)];

/// The metrics of requests; clones share their values.
#[derive(Debug, Clone)]
pub(crate) struct RequestMetrics {
    series: RequestSeries,
    queue: Latency,
    backend: Latency,
    edge: Latency,
    /// The histogram of each operation, which is that of its kind, and its refusals. A calendar page without events is
    /// a response of the edge with 404, and no refusal.
    by_operation: Arc<ByLabels<&'static str, (Latency, AtomicU64)>>,
    no_root: Arc<str>,
    proxy: Arc<ProxyWatch>,
}

/// One served request.
#[derive(Debug)]
pub(crate) struct Served<'a> {
    /// The operation's name, `site` or `none`.
    pub(crate) operation: &'static str,
    /// The path of its root; none outside of the API.
    pub(crate) root: Option<&'a Arc<str>>,
    /// The status of the response.
    pub(crate) status: u16,
    /// The source of the response: `edge`, `cache` or `backend`; `client` if it left before.
    pub(crate) source: &'static str,
    /// From the head of the request to the last byte of the response.
    pub(crate) duration: Duration,
    /// The bytes of the response's body that were sent.
    pub(crate) bytes: u64,
    /// The bytes of the request's body that were read.
    pub(crate) received: u64,
    /// The time at the edge: from the head of the request to the head of the response, without that at backends.
    pub(crate) edge: Duration,
    /// The time at backends.
    pub(crate) backend: Option<BackendTimes>,
}

// === impl RequestMetrics ===

impl RequestMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let series = RequestSeries::new(registry);
        let seconds = &series.http_request_duration_seconds;
        let histogram = |(operation, kind): (_, RequestKind)| {
            (operation, (seconds.of([kind.name().into()]), AtomicU64::new(0)))
        };
        let phase = |name: &'static str| series.http_request_phase_seconds.of([name.into()]);
        Self {
            queue: phase("queue"),
            backend: phase("backend"),
            edge: phase("edge"),
            by_operation: Arc::new(RequestKind::of_operations().map(histogram).collect()),
            no_root: Arc::from(""),
            proxy: Arc::default(),
            series,
        }
    }

    /// Creates the series of these settings with zero, so that "none" differs from "no data".
    ///
    /// Findings have a series for each rule of an operation in the mode in force; the other modes' come with them.
    pub(crate) fn expect(&self, settings: &Settings) {
        let is_limited = !settings.rate_limits.are_unset();
        let limited = if is_limited { &LIMITED[..] } else { &[] };
        for root in &settings.roots {
            let root = Arc::from(root.path.as_str());
            for operation in table().operations() {
                let answered = usual(operation.id.action).iter().chain(limited);
                self.expect_of(&operation.name, &root, answered);
            }
        }
        for operation in BESIDE {
            self.expect_of(operation, &self.no_root, PASSED.iter());
        }
        for finding in expected_findings(settings) {
            self.series.validation_findings.expect(finding.map(Label::from));
        }
    }

    /// Counts a request as running while the guard lives.
    pub(crate) fn begin(&self) -> GaugeGuard {
        GaugeGuard::raise(&self.series.inflight)
    }

    /// Counts a served request.
    pub(crate) fn served(&self, served: &Served<'_>) {
        let (source, root) = (served.source, served.root.unwrap_or(&self.no_root));
        let (operation, status) = (served.operation, served.status);
        let labels = [operation.into(), root.into(), source.into(), status.into()];
        self.series.http_requests.add(labels, 1);
        let (sent, received) = (
            &self.series.http_response_body_bytes,
            &self.series.http_request_body_bytes,
        );
        sent.add([source.into()], served.bytes);
        received.add([source.into()], served.received);
        if let Some((histogram, _)) = self.by_operation.get(operation) {
            histogram.observe(served.duration);
        }
        self.edge.observe(served.edge);
        if let Some(times) = served.backend {
            self.queue.observe(times.queue);
            self.backend.observe(times.backend);
        }
    }

    /// Counts a refusal by its code, and for its operation.
    pub(crate) fn refused(&self, operation: &'static str, code: &'static str) {
        self.series.http_refusals.add([code.into()], 1);
        if let Some((_, refused)) = self.by_operation.get(operation) {
            refused.fetch_add(1, Relaxed);
        }
    }

    /// Counts a violated rule: the operation, the rule, the mode, and the action, `refused` or `forwarded`.
    pub(crate) fn found(&self, finding: [&'static str; 4]) {
        self.series.validation_findings.add(finding.map(Label::from), 1);
    }

    /// Counts the site's response to a forwarded request that `enforce` would refuse: `answered`, `refused` or
    /// `failed`.
    pub(crate) fn reported(&self, outcome: &'static str) {
        self.series.reported_requests.add([outcome.into()], 1);
    }

    /// The requests so far, those with a status from 500 on, and those that were refused for load.
    pub(crate) fn ends(&self) -> [u64; 3] {
        let sums = self
            .series
            .http_requests
            .sums(|[.., status]| status.number() >= 500);
        let count = |failed| sums.get(&failed).copied().unwrap_or_default();
        let overloaded = errors::OVERLOADED.code;
        let overloaded = self.series.http_refusals.count(&[overloaded.into()]);
        [count(false) + count(true), count(true), overloaded]
    }

    /// The proxy before the edge that the settings do not list, as far as requests show it.
    pub(crate) const fn proxy(&self) -> &Arc<ProxyWatch> {
        &self.proxy
    }

    /// The counts so far, with zero for sources and classes without requests.
    ///
    /// They are: sources, statuses, times, and the requests that were refused, or forwarded although they break a rule.
    pub(crate) fn sums(&self) -> Value {
        let series = &self.series;
        let mut refusals = series.http_refusals.sums(|[code]| code.word());
        refusals.retain(|_, count| *count > 0);
        let broken = series
            .validation_findings
            .sums(|[_, rule, _, action]| (rule.word(), action.word()));
        let broken = broken.into_iter().filter(|(_, count)| *count > 0);
        let broken =
            broken.map(|((rule, action), count)| json!({"rule": rule, "action": action, "count": count}));
        let seconds = &series.http_request_duration_seconds;
        let total = RequestKind::ALL.map(|kind| seconds.of([kind.name().into()]).sums());
        json!({
            "requests": self.request_sums(),
            "latency": {
                "bounds_seconds": LATENCY_BOUNDS,
                "total": total.into_iter().sum::<LatencySums>(),
                "edge": self.edge.sums(),
                "queue": self.queue.sums(),
                "backend": self.backend.sums(),
            },
            "refusals": refusals,
            "findings": broken.collect::<Value>(),
            "reported": series.reported_requests.sums(|[site]| site.word()),
        })
    }

    fn request_sums(&self) -> Value {
        let requests = &self.series.http_requests;
        let mut by_source: BTreeMap<_, _> = SOURCES.map(|source| (source, 0)).into();
        by_source.extend(requests.sums(|[_, _, source, _]| source.word()));
        let mut by_status: BTreeMap<_, _> = CLASSES.map(|class| (class, 0)).into();
        by_status.extend(requests.sums(|[.., status]| class_of(status.number())));
        json!({
            "total": by_source.values().sum::<u64>(),
            "running": self.series.inflight.get(),
            "by_source": by_source,
            "by_status": by_status,
        })
    }

    /// The counts of each operation that was requested, by name: all requests, and those that the edge refused.
    pub(crate) fn by_operation(&self) -> Value {
        let counts = self.series.http_requests.sums(|[operation, ..]| operation.word());
        let counts = counts.into_iter().filter(|(_, count)| *count > 0);
        let with_refused = counts.map(|(name, requests)| {
            let refused = self
                .by_operation
                .get(name)
                .map_or(0, |(_, refused)| refused.load(Relaxed));
            json!({"name": name, "requests": requests, "refused": refused})
        });
        with_refused.collect()
    }

    fn expect_of(
        &self,
        operation: &'static str,
        root: &Arc<str>,
        answered: impl Iterator<Item = &'static (&'static str, u16)>,
    ) {
        for &(source, status) in answered.chain(&REFUSED) {
            self.series
                .http_requests
                .expect([operation.into(), root.into(), source.into(), status.into()]);
        }
    }
}

/// Sources and statuses of an action.
const fn usual(action: Action) -> &'static [(&'static str, u16)] {
    match action {
        Action::Describe | Action::List | Action::Read => &READ,
        Action::Create => &CREATED,
        Action::Update | Action::Delete => &WRITTEN,
    }
}
