//! The contracts of all roots, and when to ask for them again.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;
use serde::Serialize;
use tokio::time::Instant;
use url::Url;

use crate::backend::NoContract;
use calendar_edge_core::companion::site_contract::{SiteContract, SiteVersions};
use calendar_edge_core::settings::Settings;

/// What the sites say about their other routes; clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct SiteContracts(Arc<RwLock<HashMap<Url, RootContract>>>);

/// The contract of one root.
#[derive(Debug, Default)]
struct RootContract {
    contract: Option<Arc<SiteContract>>,
    /// Why there is none.
    fault: Option<String>,
    /// When it was asked for last.
    asked: Option<Instant>,
    /// True until it is asked for: it may say something else by now.
    is_outdated: bool,
}

/// The contract of one root, as operators see it.
#[derive(Debug, Serialize)]
pub(crate) struct ShownContract {
    root: Url,
    versions: Option<SiteVersions>,
    locale: Option<Box<str>>,
    routes: usize,
    fault: Option<String>,
}

/// A contract is asked for again after this time, for sites that tell no edge what changes.
const LONGEST_LIFE: Duration = Duration::from_hours(1);

/// After a question without a usable answer, the next one comes so many times later than after a change.
const PATIENCE: u32 = 6;

// === impl SiteContracts ===

impl SiteContracts {
    /// Asks for the contracts of the roots in the settings from now on, if these want it, and of no others.
    pub(crate) fn adapt(&self, settings: &Settings) {
        let wanted = settings.roots.iter().filter(|_| settings.measure_schemas);
        let wanted: Vec<&Url> = wanted.map(|root| &root.origin_url).collect();
        let mut known = self.0.write();
        known.retain(|root, _| wanted.contains(&root));
        for root in wanted {
            known.entry(root.clone()).or_default();
        }
    }

    /// The contract of a root; none until it has come, and while it may be outdated.
    pub(crate) fn of(&self, root: &Url) -> Option<Arc<SiteContract>> {
        self.0.read().get(root)?.contract.clone()
    }

    /// Notes that anything may have changed.
    pub(super) fn outdate(&self) {
        for state in self.0.write().values_mut() {
            state.is_outdated = true;
            state.contract = None;
        }
    }

    /// The roots that are to be asked now. After a change there is this pause between two questions.
    pub(super) fn due(&self, pause: Duration) -> Vec<Url> {
        let now = Instant::now();
        let mut roots = self.0.write();
        let due = roots.iter_mut().filter(|(_, state)| state.is_due(pause, now));
        let due = due.map(|(root, state)| {
            state.asked = Some(now);
            state.is_outdated = false;
            root.clone()
        });
        due.collect()
    }

    /// Keeps what a root has answered, unless something has changed since it was asked.
    pub(super) fn took(&self, root: &Url, answer: Result<SiteContract, NoContract>) {
        let mut roots = self.0.write();
        let Some(state) = roots.get_mut(root).filter(|state| !state.is_outdated) else {
            return;
        };
        match answer {
            Ok(contract) => {
                state.contract = Some(Arc::new(contract));
                state.fault = None;
            }
            Err(fault) => {
                let fault = fault.to_string();
                if state.fault.as_ref() != Some(&fault) {
                    tracing::warn!(%root, %fault, "the companion plugin shows no contract of the site");
                }
                state.contract = None;
                state.fault = Some(fault);
            }
        }
    }

    /// All contracts for operators.
    pub(crate) fn shown(&self) -> Vec<ShownContract> {
        let roots = self.0.read();
        let mut shown: Vec<_> = roots.iter().map(|(root, state)| state.shown(root)).collect();
        shown.sort_by(|left, right| left.root.cmp(&right.root));
        shown
    }
}

// === impl RootContract ===

impl RootContract {
    fn is_due(&self, pause: Duration, now: Instant) -> bool {
        let wait = match (&self.contract, &self.fault) {
            (Some(_), _) => LONGEST_LIFE,
            (None, Some(_)) if !self.is_outdated => pause * PATIENCE,
            (None, _) => pause,
        };
        self.asked.is_none_or(|asked| now.duration_since(asked) >= wait)
    }

    fn shown(&self, root: &Url) -> ShownContract {
        let contract = self.contract.as_deref();
        ShownContract {
            root: root.clone(),
            versions: contract.map(|contract| contract.versions.clone()),
            locale: contract.map(|contract| contract.locale.clone()),
            routes: contract.map_or(0, |contract| contract.routes.len()),
            fault: self.fault.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: Duration = Duration::from_secs(10);

    fn contract() -> SiteContract {
        let json = r#"{"contract":1,"versions":{"wordpress":"6.7","php":"8.2.1","companion":"0.5.0"},"locale":"en_US","routes":[]}"#;
        SiteContract::parse(json.as_bytes()).unwrap()
    }

    fn measured() -> (SiteContracts, Url) {
        let mut settings = Settings::for_origin("http://wp.example/wp-json".parse().unwrap());
        settings.measure_schemas = true;
        let contracts = SiteContracts::default();
        contracts.adapt(&settings);
        (contracts, settings.roots.remove(0).origin_url)
    }

    #[tokio::test(start_paused = true)]
    async fn a_contract_is_asked_for_at_once_and_after_each_change() {
        let (contracts, root) = measured();
        assert_eq!(contracts.due(PAUSE), std::slice::from_ref(&root));
        assert!(contracts.due(PAUSE).is_empty(), "one question at a time");
        contracts.took(&root, Ok(contract()));
        assert!(contracts.of(&root).is_some());

        contracts.outdate();
        assert!(contracts.of(&root).is_none());
        assert!(contracts.due(PAUSE).is_empty(), "not twice within the pause");
        tokio::time::advance(PAUSE).await;
        assert_eq!(contracts.due(PAUSE).len(), 1);
        contracts.outdate();
        contracts.took(&root, Ok(contract()));
        assert!(contracts.of(&root).is_none(), "it may be older than the change");
        tokio::time::advance(PAUSE).await;
        assert_eq!(contracts.due(PAUSE).len(), 1);
        contracts.took(&root, Ok(contract()));
        tokio::time::advance(LONGEST_LIFE).await;
        assert_eq!(contracts.due(PAUSE).len(), 1, "again after a while");
    }

    #[tokio::test(start_paused = true)]
    async fn a_site_without_a_contract_is_asked_less_often() {
        let (contracts, root) = measured();
        contracts.due(PAUSE);
        contracts.took(&root, Err(NoContract::Unanswered));
        tokio::time::advance(PAUSE).await;
        assert!(contracts.due(PAUSE).is_empty());
        tokio::time::advance(PAUSE * PATIENCE).await;
        assert_eq!(contracts.due(PAUSE).len(), 1);
        contracts.adapt(&Settings::for_origin(root));
        assert!(contracts.shown().is_empty());
    }
}
