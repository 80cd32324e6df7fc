//! Log lines and metrics for operators.

mod backend;
mod cache_metrics;
mod certificate;
mod clients;
mod combined_lines;
mod connections;
mod drift;
mod exchange_timer;
mod exchanges;
mod feed_metrics;
mod finding_labels;
mod findings;
mod fleet_metrics;
mod indexes;
mod json_lines;
mod labels;
mod latency;
mod log_buffer;
mod log_filter;
mod logs;
mod memory;
#[cfg(all(test, feature = "migration"))]
mod metric_reference;
mod metrics;
#[cfg(feature = "migration")]
mod migration;
mod permits;
mod printable;
mod process;
mod rate_limits;
mod refusals;
mod reloads;
mod request_kind;
mod request_log;
mod requests;
mod schema_disagreements;
mod series;
mod site_surface;
mod site_verdict;
#[cfg_attr(
    not(feature = "otlp"),
    allow(dead_code, reason = "without an exporter nobody takes spans")
)]
mod spans;
mod surface_metrics;
#[cfg_attr(
    not(feature = "migration"),
    expect(dead_code, reason = "the table has the rows of every build")
)]
mod table;
mod text_lines;
mod told;
mod trace_context;
mod wall_clock;
mod warnings;

pub(crate) use backend::BackendMetrics;
pub(crate) use cache_metrics::{CacheMetrics, CacheSums, OperationLookups};
pub(crate) use certificate::ShownCertificate;
pub(crate) use clients::AddressCounts;
pub(crate) use connections::{ConnectionEnd, ConnectionMetrics, OpenConnection};
pub(crate) use drift::{BackendDrift, DriftChange};
pub(crate) use exchange_timer::span_name;
#[cfg(test)]
pub(crate) use exchanges::OUTCOMES;
pub(crate) use exchanges::{Exchange, ExchangeMetrics};
pub(crate) use feed_metrics::FeedMetrics;
pub(crate) use finding_labels::FindingLabels;
pub(crate) use findings::{FindingRow, FindingSums};
pub(crate) use fleet_metrics::{Direction, FleetMetrics, SnapshotOutcome, StoreFaultKind};
pub(crate) use labels::{RecordOutcome, class_label, method_label};
pub(crate) use latency::{LATENCY_BOUNDS, LatencySums};
pub use log_buffer::LogFlush;
pub use log_filter::LogFilter;
pub(crate) use logs::ACCESS;
pub use logs::{LogError, install_logs, log_lines};
pub(crate) use memory::BufferKind;
pub(crate) use metrics::Metrics;
#[cfg(feature = "migration")]
pub(crate) use migration::{CopySkip, CutoverAnswer, IdentityOutcome, MigrationMetrics, NamedSums};
pub(crate) use permits::{GaugeGuard, PermitFigures, PermitMetrics, TrafficKind};
pub use printable::{printable, printable_json};
pub(crate) use process::process_memory;
pub(crate) use rate_limits::RateLimitMetrics;
pub(crate) use refusals::{DecidedBy, RecordedFate, RecordedRefusal, RefusalNote, Refusals};
pub(crate) use request_log::{ParentSpan, RequestLog, Traffic};
pub(crate) use requests::Served;
pub(crate) use schema_disagreements::SchemaDisagreement;
pub(crate) use site_surface::SiteSurface;
pub(crate) use site_verdict::{SiteVerdict, SiteVerdicts};
#[cfg(any(feature = "otlp", test))]
pub(crate) use spans::AttributeValue;
pub(crate) use spans::{Attributes, Span, SpanKind, SpanRecorder};
#[cfg(feature = "otlp")]
pub(crate) use spans::{SpanIds, SpanMetrics, SpanOutcome};
pub(crate) use surface_metrics::{SurfaceMetrics, SurfaceOutcome};
pub(crate) use told::{causes, cut, milliseconds, with_causes};
pub(crate) use trace_context::{TraceContext, TraceHeaders};
pub use wall_clock::unix_time;
pub(crate) use warnings::Warnings;
