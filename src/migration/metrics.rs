//! Metrics of copied calls, and of calls that other backends serve.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use strum::VariantArray as _;

use crate::telemetry::GaugeGuard;
use crate::telemetry::series::{Counter, Gauge, NamedSums, metrics};
use calendar_edge_core::migration::comparison::DifferenceClass;
use calendar_edge_core::settings::Percentage;

metrics! {
    /// The metrics of copied and of moved calls; clones share their values.
    pub(crate) struct MigrationMetrics {
        cutover_calls: Counter["rule", "by"] =
            "Calls that a rule is about, by the source of the response: the backend, the site, or the site after the backend had \
             failed or its rule was returned";
        cutover_returned: Gauge["rule"] = "1 if the guard has returned all calls of a rule to the site";
        cutover_returns: Counter["rule"] = "How often the guard has returned the calls of a rule";
        cutover_share: Gauge<f64, AtomicU64>["rule"] = "The share of clients that a rule takes, from 0 to 1";
        identity_requests: Counter["outcome" in IdentityOutcome::VARIANTS] =
            "Callers whose identity a backend is to get, by the response of the site: an account or none, a refusal \
             of the credentials, no response, or an earlier response";
        shadow_compared: Counter["backend", "operation", "class"] =
            "Copied calls whose responses were compared, by the worst class of difference";
        shadow_in_flight: Gauge["backend"] = "Copies that run";
        shadow_skipped: Counter["backend", "reason"] =
            "Calls that a rule chose and that were not copied or not compared";
    }
}

/// The reason why a chosen call was not copied or not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(crate) enum CopySkip {
    /// As many copies run as may.
    InFlight,
    /// As many copies began in this second as may.
    Rate,
    /// The primary gave no response.
    #[strum(serialize = "owner_failed")]
    PrimaryFailed,
    /// The response is too large to be compared.
    TooLarge,
    /// The call could not be sent to the backend.
    Unavailable,
}

/// The backend that served a call of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(crate) enum CutoverResponse {
    /// The backend of the rule.
    Backend,
    /// The site, whose client the rule does not take.
    Site,
    /// The site, after the backend had failed or its rule was returned.
    Fallback,
}

/// The site's word on a caller, for a backend that gets identities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(crate) enum IdentityOutcome {
    /// The site responded, with an account or with none.
    Responded,
    /// The site refused the credentials.
    Refused,
    /// The site gave no response, or an unusable one.
    Failed,
    /// An earlier response holds.
    Remembered,
}

// === impl MigrationMetrics ===

impl MigrationMetrics {
    /// Creates the series of copies to a backend with zero: those of each operation that is copied.
    pub(crate) fn expect_copies(&self, backend: &str, operations: impl Iterator<Item = &'static str>) {
        let backend: &Arc<str> = &backend.into();
        for operation in operations {
            for class in DifferenceClass::ALL {
                let class: &'static str = class.into();
                self.shadow_compared
                    .expect([backend.into(), operation.into(), class.into()]);
            }
        }
        for reason in CopySkip::VARIANTS {
            self.shadow_skipped
                .expect([backend.into(), reason.into_str().into()]);
        }
        self.shadow_in_flight.expect([backend.into()]);
    }

    /// Creates the series of a rule with zero.
    pub(crate) fn expect_rule(&self, rule: &Arc<str>) {
        for by in CutoverResponse::VARIANTS {
            self.cutover_calls.expect([rule.into(), by.into_str().into()]);
        }
        self.cutover_returns.expect([rule.into()]);
    }

    /// Counts a compared call; the name of the backend comes from the settings.
    pub(crate) fn compared(&self, backend: &Arc<str>, operation: &'static str, class: DifferenceClass) {
        let class: &'static str = class.into();
        self.shadow_compared
            .add([backend.into(), operation.into(), class.into()], 1);
    }

    /// Counts a call that was chosen and not compared.
    pub(crate) fn skipped(&self, backend: &Arc<str>, skip: CopySkip) {
        self.shadow_skipped
            .add([backend.into(), skip.into_str().into()], 1);
    }

    /// Counts a call that a rule is about.
    pub(crate) fn served(&self, rule: &Arc<str>, by: CutoverResponse) {
        self.cutover_calls.add([rule.into(), by.into_str().into()], 1);
    }

    /// Shows the share of a rule, and whether the guard has returned its calls.
    pub(crate) fn share_is(&self, rule: &Arc<str>, share: Percentage, is_returned: bool) {
        let part = f64::from(share.millionths()) / 1_000_000.0;
        self.cutover_share.of([rule.into()]).set(part);
        self.cutover_returned.set([rule.into()], usize::from(is_returned));
    }

    /// Counts a return of calls to the site.
    pub(crate) fn returned(&self, rule: &Arc<str>) {
        self.cutover_returns.add([rule.into()], 1);
    }

    /// Counts a caller whose identity a backend is to get.
    pub(crate) fn identified(&self, outcome: IdentityOutcome) {
        self.identity_requests.add([outcome.into_str().into()], 1);
    }

    /// Compared calls by backend and class of difference, and skipped ones by backend and reason.
    pub(crate) fn copies(&self) -> (NamedSums, NamedSums) {
        let compared = self
            .shadow_compared
            .sums(|[backend, _, class]| (backend.text(), class.word()));
        let skipped = self
            .shadow_skipped
            .sums(|[backend, reason]| (backend.text(), reason.word()));
        (compared, skipped)
    }

    /// Calls by rule and by the backend that served them.
    pub(crate) fn served_by(&self) -> NamedSums {
        self.cutover_calls.sums(|[rule, by]| (rule.text(), by.word()))
    }

    /// Counts a copy as running.
    pub(crate) fn copying(&self, backend: &Arc<str>) -> GaugeGuard {
        GaugeGuard::raise(&self.shadow_in_flight.of([backend.into()]))
    }
}
