//! The shared snapshot: responses that the store of a fleet holds for edges that start while the site is down.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use http::StatusCode;
use moka::sync::Cache as Moka;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::{Notify, oneshot, watch};
use tokio::time::timeout;

use crate::cache::{Cache, StoredResponse};
use crate::companion::{Announcements, Companions};
use crate::telemetry::{FleetMetrics, SnapshotOutcome};
use calendar_edge_core::settings::FleetSettings;

/// Where calls leave responses for the store, and ask for some; clones share it.
#[derive(Debug, Clone)]
pub(crate) struct SharedSnapshot(Arc<SnapshotDesk>);

#[derive(Debug)]
struct SnapshotDesk {
    cache: Cache,
    announcements: Announcements,
    metrics: FleetMetrics,
    /// The most bytes in the store; 0: nothing is left there.
    most: AtomicU64,
    /// The store answers.
    is_open: AtomicBool,
    orders: Mutex<SnapshotOrders>,
    news: Notify,
    /// Which responses were left of late, by their cache keys and entity tags.
    recent: Moka<(Arc<str>, Vec<u8>), ()>,
    /// The missed changes for which everything was removed from the store.
    missed: AtomicU64,
    /// What this edge has read of the site's indexes, and the random number of the store that has it.
    site: Mutex<(Option<Arc<str>>, Option<String>)>,
    /// What the store holds of the site's indexes.
    told: watch::Sender<Option<Arc<str>>>,
}

/// What the store is to do.
#[derive(Debug, Default)]
pub(super) struct SnapshotOrders {
    pub(super) asked: Vec<AskedAnswer>,
    pub(super) gone: GoneAnswers,
    pub(super) left: Vec<LeftAnswer>,
}

/// One call that waits for a response.
#[derive(Debug)]
pub(super) struct AskedAnswer {
    pub(super) key: Arc<str>,
    /// Hears the response, as [`Cache::encode`] writes it.
    pub(super) found: oneshot::Sender<Option<Vec<u8>>>,
}

/// A response on its way into the store.
#[derive(Debug, Clone)]
pub(super) struct LeftAnswer {
    pub(super) key: Arc<str>,
    pub(super) stored: Arc<StoredResponse>,
}

/// The responses that the store shall not have any more.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum GoneAnswers {
    /// Those for these keys.
    For(Vec<Arc<str>>),
    #[default]
    None,
    All,
}

/// The longest wait of a call whose request the site failed.
const PATIENCE: Duration = Duration::from_millis(25);

/// The longest wait for what the store holds of the site's indexes; calls wait for the site much longer.
const SITE_PATIENCE: Duration = Duration::from_millis(500);

/// The most calls that wait at once. Others get the failure of the site.
const MOST_ASKED: usize = 16;

/// The most responses that wait to be left. Others are not.
const MOST_LEFT: usize = 64;

/// The most keys that wait to be forgotten; more count as all.
const MOST_GONE: usize = 256;

/// The largest body that is left, in bytes.
const LARGEST: u64 = 1 << 20;

/// The time for which an unchanged response is not left again.
const REPEAT: Duration = Duration::from_mins(1);

/// The most keys that are remembered for that time.
const MOST_RECENT: u64 = 10_000;

// === impl SharedSnapshot ===

impl SharedSnapshot {
    /// A desk that is closed.
    pub(super) fn new(companions: &Companions, metrics: &FleetMetrics) -> Self {
        Self(Arc::new(SnapshotDesk {
            cache: companions.cache().clone(),
            announcements: companions.announcements().clone(),
            metrics: metrics.clone(),
            most: AtomicU64::new(0),
            is_open: AtomicBool::new(false),
            orders: Mutex::default(),
            news: Notify::new(),
            recent: Moka::builder()
                .max_capacity(MOST_RECENT)
                .time_to_live(REPEAT)
                .build(),
            missed: AtomicU64::new(0),
            site: Mutex::default(),
            told: watch::Sender::new(None),
        }))
    }

