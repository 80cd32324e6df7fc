//! Failed logins: the store charges them before the site checks a password, so that all edges hold the rate together.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::{Notify, oneshot};
use tokio::time::timeout;

use super::metrics::FleetMetrics;
use super::scripts::CHARGE;
use super::subject::{Commands, ExchangeTurn, FleetSubject, Replies};
use calendar_edge_core::limits::FleetSize;
use calendar_edge_core::limits::rates::{Budgets, Charges, Exceeded, Settlement, SharedBuckets};

/// The desk where calls leave charges and returns for the store.
#[derive(Debug)]
pub(crate) struct LoginDesk {
    size: FleetSize,
    metrics: FleetMetrics,
    charges: Mutex<Vec<LoginOrder>>,
    returned: Mutex<Vec<Settlement>>,
    /// Is notified when a call has left an order.
    pub(super) new_order: Notify,
    /// True while the store responds.
    is_open: AtomicBool,
}

/// One call with credentials that waits for the store.
#[derive(Debug)]
struct LoginOrder {
    buckets: Vec<Settlement>,
    verdict: oneshot::Sender<LoginVerdict>,
}

/// The store's verdict on a failed login: charged or, as an error, refused. Both with the level of each bucket.
type LoginVerdict = Result<Vec<Duration>, Vec<Duration>>;

/// Brings the orders to the store.
pub(super) struct Logins {
    desk: Arc<LoginDesk>,
    sent: Vec<LoginOrder>,
    given_back: Vec<Settlement>,
}

/// The longest wait of a call for the store. Then its edge decides by itself.
const PATIENCE: Duration = Duration::from_millis(25);

/// The most calls of one exchange.
const MOST: usize = 256;

// === impl LoginDesk ===

impl LoginDesk {
    /// A desk that is closed, for so many edges.
    pub(super) fn new(size: &FleetSize, metrics: &FleetMetrics) -> Self {
        Self {
            size: size.clone(),
            metrics: metrics.clone(),
            charges: Mutex::default(),
            returned: Mutex::default(),
            new_order: Notify::new(),
            is_open: AtomicBool::new(false),
        }
    }

    /// Charges the failed login of a call at the store, or a part of the rate here where the store does not respond.
    ///
    /// # Errors
    /// The budget that is used up.
    pub(crate) async fn charge(&self, budgets: &Budgets, charged: &mut Charges) -> Result<(), Exceeded> {
        let buckets = charged.logins();
        let (is_open, edges) = (self.is_open(), self.size.edges());
        if buckets.is_empty() || (!is_open && edges == 1) {
            return Ok(());
        }
        match self.charge_at_store(buckets).await {
            Some(Ok(levels)) => {
                budgets.accept_logins(charged, &levels, Instant::now());
                Ok(())
            }
            Some(Err(levels)) => Err(budgets.refuse_logins(charged, &levels, Instant::now())),
            None => {
                self.metrics.login_alone();
                budgets.divide_logins(charged, edges, Instant::now())
            }
        }
    }

    /// Gives back at the store the charge for a login that was not refused.
    pub(crate) fn give_back(&self, back: Vec<Settlement>, buckets: &SharedBuckets) {
        if back.is_empty() {
            return;
        }
        if self.is_open() {
            self.returned.lock().extend(back);
            self.new_order.notify_one();
        } else {
            for settlement in back {
                buckets.store.keep_unsettled(settlement);
            }
        }
    }

    /// Opens the desk while the store responds.
    pub(super) fn open(&self, is_open: bool) {
        self.is_open.store(is_open, Ordering::Relaxed);
    }

    fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Relaxed)
    }

    /// The verdict of the store; none if it is away or late.
    async fn charge_at_store(&self, buckets: Vec<Settlement>) -> Option<LoginVerdict> {
        if !self.is_open() {
            return None;
        }
        let (verdict, received) = oneshot::channel();
        self.charges.lock().push(LoginOrder { buckets, verdict });
        self.new_order.notify_one();
        timeout(PATIENCE, received).await.ok()?.ok()
    }
}

// === impl Logins ===

impl Logins {
    pub(super) fn new(desk: &Arc<LoginDesk>) -> Self {
        Self {
            desk: Arc::clone(desk),
            sent: Vec::new(),
            given_back: Vec::new(),
        }
    }

    /// Ends the wait of a call; a charge that comes too late for it is given back.
    fn finish(&self, order: LoginOrder, (is_charged, levels): (bool, Vec<u64>)) {
        let levels = levels.into_iter().map(Duration::from_micros).collect();
        let verdict = if is_charged { Ok(levels) } else { Err(levels) };
        if let Err(Ok(_)) = order.verdict.send(verdict) {
            let back = order.buckets.into_iter().map(Settlement::undone);
            self.desk.returned.lock().extend(back);
        }
    }
}

impl FleetSubject for Logins {
    fn add_commands(&mut self, commands: &mut Commands, _: ExchangeTurn) {
        self.given_back = std::mem::take(&mut *self.desk.returned.lock());
        let mut charges = self.desk.charges.lock();
        // A call that waits no longer is charged by its edge.
        charges.retain(|order| !order.verdict.is_closed());
        let most = charges.len().min(MOST);
        self.sent = charges.drain(..most).collect();
        if !charges.is_empty() {
            self.desk.new_order.notify_one();
        }
        drop(charges);
        for batch in self.given_back.chunks(MOST) {
            commands.spend(batch);
        }
        for order in &self.sent {
            add_charge(commands, &order.buckets);
        }
    }

    fn take_replies(&mut self, replies: &mut Replies, _: ExchangeTurn) {
        for _ in std::mem::take(&mut self.given_back).chunks(MOST) {
            replies.next::<Vec<u64>>();
        }
        for order in std::mem::take(&mut self.sent) {
            // Without a reply the call is charged by its edge.
            if let Some(reply) = replies.next() {
                self.finish(order, reply);
            }
        }
    }

    fn lose(&mut self) {
        self.sent.clear();
        self.given_back.clear();
    }

    fn be_alone(&mut self) {
        self.desk.charges.lock().clear();
        self.desk.returned.lock().clear();
    }
}

/// Adds the command that charges one call in all of its buckets, or in none.
fn add_charge(commands: &mut Commands, buckets: &[Settlement]) {
    let arguments = buckets.iter().flat_map(|bucket| {
        let taken = bucket.taken;
        [taken.micros().to_string(), taken.period.as_micros().to_string()]
    });
    commands.buckets(CHARGE, buckets, &arguments.collect::<Vec<_>>());
}
