//! What is known about all backends, as one value that survives every reload.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::findings::BackendFindings;
use crate::settings::Settings;
use crate::telemetry::MigrationMetrics;

/// What is known about all backends; clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Migration {
    shared: Arc<MigrationState>,
}

#[derive(Debug)]
struct MigrationState {
    findings: Mutex<BTreeMap<String, Arc<BackendFindings>>>,
    metrics: MigrationMetrics,
}

// === impl Migration ===

impl Migration {
    /// Nothing known about the backends of these settings.
    pub(crate) fn new(settings: &Settings, metrics: MigrationMetrics) -> Self {
        let this = Self {
            shared: Arc::new(MigrationState {
                findings: Mutex::default(),
                metrics,
            }),
        };
        this.adapt(settings);
        this
    }

    /// Takes new settings: rules apply from now on, and what is known about backends that are gone is forgotten.
    pub(crate) fn adapt(&self, settings: &Settings) {
        let mut findings = self.findings();
        findings.retain(|name, _| settings.backends.iter().any(|backend| backend.name == *name));
        for backend in &settings.backends {
            findings
                .entry(backend.name.clone())
                .or_insert_with(|| Arc::new(BackendFindings::new(&settings.compare)))
                .adapt(&settings.compare);
        }
    }

    /// What is known about one backend.
    pub(crate) fn of(&self, backend: &str, settings: &Settings) -> Arc<BackendFindings> {
        let mut findings = self.findings();
        let found = findings
            .entry(backend.to_owned())
            .or_insert_with(|| Arc::new(BackendFindings::new(&settings.compare)));
        Arc::clone(found)
    }

    /// The report about the backend of this name, or else about the only one.
    pub(crate) fn report(&self, backend: Option<&str>) -> Option<serde_json::Value> {
        let known = {
            let findings = self.findings();
            let found = match backend {
                Some(name) => findings.get(name),
                None => findings.values().next().filter(|_| findings.len() == 1),
            };
            Arc::clone(found?)
        };
        Some(known.to_json())
    }

    /// The counters.
    pub(crate) fn metrics(&self) -> &MigrationMetrics {
        &self.shared.metrics
    }

    fn findings(&self) -> MutexGuard<'_, BTreeMap<String, Arc<BackendFindings>>> {
        // Each change under the lock is one call of the map.
        self.shared
            .findings
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
