//! Starting an edge: all listeners first, then everything that responds.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::edge_state::{ADMIN_CONNECTIONS, EdgeState, room};
use super::index_watch::watch_indexes;
use super::reload::Reloader;
use super::running::Running;
use crate::backend::{ClientError, with_stored_namespace};
use crate::companion::{follow_companions, follow_facts};
use crate::fleet::FleetTask;
use crate::gateway::GatewayState;
use crate::observe::admin::{Admin, EdgeFacts, Readiness};
use crate::server::service_manager::ServiceManager;
use crate::server::threads::{Placement, ServingThreads};
use crate::server::{
    BindError, ConnectionLimit, Drain, InheritedSockets, Listener, PerAddressLimit, Protocol, TlsAcceptor,
    TlsIdentity, TlsIdentityError, Worker,
};
use crate::telemetry::Metrics;
use calendar_edge_core::settings::{Http2Limits, Limits, ListenAddress, Settings, Timeouts};

/// The edge, before it runs.
#[derive(Debug)]
pub struct Edge;

/// The reason why an edge could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A listener could not be opened.
    #[error("the address of `{key}` cannot be used")]
    Bind {
        /// The setting that names its address: `listen` or `admin.listen`.
        key: &'static str,
        /// The reason why it cannot be opened.
        #[source]
        cause: BindError,
    },
    /// The way to the origin could not be set up.
    #[error(transparent)]
    Upstream(#[from] ClientError),
    /// The certificate or its key cannot be used.
    #[error(transparent)]
    Certificate(#[from] TlsIdentityError),
    /// TLS for clients could not be set up.
    #[error("TLS for clients cannot be set up")]
    Tls(#[from] rustls::Error),
}

/// The service manager that started the process, and what it passed; none by default.
#[derive(Debug, Default)]
pub struct Supervision {
    /// Gets the notices of the edge.
    pub manager: ServiceManager,
    /// Sockets for listeners of the form `systemd:NAME`.
    pub sockets: InheritedSockets,
}

/// Maximum wait, at start, for the site's namespaces and indexes.
const FIRST_READING: Duration = Duration::from_secs(2);

// === impl StartError ===

impl StartError {
    /// Names the setting with the address of a listener.
    const fn of(key: &'static str) -> impl Fn(BindError) -> Self {
        move |cause| Self::Bind { key, cause }
    }

    /// True if another start fails as well until the configuration, the unit or a certificate is changed; false if the
    /// machine may respond otherwise a moment later, as with an address in use.
    pub const fn is_about_configuration(&self) -> bool {
        match self {
            Self::Certificate(_) | Self::Tls(_) => true,
            Self::Bind { cause, .. } => cause.is_about_configuration(),
            Self::Upstream(_) => false,
        }
    }
}

// === impl Edge ===

impl Edge {
    /// Opens every listener and starts to serve; the settings are complete and checked.
    ///
    /// # Errors
    ///
    /// When a listener cannot be opened, or TLS toward clients or the origin cannot be set up; nothing runs then.
    pub async fn start(settings: Settings) -> Result<Running, StartError> {
        Self::start_under(Supervision::default(), ServingThreads::default(), settings).await
    }

    /// The same under a service manager, which may have opened the listeners, with threads of their own for
    /// connections.
    ///
    /// # Errors
    ///
    /// As [`Self::start`], and when the service manager passed no socket of a name in the settings.
    pub async fn start_under(
        supervision: Supervision,
        threads: ServingThreads,
        settings: Settings,
    ) -> Result<Running, StartError> {
        let Supervision { manager, mut sockets } = supervision;
        let settings = with_stored_namespace(settings);
        let readiness = Arc::<Readiness>::default();
        let admin_drain = Drain::default();
        let identity = settings.tls.as_ref().map(TlsIdentity::load).transpose()?;
        let tls = identity.as_ref().map(TlsAcceptor::new).transpose()?;
        // All listeners are open before the first connection is served: a start fails whole.
        let listeners = open_all(&settings.listen, tls.as_ref(), &mut sockets).await;
        let listeners = listeners.map_err(StartError::of("listen"))?;
        let admin = settings.admin.listen.as_slice();
        let admin = open_all(admin, tls.as_ref(), &mut sockets).await;
        let admin = admin.map_err(StartError::of("admin.listen"))?;
        note_unused(&sockets);
        let placement = threads.placement.clone();
        let listeners = place_all(listeners, &placement).map_err(StartError::of("listen"))?;
        let connections = room(&settings, &placement);
        let state = EdgeState::new(&settings, connections, placement, Metrics::new())?;
        let gateway = &state.gateway;
        let drain = gateway.drain.clone();
        gateway.keep_files();
        let reloader = Reloader::new(settings, state.clone(), identity.zip(tls));
        let running = Running {
            addresses: listeners
                .iter()
                .map(|(listener, _)| listener.address.clone())
                .collect(),
            admin_address: admin.first().map(|listener| listener.address.clone()),
            readiness: readiness.clone(),
            drain: drain.clone(),
            admin_drain: admin_drain.clone(),
            reloader: reloader.clone(),
            fleet: FleetTask::begin(&gateway.subjects.fleet),
            manager,
            threads,
        };
        follow_site(&reloader, gateway).await;
        let worker = reloader.worker();
        for (listener, runtime) in listeners {
            drain.spawn_on(&runtime, worker.clone().run(listener));
        }
        let facts = EdgeFacts::now(&running.addresses);
        let view = reloader.operators_view(readiness.clone(), facts);
        if !admin.is_empty() {
            let (reading, end) = (view.clone().take_readings(), drain.clone());
            drain.spawn(async move { end.unless_begun(reading).await });
        }
        let worker = admin_worker(view, admin_drain.clone());
        for listener in admin {
            admin_drain.spawn(worker.clone().run(listener));
        }
        readiness.begin();
        Ok(running)
    }
}

/// Begins to read the indexes of the site, and to follow its companion plugin.
async fn follow_site(reloader: &Reloader, gateway: &GatewayState) {
    let read = watch(reloader, gateway);
    if reloader.settings().origin.read_index {
        // Bounded: the first call finds namespace and index known, unless the site is slow or down.
        let _ = tokio::time::timeout(FIRST_READING, read).await;
    }
    let following = follow_companions(gateway.subjects.companions.clone(), reloader.companion_service());
    let asking = follow_facts(gateway.subjects.companions.clone(), reloader.companion_service());
    let end = gateway.drain.clone();
    gateway
        .drain
        .spawn(async move { end.unless_begun(async { tokio::join!(following, asking) }).await });
}

/// Reads the indexes of the sites until the drain begins. The receiver ends with the first reading.
fn watch(reloader: &Reloader, gateway: &GatewayState) -> oneshot::Receiver<()> {
    let (reading, read) = oneshot::channel();
    let watching = watch_indexes(reloader.clone(), gateway.indexes.clone(), reading);
    let drain = gateway.drain.clone();
    gateway
        .drain
        .spawn(async move { drain.unless_begun(Box::pin(watching)).await });
    read
}

async fn open_all(
    addresses: &[ListenAddress],
    tls: Option<&TlsAcceptor>,
    sockets: &mut InheritedSockets,
) -> Result<Vec<Listener>, BindError> {
    let mut listeners = Vec::with_capacity(addresses.len());
    for address in addresses {
        listeners.extend(Listener::open(address, tls, sockets).await?);
    }
    Ok(listeners)
}

/// Gives the listeners to the threads in turn; without threads they stay on the current runtime.
fn place_all(listeners: Vec<Listener>, placement: &Placement) -> Result<Vec<(Listener, Handle)>, BindError> {
    let mut runtimes = placement.runtimes().cycle();
    let listeners = listeners.into_iter();
    let place = |listener: Listener| match runtimes.next() {
        Some(runtime) => Ok((listener.moved_to(runtime)?, runtime.clone())),
        None => Ok((listener, Handle::current())),
    };
    listeners.map(place).collect()
}

/// Clients that connect to a passed socket without a listener would wait for nothing.
fn note_unused(sockets: &InheritedSockets) {
    let names = sockets.names();
    if !names.is_empty() {
        let names = names.join(", ");
        tracing::warn!(
            names,
            "the service manager passed sockets that no listener names; they are closed"
        );
    }
}

/// The most connections of one address at the admin listener: no address takes it away from the others (T-88).
const ADMIN_CONNECTIONS_PER_ADDRESS: usize = ADMIN_CONNECTIONS / 4;

/// The longest wait of the admin listener for a request.
const ADMIN_PATIENCE: Duration = Duration::from_secs(5);

/// The admin listener shares nothing with the others, so that it responds while they are full.
fn admin_worker(service: Admin, drain: Drain) -> Worker<Admin> {
    let timeouts = Timeouts {
        client_head: ADMIN_PATIENCE,
        client_idle: ADMIN_PATIENCE,
        ..Timeouts::default()
    };
    let protocol = Protocol::new(&Limits::default(), &timeouts, &Http2Limits::default());
    let per_address = PerAddressLimit::default();
    per_address.limit(ADMIN_CONNECTIONS_PER_ADDRESS, &[]);
    Worker {
        protocol: Arc::new(ArcSwap::from_pointee(protocol)),
        service,
        connections: ConnectionLimit::new(ADMIN_CONNECTIONS),
        per_address,
        placement: Placement::default(),
        drain,
        // Operators are not clients.
        metrics: Metrics::new().connections().clone(),
    }
}
