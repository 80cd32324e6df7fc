//! The composition root: settings become listeners, stacks and tasks, and end in a drain.

use std::io;
use std::time::Duration;

use tokio::sync::mpsc;

use crate::admin::{Admin, Pages, Readiness};
use crate::config::{AdminSettings, Limits, ListenAddress, Settings, Timeouts};
use crate::gateway::Gateway;
use crate::layers;
pub use crate::server::{BindError, BoundAddress};
use crate::server::{Drain, Listener, Protocol, Slots, Worker};
use crate::telemetry::Metrics;
use crate::upstream::Upstream;
pub use crate::upstream::{ClientError, origin_tls};

/// Connections of the admin listener: scrapers and probes, apart from clients.
const ADMIN_CONNECTIONS: usize = 64;

/// How long admin connections get to end once everything else has.
const ADMIN_GRACE: Duration = Duration::from_millis(500);

/// The edge, before it runs.
#[derive(Debug)]
pub struct Edge;

/// A running edge; dropping it ends everything at once.
#[derive(Debug)]
pub struct Running {
    addresses: Vec<BoundAddress>,
    admin_address: Option<BoundAddress>,
    readiness: Readiness,
    drain: Drain,
    admin_drain: Drain,
    grace: Duration,
}

/// Why an edge could not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A listener could not be opened.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The way to the origin could not be set up.
    #[error(transparent)]
    Upstream(#[from] ClientError),
}

/// Why serving ended badly.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The edge did not start.
    #[error("the edge could not start")]
    Start(#[from] StartError),
}

/// How a drain ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrainOutcome {
    /// Everything that ran came to its end.
    Finished,
    /// The grace period ended first, and what still ran was cut.
    Cut,
}

/// Tells [`serve`] to end: once to drain, twice to end at once.
#[derive(Debug)]
pub struct Shutdown {
    orders: mpsc::Receiver<()>,
}

// === impl Edge ===

impl Edge {
    /// Opens every listener and starts to answer; the settings are complete and checked.
    ///
    /// # Errors
    ///
    /// When a listener cannot be opened or TLS toward the origin cannot be set up; nothing runs then.
    pub async fn start(settings: Settings) -> Result<Running, StartError> {
        let metrics = Metrics::new();
        let readiness = Readiness::default();
        let drain = Drain::default();
        let admin_drain = Drain::default();
        // All listeners are open before the first connection is served: a start fails whole.
        let listeners = bind_all(&settings.listen).await?;
        let admin = match &settings.admin {
            Some(AdminSettings { listen }) => Some(Listener::bind(listen).await?),
            None => None,
        };
        let upstream = Upstream::new(&settings, metrics.clone())?;
        let gateway = Gateway::new(&settings, upstream, drain.clone(), metrics.clone());
        let worker = Worker {
            protocol: Protocol::new(&settings.limits, &settings.timeouts),
            service: layers::stack(&settings, &metrics, gateway),
            slots: Slots::new(settings.limits.connections),
            drain: drain.clone(),
        };
        let running = Running {
            addresses: listeners
                .iter()
                .map(|listener| listener.address().clone())
                .collect(),
            admin_address: admin.as_ref().map(|listener| listener.address().clone()),
            readiness: readiness.clone(),
            drain: drain.clone(),
            admin_drain: admin_drain.clone(),
            grace: settings.timeouts.drain,
        };
        for listener in listeners {
            drain.spawn(worker.clone().run(listener));
        }
        if let Some(listener) = admin {
            let admin = Admin::new(metrics, readiness.clone(), Pages::new(&settings));
            let worker = admin_worker(admin, admin_drain.clone());
            admin_drain.spawn(worker.run(listener));
        }
        readiness.begin();
        Ok(running)
    }
}

async fn bind_all(addresses: &[ListenAddress]) -> Result<Vec<Listener>, BindError> {
    let mut listeners = Vec::with_capacity(addresses.len());
    for address in addresses {
        listeners.push(Listener::bind(address).await?);
    }
    Ok(listeners)
}

/// The admin listener shares nothing with the others, so that it answers while they are full.
fn admin_worker(service: Admin, drain: Drain) -> Worker<Admin> {
    Worker {
        protocol: Protocol::new(&Limits::default(), &Timeouts::default()),
        service,
        slots: Slots::new(ADMIN_CONNECTIONS),
        drain,
    }
}

// === impl Running ===

impl Running {
    /// Where clients can connect; port 0 has become a port.
    pub fn addresses(&self) -> &[BoundAddress] {
        &self.addresses
    }

    /// Where operators can connect.
    pub fn admin_address(&self) -> Option<&BoundAddress> {
        self.admin_address.as_ref()
    }

    /// Says where it listens, runs until it is told to end, and drains; a second order ends it at once.
    pub async fn until(self, mut shutdown: Shutdown) -> DrainOutcome {
        for address in self.addresses() {
            tracing::info!(%address, "listening for clients");
        }
        if let Some(address) = self.admin_address() {
            tracing::info!(%address, "listening for operators");
        }
        shutdown.ordered().await;
        tracing::info!("draining");
        let outcome = tokio::select! {
            outcome = self.drain() => outcome,
            () = shutdown.ordered() => DrainOutcome::Cut,
        };
        match outcome {
            DrainOutcome::Finished => tracing::info!("drained"),
            DrainOutcome::Cut => tracing::warn!("ended before everything was finished"),
        }
        outcome
    }

    /// Ends in order: readiness fails, nothing new is accepted, what runs gets the configured grace.
    ///
    /// The admin listener answers to the last, so that an operator can watch.
    pub async fn drain(self) -> DrainOutcome {
        self.readiness.end();
        let finished = self.drain.finish(self.grace).await;
        self.admin_drain.finish(ADMIN_GRACE).await;
        if finished {
            DrainOutcome::Finished
        } else {
            DrainOutcome::Cut
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.drain.cut();
        self.admin_drain.cut();
    }
}

// === impl Shutdown ===

impl Shutdown {
    /// SIGTERM and SIGINT, each counting as one order.
    ///
    /// # Errors
    ///
    /// When the system does not let the process receive signals.
    pub fn on_signals() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let (sender, this) = Self::manual();
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
                if sender.send(()).await.is_err() {
                    return;
                }
            }
        });
        Ok(this)
    }

    /// Orders come from the returned sender.
    pub fn manual() -> (mpsc::Sender<()>, Self) {
        let (sender, orders) = mpsc::channel(2);
        (sender, Self { orders })
    }

    /// Waits for an order; a sender that is gone orders nothing any more.
    async fn ordered(&mut self) {
        if self.orders.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}

/// Runs an edge until it is told to end, and drains it; a second order ends it at once.
///
/// # Errors
///
/// When the edge does not start.
pub async fn serve(settings: Settings, shutdown: Shutdown) -> Result<DrainOutcome, ServeError> {
    Ok(Edge::start(settings).await?.until(shutdown).await)
}
