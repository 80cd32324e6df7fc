//! The state of backends that outlives a reload, by authority.

use std::collections::HashMap;
use std::sync::Arc;

use super::authority::Authority;
use super::breaker_handle::BreakerHandle;
use super::bulkhead::{Bulkhead, Capacity, most_exchanges};
use super::client::{ClientError, Clients};
use super::dial::Dial;
use super::retry::RetryBudget;
use super::tls::TlsConfigs;
use crate::telemetry::{BackendMetrics, ExchangeMetrics, Metrics, TrafficKind};
use calendar_edge_core::gateway::circle::CircleKey;
use calendar_edge_core::settings::BackendSettings;

/// Pools, permits, retry budgets and breakers of all backends; clones share them.
#[derive(Debug, Clone)]
pub(crate) struct SharedBackends {
    pub(super) backends: HashMap<Authority, SharedBackend>,
    metrics: Metrics,
    circle: Arc<CircleKey>,
    /// The number of threads that serve, each with connections of its own.
    threads: usize,
    /// The name in metrics and log lines; none: the authority of each.
    label: Option<Arc<str>>,
}

/// The state of one backend; clones share it.
#[derive(Debug, Clone)]
pub(super) struct SharedBackend {
    /// By which the edge recognises its own requests.
    pub(super) circle: Arc<CircleKey>,
    pub(super) clients: Clients,
    /// Permits of calendar calls.
    pub(super) calls: Arc<Bulkhead>,
    /// Permits of requests for the rest of the site.
    pub(super) site: Arc<Bulkhead>,
    /// Permits of uploads to the rest of the site, which hold them at the speed of their clients.
    pub(super) uploads: Arc<Bulkhead>,
    /// Permits of the pages that robots share.
    pub(super) robots: Arc<Bulkhead>,
    pub(super) retries: Arc<RetryBudget>,
    pub(super) breaker: BreakerHandle,
    pub(super) metrics: Arc<BackendMetrics>,
    /// Counts of its exchanges, by its label or as those of the site.
    pub(super) exchanges: ExchangeMetrics,
}

/// Maximum number of concurrent connections to the site: calls of all roots, pages of the
/// rest of the site, those of robots, and uploads.
pub(crate) fn most_connections(site: &BackendSettings) -> usize {
    let others = Authority::of_roots(site).len().saturating_sub(1);
    let calls = site.origin.max_in_flight.saturating_mul(others);
    most_exchanges(&site.origin).saturating_add(calls)
}

// === impl SharedBackends ===

impl SharedBackends {
    /// The state of a backend at start, for so many threads that serve.
    pub(crate) fn new(
        backend: &BackendSettings,
        metrics: Metrics,
        circle: &Arc<CircleKey>,
        threads: usize,
    ) -> Result<Self, ClientError> {
        Self::empty(metrics, circle, threads).adapt(backend)
    }

    /// No state.
    pub(super) fn empty(metrics: Metrics, circle: &Arc<CircleKey>, threads: usize) -> Self {
        Self {
            backends: HashMap::new(),
            metrics,
            circle: Arc::clone(circle),
            threads,
            label: None,
        }
    }

    /// The same for a backend that metrics and log lines call by a name.
    pub(super) fn labelled(mut self, label: String) -> Self {
        self.label = Some(label.into());
        self
    }

    /// The state for new settings; an authority that stays keeps each part whose settings have not changed.
    ///
    /// A changed number of permits begins a new count: until the running exchanges end, old and new ones are counted
    /// separately.
    pub(crate) fn adapt(&self, backend: &BackendSettings) -> Result<Self, ClientError> {
        let mut tls = TlsConfigs::default();
        let mut backends = HashMap::new();
        for authority in Authority::all(backend) {
            let before = self.backends.get(&authority);
            let state = SharedBackend::new(before, backend, &authority, &mut tls, self)?;
            backends.insert(authority, state);
        }
        Ok(Self {
            backends,
            ..self.clone()
        })
    }

    /// The permits of calls, which the edges of a fleet divide.
    pub(crate) fn permits(&self) -> impl Iterator<Item = Arc<Bulkhead>> {
        self.backends.values().map(|backend| Arc::clone(&backend.calls))
    }
}

// === impl SharedBackend ===

