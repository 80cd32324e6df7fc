//! One rule while the edge runs: its share, its guard, and the effects of a guard that trips.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use arc_swap::ArcSwap;
use parking_lot::{Mutex, MutexGuard};
use serde_json::{Value, json};
use tokio::sync::{Notify, watch};

use super::metrics::{CutoverResponse, MigrationMetrics};
use crate::cache::Cache;
use crate::server::Kept;
use crate::telemetry::unix_time;
use calendar_edge_core::cache::{Removal, RemovalCause};
use calendar_edge_core::migration::cutover::{
    PersistedRules, Placer, RuleControl, RuleEvent, RuleRecord, SharedCounts,
};
use calendar_edge_core::settings::{CutoverRule, Percentage};

/// A rule; clones of the stack share it, and it outlives reloads.
#[derive(Debug)]
pub(crate) struct RuleState {
    pub(crate) name: Arc<str>,
    /// The share in millionths, for calls that only read it.
    share: AtomicU32,
    /// True while its calls are returned, for calls under way.
    returned: watch::Sender<bool>,
    control: Mutex<RuleControl>,
    means: Means,
}

/// The means by which a change of a share takes effect.
#[derive(Debug, Clone)]
pub(super) struct Means {
    pub(super) cache: Arc<Cache>,
    pub(super) kept: Arc<Kept<PersistedRules>>,
    /// Another one after a reload that joins a fleet.
    pub(super) placer: Arc<ArcSwap<Placer>>,
    /// Notified of changes that the other edges of the fleet have to receive.
    pub(super) changed: Arc<Notify>,
    pub(super) metrics: MigrationMetrics,
}

// === impl RuleState ===

impl RuleState {
    pub(super) fn new(rule: &CutoverRule, standing: RuleRecord, means: Means) -> Self {
        let control = RuleControl::new(rule.clone(), standing);
        let this = Self {
            name: rule.name.as_str().into(),
            share: AtomicU32::new(control.share().millionths()),
            returned: watch::Sender::new(false),
            control: Mutex::new(control),
            means,
        };
        this.show(&this.control.lock());
        this
    }

    /// Takes other settings.
    pub(super) fn adopt(&self, rule: &CutoverRule) {
        let mut control = self.control.lock();
        if control.rule != *rule {
            control.adopt(rule.clone());
            self.show(&control);
        }
    }

    /// The share of clients that the rule takes now.
    pub(crate) fn share(&self) -> Percentage {
        Percentage::of_millionths(self.share.load(Ordering::Relaxed))
    }

    /// True if the site serves all calls of the rule.
    pub(crate) fn is_returned(&self) -> bool {
        *self.returned.borrow()
    }

    /// Ends when the site serves all calls of the rule.
    pub(crate) async fn returned(&self) {
        // The sender lives as long as the rule.
        let _ = self
            .returned
            .subscribe()
            .wait_for(|is_returned| *is_returned)
            .await;
    }

    /// Counts a call that the rule is about.
    pub(crate) fn served(&self, by: CutoverResponse) {
        self.means.metrics.served(&self.name, by);
    }

    /// Counts an event of a client's call. If that trips the guard, the site serves every call from now on.
    pub(crate) fn observe(&self, event: RuleEvent, client: Option<IpAddr>) {
        let client = self.means.placer.load().client(client);
        let mut control = self.control.lock();
        let reason = control.observe(event, client, unix_time());
        self.apply(reason, control);
    }

    /// Takes clients again after the guard has returned them; false if it has not.
    pub(super) fn resume(&self) -> bool {
        let mut control = self.control.lock();
        let is_resumed = control.resume(unix_time());
        self.show(&control);
        let standing = control.standing.clone();
        drop(control);
        if is_resumed {
            tracing::warn!(rule = &*self.name, "an operator has resumed a rule");
            self.changed(standing);
        }
        is_resumed
    }

