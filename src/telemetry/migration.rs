//! Metrics of copied calls, and of calls that other backends answer.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use strum::VariantNames as _;

use super::permits::GaugeGuard;
use super::series::Series;
use super::table::{
    CUTOVER_CALLS, CUTOVER_RETURNED, CUTOVER_RETURNS, CUTOVER_SHARE, IDENTITY_QUESTIONS, SHADOW_COMPARED,
    SHADOW_IN_FLIGHT, SHADOW_SKIPPED,
};
use calendar_edge_core::settings::Percentage;

/// The metrics of copied and of moved calls; clones share their values.
#[derive(Debug, Clone)]
pub(crate) struct MigrationMetrics {
    compared: Series<Counter, 3>,
    skipped: Series<Counter, 2>,
    in_flight: Series<Gauge, 1>,
    answered: Series<Counter, 2>,
    shares: Series<Gauge<f64, AtomicU64>, 1>,
    is_returned: Series<Gauge, 1>,
    returns: Series<Counter, 1>,
    identities: Series<Counter, 1>,
}

/// Why a chosen call was not copied or not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(crate) enum CopySkip {
    /// As many copies run as may.
    InFlight,
    /// As many copies began in this second as may.
    Rate,
    /// The primary failed to answer.
    #[strum(serialize = "owner_failed")]
    PrimaryFailed,
    /// The answer is too large to be compared.
    TooLarge,
    /// The backend could not be asked.
    Unavailable,
}

/// Who answered a call that a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(crate) enum CutoverAnswer {
    /// The backend of the rule.
    Backend,
    /// The site, whose client the rule does not take.
    Site,
    /// The site, after the backend had failed or its rule was returned.
    Fallback,
}

/// How the site named a caller for a backend that gets identities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(crate) enum IdentityOutcome {
    /// The site answered, with an account or with nobody.
    Answered,
    /// The site refused the credentials.
    Refused,
    /// The site did not answer, or with something else.
    Failed,
    /// An earlier answer holds.
    Remembered,
}

/// Counts by a name from the settings and a word from the code.
pub(crate) type NamedSums = Vec<((Arc<str>, &'static str), u64)>;

// === impl MigrationMetrics ===

impl MigrationMetrics {
    pub(super) fn new(registry: &mut Registry) -> Self {
        Self {
            compared: SHADOW_COMPARED.series(registry),
            skipped: SHADOW_SKIPPED.series(registry),
            in_flight: SHADOW_IN_FLIGHT.series(registry),
            answered: CUTOVER_CALLS.series(registry),
            shares: CUTOVER_SHARE.series(registry),
            is_returned: CUTOVER_RETURNED.series(registry),
            returns: CUTOVER_RETURNS.series(registry),
            identities: IDENTITY_QUESTIONS
                .series(registry)
                .with(IdentityOutcome::VARIANTS),
        }
    }

    /// Creates the series of copies to a backend with zero: those of each operation that is copied, by these classes.
    pub(crate) fn expect_copies(
        &self,
        backend: &str,
        operations: impl Iterator<Item = &'static str>,
        classes: &[&'static str],
    ) {
        let backend: &Arc<str> = &backend.into();
        for operation in operations {
            for &class in classes {
                self.compared
                    .expect([backend.into(), operation.into(), class.into()]);
            }
        }
        for &reason in CopySkip::VARIANTS {
            self.skipped.expect([backend.into(), reason.into()]);
        }
        self.in_flight.expect([backend.into()]);
    }

    /// Creates the series of a rule with zero.
    pub(crate) fn expect_rule(&self, rule: &Arc<str>) {
        for &by in CutoverAnswer::VARIANTS {
            self.answered.expect([rule.into(), by.into()]);
        }
        self.returns.expect([rule.into()]);
    }

    /// Counts a compared call; the name of the backend comes from the settings.
    pub(crate) fn compared(&self, backend: &Arc<str>, operation: &'static str, class: &'static str) {
        self.compared
            .add([backend.into(), operation.into(), class.into()], 1);
    }

    /// Counts a call that was chosen and not compared.
    pub(crate) fn skipped(&self, backend: &Arc<str>, skip: CopySkip) {
        self.skipped.add([backend.into(), skip.into_str().into()], 1);
    }

    /// Counts a call that a rule is about.
    pub(crate) fn answered(&self, rule: &Arc<str>, by: CutoverAnswer) {
        self.answered.add([rule.into(), by.into_str().into()], 1);
    }

    /// Shows the share of a rule, and whether the guard has returned its calls.
    pub(crate) fn share_is(&self, rule: &Arc<str>, share: Percentage, is_returned: bool) {
        let part = f64::from(share.millionths()) / 1_000_000.0;
        self.shares.of([rule.into()]).set(part);
        self.is_returned.of([rule.into()]).set(i64::from(is_returned));
    }

    /// Counts a return of calls to the site.
    pub(crate) fn returned(&self, rule: &Arc<str>) {
        self.returns.add([rule.into()], 1);
    }

    /// Counts a caller whose identity a backend is to get.
    pub(crate) fn identified(&self, outcome: IdentityOutcome) {
        self.identities.add([outcome.into_str().into()], 1);
    }

    /// Compared calls by backend and class of difference, and skipped ones by backend and reason.
    pub(crate) fn copies(&self) -> (NamedSums, NamedSums) {
        let compared = self
            .compared
            .sums(|[backend, _, class]| (backend.text(), class.word()));
        let skipped = self
            .skipped
            .sums(|[backend, reason]| (backend.text(), reason.word()));
        (compared, skipped)
    }

    /// Calls by rule and by who answered.
    pub(crate) fn answers(&self) -> NamedSums {
        self.answered.sums(|[rule, by]| (rule.text(), by.word()))
    }

    /// Counts a copy as running.
    pub(crate) fn copying(&self, backend: &Arc<str>) -> GaugeGuard {
        GaugeGuard::raise(&self.in_flight.of([backend.into()]))
    }
}
