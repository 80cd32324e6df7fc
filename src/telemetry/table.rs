//! The table of metrics: name, type, labels and meaning of each. `docs/reference/metrics.md` shows it with the values of labels.

use std::sync::atomic::AtomicU64;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};

use super::latency::Latency;
use super::permits::Waits;
use super::series::Row;

pub(super) const BACKEND_REQUEST_DURATION_SECONDS: Row<Latency, 2> = Row::new(
    "backend_request_duration_seconds",
    ["backend", "kind"],
    "From the queue toward a backend beside the site to the head of its answer",
);
pub(super) const BACKEND_REQUESTS: Row<Counter, 3> = Row::new(
    "backend_requests",
    ["backend", "kind", "outcome"],
    "Exchanges with a backend beside the site, by the class of the status or the kind of failure",
);
pub(super) const BUFFERED_BYTES: Row<Gauge, 1> =
    Row::new("buffered_bytes", ["buffer"], "Bytes of bodies in memory");
pub(super) const BUFFERED_LIMIT_BYTES: Row<Gauge, 1> = Row::new(
    "buffered_limit_bytes",
    ["buffer"],
    "The most bytes of bodies in memory",
);
pub(super) const CACHE_BYPASSES: Row<Counter, 1> = Row::new(
    "cache_bypasses",
    ["reason"],
    "Reads that passed the cache by, by the reason",
);
pub(super) const CACHE_ENTRIES: Row<Gauge, 0> = Row::new("cache_entries", [], "Kept answers");
pub(super) const CACHE_EVICTIONS: Row<Counter, 0> = Row::new(
    "cache_evictions",
    [],
    "Answers that were dropped for want of memory",
);
pub(super) const CACHE_FILLS_COALESCED: Row<Counter, 0> = Row::new(
    "cache_fills_coalesced",
    [],
    "Reads that waited for the same question of another client",
);
pub(super) const CACHE_LOOKUPS: Row<Counter, 2> = Row::new(
    "cache_lookups",
    ["operation", "result"],
    "Reads by what the cache did with them",
);
pub(super) const CACHE_REMOVALS: Row<Counter, 1> =
    Row::new("cache_removals", ["cause"], "Removals because something changed");
pub(super) const CACHE_WEIGHT_BYTES: Row<Gauge, 0> =
    Row::new("cache_weight_bytes", [], "Memory of all kept answers");
pub(super) const CONFIG_LAST_RELOAD_SUCCESS_TIMESTAMP_SECONDS: Row<Gauge, 0> = Row::new(
    "config_last_reload_success_timestamp_seconds",
    [],
    "When the configuration in use was read",
);
pub(super) const CONFIG_LAST_RELOAD_SUCCESSFUL: Row<Gauge, 0> = Row::new(
    "config_last_reload_successful",
    [],
    "Whether the configuration in use is the one that was read last: 0 after a refused reload, else 1",
);
pub(super) const CONFIG_RELOADS: Row<Counter, 1> =
    Row::new("config_reloads", ["result"], "Reloads of the configuration");
pub(super) const CONNECTIONS_ENDED: Row<Counter, 1> = Row::new(
    "connections_ended",
    ["reason"],
    "Connections that ended, by the reason",
);
pub(super) const CONNECTIONS_LIMIT: Row<Gauge, 0> = Row::new(
    "connections_limit",
    [],
    "The most connections of clients; further ones wait to be accepted",
);
pub(super) const CONNECTIONS_OPEN: Row<Gauge, 0> = Row::new("connections_open", [], "Connections of clients");
pub(super) const CONNECTIONS_OPENED: Row<Counter, 0> =
    Row::new("connections_opened", [], "Connections accepted");
