//! All state that outlives a reload.
//!
//! Stacks are built from settings and this state only. A part that needs memory of its own beyond one request has
//! its place here, and nowhere else.

use crate::backend::{Backends, ClientError, SiteHealth, most_connections, most_pool_connections};
use crate::companion::CompanionService;
use crate::gateway::{Gateway, GatewayState};
use crate::layers::{self, LogSinks, Stack};
use crate::observe::admin::Pages;
use crate::server::threads::Placement;
use crate::server::{ConnectionLimit, PerAddressLimit, affordable};
use crate::telemetry::{Metrics, Refusals};
use calendar_edge_core::settings::{Limits, Settings};

/// The state of the gateway, and that of connections and operators; clones share it.
#[derive(Debug, Clone)]
pub(super) struct EdgeState {
    /// The state of the stages.
    pub(super) gateway: GatewayState,
    /// The client connections that are open.
    pub(super) connections: ConnectionLimit,
    /// The client connections of each address.
    pub(super) per_address: PerAddressLimit,
    /// The threads that serve connections.
    pub(super) placement: Placement,
    /// The last refusals.
    pub(super) refusals: Refusals,
}

/// Connections of the admin listener: scrapers and probes, apart from clients.
pub(super) const ADMIN_CONNECTIONS: usize = 64;

// === impl EdgeState ===

impl EdgeState {
    /// The state for the first settings, with room for so many client connections, which these threads serve.
    ///
    /// # Errors
    ///
    /// When TLS toward a backend cannot be set up.
    pub(super) fn new(
        settings: &Settings,
        connections: usize,
        placement: Placement,
        metrics: Metrics,
    ) -> Result<Self, ClientError> {
        let per_address = PerAddressLimit::default();
        per_address.limit(settings.limits.connections_per_address, &settings.trusted_proxies);
        metrics.connections().limited(connections);
        let refusals = Refusals::default();
        refusals.keep_most(kept_refusals(settings));
        let gateway = GatewayState::new(settings, placement.threads(), metrics)?;
        Ok(Self {
            connections: ConnectionLimit::new(connections),
            per_address,
            placement,
            refusals,
            gateway,
        })
    }

    /// The state for new settings. The state in use does not change: these settings may still be refused.
    ///
    /// # Errors
    ///
    /// When TLS toward a backend cannot be set up.
    pub(super) fn adapt(&self, settings: &Settings) -> Result<Self, ClientError> {
        Ok(Self {
            gateway: self.gateway.adapt(settings)?,
            ..self.clone()
        })
    }

    /// Applies the bounds of settings that are in use from now on to the state that all stacks share.
    pub(super) fn rebound(&self, settings: &Settings, connections: usize) {
        self.gateway.rebound(settings);
        self.connections.resize(connections);
        self.gateway.metrics.connections().limited(connections);
        self.refusals.keep_most(kept_refusals(settings));
        self.per_address
            .limit(settings.limits.connections_per_address, &settings.trusted_proxies);
    }

    /// Everything that a request passes under these settings, and the exchange with the companion plugin.
    pub(super) fn serve(&self, settings: &Settings) -> (Stack, CompanionService) {
        let state = &self.gateway;
        let (metrics, refusals) = (state.metrics.clone(), self.refusals.clone());
        let log = LogSinks::new(settings, metrics, refusals);
        let gateway = Gateway::new(settings, state);
        let site = settings.site();
        let backends = Backends::new(&site, &state.backends);
        let companion_service = CompanionService::new(&site, &state.subjects.companions, backends);
        (
            layers::stack(settings, log, &state.circle, gateway),
            companion_service,
        )
    }

    /// The documents of the admin listener under these settings.
    pub(super) fn pages(&self, settings: &Settings) -> Pages {
        let site_health = SiteHealth::new(&settings.site(), &self.gateway.backends);
        Pages::new(settings, &self.gateway.indexes, site_health)
    }
}

/// Requests that break rules, which memory keeps for `calendar-edge explain ID`; at most 4 KiB each on average. Without
/// an admin listener they cannot be read.
fn kept_refusals(settings: &Settings) -> usize {
    settings.admin.listen.as_ref().map_or(0, |_| 1000)
}

/// The number of client connections allowed by the settings and by the process's limit of open files.
pub(super) fn room(settings: &Settings, placement: &Placement) -> usize {
    let others = most_connections(&settings.site())
        .saturating_add(ADMIN_CONNECTIONS)
        .saturating_add(placement.descriptors());
    let others = others.saturating_add(most_pool_connections(settings));
    let wanted = settings.limits.connections;
    let room = affordable(wanted, others);
    if room < wanted {
        // Nearly all of the default is enough.
        let is_enough = wanted == Limits::default().connections && room >= wanted / 2;
        if !is_enough {
            tracing::warn!(
                wanted,
                room,
                "the limit of open files allows fewer client connections than `limits.connections`"
            );
        }
    }
    room
}
