//! Replaces the settings of a running edge, all of them or none.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use tokio::sync::Notify;
use url::Url;

use super::edge_state::{EdgeState, room};
use crate::backend::{ClientError, with_stored_namespace};
use crate::companion::CompanionService;
use crate::config::ConfigError;
use crate::layers::CurrentStack;
use crate::observe::admin::{Admin, AdminParts, EdgeFacts, Pages, Readiness, Readings};
use crate::server::{Protocol, TlsAcceptor, TlsIdentity, TlsIdentityError, Worker};
use crate::telemetry::{LogError, Metrics, unix_time};
use calendar_edge_core::gateway::circle::CircleKey;
use calendar_edge_core::settings::{OriginNamespace, Settings};

/// Gives a running edge new settings.
#[derive(Debug, Clone)]
pub struct Reloader {
    inner: Arc<ReloaderState>,
}

#[derive(Debug)]
struct ReloaderState {
    in_use: Mutex<InUse>,
    stack: CurrentStack,
    protocol: Arc<ArcSwap<Protocol>>,
    pages: Arc<ArcSwap<Pages>>,
    companion_service: Arc<ArcSwap<CompanionService>>,
    tls: Option<TlsAcceptor>,
    metrics: Metrics,
    circle: Arc<CircleKey>,
    /// The configuration file that is followed, if there is one.
    file: Arc<OnceLock<PathBuf>>,
    /// Notified after each reload.
    reloaded: Notify,
}

/// The settings in use with the state and the certificate that belong to them.
#[derive(Debug)]
struct InUse {
    settings: Settings,
    state: EdgeState,
    identity: Option<TlsIdentity>,
}