pub(super) const CONTRACT_DRIFT: Row<ConstGauge<i64>, 2> = Row::new(
    "contract_drift",
    ["backend", "kind"],
    "Differences of what a backend publishes about the API from the table, by kind",
);
pub(super) const CUTOVER_CALLS: Row<Counter, 2> = Row::new(
    "cutover_calls",
    ["rule", "by"],
    "Calls that a rule is about, by who answered: the backend, the site, or the site after the backend \
     had failed or its rule was returned",
);
pub(super) const CUTOVER_RETURNED: Row<Gauge, 1> = Row::new(
    "cutover_returned",
    ["rule"],
    "Whether the guard has returned all calls of a rule to the site",
);
pub(super) const CUTOVER_RETURNS: Row<Counter, 1> = Row::new(
    "cutover_returns",
    ["rule"],
    "How often the guard has returned the calls of a rule",
);
pub(super) const CUTOVER_SHARE: Row<Gauge<f64, AtomicU64>, 1> = Row::new(
    "cutover_share",
    ["rule"],
    "The share of clients that a rule takes, from 0 to 1",
);
pub(super) const FEED_READERS: Row<Gauge, 0> = Row::new(
    "feed_readers",
    [],
    "Readers of the feed of changes that wait or have a stream",
);
pub(super) const FEED_VERDICTS: Row<Counter, 1> = Row::new(
    "feed_verdicts",
    ["verdict"],
    "Records that have changed, by what an anonymous reader found",
);
pub(super) const FLEET_EXCHANGE_SECONDS: Row<Latency, 0> = Row::new(
    "fleet_exchange_seconds",
    [],
    "Exchanges with the store of the fleet that succeeded",
);
pub(super) const FLEET_FAULTS: Row<Counter, 1> = Row::new(
    "fleet_faults",
    ["kind"],
    "Exchanges with the store of the fleet that failed, and messages that were refused",
);
pub(super) const FLEET_GAPS: Row<Counter, 1> = Row::new(
    "fleet_gaps",
    ["cause"],
    "How often messages of other edges were lost, so that everything was removed",
);
pub(super) const FLEET_LOGINS_ALONE: Row<Counter, 0> = Row::new(
    "fleet_logins_alone",
    [],
    "Calls with credentials that this edge charged to `failed_logins` by itself: the store was away, or later than 25 ms",
);
pub(super) const FLEET_MEMBERS: Row<Gauge, 0> = Row::new(
    "fleet_members",
    [],
    "Edges of the fleet that were alive at the last exchange",
);
pub(super) const FLEET_MESSAGE_AGE_SECONDS: Row<Latency, 0> = Row::new(
    "fleet_message_age_seconds",
    [],
    "From the moment that the store took a message to its arrival at this edge, by the store's clock",
);
pub(super) const FLEET_MESSAGES: Row<Counter, 2> = Row::new(
    "fleet_messages",
    ["kind", "direction"],
    "Messages that this edge told the others, and that it heard",
);
pub(super) const FLEET_PERMITS: Row<Gauge, 1> = Row::new(
    "fleet_permits",
    ["backend"],
    "Calls that may be with a backend at once through this edge, its part of `max_in_flight`",
);
pub(super) const FLEET_SETTLED_BUCKETS: Row<Counter, 0> = Row::new(
    "fleet_settled_buckets",
    [],
    "Buckets of rate limits whose level was taken over from the store of the fleet",
);
pub(super) const FLEET_UP: Row<Gauge, 0> = Row::new(
    "fleet_up",
    [],
    "Whether the last exchange with the store of the fleet succeeded",
);
pub(super) const FLEET_VARIANTS: Row<Gauge, 1> = Row::new(
    "fleet_variants",
    ["of"],
    "Different versions of the program, and configurations, in the fleet",
);
pub(super) const HTTP_REFUSALS: Row<Counter, 1> = Row::new(
    "http_refusals",
    ["code"],
    "Requests refused by the edge, by the code of the answer",
);
pub(super) const HTTP_REQUEST_BODY_BYTES: Row<Counter, 1> = Row::new(
    "http_request_body_bytes",
    ["source"],
    "Bytes of request bodies read from clients",
);
pub(super) const HTTP_REQUEST_DURATION_SECONDS: Row<Latency, 1> = Row::new(
    "http_request_duration_seconds",
    ["kind"],
    "From a request's head to the last byte of its response, which waits for slow clients",
);
pub(super) const HTTP_REQUEST_PHASE_SECONDS: Row<Latency, 1> = Row::new(
    "http_request_phase_seconds",
    ["phase"],
    "Parts of the time to a response's head: in the queue toward a backend, at the backend, and at the \
     edge",
);
pub(super) const HTTP_REQUESTS: Row<Counter, 4> = Row::new(
    "http_requests",
    ["operation", "root", "source", "status"],
    "Requests answered, by operation, root, who answered, and status",
);
pub(super) const HTTP_RESPONSE_BODY_BYTES: Row<Counter, 1> = Row::new(
    "http_response_body_bytes",
    ["source"],
    "Bytes of response bodies sent to clients",
);
pub(super) const INDEX_READS: Row<Counter, 1> = Row::new(
    "index_reads",
    ["result"],
    "Reads of the sites' indexes, by which arguments are judged or not",
);
pub(super) const IDENTITY_QUESTIONS: Row<Counter, 1> = Row::new(
    "identity_questions",
    ["outcome"],
    "Callers whose identity a backend is to get, by how the site named them: an account or nobody, a refusal of the \
     credentials, no answer, or the answer to an earlier question",
);
pub(super) const INFLIGHT: Row<Gauge, 0> = Row::new("inflight", [], "Requests running");
pub(super) const ORIGIN_BREAKER_STATE: Row<Gauge, 1> = Row::new(
    "origin_breaker_state",
    ["backend"],
    "Whether reads reach the backend: 0 closed (they do), 1 half-open (one is trying), 2 open (they do \
     not)",
);
pub(super) const ORIGIN_PERMITS_IN_USE: Row<Gauge, 2> = Row::new(
    "origin_permits_in_use",
    ["backend", "traffic"],
    "Exchanges that hold a permit of a backend",
);
pub(super) const ORIGIN_PERMITS_LIMIT: Row<Gauge, 2> = Row::new(
    "origin_permits_limit",
    ["backend", "traffic"],
    "The most exchanges that may hold a permit of a backend",
);
pub(super) const ORIGIN_QUEUE_SECONDS: Row<Waits, 2> = Row::new(
    "origin_queue_seconds",
    ["backend", "traffic"],
    "Time that requests waited for a permit of a backend, whatever the end",
);
pub(super) const ORIGIN_REQUEST_DURATION_SECONDS: Row<Latency, 1> = Row::new(
    "origin_request_duration_seconds",
    ["kind"],
    "From the queue toward the site to the head of its answer",
);
pub(super) const ORIGIN_REQUESTS: Row<Counter, 2> = Row::new(
    "origin_requests",
    ["kind", "outcome"],
    "Exchanges with the site, by the class of the status or the kind of failure",
);
pub(super) const ORIGIN_RETRIES: Row<Counter, 2> = Row::new(
    "origin_retries",
    ["backend", "result"],
    "Reads that failed on a pooled connection: tried again, or denied by the retry budget",
);
pub(super) const ORIGIN_REVOKED_PERMITS: Row<Counter, 2> = Row::new(
    "origin_revoked_permits",
    ["backend", "traffic"],
    "Streamed responses to slow clients that were aborted because another request waited for a permit",
);
pub(super) const ORIGIN_SHED_REQUESTS: Row<Counter, 3> = Row::new(
    "origin_shed_requests",
    ["backend", "traffic", "reason"],
    "Requests that got no permit of a backend: the queue was full, overload lasts, a write or a call with \
     credentials took the place, or the wait was too long (overdue)",
);
pub(super) const ORIGIN_WAITING_REQUESTS: Row<Gauge, 2> = Row::new(
    "origin_waiting_requests",
    ["backend", "traffic"],
    "Requests that wait for a permit of a backend",
);
pub(super) const ORIGIN_WAITING_REQUESTS_LIMIT: Row<Gauge, 2> = Row::new(
    "origin_waiting_requests_limit",
    ["backend", "traffic"],
    "The most requests that may wait for a permit of a backend",
);
pub(super) const RATE_LIMIT_DECISIONS: Row<Counter, 1> = Row::new(
    "rate_limit_decisions",
    ["decision"],
    "Calls of the calendar that rate limits let pass or refused",
);
pub(super) const RATE_LIMITED: Row<Counter, 1> = Row::new(
    "rate_limited",
    ["budget"],
    "Requests refused because a budget was used up, by the budget",
);
pub(super) const SHADOW_COMPARED: Row<Counter, 3> = Row::new(
    "shadow_compared",
    ["backend", "operation", "class"],
    "Copied calls whose answers were compared, by the worst class of difference",
);
pub(super) const SHADOW_IN_FLIGHT: Row<Gauge, 1> =
    Row::new("shadow_in_flight", ["backend"], "Copies that run");