    /// Takes the standing that the store of the fleet holds; none: it has none.
    pub(crate) fn merge(&self, fleet: Option<&RuleRecord>) {
        let mut control = self.control.lock();
        let before = control.standing.clone();
        let is_changed = control.merge(fleet);
        if is_changed {
            self.show(&control);
        }
        let (standing, share) = (control.standing.clone(), control.share());
        if is_changed {
            drop(control);
            let reason = standing.returned.as_ref().map(|returned| &*returned.reason);
            tracing::warn!(rule = &*self.name, %share, reason, "another edge has changed the share of a rule");
            self.changed(standing);
        } else if standing != before {
            // While no other change can be kept before it.
            self.keep(standing);
        }
    }

    /// Notes that the store has taken the standing of this version.
    pub(crate) fn confirm(&self, version: u64) {
        let mut control = self.control.lock();
        control.confirm(version);
        self.keep(control.standing.clone());
    }

    /// The recent counts of this edge, for the other edges.
    pub(crate) fn counts_to_send(&self) -> Vec<SharedCounts> {
        self.control.lock().counts_to_send(unix_time())
    }

    /// Takes the counts of other edges in a slot.
    pub(crate) fn take_counts(&self, slot: &str, others: &[SharedCounts]) {
        let mut control = self.control.lock();
        let reason = control.take_counts(slot, others, unix_time());
        self.apply(reason, control);
    }

    /// The standing, which outlives a restart.
    pub(crate) fn standing(&self) -> RuleRecord {
        self.control.lock().standing.clone()
    }

    /// Logs the reason for which the guard has returned the calls, if it has, and does what follows from it.
    fn apply(&self, reason: Option<String>, control: MutexGuard<'_, RuleControl>) {
        let Some(reason) = reason else { return };
        self.show(&control);
        let standing = control.standing.clone();
        drop(control);
        self.means.metrics.returned(&self.name);
        tracing::error!(
            rule = &*self.name,
            %reason,
            "the guard has returned all calls of a rule to the site, until an operator resumes it"
        );
        self.changed(standing);
    }

    /// The reason why the guard has returned the calls of the rule; none: it has not.
    pub(super) fn return_reason(&self) -> Option<String> {
        let control = self.control.lock();
        let returned = control.standing.returned.as_ref();
        returned.map(|returned| returned.reason.clone())
    }

    /// The rule in short, with the outcomes of its calls.
    pub(super) fn status(&self, calls: &BTreeMap<&'static str, u64>) -> Value {
        let control = self.control.lock();
        let rule = &control.rule;
        json!({
            "name": rule.name,
            "backend": rule.backend,
            "share_percent": f64::from(control.share().millionths()) / 10_000.0,
            "returned": control.standing.returned,
            "calls": calls,
        })
    }

    /// The rule and its guard for operators.
    pub(super) fn to_json(&self) -> Value {
        let control = self.control.lock();
        let (rule, standing) = (&control.rule, &control.standing);
        let operations: Vec<String> = rule.operations.iter().map(ToString::to_string).collect();
        json!({
            "name": rule.name,
            "backend": rule.backend,
            "operations": operations,
            "methods": rule.methods.name(),
            "fallback": rule.fallback,
            "same_store": rule.same_store,
            "share": control.share().to_string(),
            "returned": standing.returned,
            "guard": guard(&control),
        })
    }

    /// Keeps the state over a restart. The file is written on another thread.
    pub(super) fn keep(&self, standing: RuleRecord) {
        self.means.kept.change().keep(&self.name, standing);
        self.means.kept.write_soon();
    }

    fn changed(&self, standing: RuleRecord) {
        // A stored response of one backend is not that of another one.
        self.means
            .cache
            .begin_removal(&Removal::All, RemovalCause::Cutover);
        self.keep(standing);
        self.means.changed.notify_one();
    }

    fn show(&self, control: &RuleControl) {
        let share = control.share();
        self.share.store(share.millionths(), Ordering::Relaxed);
        let is_returned = control.standing.returned.is_some();
        self.returned.send_replace(is_returned);
        self.means.metrics.share_is(&self.name, share, is_returned);
    }
}

fn guard(control: &RuleControl) -> Value {
    let Some(guard) = &control.guard else {
        return Value::Null;
    };
    let counts = guard.counts(unix_time());
    json!({
        "calls": counts.calls,
        "failed": counts.failed,
        "compared": counts.compared,
        "different": counts.different,
    })
}
