//! The findings about all backends and rules, as one value that survives every reload.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::backend_findings::BackendFindings;
use super::kept_rules;
use super::metrics::MigrationMetrics;
use super::rule_state::{Means, RuleState};
use crate::cache::Cache;
use crate::server::Subject;
use crate::server::{Drain, Keep, Kept};
use crate::telemetry::{Metrics, unix_time};
use calendar_edge_core::cache::{Removal, RemovalCause};
use calendar_edge_core::concerns::Figures;
use calendar_edge_core::fleet::FleetKey;
use calendar_edge_core::migration::comparison::DifferenceClass;
use calendar_edge_core::migration::cutover::{Placer, RuleEvent, ShareKey};
use calendar_edge_core::settings::{BackendSettings, CompareSettings, CutMethods, CutoverRule, Settings};
use calendar_edge_judge::contract::table;

/// The findings about all backends and rules; clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Migration {
    shared: Arc<MigrationState>,
}

#[derive(Debug)]
struct MigrationState {
    findings: Arc<Kept<Findings>>,
    rule_states: Mutex<BTreeMap<String, Arc<RuleState>>>,
    /// The rules in use, in their order.
    rules: Mutex<Vec<CutoverRule>>,
    /// The backends beside the site.
    candidates: Mutex<Vec<BackendSettings>>,
    means: Means,
}

/// The findings about backends by name.
type Findings = BTreeMap<String, Arc<BackendFindings>>;

