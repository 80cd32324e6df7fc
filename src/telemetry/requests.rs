//! Requests by operation, root, source and status, and where their time went.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::{Registry, Unit};

use super::counts::{ByLabels, Counts};
use super::labels::class_of;
use super::latency::{Latency, LatencySums};
use super::request_kind::{BESIDE, RequestKind};
use super::request_log::BackendTimes;
use calendar_edge_core::contract::{Action, table};
use calendar_edge_core::problem::Remedy;
use calendar_edge_core::settings::Settings;

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
    requests: Counts<RequestLabels>,
    refusals: Counts<CodeLabels>,
    body_bytes: BytesBySource,
    received_bytes: BytesBySource,
    seconds: Family<WholeLabels, Latency>,
    phase_seconds: Family<PhaseLabels, Latency>,
    phases: Phases,
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
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct OperationSums {
    /// All of them.
    pub(crate) requests: u64,
    /// Those that the edge answered with an error of its own.
    pub(crate) refused: u64,
}

/// Bytes of bodies by the part that answered.
#[derive(Debug, Clone)]
struct BytesBySource {
    family: Family<SourceLabels, Counter>,
    /// Those of the family, in the order of [`SOURCES`].
    counters: [Counter; SOURCES.len()],
}

/// The parts of the time of all requests. Not by operation: that would be most of a scrape.
#[derive(Debug, Clone)]
struct Phases {
    queue: Latency,
    backend: Latency,
    edge: Latency,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    operation: &'static str,
    root: Arc<str>,
    source: &'static str,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SourceLabels {
    source: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CodeLabels {
    code: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct WholeLabels {
    kind: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PhaseLabels {
    phase: &'static str,
}

// === impl RequestMetrics ===

impl RequestMetrics {
    pub(super) fn new() -> Self {
        let seconds = Family::default();
        let phase_seconds = Family::default();
        Self {
            by_operation: Arc::new(histograms(&seconds)),
            requests: Counts::default(),
            refusals: refusals(),
            body_bytes: BytesBySource::new(),
            received_bytes: BytesBySource::new(),
            seconds,
            phases: Phases::of(&phase_seconds),
            phase_seconds,
            no_root: Arc::from(""),
        }
    }

    pub(super) fn register(&self, registry: &mut Registry) {
        self.requests.register(
            registry,
            "http_requests",
            "Requests answered, by operation, root, who answered, and status",
        );
        self.refusals.register(
            registry,
            "http_refusals",
            "Requests refused by the edge, by the code of the answer",
        );
        registry.register_with_unit(
            "http_request_duration",
            "From a request's head to the last byte of its response, which waits for slow clients",
            Unit::Seconds,
            self.seconds.clone(),
        );
        registry.register_with_unit(
            "http_request_phase",
            "Parts of the time to a response's head: in the queue toward a backend, at the backend, and at the edge",
            Unit::Seconds,
            self.phase_seconds.clone(),
        );
        registry.register_with_unit(
            "http_response_body",
            "Bytes of response bodies sent to clients",
            Unit::Bytes,
            self.body_bytes.family.clone(),
        );
        registry.register_with_unit(
            "http_request_body",
            "Bytes of request bodies read from clients",
            Unit::Bytes,
            self.received_bytes.family.clone(),
        );
    }

    /// Creates the series of these settings with zero.
    pub(super) fn expect(&self, settings: &Settings) {
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
    }

    /// Counts an answered request.
    pub(crate) fn served(&self, served: &Served<'_>) {
        let labels = RequestLabels {
            operation: served.operation,
            root: Arc::clone(served.root.unwrap_or(&self.no_root)),
            source: served.source,
            status: served.status,
        };
        self.requests.add(&labels);
        self.body_bytes.add(served.source, served.bytes);
        self.received_bytes.add(served.source, served.received);
        if let Some(histogram) = self.by_operation.get(served.operation) {
            histogram.observe(served.duration);
        }
        self.phases.edge.observe(served.edge);
        if let Some(times) = served.backend {
            self.phases.queue.observe(times.queue);
            self.phases.backend.observe(times.backend);
        }
    }

    /// Counts a refusal by its code.
    pub(crate) fn refused(&self, code: &'static str) {
        self.refusals.add(&CodeLabels { code });
    }

    /// The counts so far, with zero for sources without requests.
    pub(crate) fn sums(&self) -> RequestSums {
        let mut by_source: BTreeMap<_, _> = SOURCES.map(|source| (source, 0)).into();
        by_source.extend(self.requests.sums(|labels| labels.source));
        let mut by_class: BTreeMap<_, _> = CLASSES.map(|class| (class, 0)).into();
        by_class.extend(self.requests.sums(|labels| class_of(labels.status)));
        RequestSums {
            by_source,
            by_class,
            refusals: self.refusals.sums(|labels| labels.code),
            whole: RequestKind::ALL
                .map(|kind| histogram(&self.seconds, kind).sums())
                .into_iter()
                .sum(),
            queue: self.phases.queue.sums(),
            backend: self.phases.backend.sums(),
            edge: self.phases.edge.sums(),
        }
    }

    /// The counts of each operation that was asked for.
    pub(crate) fn by_operation(&self) -> BTreeMap<&'static str, OperationSums> {
        let mut sums: BTreeMap<_, OperationSums> = BTreeMap::new();
        let counts = self.requests.sums(|labels| {
            let is_refused = labels.source == "edge" && labels.status >= 400;
            (labels.operation, is_refused)
        });
        for ((operation, is_refused), count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            let sum = sums.entry(operation).or_default();
            sum.requests += count;
            sum.refused += if is_refused { count } else { 0 };
        }
        sums
    }

    fn expect_of(
        &self,
        operation: &'static str,
        root: &Arc<str>,
        answered: impl Iterator<Item = &'static (&'static str, u16)>,
    ) {
        for &(source, status) in answered.chain(&REFUSED) {
            self.requests.expect(RequestLabels {
                operation,
                root: Arc::clone(root),
                source,
                status,
            });
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

/// A counter for each code that the edge refuses with.
fn refusals() -> Counts<CodeLabels> {
    let counts = Counts::default();
    for code in Remedy::codes() {
        counts.expect(CodeLabels { code });
    }
    counts
}

/// The histogram of each operation.
fn histograms(seconds: &Family<WholeLabels, Latency>) -> ByLabels<&'static str, Latency> {
    let histogram = |(operation, kind)| (operation, histogram(seconds, kind));
    RequestKind::of_operations().map(histogram).collect()
}

fn histogram(seconds: &Family<WholeLabels, Latency>, kind: RequestKind) -> Latency {
    seconds.get_or_create_owned(&WholeLabels { kind: kind.name() })
}

// === impl BytesBySource ===

impl BytesBySource {
    fn new() -> Self {
        let family = Family::<SourceLabels, Counter>::default();
        let counters = SOURCES.map(|source| family.get_or_create_owned(&SourceLabels { source }));
        Self { family, counters }
    }

    fn add(&self, source: &'static str, bytes: u64) {
        let position = SOURCES.iter().position(|known| *known == source);
        if let Some(counter) = position.and_then(|position| self.counters.get(position)) {
            counter.inc_by(bytes);
        }
    }
}

// === impl Phases ===

impl Phases {
    fn of(family: &Family<PhaseLabels, Latency>) -> Self {
        let phase = |phase| family.get_or_create_owned(&PhaseLabels { phase });
        Self {
            queue: phase("queue"),
            backend: phase("backend"),
            edge: phase("edge"),
        }
    }
}
