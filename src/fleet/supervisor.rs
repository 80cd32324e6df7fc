//! Connects to the store, and connects again whenever that may help, for ever.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use super::connect::StoreRoute;
use super::exchange::StoreExchange;
use super::fleet::{Fleet, FleetConfig};
use super::log::Log;
use super::logins::Logins;
use super::members::MemberLines;
use super::shared_rules::SharedRules;
use super::spending::Spending;
use super::store_fault::StoreFault;
use super::subject::FleetSubject;
use super::turns::Turns;
use crate::backend::pauses::chance;
use calendar_edge_core::fleet::FleetKey;
use calendar_edge_core::limits::{Backoff, spread};

/// The pauses before another connection.
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(2));

/// The age at which a connection is replaced, so that names are resolved again.
const OLD: Duration = Duration::from_mins(10);

/// The task that exchanges with the store; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct FleetTask {
    fleet: Arc<Fleet>,
    task: JoinHandle<()>,
}

/// The longest time that leaving the fleet may take.
const LEAVING: Duration = Duration::from_millis(500);

// === impl FleetTask ===

impl FleetTask {
    /// Follows the settings, and exchanges with the store that they name.
    pub(crate) fn begin(fleet: &Arc<Fleet>) -> Self {
        Self {
            fleet: fleet.clone(),
            task: tokio::spawn(supervise(fleet.clone())),
        }
    }

    /// Sends the waiting messages to the others, and takes this edge from their table.
    pub(crate) async fn leave(&mut self) {
        self.fleet.leaving.cancel();
        // The line of an edge that cannot leave in time lives ten seconds longer.
        let _ = timeout(LEAVING, &mut self.task).await;
    }
}

impl Drop for FleetTask {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Serves one set of settings after another until the edge leaves.
async fn supervise(fleet: Arc<Fleet>) {
    let mut config = fleet.config();
    loop {
        let current = config.borrow_and_update().clone();
        tokio::select! {
            () = serve(&fleet, &current) => return,
            changed = config.changed() => if changed.is_err() { return },
        }
    }
}

/// Exchanges with the store of some settings. Ends when the edge leaves.
async fn serve(fleet: &Arc<Fleet>, config: &FleetConfig) {
    let settings = &config.settings;
    let key = FleetKey::of(settings).map(Arc::new);
    fleet.use_key(key.clone());
    let Some(key) = key else {
        fleet.metrics.leave();
        return fleet.leaving.cancelled().await;
    };
    let route = StoreRoute::new(settings);
    let mut exchange = StoreExchange::new(fleet, key, settings.interval, subjects(fleet));
    let mut failures = 0;
    while !fleet.leaving.is_cancelled() {
        let (succeeded, outcome) = connect_and_run(&route, &mut exchange).await;
        if succeeded {
            failures = 0;
        }
        let Err(fault) = outcome else { continue };
        fleet.metrics.failed(fault.kind);
        fleet.is_alone(&fault);
        exchange.be_alone();
        tokio::select! {
            () = sleep(BACKOFF.spread_after(failures, chance())) => {}
            () = fleet.leaving.cancelled() => {}
        }
        failures = failures.saturating_add(1);
    }
}

/// The subjects, in the order of the pipeline.
fn subjects(fleet: &Arc<Fleet>) -> Vec<Box<dyn FleetSubject>> {
    vec![
        // Sent first, so that what others wait for is done first, and received in the same exchange.
        Box::new(Log::new(fleet)),
        Box::new(Logins::new(&fleet.limits.logins)),
        Box::new(Turns::new(fleet)),
        Box::new(Spending::new(fleet)),
        Box::new(MemberLines::new(fleet)),
        // After the log, which has their changes.
        Box::new(SharedRules::new(fleet)),
    ]
}

async fn connect_and_run(route: &StoreRoute, exchange: &mut StoreExchange) -> (bool, Result<(), StoreFault>) {
    match route.connect().await {
        Ok(mut connection) => {
            let until = Instant::now() + spread(OLD, chance());
            exchange.run(&mut connection, until).await
        }
        Err(fault) => (false, Err(fault)),
    }
}
