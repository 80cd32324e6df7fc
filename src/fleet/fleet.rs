//! This edge's place in its fleet: the state that the exchange and its subjects share, and its status for operators.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arc_swap::{ArcSwap, ArcSwapOption};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use url::Url;
use uuid::Uuid;

use super::configuration;
use super::fleet_status;
use super::metrics::FleetMetrics;
use super::shared_limits::FleetLimits;
use super::store_fault::StoreFault;
use crate::companion::{Companions, Connectivity};
use crate::migration::Migration;
use crate::server::Subject;
use crate::telemetry::{Metrics, Warnings, unix_time};
use calendar_edge_core::companion::mark::{Seal, SealFault};
use calendar_edge_core::concerns::{Figures, FleetFigures};
use calendar_edge_core::fleet::{FleetKey, FleetMember, FleetStanding, MemberTable, SealedText};
use calendar_edge_core::settings::{FleetSettings, Settings};
use calendar_edge_core::unix_time::UnixTime;

/// This edge as one of a fleet.
#[derive(Debug)]
pub(crate) struct Fleet {
    /// The name of this edge: a random number, which each process has anew.
    pub(super) edge: String,
    started: UnixTime,
    config: watch::Sender<FleetConfig>,
    pub(super) companions: Arc<Companions>,
    pub(super) migration: Migration,
    /// Another edge has sent that a rule has changed.
    are_rules_old: AtomicBool,
    /// The limits that the edges hold together.
    pub(crate) limits: FleetLimits,
    pub(crate) metrics: FleetMetrics,
    warnings: Warnings,
    key: ArcSwapOption<FleetKey>,
    members: ArcSwap<MemberTable>,
    standing: Mutex<FleetStanding>,
    /// Cancelled once the edge ends: one more pipeline is exchanged.
    pub(super) leaving: CancellationToken,
}

/// The settings of the fleet, and the hash by which edges compare their configurations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct FleetConfig {
    pub(super) settings: FleetSettings,
    configuration: String,
}

impl Subject for Fleet {
    /// Another store is connected anew.
    fn adapt(&self, settings: &Settings) {
        let config = FleetConfig::of(settings);
        if config.settings.is_set() {
            self.metrics.expect();
        }
        self.config.send_if_modified(|now| {
            let is_new = *now != config;
            if now.settings != config.settings {
                self.limits.begin(&config.settings);
            }
            *now = config;
            is_new
        });
    }

    /// None without a store.
    fn status(&self) -> Value {
        let config = self.config.borrow();
        let standing = self.standing.lock();
        let members = self.members.load();
        let shown = config
            .settings
            .is_set()
            .then(|| fleet_status::status(&self.edge, &standing, &members));
        json!({ "fleet": shown })
    }

    /// None without a store.
    fn add_figures(&self, figures: &mut Figures) {
        let is_set = self.config.borrow().settings.is_set();
        let members = self.members.load();
        figures.fleet = is_set.then(|| FleetFigures {
            fault: self.standing.lock().fault.clone(),
            clock_off: self.metrics.clock_offset(),
            versions: members.versions(),
            configurations: members.configurations(),
        });
    }
}

// === impl Fleet ===

impl Fleet {
    /// An edge that has not exchanged anything yet.
    pub(crate) fn new(
        settings: &Settings,
        companions: &Arc<Companions>,
        migration: &Migration,
        metrics: &Metrics,
        warnings: &Warnings,
    ) -> Arc<Self> {
        let metrics = metrics.register(FleetMetrics::new);
        let edge: String = Uuid::new_v4().simple().to_string().chars().take(16).collect();
        let this = Arc::new(Self {
            edge,
            started: unix_time(),
            config: watch::Sender::new(FleetConfig::default()),
            companions: companions.clone(),
            migration: migration.clone(),
            are_rules_old: AtomicBool::new(true),
            limits: FleetLimits::new(&metrics),
            metrics,
            warnings: warnings.clone(),
            key: ArcSwapOption::empty(),
            members: ArcSwap::default(),
            standing: Mutex::default(),
            leaving: CancellationToken::new(),
        });
        this.adapt(settings);
        this
    }

    /// The settings, and word of each change.
    pub(super) fn config(&self) -> watch::Receiver<FleetConfig> {
        self.config.subscribe()
    }