/// The reason why new settings were refused. All old settings stay in use.
#[derive(Debug, thiserror::Error)]
pub enum ReloadError {
    /// The configuration is wrong.
    #[error(transparent)]
    Configuration(#[from] ConfigError),
    /// The way to the origin could not be set up.
    #[error(transparent)]
    Upstream(#[from] ClientError),
    /// The certificate or its key cannot be used.
    #[error(transparent)]
    Certificate(#[from] TlsIdentityError),
    /// The log cannot be filtered like that.
    #[error(transparent)]
    Log(#[from] LogError),
}

// === impl Reloader ===

impl Reloader {
    pub(super) fn new(settings: Settings, state: EdgeState, tls: Option<(TlsIdentity, TlsAcceptor)>) -> Self {
        let (stack, companion_service) = state.serve(&settings);
        let protocol = protocol(&settings);
        let (identity, tls) = tls.unzip();
        let inner = ReloaderState {
            stack: CurrentStack::new(&stack, state.placement.threads()),
            protocol: Arc::new(ArcSwap::from_pointee(protocol)),
            pages: Arc::new(ArcSwap::from_pointee(state.pages(&settings))),
            companion_service: Arc::new(ArcSwap::from_pointee(companion_service)),
            tls,
            metrics: state.gateway.metrics.clone(),
            circle: Arc::clone(&state.gateway.circle),
            file: Arc::default(),
            reloaded: Notify::new(),
            in_use: Mutex::new(InUse {
                settings,
                state,
                identity: identity.clone(),
            }),
        };
        inner.metrics.reloads().loaded();
        inner.show(identity.as_ref());
        Self {
            inner: Arc::new(inner),
        }
    }

    /// Replaces the settings. Running requests keep the old ones, later requests get the new ones, and no connection
    /// ends.
    ///
    /// Listeners stay as they are. The names of changed settings that need a restart are returned.
    ///
    /// # Errors
    ///
    /// When something cannot be made of the settings; then nothing has changed.
    pub fn apply(&self, settings: Settings) -> Result<Vec<&'static str>, ReloadError> {
        self.replace(settings, |_| Ok(()))
    }

    /// `last` may still refuse: it runs when everything is made and nothing is swapped.
    pub(super) fn replace(
        &self,
        mut settings: Settings,
        last: impl FnOnce(&Settings) -> Result<(), ReloadError>,
    ) -> Result<Vec<&'static str>, ReloadError> {
        let mut in_use = self.inner.in_use.lock();
        let pinned = pin(&in_use.settings, &mut settings);
        keep_namespace(&in_use.settings, &mut settings);
        let settings = with_stored_namespace(settings);
        let identity = settings.tls.as_ref().map(TlsIdentity::load).transpose()?;
        let state = in_use.state.adapt(&settings)?;
        let (stack, companion_service) = state.serve(&settings);
        let protocol = protocol(&settings);
        let pages = state.pages(&settings);
        last(&settings)?;
        // From here on nothing can fail.
        self.inner.stack.replace(&stack);
        state.rebound(&settings, room(&settings, &state.placement));
        self.inner.protocol.store(Arc::new(protocol));
        self.inner.pages.store(Arc::new(pages));
        self.inner.companion_service.store(Arc::new(companion_service));
        self.inner.show(identity.as_ref());
        *in_use = InUse {
            settings,
            state,
            identity,
        };
        drop(in_use);
        self.inner.reloaded.notify_one();
        Ok(pinned)
    }

    /// Puts the tables in force that the sites' indexes form now, with the settings in use. As at a reload, running
    /// requests keep the old ones.
    pub(super) fn renew_tables(&self) {
        self.renew(&self.inner.in_use.lock());
    }

    /// Uses the namespace that the site of a root lists, unless the settings in use name one or another root.
    pub(super) fn take_namespace(&self, root: &Url, listed: OriginNamespace) {
        let mut in_use = self.inner.in_use.lock();
        let origin = &in_use.settings.origin;
        if !origin.namespace.is_set() && origin.url == *root {
            in_use.settings.origin.namespace = listed;
            self.renew(&in_use);
        }
    }

    fn renew(&self, in_use: &InUse) {
        let (stack, companion_service) = in_use.state.serve(&in_use.settings);
        self.inner.stack.replace(&stack);
        self.inner.companion_service.store(Arc::new(companion_service));
        let pages = in_use.state.pages(&in_use.settings);
        self.inner.pages.store(Arc::new(pages));
    }

    /// Waits for the next reload, or returns at once if there was one since the last call.
    pub(super) async fn reloaded(&self) {
        self.inner.reloaded.notified().await;
    }

    /// The settings in use.
    pub(super) fn settings(&self) -> Settings {
        self.inner.in_use.lock().settings.clone()
    }

    /// Takes the certificate alone from the files of the settings in use. True if it is another one.
    ///
    /// # Errors
    ///
    /// When certificate or key cannot be used; the old identity stays.
    pub(super) fn renew_certificate(&self) -> Result<bool, TlsIdentityError> {
        let mut in_use = self.inner.in_use.lock();
        let Some(identity) = in_use.settings.tls.as_ref().map(TlsIdentity::load).transpose()? else {
            return Ok(false);
        };
        if in_use
            .identity
            .as_ref()
            .is_some_and(|old| old.shows_the_same_as(&identity))
        {
            return Ok(false);
        }
        self.inner.show(Some(&identity));
        in_use.identity = Some(identity);
        Ok(true)
    }

    /// The files that the settings in use were made of.
    pub(super) fn files(&self, configuration: &Path) -> Vec<PathBuf> {
        let mut files = vec![configuration.to_owned()];
        let settings = &self.inner.in_use.lock().settings;
        if let Some(tls) = &settings.tls {
            files.extend([tls.certificate.clone(), tls.key.clone()]);
        }
        let (origin, admin, fleet) = (&settings.origin, &settings.admin, &settings.fleet);
        let named = [
            &origin.basic_auth_file,
            &origin.ca_file,
            &origin.secret_file,
            &admin.token_file,
            &fleet.ca_file,
            &fleet.certificate_file,
            &fleet.key_file,
            &fleet.password_file,
            &fleet.secret_file,
            &fleet.sentinel_password_file,
        ];
        let of_backends = settings
            .backends
            .iter()
            .map(|backend| &backend.identity_secret_file);
        let named = named.into_iter().chain(of_backends);
        files.extend(named.flatten().cloned());
        files
    }

    /// The time that running requests have to finish after a stop signal.
    pub(super) fn grace(&self) -> Duration {
        self.inner.in_use.lock().settings.timeouts.drain
    }

    /// The service for the connections of clients.
    pub(super) fn worker(&self) -> Worker<CurrentStack> {
        let state = &self.inner.in_use.lock().state;
        Worker {
            protocol: Arc::clone(&self.inner.protocol),
            service: self.inner.stack.clone(),
            connections: state.connections.clone(),
            per_address: state.per_address.clone(),
            placement: state.placement.clone(),
            drain: state.gateway.drain.clone(),
            metrics: state.gateway.metrics.connections().clone(),
        }
    }

    /// Shows operators this edge. Not all of the state: that of backends ends with the settings that name them.
    pub(super) fn operators_view(&self, readiness: Arc<Readiness>, facts: EdgeFacts) -> Admin {
        let in_use = self.inner.in_use.lock();
        let state = &in_use.state.gateway;
        Admin::new(AdminParts {
            facts,
            file: Arc::clone(&self.inner.file),
            readiness,
            pages: Arc::clone(&self.inner.pages),
            companion_service: self.companion_service(),
            metrics: state.metrics.clone(),
            readings: Readings::default(),
            subjects: state.subjects.clone(),
            refusals: in_use.state.refusals.clone(),
            findings: state.findings.clone(),
            bodies: state.bodies.clone(),
            buffers: state.buffers.clone(),
        })
    }

    pub(super) fn companion_service(&self) -> Arc<ArcSwap<CompanionService>> {
        Arc::clone(&self.inner.companion_service)
    }

    /// Where operators see the configuration file.
    pub(super) fn file(&self) -> &OnceLock<PathBuf> {
        &self.inner.file
    }

    /// By which the edge recognises its own requests.
    pub(super) fn circle(&self) -> &CircleKey {
        &self.inner.circle
    }

    /// Sends a request to the site, by which operators see if its address leads back to this edge.
    pub(super) async fn look_at_site(&self) {
        let health = self.inner.pages.load().site_health.clone();
        health.look().await;
    }

    pub(super) fn metrics(&self) -> &Metrics {
        &self.inner.metrics
    }
}

// === impl ReloaderState ===

impl ReloaderState {
    /// Shows clients this certificate from now on, and operators when it expires.
    fn show(&self, identity: Option<&TlsIdentity>) {
        let (Some(tls), Some(identity)) = (&self.tls, identity) else {
            return;
        };
        tls.replace(identity);
        let Some(not_after) = identity.not_after else {
            return;
        };
        self.metrics.certificate().show(not_after);
        if u64::try_from(not_after).unwrap_or_default() < unix_time().as_secs() {
            tracing::warn!("the certificate that clients see has expired");
        }
    }
}

/// Takes over the namespace that the site was found to list.
fn keep_namespace(old: &Settings, new: &mut Settings) {
    let is_listed = !old.origin.namespace.is_set() && !new.origin.namespace.is_set();
    if is_listed && old.origin.url == new.origin.url {
        new.origin.namespace.clone_from(&old.origin.namespace);
    }
}

/// The protocol of connections that begin under these settings.
fn protocol(settings: &Settings) -> Protocol {
    let protocol = Protocol::new(&settings.limits, &settings.timeouts, &settings.http2);
    if settings.proxy_protocol {
        protocol.behind(&settings.trusted_proxies)
    } else {
        protocol
    }
}

/// Keeps the settings that cannot change while the edge runs, and names those that were to change.
fn pin(running: &Settings, next: &mut Settings) -> Vec<&'static str> {
    let mut pinned = Vec::new();
    if next.listen != running.listen {
        next.listen.clone_from(&running.listen);
        pinned.push("listen");
    }
    if next.admin.listen != running.admin.listen {
        next.admin.listen.clone_from(&running.admin.listen);
        pinned.push("admin.listen");
    }
    // Other files are taken; TLS as such comes and goes with its listeners.
    if next.tls.is_some() != running.tls.is_some() {
        next.tls.clone_from(&running.tls);
        pinned.push("tls");
    }
    if next.log.format != running.log.format {
        next.log.format = running.log.format;
        pinned.push("log.format");
    }
    pinned
}

#[cfg(test)]
mod tests {
    use super::*;
    use calendar_edge_core::settings::{ListenAddress, LogFormat, TlsSettings};

    #[test]
    fn what_needs_a_restart_keeps_its_value_and_is_named() {
        let running = Settings::for_origin("http://wp.example/wp-json".parse().unwrap());
        let mut next = running.clone();
        next.listen = vec![ListenAddress::Unix("/run/x".into())];
        next.admin.listen = Some(ListenAddress::Unix("/run/y".into()));
        next.tls = Some(TlsSettings {
            certificate: "/x".into(),
            key: "/y".into(),
        });
        next.log.format = LogFormat::Text;
        next.log.filter = "debug".to_owned();
        assert_eq!(
            pin(&running, &mut next),
            ["listen", "admin.listen", "tls", "log.format"]
        );
        assert_eq!(next.listen, running.listen);
        assert!(next.admin.listen.is_none());
        assert!(next.tls.is_none());
        assert_eq!(next.log.format, running.log.format);
        assert_eq!(next.log.filter, "debug");
        assert!(pin(&running, &mut next).is_empty());
    }
}
