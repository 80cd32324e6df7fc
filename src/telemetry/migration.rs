//! Metrics of copied calls, and of calls that other backends answer.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::counts::Counts;
use calendar_edge_core::settings::Percentage;

/// The metrics of copied and of moved calls; clones share their values.
#[derive(Debug, Clone, Default)]
pub(crate) struct MigrationMetrics {
    compared: Counts<ComparedLabels>,
    skipped: Counts<SkippedLabels>,
    in_flight: Family<CopiedToLabels, Gauge>,
    answered: Counts<AnsweredLabels>,
    shares: Family<RuleLabels, Gauge<f64, AtomicU64>>,
    is_returned: Family<RuleLabels, Gauge>,
    returns: Family<RuleLabels, Counter>,
}

/// Why a chosen call was not copied or not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CopySkip {
    /// As many copies run as may.
    InFlight,
    /// As many copies began in this second as may.
    Rate,
    /// The owner failed to answer.
    OwnerFailed,
    /// The answer is too large to be compared.
    TooLarge,
    /// The backend could not be asked.
    Unavailable,
}

/// Who answered a call that a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CutoverAnswer {
    /// The backend of the rule.
    Backend,
    /// The site, whose client the rule does not take.
    Site,
    /// The site, after the backend had failed.
    Fallback,
}

/// Counts by a name from the settings and a word from the code.
pub(crate) type NamedSums = Vec<((Arc<str>, &'static str), u64)>;

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

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AnsweredLabels {
    rule: Arc<str>,
    by: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RuleLabels {
    rule: Arc<str>,
}

// === impl MigrationMetrics ===

impl MigrationMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        self.compared.register(
            registry,
            "shadow_compared",
            "Copied calls whose answers were compared, by the worst class of difference",
        );
        self.skipped.register(
            registry,
            "shadow_skipped",
            "Calls that a rule chose and that were not copied or not compared",
        );
        registry.register("shadow_in_flight", "Copies that run", self.in_flight.clone());
        self.answered.register(
            registry,
            "cutover_calls",
            "Calls that a rule is about, by who answered: the backend, the site, or the site after the backend had failed",
        );
        registry.register(
            "cutover_share",
            "The share of clients that a rule takes, from 0 to 1",
            self.shares.clone(),
        );
        registry.register(
            "cutover_returned",
            "Whether the guard has returned all calls of a rule to the site",
            self.is_returned.clone(),
        );
        registry.register(
            "cutover_returns",
            "How often the guard has returned the calls of a rule",
            self.returns.clone(),
        );
    }

    /// Creates the series of copies to a backend with zero: those of each operation that is copied, by these classes.
    pub(crate) fn expect_copies(
        &self,
        backend: &str,
        operations: impl Iterator<Item = &'static str>,
        classes: &[&'static str],
    ) {
        let backend: Arc<str> = backend.into();
        for operation in operations {
            for &class in classes {
                let backend = Arc::clone(&backend);
                self.compared.expect(ComparedLabels {
                    backend,
                    operation,
                    class,
                });
            }
        }
        for skip in CopySkip::ALL {
            let backend = Arc::clone(&backend);
            let reason = skip.name();
            self.skipped.expect(SkippedLabels { backend, reason });
        }
        drop(self.in_flight.get_or_create(&CopiedToLabels { backend }));
    }

    /// Creates the series of a rule with zero.
    pub(crate) fn expect_rule(&self, rule: &Arc<str>) {
        for answer in CutoverAnswer::ALL {
            let by = answer.name();
            let rule = Arc::clone(rule);
            self.answered.expect(AnsweredLabels { rule, by });
        }
        let rule = Arc::clone(rule);
        drop(self.returns.get_or_create(&RuleLabels { rule }));
    }

    /// Counts a compared call; the name of the backend comes from the settings.
    pub(crate) fn compared(&self, backend: &Arc<str>, operation: &'static str, class: &'static str) {
        let labels = ComparedLabels {
            backend: Arc::clone(backend),
            operation,
            class,
        };
        self.compared.add(&labels);
    }

    /// Counts a call that was chosen and not compared.
    pub(crate) fn skipped(&self, backend: &Arc<str>, skip: CopySkip) {
        let labels = SkippedLabels {
            backend: Arc::clone(backend),
            reason: skip.name(),
        };
        self.skipped.add(&labels);
    }

    /// Counts a call that a rule is about.
    pub(crate) fn answered(&self, rule: &Arc<str>, by: CutoverAnswer) {
        let labels = AnsweredLabels {
            rule: Arc::clone(rule),
            by: by.name(),
        };
        self.answered.add(&labels);
    }

    /// Shows the share of a rule, and whether the guard has returned its calls.
    pub(crate) fn share_is(&self, rule: &Arc<str>, share: Percentage, is_returned: bool) {
        let labels = RuleLabels {
            rule: Arc::clone(rule),
        };
        let part = f64::from(share.millionths()) / 1_000_000.0;
        self.shares.get_or_create(&labels).set(part);
        self.is_returned
            .get_or_create(&labels)
            .set(i64::from(is_returned));
    }

    /// Counts a return of calls to the site.
    pub(crate) fn returned(&self, rule: &Arc<str>) {
        let labels = RuleLabels {
            rule: Arc::clone(rule),
        };
        self.returns.get_or_create(&labels).inc();
    }

    /// Compared calls by backend and class of difference, and skipped ones by backend and reason.
    pub(crate) fn copies(&self) -> (NamedSums, NamedSums) {
        let compared = self
            .compared
            .sums(|labels| (Arc::clone(&labels.backend), labels.class));
        let skipped = self
            .skipped
            .sums(|labels| (Arc::clone(&labels.backend), labels.reason));
        (compared, skipped)
    }

    /// Calls by rule and by who answered.
    pub(crate) fn answers(&self) -> NamedSums {
        self.answered.sums(|labels| (Arc::clone(&labels.rule), labels.by))
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

// === impl CopySkip ===

impl CopySkip {
    const ALL: [Self; 5] = [
        Self::InFlight,
        Self::Rate,
        Self::OwnerFailed,
        Self::TooLarge,
        Self::Unavailable,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::InFlight => "in_flight",
            Self::Rate => "rate",
            Self::OwnerFailed => "owner_failed",
            Self::TooLarge => "too_large",
            Self::Unavailable => "unavailable",
        }
    }
}

// === impl CutoverAnswer ===

impl CutoverAnswer {
    const ALL: [Self; 3] = [Self::Backend, Self::Site, Self::Fallback];

    const fn name(self) -> &'static str {
        match self {
            Self::Backend => "backend",
            Self::Site => "site",
            Self::Fallback => "fallback",
        }
    }
}

// === impl CopyGuard ===

impl Drop for CopyGuard {
    fn drop(&mut self) {
        self.0.dec();
    }
}
