//! For unit tests of these stages: an edge with one backend beside the site, and one rule about it.

use std::sync::Arc;

use url::Url;

use super::callers::OtherBackends;
use super::cutover::{Cutover, Cutovers};
use super::rule_state::RuleState;
use super::state::Migration;
use crate::backend::BackendPools;
use crate::cache::Cache;
use crate::calls::fake_stage;
use crate::telemetry::Metrics;
use calendar_edge_core::gateway::circle::CircleKey;
use calendar_edge_core::migration::cutover::{Returned, RuleRecord};
use calendar_edge_core::relay::BufferBudget;
use calendar_edge_core::settings::{
    BackendSettings, CandidateSettings, CredentialsPolicy, CutMethods, CutoverRule, OperationPattern,
    Settings,
};

/// Settings with the ways to their backends.
pub(super) struct MigratingEdge {
    pub(super) settings: Settings,
    pub(super) site: BackendSettings,
    pub(super) others: OtherBackends,
    pub(super) cutovers: Cutovers,
}

/// The name of the backend.
pub(super) const NEXT: &str = "next";

/// A port at which nothing listens.
pub(super) fn nowhere() -> Url {
    "http://127.0.0.1:1/wp-json".parse().expect("a URL")
}

/// Settings with a backend at this URL.
pub(super) fn settings(url: Url) -> Settings {
    let mut settings = fake_stage::settings();
    settings.backends.push(CandidateSettings {
        namespace: "tribe/events/v1".to_owned(),
        credentials: CredentialsPolicy::Forward,
        ..CandidateSettings::at(NEXT.to_owned(), url)
    });
    settings
}

/// A rule that takes all calls about events.
pub(super) fn rule() -> CutoverRule {
    CutoverRule {
        name: "all".to_owned(),
        backend: NEXT.to_owned(),
        operations: vec![OperationPattern::parse("events.*").expect("operations")],
        methods: CutMethods::All,
        ..CutoverRule::default()
    }
}

// === impl MigratingEdge ===

impl MigratingEdge {
    pub(super) fn new(settings: Settings) -> Self {
        let (metrics, buffers) = (Metrics::new(), BufferBudget::new(1 << 20));
        let circle = Arc::new(CircleKey::new(None));
        let cache = Arc::new(Cache::new(&settings.cache, &metrics, &buffers));
        let site = settings.site();
        let others = OtherBackends {
            pools: BackendPools::new(&settings, metrics.clone(), &circle, 0).expect("clients"),
            callers: None,
            migration: Migration::new(&settings, &cache, &metrics),
        };
        Self {
            cutovers: Cutover::all(&settings, &site, &others, &buffers),
            settings,
            site,
            others,
        }
    }

    /// The state of the rule.
    pub(super) fn rule_state(&self) -> Arc<RuleState> {
        Arc::clone(&self.cutovers[0].as_ref().expect("a backend").rule_state)
    }
}

/// Returns the calls of a rule to the site, as another edge does.
pub(super) fn return_calls(rule_state: &RuleState) {
    let returned = Returned {
        reason: "a test".to_owned(),
        at: 1,
    };
    rule_state.merge(Some(&RuleRecord {
        returned: Some(returned),
        version: 1,
        ..RuleRecord::default()
    }));
    assert!(rule_state.is_returned());
}
