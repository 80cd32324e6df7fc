//! Requests by operation, root, source and status, and where their time went.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;
use serde::Serialize;

use super::labels::class_of;
use super::latency::{Latency, LatencySums};
use super::request_kind::{BESIDE, RequestKind};
use super::request_log::BackendTimes;
use super::series::{ByLabels, Series};
use super::table::{
    HTTP_REFUSALS, HTTP_REQUEST_BODY_BYTES, HTTP_REQUEST_DURATION_SECONDS, HTTP_REQUEST_PHASE_SECONDS,
    HTTP_REQUESTS, HTTP_RESPONSE_BODY_BYTES,
};
use calendar_edge_core::errors::Remedy;
use calendar_edge_core::settings::Root;
use calendar_edge_judge::contract::{Action, table};

/// The part that answered a request, or the client that left before: the closed set of the label `source`.
const SOURCES: [&str; 4] = ["edge", "cache", "backend", "client"];

/// The classes of statuses.
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// Who refuses a request of every operation, with the status; these exist from the start.
const REFUSED: [(&str, u16); 6] = [
    ("backend", 500),
    ("edge", 400),
    ("edge", 502),
    ("edge", 503),
    ("edge", 504),
    ("client", 499),
];

/// Who refuses a call beyond a rate limit, with the status.
const LIMITED: [(&str, u16); 1] = [("edge", 429)];

/// Who answers a read as it should be, with the status.
const READ: [(&str, u16); 3] = [("backend", 200), ("backend", 404), ("cache", 200)];

/// Who answers a write, with the status.
const WRITTEN: [(&str, u16); 3] = [("backend", 200), ("backend", 404), ("edge", 401)];

/// Who answers a create, with the status.
const CREATED: [(&str, u16); 2] = [("backend", 201), ("edge", 401)];

/// Who answers requests for the rest of the site, and those that lead to no operation.
const PASSED: [(&str, u16); 3] = [("backend", 200), ("backend", 404), ("edge", 404)];

/// The metrics of requests; clones share their values.
#[derive(Debug, Clone)]
pub(crate) struct RequestMetrics {
    requests: Series<Counter, 4>,
    refusals: Series<Counter, 1>,
    /// In the order of [`SOURCES`].
    body_bytes: [Counter; SOURCES.len()],
    received_bytes: [Counter; SOURCES.len()],
    seconds: Series<Latency, 1>,
    queue: Latency,
    backend: Latency,
    edge: Latency,
    /// The histogram of each operation, which is that of its kind.
    by_operation: Arc<ByLabels<&'static str, Latency>>,
    no_root: Arc<str>,
}

/// One answered request.
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