pub(super) const SHADOW_SKIPPED: Row<Counter, 2> = Row::new(
    "shadow_skipped",
    ["backend", "reason"],
    "Calls that a rule chose and that were not copied or not compared",
);
pub(super) const SURFACE_REQUESTS: Row<Counter, 2> = Row::new(
    "surface_requests",
    ["rule", "outcome"],
    "Requests to the rest of the site that a rule of `[[surface]]` took, by what became of them",
);
pub(super) const SURFACE_UNCLEAR: Row<Counter, 0> = Row::new(
    "surface_unclear",
    [],
    "Requests to the rest of the site that passed because it could not be told whether a rule takes them",
);
pub(super) const TLS_CERTIFICATE_NOT_AFTER_TIMESTAMP_SECONDS: Row<ConstGauge<i64>, 0> = Row::new(
    "tls_certificate_not_after_timestamp_seconds",
    [],
    "When the certificate that clients see expires",
);
pub(super) const TRACE_SPANS: Row<Counter, 1> = Row::new(
    "trace_spans",
    ["outcome"],
    "Spans of requests that the collector took or rejected, that were dropped because too many waited, or \
     that could not be sent",
);
pub(super) const VALIDATION_FINDINGS: Row<Counter, 4> = Row::new(
    "validation_findings",
    ["operation", "rule", "mode", "action"],
    "Broken rules found in requests",
);
pub(super) const REPORTED_REQUESTS: Row<Counter, 1> = Row::new(
    "reported_requests",
    ["site"],
    "Forwarded requests that mode enforce would refuse, by the answer of the site",
);
pub(super) const WEBHOOK_DELIVERIES: Row<Counter, 2> = Row::new(
    "webhook_deliveries",
    ["receiver", "outcome"],
    "Requests with changes to receivers of `[[webhooks]]`",
);