    /// Takes new settings.
    pub(super) fn adapt(&self, settings: &FleetSettings) {
        let most = if settings.is_set() { settings.snapshot } else { 0 };
        self.0.most.store(most, Ordering::Relaxed);
    }

    /// Leaves a new response of the site in the store, afterwards. `older` is the stored response that it replaces.
    pub(crate) fn leave(&self, key: &str, stored: &Arc<StoredResponse>, older: Option<&StoredResponse>) {
        let most = self.most();
        if most == 0 {
            return;
        }
        // A starting edge serves none of these, but the older response would be wrong.
        if stored.answer().status() != StatusCode::OK || stored.filled().stated.must_revalidate {
            return self.forget(key);
        }
        let key: Arc<str> = Arc::from(key);
        let recent = (Arc::clone(&key), stored.entity_tag().as_bytes().to_vec());
        if older.is_some() && self.0.recent.contains_key(&recent) {
            return;
        }
        let length = u64::try_from(stored.answer().body().len()).unwrap_or(u64::MAX);
        let is_small = length <= LARGEST.min(most / 8);
        let is_possible = is_small && self.0.is_open.load(Ordering::Acquire);
        let mut orders = self.0.orders.lock();
        if !is_possible || orders.left.len() >= MOST_LEFT {
            drop(orders);
            return self.0.metrics.snapshot(SnapshotOutcome::Dropped);
        }
        let stored = Arc::clone(stored);
        orders.left.push(LeftAnswer { key, stored });
        drop(orders);
        self.0.recent.insert(recent, ());
        self.0.news.notify_one();
    }

    /// Removes what the store has for a key, afterwards: the site now says something that is not stored.
    pub(crate) fn forget(&self, key: &str) {
        if self.most() > 0 {
            self.0.orders.lock().gone.add(Arc::from(key));
            self.0.news.notify_one();
        }
    }

    /// A response of the store, for a key that this edge has nothing for while the site fails. It is stored here, and never
    /// fresh. True if there is one.
    pub(crate) async fn recall(&self, key: &str) -> bool {
        // In this order: a removal here after the first line counts, one before it is untold or known to the store.
        let generation = self.0.cache.generation();
        if !self.0.is_open.load(Ordering::Acquire) || self.0.announcements.has_untold_removals() {
            return false;
        }
        let Some(answer) = self.ask(key).await else {
            return false;
        };
        match self.0.cache.decode(key, &answer, generation) {
            Ok(stored) => self.0.cache.keep(key, &stored),
            Err(error) => {
                tracing::debug!(%error, "a response of the shared snapshot cannot be read");
                false
            }
        }
    }

    /// Leaves in the store what was read of the site's indexes, afterwards.
    pub(crate) fn leave_site(&self, indexes: &Value) {
        if self.most() > 0 {
            *self.0.site.lock() = (Some(indexes.to_string().into()), None);
            self.0.news.notify_one();
        }
    }

    /// What an edge has left there of the site's indexes. It waits for the store for a moment.
    pub(crate) async fn recall_site(&self) -> Option<Value> {
        if self.most() == 0 {
            return None;
        }
        let mut told = self.0.told.subscribe();
        let told = timeout(SITE_PATIENCE, told.wait_for(Option::is_some)).await;
        let told = told.ok()?.ok()?.clone();
        serde_json::from_str(&told?).ok()
    }

    /// What the store with this random number lacks of the site's indexes.
    pub(super) fn site_to_leave(&self, boot: &str) -> Option<Arc<str>> {
        let site = self.0.site.lock();
        let (known, left) = &*site;
        known.clone().filter(|_| left.as_deref() != Some(boot))
    }

    /// Notes that the store with this random number has them.
    pub(super) fn site_is_left(&self, indexes: &Arc<str>, boot: &str) {
        let mut site = self.0.site.lock();
        let (known, left) = &mut *site;
        if known.as_ref().is_some_and(|known| Arc::ptr_eq(known, indexes)) {
            *left = Some(boot.to_owned());
        }
    }