/// Requests of all operations and roots since the start.
#[derive(Debug)]
pub(crate) struct RequestSums {
    /// By the part that answered.
    pub(crate) by_source: BTreeMap<&'static str, u64>,
    /// By the class of the status.
    pub(crate) by_class: BTreeMap<&'static str, u64>,
    /// Refusals of the edge by their code.
    pub(crate) refusals: Vec<(&'static str, u64)>,
    /// From the head of the request to the last byte of the response.
    pub(crate) whole: LatencySums,
    /// In queues toward backends.
    pub(crate) queue: LatencySums,
    /// At backends.
    pub(crate) backend: LatencySums,
    /// At the edge, to the head of the response.
    pub(crate) edge: LatencySums,
}

/// The requests of one operation since the start.
#[derive(Debug, Serialize)]
pub(crate) struct OperationSums {
    name: &'static str,
    /// All of them.
    requests: u64,
    /// Those that the edge answered with an error of its own.
    refused: u64,
}

// === impl RequestMetrics ===

impl RequestMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        let codes: Vec<_> = Remedy::codes().collect();
        let sent = HTTP_RESPONSE_BODY_BYTES.series(registry);
        let received = HTTP_REQUEST_BODY_BYTES.series(registry);
        let seconds = HTTP_REQUEST_DURATION_SECONDS.series(registry);
        let phase_seconds = HTTP_REQUEST_PHASE_SECONDS.series(registry);
        let histogram = |(operation, kind): (_, RequestKind)| (operation, seconds.of([kind.name().into()]));
        Self {
            requests: HTTP_REQUESTS.series(registry),
            refusals: HTTP_REFUSALS.series(registry).with(&codes),
            body_bytes: SOURCES.map(|source| sent.of([source.into()])),
            received_bytes: SOURCES.map(|source| received.of([source.into()])),
            by_operation: Arc::new(RequestKind::of_operations().map(histogram).collect()),
            queue: phase_seconds.of(["queue".into()]),
            backend: phase_seconds.of(["backend".into()]),
            edge: phase_seconds.of(["edge".into()]),
            seconds,
            no_root: Arc::from(""),
        }
    }

    /// Creates the series of these roots with zero.
    pub(super) fn expect(&self, roots: &[Root], is_limited: bool) {
        let limited = if is_limited { &LIMITED[..] } else { &[] };
        for root in roots {
            let root = Arc::from(root.path.as_str());
            for operation in table().operations() {
                let answered = usual(operation.id.action).iter().chain(limited);
                self.expect_of(&operation.name, &root, answered);
            }
        }
        for operation in BESIDE {
            self.expect_of(operation, &self.no_root, PASSED.iter());
        }
    }

    /// Counts an answered request.
    pub(crate) fn served(&self, served: &Served<'_>) {
        let (source, root) = (served.source, served.root.unwrap_or(&self.no_root));
        self.requests.add(
            [
                served.operation.into(),
                root.into(),
                source.into(),
                served.status.into(),
            ],
            1,
        );
        let bytes = self.body_bytes.iter().zip(&self.received_bytes);
        for (_, (sent, received)) in SOURCES.iter().zip(bytes).filter(|(known, _)| **known == source) {
            sent.inc_by(served.bytes);
            received.inc_by(served.received);
        }
        if let Some(histogram) = self.by_operation.get(served.operation) {
            histogram.observe(served.duration);
        }
        self.edge.observe(served.edge);
        if let Some(times) = served.backend {
            self.queue.observe(times.queue);
            self.backend.observe(times.backend);
        }
    }

    /// Counts a refusal by its code.
    pub(crate) fn refused(&self, code: &'static str) {
        self.refusals.add([code.into()], 1);
    }

    /// The counts so far, with zero for sources without requests.
    pub(crate) fn sums(&self) -> RequestSums {
        let mut by_source: BTreeMap<_, _> = SOURCES.map(|source| (source, 0)).into();
        by_source.extend(self.requests.sums(|[_, _, source, _]| source.word()));
        let mut by_class: BTreeMap<_, _> = CLASSES.map(|class| (class, 0)).into();
        by_class.extend(self.requests.sums(|[.., status]| class_of(status.number())));
        RequestSums {
            by_source,
            by_class,
            refusals: self.refusals.sums(|[code]| code.word()),
            whole: RequestKind::ALL
                .map(|kind| self.seconds.of([kind.name().into()]).sums())
                .into_iter()
                .sum(),
            queue: self.queue.sums(),
            backend: self.backend.sums(),
            edge: self.edge.sums(),
        }
    }

    /// The counts of each operation that was asked for, by name.
    pub(crate) fn by_operation(&self) -> Vec<OperationSums> {
        let mut sums: BTreeMap<_, (u64, u64)> = BTreeMap::new();
        let counts = self.requests.sums(|[operation, _, source, status]| {
            let is_refused = source.word() == "edge" && status.number() >= 400;
            (operation.word(), is_refused)
        });
        for ((operation, is_refused), count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            let (requests, refused) = sums.entry(operation).or_default();
            *requests += count;
            *refused += if is_refused { count } else { 0 };
        }
        let sums = sums.into_iter();
        sums.map(|(name, (requests, refused))| OperationSums {
            name,
            requests,
            refused,
        })
        .collect()
    }

    fn expect_of(
        &self,
        operation: &'static str,
        root: &Arc<str>,
        answered: impl Iterator<Item = &'static (&'static str, u16)>,
    ) {
        for &(source, status) in answered.chain(&REFUSED) {
            self.requests
                .expect([operation.into(), root.into(), source.into(), status.into()]);
        }
    }
}

/// Who answers an action, with the status.
const fn usual(action: Action) -> &'static [(&'static str, u16)] {
    match action {
        Action::Describe | Action::List | Action::Read => &READ,
        Action::Create => &CREATED,
        Action::Update | Action::Delete => &WRITTEN,
    }
}
