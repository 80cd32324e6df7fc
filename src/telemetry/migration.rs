//! Metrics of copied calls.

use std::sync::Arc;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// The metrics of copied calls; clones share their values.
#[derive(Debug, Clone, Default)]
pub(crate) struct MigrationMetrics {
    compared: Family<ComparedLabels, Counter>,
    skipped: Family<SkippedLabels, Counter>,
    in_flight: Family<CopiedToLabels, Gauge>,
}

/// Counts a copy as running while it lives.
#[derive(Debug)]
pub(crate) struct CopyGuard(Gauge);

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ComparedLabels {
    backend: Arc<str>,
    operation: &'static str,
    class: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SkippedLabels {
    backend: Arc<str>,
    reason: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CopiedToLabels {
    backend: Arc<str>,
}

// === impl MigrationMetrics ===

impl MigrationMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "shadow_compared",
            "Copied calls whose answers were compared, by the worst class of difference",
            self.compared.clone(),
        );
        registry.register(
            "shadow_skipped",
            "Calls that a rule chose and that were not copied or not compared",
            self.skipped.clone(),
        );
        registry.register("shadow_in_flight", "Copies that run", self.in_flight.clone());
    }

    /// Counts a compared call; the name of the backend comes from the settings.
    pub(crate) fn compared(&self, backend: &Arc<str>, operation: &'static str, class: &'static str) {
        let labels = ComparedLabels {
            backend: Arc::clone(backend),
            operation,
            class,
        };
        self.compared.get_or_create(&labels).inc();
    }

    /// Counts a call that was chosen and not compared.
    pub(crate) fn skipped(&self, backend: &Arc<str>, reason: &'static str) {
        let labels = SkippedLabels {
            backend: Arc::clone(backend),
            reason,
        };
        self.skipped.get_or_create(&labels).inc();
    }

    /// Counts a copy as running.
    pub(crate) fn copying(&self, backend: &Arc<str>) -> CopyGuard {
        let labels = CopiedToLabels {
            backend: Arc::clone(backend),
        };
        let gauge = self.in_flight.get_or_create_owned(&labels);
        gauge.inc();
        CopyGuard(gauge)
    }
}

impl Drop for CopyGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}
