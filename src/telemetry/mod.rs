//! Log lines and metrics for operators.

mod backend;
mod cache;
mod causes;
mod certificate;
mod exchanges;
mod indexes;
mod labels;
mod log_buffer;
mod logs;
mod metrics;
mod migration;
mod queue;
mod reloads;
mod request_log;
mod wall_clock;

pub(crate) use backend::{BackendMetrics, GaugeGuard, PermitMetrics, TrafficKind};
pub(crate) use cache::{CacheMetrics, OperationLookups};
pub(crate) use causes::causes;
pub(crate) use exchanges::ExchangeMetrics;
pub(crate) use labels::{class_label, method_label};
pub use log_buffer::LogFlush;
pub use logs::{LogError, LogFilter, install_logs, log_lines};
pub(crate) use metrics::{Exchange, FindingLabels, Inflight, Metrics, Served};
pub(crate) use migration::MigrationMetrics;
pub(crate) use request_log::{RequestLog, Traffic};
pub(crate) use wall_clock::{since_1970, unix_time};
