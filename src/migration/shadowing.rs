//! Copies of reads to another backend once their response is on its way.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::callers::OtherBackends;
use super::copier::{Copier, CopyOrder};
use super::dry_run::DryRunCall;
use crate::calls::{BackendResult, CalendarCall, CallRoute, Stage};
use calendar_edge_core::limits::FleetSize;
use calendar_edge_core::migration::cutover::CutoverCall;
use calendar_edge_core::migration::{CopyTo, first_about};
use calendar_edge_core::relay::RelayRules;
use calendar_edge_core::settings::{Percentage, Settings};
use calendar_edge_judge::call::ValidatedCall;

/// Copies reads that rules choose, after their response; the response itself passes unchanged.
#[derive(Debug)]
pub(crate) struct Shadowing<S> {
    pub(crate) inner: Arc<S>,
    /// None without a rule.
    pub(crate) shadows: Option<Shadows>,
}

/// All rules, with what draws from their shares.
#[derive(Debug)]
pub(crate) struct Shadows {
    copiers: Vec<Arc<Copier>>,
    draws: AtomicU64,
    hasher: RandomState,
}

// === impl Shadowing ===

impl<S: Stage<CalendarCall, BackendResult>> Stage<CalendarCall, BackendResult> for Shadowing<S> {
    async fn call(&self, call: CalendarCall) -> BackendResult {
        let Some(shadows) = &self.shadows else {
            return self.inner.call(call).await;
        };
        let Some(read) = call.call.validated() else {
            return self.inner.call(call).await;
        };
        let drawn = shadows.draw(read, &call.route);
        if drawn.is_empty() {
            return self.inner.call(call).await;
        }
        let copy = Arc::new(DryRunCall::copy_of(read, &call.client));
        let result = self.inner.call(call).await;
        for (copier, order) in drawn {
            copier.begin(&copy, &result, &self.inner, order);
        }
        result
    }
}

// === impl Shadows ===

impl Shadows {
    /// The rules of these settings; none without any.
    pub(crate) fn new(
        settings: &Settings,
        candidates: &OtherBackends,
        rules: &Arc<RelayRules>,
        edges: &FleetSize,
    ) -> Option<Self> {
        let shadows = settings.shadow.iter();
        let copiers: Vec<_> = shadows
            .filter_map(|rule| Copier::new(rule, &settings.compare, candidates, rules, edges))
            .map(Arc::new)
            .collect();
        (!copiers.is_empty()).then(|| Self {
            copiers,
            draws: AtomicU64::new(0),
            hasher: RandomState::new(),
        })
    }

    /// The rules that copy a call: the first one about it for each backend, if its share has drawn the call.
    fn draw(&self, call: &ValidatedCall, route: &CallRoute) -> Vec<(Arc<Copier>, CopyOrder)> {
        if call.expects_javascript {
            return Vec::new();
        }
        let copied = CutoverCall {
            operation: call.operation(),
            root: call.request().root,
            is_personal: call.expects_privacy,
        };
        let answered_by = route.candidate().map(|candidate| &*candidate.backend);
        let rules = self.copiers.iter().map(|copier| (&copier.rule, copier));
        let about = first_about(rules, &copied.operation.name).into_iter();
        about
            .filter_map(|(rule, copier)| {
                let to = CopyTo::of(rule, copied, answered_by)?;
                let (is_drawn, is_doubled) = (self.falls_into(rule.share), self.falls_into(rule.double));
                is_drawn.then(|| (Arc::clone(copier), (to, is_doubled)))
            })
            .collect()
    }

    /// Draws once.
    fn falls_into(&self, share: Percentage) -> bool {
        // A keyed hash of a counter: evenly spread, and unknown to clients.
        let draw = self.draws.fetch_add(1, Ordering::Relaxed);
        share.covers(self.hasher.hash_one(draw))
    }
}

#[cfg(test)]
#[expect(
    clippy::result_large_err,
    reason = "stages return the same result from a future"
)]
mod tests {
    use std::time::Duration;

    use http::StatusCode;
    use tokio::time::sleep;

