//! Settings of spans that are sent to a collector.

use std::time::Duration;

use url::Url;

use super::keys::form::COLLECTOR;
use super::keys::group::settings_group;
use super::keys::rule_form::SHARE;
use super::percentage::Percentage;

settings_group! {
    /// Spans of requests, sent to a collector of OpenTelemetry as OTLP over HTTP, see [traces.md](traces.md). Off
    /// without `endpoint`; then requests still carry their trace to the site.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TraceSettings {
        /// Base URL of the collector, as in `OTEL_EXPORTER_OTLP_ENDPOINT`: spans are sent to `/v1/traces` below it.
        /// Collectors listen at port 4318. The edge sends no credentials: a service that demands some is reached through
        /// a collector that has them.
        pub endpoint: Option<Url> = None => text(COLLECTOR), "no spans are made";
        /// Share of the traces that begin at the edge to record. A request that names its parent follows the parent's
        /// decision.
        pub sample: Percentage = Percentage::ALL => printed(SHARE);
        /// Maximum duration of one attempt to send.
        pub timeout: Duration = Duration::from_secs(10);
        /// Maximum number of spans that wait, 1 or more.
        pub queue: usize = 2048;
        /// Maximum number of spans that are sent at once, 1 or more.
        pub batch: usize = 512;
        /// Maximum time that a span waits for others.
        pub interval: Duration = Duration::from_secs(5);
    }
}
