//! Log lines and metrics for operators.

mod backend;
mod cache;
mod causes;
mod certificate;
mod connections;
mod exchanges;
mod findings;
mod indexes;
mod json_lines;
mod labels;
mod log_buffer;
mod logs;
mod memory;
mod metrics;
mod migration;
mod process;
mod queue;
mod rate_limits;
#[cfg(test)]
mod reference;
mod refusals;
mod reloads;
mod request_log;
mod requests;
mod trace_context;
mod wall_clock;
mod warnings;

pub(crate) use backend::{BackendMetrics, GaugeGuard, PermitMetrics, TrafficKind};
pub(crate) use cache::{CacheMetrics, OperationLookups};
pub(crate) use causes::causes;
pub(crate) use connections::{ConnectionEnd, ConnectionMetrics};
pub(crate) use exchanges::ExchangeMetrics;
pub(crate) use findings::{FindingRow, FindingSums};
pub(crate) use labels::{class_label, method_label};
pub use log_buffer::LogFlush;
pub use logs::{LogError, LogFilter, install_logs, log_lines};
pub(crate) use memory::BufferKind;
pub(crate) use metrics::{Exchange, FindingLabels, Inflight, Metrics};
pub(crate) use migration::MigrationMetrics;
pub(crate) use rate_limits::RateLimitMetrics;
pub(crate) use refusals::{DecidedBy, KeptRefusal, RefusalNote, Refusals};
pub(crate) use request_log::{RequestLog, Traffic};
pub(crate) use requests::Served;
pub(crate) use trace_context::{TraceContext, TraceHeaders};
pub(crate) use wall_clock::{since_1970, unix_time};
pub(crate) use warnings::Warnings;