    use super::super::fake_candidate::{MigratingEdge, NEXT, settings};
    use super::*;
    use crate::calls::CallFailure;
    use crate::calls::fake_backend::FakeBackend;
    use crate::calls::fake_stage::{EVENT, FakeStage, call, read, responded, rules};
    use calendar_edge_core::settings::{OperationPattern, ShadowRule};

    type Below = FakeStage<CalendarCall, BackendResult>;

    const MOMENT: Duration = Duration::from_millis(10);

    /// The stage with a rule that copies all reads to a silent backend, above a site that takes a moment.
    async fn shadowing(
        respond: impl Fn(&CalendarCall) -> BackendResult + Send + Sync + 'static,
    ) -> (Shadowing<Arc<Below>>, FakeBackend, MigratingEdge) {
        let next = FakeBackend::silent().await;
        let mut settings = settings(next.url.clone());
        settings.shadow.push(ShadowRule {
            backend: NEXT.to_owned(),
            operations: vec![OperationPattern::parse("*").expect("operations")],
            ..ShadowRule::default()
        });
        let edge = MigratingEdge::new(settings);
        let (settings, edges) = (&edge.settings, FleetSize::new(1));
        let below = FakeStage::later(move |call: &CalendarCall| {
            let result = respond(call);
            async move {
                sleep(MOMENT).await;
                result
            }
        });
        let stage = Shadowing {
            inner: Arc::new(below),
            shadows: Shadows::new(settings, &edge.others, &Arc::new(rules(settings)), &edges),
        };
        (stage, next, edge)
    }

    fn ok(call: &CalendarCall) -> BackendResult {
        responded(call, StatusCode::OK, "{}")
    }

    /// True once the backend gets a copy, which is waited for.
    async fn is_copied(next: &FakeBackend) -> bool {
        for _ in 0..5 {
            sleep(MOMENT).await;
            if next.requests() > 0 {
                return true;
            }
        }
        false
    }

    #[tokio::test]
    async fn a_copy_follows_the_response_and_delays_none() {
        let (stage, next, edge) = shadowing(ok).await;
        let call = stage.call(read(&edge.settings, "/events/56"));
        let early = async {
            sleep(MOMENT / 2).await;
            next.requests()
        };
        let (result, early) = tokio::join!(call, early);
        assert!(result.is_ok(), "the backend of the copy is silent");
        assert_eq!((early, next.requests()), (0, 0));
        assert!(is_copied(&next).await);
    }

    #[tokio::test]
    async fn only_valid_reads_that_succeed_and_show_no_credentials_are_copied() {
        let (stage, next, edge) = shadowing(|call| match call.call.request().route.number() {
            Some(56) => ok(call),
            _ => Err(CallFailure::Overdue),
        })
        .await;
        let mut report = edge.settings.clone();
        report.mode = calendar_edge_core::settings::Mode::Report;
        for call in [
            call(&edge.settings, "PUT", "/events/56", EVENT),
            read(&edge.settings, "/events/56?password=secret"),
            read(&edge.settings, "/events/57"),
            read(&report, "/events?page=none"),
        ] {
            let name = call.call.operation_name();
            let _ = stage.call(call).await;
            assert!(!is_copied(&next).await, "{name}");
        }
    }

    #[tokio::test]
    async fn a_read_of_the_backend_is_copied_to_the_site_and_to_no_third_backend() {
        let (stage, _, edge) = shadowing(ok).await;
        let call = read(&edge.settings, "/events/56");
        let read = call.call.validated().expect("a valid read");
        let by = |backend: &str| {
            CallRoute::Candidate(Arc::new(crate::calls::CandidateRoute {
                rule: 0,
                backend: backend.to_owned(),
                keys: calendar_edge_core::cache::KeySpace::new(&edge.site),
                falls_back: false,
            }))
        };
        let shadows = stage.shadows.as_ref().expect("a rule");
        let to = |route: &CallRoute| -> Vec<_> {
            let drawn = shadows.draw(read, route);
            drawn.into_iter().map(|(_, (to, _))| to).collect()
        };
        assert_eq!(to(&CallRoute::Primary), [CopyTo::Backend]);
        assert_eq!(to(&by(NEXT)), [CopyTo::Site]);
        assert_eq!(to(&by("third")), []);
    }
}