impl SharedBackend {
    /// The state of a backend; parts of the state before stay where their settings have not changed.
    fn new(
        before: Option<&Self>,
        backend: &BackendSettings,
        authority: &Authority,
        tls: &mut TlsConfigs,
        of: &SharedBackends,
    ) -> Result<Self, ClientError> {
        let label = of.label.as_deref();
        let metrics = of.metrics.backends().of(label.unwrap_or(authority.as_str()));
        let bulkhead = |known: Option<&Arc<Bulkhead>>, capacity: Capacity, traffic| {
            let kept = known.filter(|known| known.capacity == capacity).cloned();
            let new = || Arc::new(Bulkhead::new(metrics.name(), capacity, metrics.permits(traffic)));
            kept.unwrap_or_else(new)
        };
        let site = Capacity::of_site(&backend.origin);
        let dial = Dial::of(backend, authority);
        let clients = before.map(|before| &before.clients);
        let breaker = before.map(|before| &before.breaker);
        Ok(Self {
            circle: Arc::clone(&of.circle),
            clients: match clients.filter(|clients| clients.dial == dial) {
                Some(clients) => clients.clone(),
                None => Clients::new(dial, of.threads, tls)?,
            },
            calls: bulkhead(
                before.map(|before| &before.calls),
                Capacity::of_calls(&backend.origin, &backend.timeouts),
                TrafficKind::Calls,
            ),
            site: bulkhead(before.map(|before| &before.site), site, TrafficKind::Site),
            uploads: bulkhead(before.map(|before| &before.uploads), site, TrafficKind::Uploads),
            robots: bulkhead(
                before.map(|before| &before.robots),
                Capacity::of_robots(&backend.origin, &backend.timeouts),
                TrafficKind::Robots,
            ),
            retries: before.map_or_else(|| Arc::new(RetryBudget::new()), |before| before.retries.clone()),
            breaker: breaker
                .filter(|breaker| breaker.settings == backend.breaker)
                .cloned()
                .unwrap_or_else(|| BreakerHandle::new(&backend.breaker, metrics.clone())),
            exchanges: match label {
                Some(label) => of.metrics.exchanges().of(label),
                None => of.metrics.exchanges().site.clone(),
            },
            metrics,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calendar_edge_core::limits::Health;
    use calendar_edge_core::settings::{Root, Settings};

    fn settings(roots: &[&str]) -> BackendSettings {
        let mut settings = Settings::for_origin("http://a.example/wp-json".parse().unwrap());
        let first = settings.roots.remove(0);
        settings.roots.extend(roots.iter().map(|url| Root {
            origin_url: url.parse().unwrap(),
            ..first.clone()
        }));
        settings.site()
    }

    fn key() -> Arc<CircleKey> {
        Arc::new(CircleKey::new(None))
    }

    fn state<'a>(shared: &'a SharedBackends, url: &str) -> &'a SharedBackend {
        &shared.backends[&Authority::of(&url.parse().unwrap(), &settings(&[]).origin)]
    }

    #[test]
    fn each_authority_has_its_own_state() {
        let settings = settings(&[
            "http://a.example/wp-json",
            "http://a.example/de/wp-json",
            "http://b.example/wp-json",
        ]);
        let shared = SharedBackends::new(&settings, Metrics::new(), &key(), 0).unwrap();
        assert_eq!(shared.backends.len(), 2);
        let [a, b] = ["http://a.example", "http://b.example"].map(|url| state(&shared, url));
        assert!(!Arc::ptr_eq(&a.calls, &b.calls));
        assert!(!Arc::ptr_eq(&a.retries, &b.retries));
        assert_eq!(most_connections(&settings), 2 * 8 + 2 * 64 + 2);
    }

    #[test]
    fn an_authority_that_stays_keeps_what_the_settings_leave_unchanged() {
        let before = settings(&["http://a.example/wp-json"]);
        let shared = SharedBackends::new(&before, Metrics::new(), &key(), 0).unwrap();
        let mut after = settings(&["http://a.example/de/wp-json", "http://b.example/wp-json"]);
        after.origin.max_in_flight += 1;
        after.origin.site_in_flight = Some(before.origin.site_in_flight());

        let adapted = shared.adapt(&after).unwrap();

        let [old, new] = [&shared, &adapted].map(|shared| state(shared, "http://a.example"));
        assert!(!Arc::ptr_eq(&old.calls, &new.calls), "another number of permits");
        assert!(Arc::ptr_eq(&old.site, &new.site));
        assert!(Arc::ptr_eq(&old.retries, &new.retries));
        assert_eq!(adapted.backends.len(), 2);
    }

    #[test]
    fn failures_of_another_authority_are_not_inherited() {
        let mut before = settings(&["http://b.example/wp-json"]);
        before.breaker.failures = 1;
        let shared = SharedBackends::new(&before, Metrics::new(), &key(), 0).unwrap();
        let breaker = |shared: &SharedBackends, url| state(shared, url).breaker.admit();
        let guard = breaker(&shared, "http://b.example").unwrap();
        guard.report(Health::Outage);

        let adapted = shared
            .adapt(&settings_with(&before, "http://c.example/wp-json"))
            .unwrap();
        assert!(breaker(&adapted, "http://c.example").is_ok());
        let adapted = shared.adapt(&before).unwrap();
        assert!(breaker(&adapted, "http://b.example").is_err());
    }

    fn settings_with(settings: &BackendSettings, url: &str) -> BackendSettings {
        let mut settings = settings.clone();
        settings.roots[0].origin_url = url.parse().unwrap();
        settings
    }
}
