//! What an operator sees: log lines and metrics.

mod backend;
mod causes;
mod certificate;
mod journal;
mod labels;
mod logs;
mod metrics;
mod reloads;
mod wall_clock;

pub(crate) use backend::{BackendMetrics, GaugeGuard, PermitMetrics, TrafficKind};
pub(crate) use causes::causes;
pub(crate) use journal::{Journal, Subject};
pub(crate) use labels::{class_label, method_label};
pub use logs::{LogError, LogFilter, install_logs, log_lines};
pub(crate) use metrics::{Exchange, FindingLabels, Inflight, Metrics, Served};
pub(crate) use wall_clock::unix_time;