    /// Notes what the store holds of them.
    pub(super) fn hear_site(&self, indexes: &str) {
        self.0.told.send_replace(Some(indexes.into()));
    }

    async fn ask(&self, key: &str) -> Option<Vec<u8>> {
        let (found, answer) = oneshot::channel();
        {
            let mut orders = self.0.orders.lock();
            if orders.asked.len() >= MOST_ASKED {
                self.0.metrics.snapshot(SnapshotOutcome::Late);
                return None;
            }
            let key = Arc::from(key);
            orders.asked.push(AskedAnswer { key, found });
        }
        self.0.news.notify_one();
        let Ok(answer) = timeout(PATIENCE, answer).await else {
            self.0.metrics.snapshot(SnapshotOutcome::Late);
            return None;
        };
        answer.ok().flatten()
    }

    /// The most bytes in the store.
    pub(super) fn most(&self) -> u64 {
        self.0.most.load(Ordering::Relaxed)
    }

    /// Opens the desk while the store answers. Who waits while it is closed gets nothing.
    pub(super) fn open(&self, is_open: bool) {
        self.0.is_open.store(is_open, Ordering::Release);
        if !is_open {
            let mut orders = self.0.orders.lock();
            orders.asked.clear();
            let dropped = std::mem::take(&mut orders.left);
            drop(orders);
            self.drop_answers(dropped.len());
        }
    }

    /// Counts responses that are not left.
    pub(super) fn drop_answers(&self, count: usize) {
        for _ in 0..count {
            self.0.metrics.snapshot(SnapshotOutcome::Dropped);
        }
    }

    /// Takes the orders: of the responses that are to be left, so many.
    pub(super) fn take(&self, most_left: usize) -> SnapshotOrders {
        // A change that no edge was told of may concern everything.
        let missed = self.0.cache.missed();
        let mut orders = self.0.orders.lock();
        if self.0.missed.swap(missed, Ordering::Relaxed) != missed {
            orders.gone = GoneAnswers::All;
        }
        // A call that waits no longer has the failure of the site.
        orders.asked.retain(|asked| !asked.found.is_closed());
        let left = most_left.min(orders.left.len());
        SnapshotOrders {
            asked: std::mem::take(&mut orders.asked),
            gone: std::mem::take(&mut orders.gone),
            left: orders.left.drain(..left).collect(),
        }
    }

    /// Lets removals wait again that may not have been done.
    pub(super) fn put_back(&self, gone: GoneAnswers) {
        let mut orders = self.0.orders.lock();
        match gone {
            GoneAnswers::None => {}
            GoneAnswers::All => orders.gone = GoneAnswers::All,
            GoneAnswers::For(keys) => keys.into_iter().for_each(|key| orders.gone.add(key)),
        }
    }

    /// Whether responses wait to be left, after those that were taken.
    pub(super) fn has_more(&self) -> bool {
        !self.0.orders.lock().left.is_empty()
    }

    /// Waits until something is to be done.
    pub(super) async fn news(&self) {
        self.0.news.notified().await;
    }

    /// The stored responses.
    pub(super) fn cache(&self) -> &Cache {
        &self.0.cache
    }
}

// === impl GoneAnswers ===

impl GoneAnswers {
    fn add(&mut self, key: Arc<str>) {
        match self {
            Self::All => {}
            Self::None => *self = Self::For(vec![key]),
            Self::For(keys) if keys.contains(&key) => {}
            Self::For(keys) if keys.len() < MOST_GONE => keys.push(key),
            Self::For(_) => *self = Self::All,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_keys_count_as_all() {
        let mut gone = GoneAnswers::default();
        for number in 0..MOST_GONE {
            gone.add(Arc::from(number.to_string()));
            gone.add(Arc::from("0"));
        }
        assert!(matches!(&gone, GoneAnswers::For(keys) if keys.len() == MOST_GONE));
        gone.add(Arc::from("0"));
        assert_ne!(gone, GoneAnswers::All);
        gone.add(Arc::from("one more"));
        assert_eq!(gone, GoneAnswers::All);
    }
}