/// The reports and the noise of all backends, to be written.
#[derive(Serialize)]
struct WrittenFindings(#[serde(serialize_with = "reports")] Findings);

/// The file of findings in the directory of the settings.
const FINDINGS_FILE: &str = "findings.json";

impl Subject for Migration {
    /// Rules apply from now on, and findings about backends that are gone are dropped.
    fn adapt(&self, settings: &Settings) {
        let mut findings = self.shared.findings.lock();
        findings.retain(|name, _| settings.backends.iter().any(|backend| backend.name == *name));
        for backend in &settings.backends {
            findings
                .entry(backend.name.clone())
                .or_insert_with(|| Arc::new(BackendFindings::new(&settings.compare, None)))
                .adapt(&settings.compare);
        }
        drop(findings);
        *self.shared.candidates.lock() = settings.candidates().collect();
        self.expect(settings);
        let kept = &self.shared.means.kept;
        kept.move_to(settings.state_file(kept_rules::FILE));
        self.shared.findings.move_to(settings.state_file(FINDINGS_FILE));
        self.shared
            .rule_states
            .lock()
            .retain(|name, _| settings.cutover.iter().any(|rule| rule.name == *name));
        self.shared
            .means
            .placer
            .store(Arc::new(placer(settings, kept.lock().share_key)));
        for rule in &settings.cutover {
            self.rule_state(rule).adopt(rule);
        }
        self.take_rules(&settings.cutover);
    }

    /// The rules in use, in their order, and the backends that got copies, or should have.
    fn status(&self) -> Value {
        json!({ "cutover": self.moved(), "shadow": self.copied() })
    }

    fn add_figures(&self, figures: &mut Figures) {
        figures.returned = self.returned();
    }

    fn keep_files(&self, drain: &Drain) {
        self.shared.findings.keep_up(drain);
        self.shared.means.kept.keep_up(drain);
    }
}

// === impl Migration ===

impl Migration {
    /// The state that earlier runs have kept about the rules and backends of these settings.
    pub(crate) fn new(settings: &Settings, cache: &Arc<Cache>, metrics: &Metrics) -> Self {
        let kept = kept_rules::open(settings);
        let placer = placer(settings, kept.lock().share_key);
        let means = Means {
            cache: cache.clone(),
            placer: Arc::new(ArcSwap::from_pointee(placer)),
            kept,
            changed: Arc::default(),
            metrics: metrics.register(MigrationMetrics::new),
        };
        let file = settings.state_file(FINDINGS_FILE);
        let reports: BTreeMap<String, Value> = Kept::<Findings>::read(file.as_deref())
            .unwrap_or_default()
            .unwrap_or_default();
        let findings = reports.into_iter().map(|(backend, report)| {
            let findings = BackendFindings::new(&settings.compare, Some(report));
            (backend, Arc::new(findings))
        });
        let this = Self {
            shared: Arc::new(MigrationState {
                findings: Kept::new(file, findings.collect()),
                rule_states: Mutex::default(),
                rules: Mutex::new(settings.cutover.clone()),
                candidates: Mutex::default(),
                means,
            }),
        };
        this.adapt(settings);
        this
    }

    /// Creates the series of these rules with zero.
    fn expect(&self, settings: &Settings) {
        let metrics = self.metrics();
        for rule in &settings.shadow {
            let operations = table().operations().iter();
            let copied =
                operations.filter(|operation| !operation.is_write() && rule.is_about(&operation.name));
            let copied = copied.map(|operation| operation.name.as_str());
            metrics.expect_copies(&rule.backend, copied);
        }
        for rule in &settings.cutover {
            metrics.expect_rule(&rule.name.as_str().into());
        }
    }

    /// Removes stored responses if other backends may serve calls from now on.
    fn take_rules(&self, rules: &[CutoverRule]) {
        let mut known = self.shared.rules.lock();
        if *known != rules {
            *known = rules.to_vec();
            drop(known);
            let cache = &self.shared.means.cache;
            cache.begin_removal(&Removal::All, RemovalCause::Cutover);
        }
    }

    /// The findings about one backend.
    pub(crate) fn of(&self, backend: &str, compare: &CompareSettings) -> Arc<BackendFindings> {
        let mut findings = self.shared.findings.lock();
        let found = findings
            .entry(backend.to_owned())
            .or_insert_with(|| Arc::new(BackendFindings::new(compare, None)));
        Arc::clone(found)
    }

    /// The state of one rule.
    pub(crate) fn rule_state(&self, rule: &CutoverRule) -> Arc<RuleState> {
        let mut rule_states = self.shared.rule_states.lock();
        let found = rule_states.entry(rule.name.clone()).or_insert_with(|| {
            let means = self.shared.means.clone();
            let standing = means.kept.lock().standing(rule, unix_time());
            let rule_state = RuleState::new(rule, standing, means);
            rule_state.keep(rule_state.standing());
            Arc::new(rule_state)
        });
        Arc::clone(found)
    }

    /// Counts an event of a copy, of a call of this client, at the guards of all rules about the operation and the
    /// backend.
    pub(super) fn observe(&self, event: RuleEvent, backend: &str, operation: &str, client: Option<IpAddr>) {
        let concerned: Vec<String> = self
            .shared
            .rules
            .lock()
            .iter()
            .filter(|rule| rule.backend == backend && rule.is_about(operation, CutMethods::Reads))
            .map(|rule| rule.name.clone())
            .collect();
        for name in concerned {
            let rule_state = self.shared.rule_states.lock().get(&name).map(Arc::clone);
            if let Some(rule_state) = rule_state {
                rule_state.observe(event, client);
            }
        }
    }

    /// Notes that there are findings to be written.
    pub(crate) fn keep_findings(&self) {
        self.shared.findings.mark();
    }

    /// Resumes a rule: true if the guard had returned its calls; none for an unknown rule.
    pub(crate) fn resume(&self, rule: &str) -> Option<bool> {
        let rule_state = self.shared.rule_states.lock().get(rule).map(Arc::clone);
        rule_state.map(|rule_state| rule_state.resume())
    }

    /// All rules in their order with their guards, and the verdicts about all backends, for operators.
    pub(super) fn to_json(&self) -> Value {
        let rules: Vec<Value> = self.rule_states().iter().map(|rule| rule.to_json()).collect();
        let findings: Findings = self.shared.findings.lock().clone();
        let verdicts = findings.iter().map(|(name, found)| (name, found.verdicts()));
        json!({"rules": rules, "backends": verdicts.collect::<BTreeMap<_, _>>()})
    }

    /// The backends beside the site.
    pub(super) fn candidates(&self) -> Vec<BackendSettings> {
        self.shared.candidates.lock().clone()
    }

    /// The report about the backend of this name, or else about the only one; operations are ready if nothing worse
    /// than `accepted` was found.
    pub(super) fn report(&self, backend: Option<&str>, accepted: DifferenceClass) -> Option<Value> {
        let known = {
            let findings = self.shared.findings.lock();
            let found = match backend {
                Some(name) => findings.get(name),
                None => findings.values().next().filter(|_| findings.len() == 1),
            };
            Arc::clone(found?)
        };
        Some(known.to_json(accepted))
    }

    /// Finds the places of clients.
    pub(crate) fn placer(&self) -> Arc<Placer> {
        self.shared.means.placer.load_full()
    }

    /// The rules in use.
    pub(crate) fn rule_states(&self) -> Vec<Arc<RuleState>> {
        let rules: Vec<CutoverRule> = self.shared.rules.lock().clone();
        rules.iter().map(|rule| self.rule_state(rule)).collect()
    }

    /// The rules whose calls their guards have returned, with the reasons.
    pub(crate) fn returned(&self) -> Vec<(String, String)> {
        let rules = self.rule_states().into_iter();
        let returned = rules.filter_map(|rule| Some((rule.name.to_string(), rule.return_reason()?)));
        returned.collect()
    }

    /// Waits until the other edges of the fleet have to receive something about a rule.
    pub(crate) async fn next_change(&self) {
        self.shared.means.changed.notified().await;
    }

    /// Lets the fleet look at its rules at once.
    pub(crate) fn note_change(&self) {
        self.shared.means.changed.notify_one();
    }

    /// The counters.
    pub(crate) fn metrics(&self) -> &MigrationMetrics {
        &self.shared.means.metrics
    }
}

impl Keep for Findings {
    const WHAT: &'static str = "the report about backends";
    const UNREAD: &'static str = "its findings begin anew";

    fn document(&self) -> Option<impl Serialize + 'static> {
        Some(WrittenFindings(self.clone()))
    }
}

fn reports<S: Serializer>(findings: &Findings, serializer: S) -> Result<S::Ok, S::Error> {
    let findings = findings.iter();
    serializer.collect_map(findings.map(|(name, findings)| (name, findings.to_kept())))
}

/// Finds the places of clients: alike at every edge of a fleet, or else by the key that this edge keeps.
fn placer(settings: &Settings, own: ShareKey) -> Placer {
    let shared = FleetKey::of(&settings.fleet).map(|fleet| ShareKey::new(fleet.derive("share")));
    Placer::new(shared.unwrap_or(own))
}
