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
        if call.expects_javascript() {
            return Vec::new();
        }
        let copied = CutoverCall {
            operation: call.operation(),
            root: call.request().root,
            is_personal: call.expects_privacy(),
        };
        let answered_by = route.candidate().map(|candidate| &*candidate.backend);
        let rules = self.copiers.iter().map(|copier| (copier.rule(), copier));
        let about = first_about(rules, &copied.operation.name).into_iter();
        about
            .filter_map(|(rule, copier)| {
                let to = CopyTo::of(rule, copied, answered_by)?;
                let (is_drawn, is_doubled) = (self.falls_into(rule.share), self.falls_into(rule.double));
                is_drawn.then(|| (Arc::clone(copier), CopyOrder { to, is_doubled }))
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
