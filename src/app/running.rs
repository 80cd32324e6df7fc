//! A running edge: its addresses, and its end.

use std::iter;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;

use super::config_watch::{Reload, follow};
use super::reload::Reloader;
use super::signals::Signals;
use crate::fleet::FleetTask;
use crate::observe::admin::Readiness;
use crate::server::Drain;
use crate::server::service_manager::{ServiceManager, keep_alive};
use crate::server::threads::ServingThreads;
use calendar_edge_core::settings::ListenAddress;

/// The time for which new connections are accepted after a stop signal while `/readyz` is 503: balancers that request
/// it every second or two have noticed by then. No longer than half of `timeouts.drain`.
const NOTICE: Duration = Duration::from_secs(5);

/// The time that admin connections have to end after everything else has ended.
const ADMIN_GRACE: Duration = Duration::from_millis(500);

/// The time that the process itself needs to end.
const EXIT_GRACE: Duration = Duration::from_secs(2);

/// A running edge; dropping it ends everything at once.
#[derive(Debug)]
pub struct Running {
    pub(super) addresses: Vec<ListenAddress>,
    pub(super) admin_address: Option<ListenAddress>,
    pub(super) readiness: Arc<Readiness>,
    pub(super) drain: Drain,
    pub(super) admin_drain: Drain,
    pub(super) reloader: Reloader,
    pub(super) fleet: FleetTask,
    pub(super) manager: ServiceManager,
    pub(super) threads: ServingThreads,
}

// === impl Running ===

impl Running {
    /// The addresses for clients. Port 0 is replaced by the port in use.
    pub fn addresses(&self) -> &[ListenAddress] {
        &self.addresses
    }

    /// The address for operators.
    pub fn admin_address(&self) -> Option<&ListenAddress> {
        self.admin_address.as_ref()
    }

    /// Gives this edge new settings while it runs.
    pub fn reloader(&self) -> &Reloader {
        &self.reloader
    }

    /// Reloads from now on at each of these orders and each change of a file, until the drain begins.
    pub fn follow(&self, reload: Reload, orders: Signals) {
        if let Some(file) = reload.source.file() {
            self.reloader.file().get_or_init(|| file.to_owned());
        }
        let following = follow(self.reloader.clone(), reload, orders, self.manager.clone());
        let drain = self.drain.clone();
        self.drain
            .spawn(async move { drain.unless_begun(following).await });
    }

    /// Logs its addresses, runs until it is ordered to end, and drains; a second order ends it at once. True if everything
    /// that ran came to its end, as for [`Self::drain`].
    pub async fn until(self, mut shutdown: Signals) -> bool {
        for address in self.addresses() {
            tracing::info!(%address, "listening for clients");
        }
        if let Some(address) = self.admin_address() {
            tracing::info!(%address, "listening for operators");
        }
        self.manager.ready(&self.status());
        let alive = tokio::spawn(keep_alive(self.manager.clone(), self.runtimes()));
        shutdown.ordered().await;
        tracing::info!("draining");
        self.manager
            .stopping(NOTICE + self.reloader.grace() + ADMIN_GRACE + EXIT_GRACE);
        let is_finished = tokio::select! {
            is_finished = self.drain() => is_finished,
            () = shutdown.ordered() => false,
        };
        if is_finished {
            tracing::info!("drained");
        } else {
            tracing::warn!("ended before everything was finished");
        }
        alive.abort();
        is_finished
    }

    /// All runtimes: the main one, and those of the threads that serve.
    fn runtimes(&self) -> Vec<Handle> {
        let serving = self.threads.placement.runtimes().cloned();
        iter::once(Handle::current()).chain(serving).collect()
    }

    /// One line for the service manager.
    fn status(&self) -> String {
        let addresses: Vec<String> = self.addresses.iter().map(ToString::to_string).collect();
        format!("Serving at {}", addresses.join(", "))
    }

    /// Ends in order: readiness fails, nothing new is accepted, what runs gets the configured grace. Where a balancer
    /// requests `/readyz`, it gets the time to notice in between: it would send requests to a closed port.
    ///
    /// The admin listener responds to the last, so that an operator can watch.
    ///
    /// True if everything that ran came to its end; false if the grace period ended first, and what still ran was cut.
    pub async fn drain(mut self) -> bool {
        if self.readiness.end() {
            tokio::time::sleep(NOTICE.min(self.reloader.grace() / 2)).await;
        }
        let is_finished = self.drain.finish(self.reloader.grace()).await;
        // The other edges have received every write.
        self.fleet.leave().await;
        self.admin_drain.finish(ADMIN_GRACE).await;
        is_finished
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.drain.cut();
        self.admin_drain.cut();
    }
}