    /// Begins to use a key, with a store that was not used yet.
    pub(super) fn use_key(&self, key: Option<Arc<FleetKey>>) {
        let connectivity = if key.is_some() {
            Connectivity::Alone
        } else {
            Connectivity::None
        };
        self.key.store(key);
        self.companions.announcements.set_connectivity(connectivity);
        self.members.store(Arc::default());
        *self.standing.lock() = FleetStanding::default();
    }

    /// Notes that another edge has changed a rule.
    pub(super) fn rules_have_changed(&self) {
        self.are_rules_old.store(true, Ordering::Release);
        self.migration.note_change();
    }

    /// True if another edge has changed a rule since the last call.
    pub(super) fn take_rules_changed(&self) -> bool {
        self.are_rules_old.swap(false, Ordering::AcqRel)
    }

    /// The hash by which all edges know a root.
    pub(super) fn hash_of(&self, root: &Url) -> u64 {
        let key = self.key.load();
        key.as_ref()
            .map_or(0, |key| key.hash.of(root.as_str().as_bytes()))
    }

    /// Seals a text in the name of this edge.
    pub(super) fn seal(&self, kind: &str, body: String) -> SealedText {
        let text = SealedText::unsealed(kind, &self.edge, body);
        match &*self.key.load() {
            Some(key) => key.seal(text, unix_time(), Uuid::new_v4().into_bytes()),
            None => text,
        }
    }

    /// Opens the seal of another edge.
    pub(super) fn open(&self, sealed: &SealedText) -> Result<Seal, SealFault> {
        let key = self.key.load();
        key.as_ref().ok_or(SealFault::Forged)?.open(sealed)
    }

    /// The line of this edge in the table of members.
    pub(super) fn member(&self) -> FleetMember {
        let config = self.config.borrow();
        FleetMember {
            edge: self.edge.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            configuration: config.configuration.clone(),
            started: self.started.as_secs(),
            demand: self.limits.permits.lock().demand(),
        }
    }

    /// Takes the table of members.
    pub(super) fn take_members(&self, members: MemberTable) {
        self.metrics.count_members(
            members.members.len(),
            members.versions(),
            members.configurations(),
        );
        self.limits.take_members(&members, &self.edge);
        self.members.store(Arc::new(members));
    }

    /// Notes an exchange that succeeded; `is_whole` means that this edge was written among the members.
    pub(super) fn exchanged(&self, duration: Duration, is_whole: bool) {
        self.metrics.exchanged(duration);
        let mut standing = self.standing.lock();
        standing.exchange = duration;
        if standing.is_together || !is_whole {
            return;
        }
        let alone = standing.join(unix_time());
        drop(standing);
        self.metrics.is_up(true);
        self.limits.logins.open(true);
        self.companions
            .announcements
            .set_connectivity(Connectivity::Together);
        tracing::info!(
            edge = self.edge,
            alone_seconds = alone.as_secs_f64(),
            "this edge is together with its fleet"
        );
    }

    /// Notes that the store is of no use now.
    pub(super) fn is_alone(&self, fault: &StoreFault) {
        self.metrics.is_up(false);
        self.limits.logins.open(false);
        let was_together = self.standing.lock().part(unix_time(), fault.to_string());
        self.companions
            .announcements
            .set_connectivity(Connectivity::Alone);
        if was_together {
            let fault = fault.to_string();
            tracing::warn!(
                fault,
                "the store of the fleet cannot be used: this edge acts alone"
            );
        }
    }

    /// Counts a text in the store that no edge of this fleet has written so, with a log line at most once a minute: any
    /// writer to the store can cause it.
    pub(super) fn refused(&self, fault: &StoreFault) {
        self.metrics.failed(fault.kind);
        let (kind, fault) = (fault.kind.name(), fault.to_string());
        self.warnings.warn_of_strangers(kind, move |count| {
            tracing::warn!(fault, count, "a message of another edge is refused");
        });
    }

    /// The same about messages that were lost.
    pub(super) fn warn_of_gap(&self, cause: &'static str) {
        self.warnings.warn_of_strangers(cause, move |count| {
            tracing::warn!(
                cause,
                count,
                "messages of other edges were lost: all stored responses are removed"
            );
        });
    }
}

// === impl FleetConfig ===

impl FleetConfig {
    fn of(settings: &Settings) -> Self {
        // Without a fleet there is nothing to compare it with.
        let is_set = settings.fleet.is_set();
        let configuration = is_set.then(|| configuration::hash(settings));
        Self {
            settings: settings.fleet.clone(),
            configuration: configuration.unwrap_or_default(),
        }
    }
}
