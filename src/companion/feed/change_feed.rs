//! The log of changes at the site of the first root, which all readers share.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use tokio::sync::watch;
use url::Url;

use super::feed_file::{Delivered, FeedFile};
use super::feed_readers::{FeedReaders, ReaderPlace};
use crate::telemetry::{FeedMetrics, Metrics, unix_time};
use calendar_edge_core::cache::Dependencies;
use calendar_edge_core::companion::feed::{
    AskedRecord, ChangeLog, FeedKey, FeedPage, FeedPosition, RecordVerdict,
};
use calendar_edge_core::companion::purge::PurgeRequest;
use calendar_edge_core::settings::Settings;
use calendar_edge_core::unix_time::UnixTime;
use calendar_edge_judge::contract::Kind;
use calendar_edge_judge::problem::OwnError;

/// The log of changes; clones share it. Without `feed.enabled` nothing is kept.
#[derive(Debug, Clone)]
pub(crate) struct ChangeFeed(Arc<FeedState>);

#[derive(Debug)]
struct FeedState {
    is_on: AtomicBool,
    log: Mutex<FollowedLog>,
    /// Changes with everything that readers may have waited for.
    moved: watch::Sender<()>,
    judging: AtomicBool,
    readers: FeedReaders,
    metrics: FeedMetrics,
}

/// The log, and what it belongs to.
#[derive(Debug)]
struct FollowedLog {
    of: FeedPlace,
    most: usize,
    /// None until the site has shown a number.
    log: Option<ChangeLog>,
    /// The positions of receivers, by the names of their addresses.
    delivered: Delivered,
    is_written: bool,
}

/// The site that is followed, and where its log is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FeedPlace {
    root: Url,
    key: Option<Arc<FeedKey>>,
    /// None: nothing outlives the edge.
    file: Option<PathBuf>,
}

/// The file in the directory of the settings.
const FILE: &str = "feed.json";

// === impl ChangeFeed ===

impl ChangeFeed {
    /// The log that an earlier run has kept, or none yet.
    pub(crate) fn new(settings: &Settings, metrics: &Metrics) -> Self {
        let feed = Self(Arc::new(FeedState {
            is_on: AtomicBool::new(false),
            log: Mutex::new(FollowedLog::of(FeedPlace::nowhere(settings), settings)),
            moved: watch::Sender::new(()),
            judging: AtomicBool::new(false),
            readers: FeedReaders::new(metrics.feed().clone()),
            metrics: metrics.feed().clone(),
        }));
        feed.adapt(settings);
        feed
    }

    /// Takes new settings. The log of another site, or with another secret, is another one.
    pub(crate) fn adapt(&self, settings: &Settings) {
        let of = FeedPlace::of(settings);
        let is_on = settings.feed.enabled && of.key.is_some();
        if is_on {
            self.0.metrics.expect(&settings.webhooks);
        }
        let mut log = self.0.log.lock();
        if is_on && log.of != of {
            *log = FollowedLog::of(of, settings);
        }
        log.resize(settings.feed.records);
        drop(log);
        self.0.readers.limit(&settings.feed);
        self.0.is_on.store(is_on, Ordering::Release);
        self.0.moved.send_replace(());
    }

    /// Whether there is a log.
    pub(crate) fn is_on(&self) -> bool {
        self.0.is_on.load(Ordering::Acquire)
    }

    /// A place for a reader of this address that waits, has a stream or asks for records.
    pub(crate) fn enter(&self, address: Option<IpAddr>) -> Result<ReaderPlace, &'static OwnError> {
        self.0.readers.enter(address)
    }

    /// The counters.
    pub(super) fn metrics(&self) -> &FeedMetrics {
        &self.0.metrics
    }

    /// The key of the tokens; none without a secret.
    pub(crate) fn key(&self) -> Option<Arc<FeedKey>> {
        self.0.log.lock().of.key.clone()
    }

    /// Receives everything that readers may wait for from now on.
    pub(crate) fn subscribe(&self) -> watch::Receiver<()> {
        self.0.moved.subscribe()
    }

    /// The root whose site is followed; none if nothing is.
    pub(crate) fn root(&self) -> Option<Url> {
        self.is_on().then(|| self.0.log.lock().of.root.clone())
    }

    /// The last change that the log of this root knows from an earlier run.
    pub(crate) fn settled(&self, root: &Url) -> Option<u64> {
        self.is_on().then_some(())?;
        let log = self.0.log.lock();
        log.log
            .as_ref()
            .filter(|_| log.of.root == *root)
            .map(ChangeLog::settled)
    }

    /// Receives a message, before its numbers are counted.
    pub(crate) fn heard(&self, purge: &PurgeRequest) {
        self.change(|log| {
            if let Some(log) = &mut log.log {
                log.heard(purge, unix_time());
            }
        });
    }

    /// The changes of a root's site are known up to this one.
    pub(crate) fn follow(&self, root: &Url, settled: Option<u64>) {
        let Some(settled) = settled.filter(|_| self.is_on()) else {
            return;
        };
        let mut log = self.0.log.lock();
        let is_news = log.log.as_ref().is_none_or(|log| log.settled() < settled);
        if log.of.root == *root && is_news {
            log.settle(settled);
            drop(log);
            self.0.moved.send_replace(());
        }
    }

    /// Changes of a root up to this one may have come without a message.
    pub(crate) fn missed(&self, root: &Url, settled: Option<u64>) {
        self.change(|log| {
            if let (Some(known), Some(settled)) = (log.of_root(root), settled) {
                known.gap(settled, unix_time());
                known.settle(settled, unix_time());
            }
        });
    }

    /// The count of a root began anew at this number.
    pub(crate) fn began_anew(&self, root: &Url, number: u64) {
        self.change(|log| {
            if let Some(log) = log.of_root(root) {
                log.begin_anew(number, unix_time());
            }
        });
    }

    /// The site of a root did not count its changes for a while.
    pub(crate) fn doubt(&self, root: &Url) {
        self.change(|log| {
            if let Some(log) = log.of_root(root) {
                log.heard(&PurgeRequest::everything(), unix_time());
            }
        });
    }

    /// A response for everybody showed these records.
    pub(crate) fn shown(&self, answer: &Dependencies) {
        if !self.is_on() {
            return;
        }
        let mut log = self.0.log.lock();
        if let Some(known) = &mut log.log
            && known.shown(answer)
        {
            log.is_written = false;
        }
    }

    /// The changes since a position; none until the site has shown a number.
    pub(crate) fn read(&self, since: Option<FeedPosition>, kinds: &[Kind], most: usize) -> Option<FeedPage> {
        let log = self.0.log.lock();
        log.log
            .as_ref()
            .map(|log| log.read(since, kinds, most, unix_time()))
    }

    /// The records that an anonymous reader is to be asked for.
    pub(super) fn asks(&self, most: usize) -> Vec<AskedRecord> {
        let log = self.0.log.lock();
        log.log.as_ref().map(|log| log.asks(most)).unwrap_or_default()
    }

    /// Whether readers are to be asked for a record.
    pub(crate) fn is_pending(&self) -> bool {
        !self.asks(1).is_empty()
    }

    /// What a reader found.
    pub(super) fn judged(&self, asked: AskedRecord, verdict: RecordVerdict) {
        self.0.metrics.judged(&verdict);
        self.change(|log| {
            if let Some(log) = &mut log.log {
                log.judged(asked, verdict, unix_time());
            }
        });
    }

    /// Takes the turn to ask readers, which is free again when it is dropped; none while another has it.
    pub(super) fn judging(&self) -> Option<JudgingTurn> {
        let is_free = !self.0.judging.swap(true, Ordering::AcqRel);
        is_free.then(|| JudgingTurn(self.clone()))
    }

    /// The position up to which a receiver has the changes.
    pub(super) fn delivered(&self, receiver: &str) -> Option<FeedPosition> {
        self.0.log.lock().delivered.get(receiver).copied()
    }

    /// A receiver has the changes up to this position.
    pub(super) fn deliver(&self, receiver: &str, position: FeedPosition) {
        let mut log = self.0.log.lock();
        log.delivered.insert(receiver.to_owned(), position);
        log.is_written = false;
    }

    /// Forgets the positions of receivers that are no longer configured.
    pub(super) fn keep_delivered(&self, receivers: &[String]) {
        self.0
            .log
            .lock()
            .delivered
            .retain(|name, _| receivers.contains(name));
    }

    /// Writes what has changed since the last time, if there is a file. Blocks for the time of writing.
    pub(crate) fn write(&self) {
        let mut log = self.0.log.lock();
        if !self.is_on() || std::mem::replace(&mut log.is_written, true) {
            return;
        }
        let (Some(path), Some(known)) = (log.of.file.clone(), &log.log) else {
            return;
        };
        let file = FeedFile::new(log.of.log_id(), known, &log.delivered);
        drop(log);
        file.write(&path);
    }

    fn change(&self, change: impl FnOnce(&mut FollowedLog)) {
        if !self.is_on() {
            return;
        }
        let mut log = self.0.log.lock();
        let doubted = log.doubted();
        change(&mut log);
        log.is_written = false;
        let is_urgent = log.doubted() != doubted;
        drop(log);
        if is_urgent {
            // Rare: the site's number will not say it again.
            self.write();
        }
        self.0.moved.send_replace(());
    }
}

/// The right to ask readers.
#[derive(Debug)]
pub(super) struct JudgingTurn(ChangeFeed);

impl Drop for JudgingTurn {
    fn drop(&mut self) {
        self.0.0.judging.store(false, Ordering::Release);
        // Who waits may take the turn.
        self.0.0.moved.send_replace(());
    }
}

// === impl FollowedLog ===

impl FollowedLog {
    /// The log of this place, as an earlier run has kept it.
    fn of(of: FeedPlace, settings: &Settings) -> Self {
        let most = settings.feed.records;
        let kept = of
            .file
            .as_deref()
            .and_then(|path| FeedFile::read(path, &of.log_id()));
        let (log, delivered) = match kept {
            Some(kept) => kept.open(most, unix_time()),
            None => (None, Delivered::default()),
        };
        Self {
            of,
            most,
            log,
            delivered,
            is_written: true,
        }
    }

    fn doubted(&self) -> UnixTime {
        self.log.as_ref().map(ChangeLog::doubted).unwrap_or_default()
    }

    fn of_root(&mut self, root: &Url) -> Option<&mut ChangeLog> {
        self.log.as_mut().filter(|_| self.of.root == *root)
    }

    fn settle(&mut self, settled: u64) {
        let now = unix_time();
        let log = self
            .log
            .get_or_insert_with(|| ChangeLog::begin(settled, self.most, now));
        log.settle(settled, now);
        self.is_written = false;
    }

    fn resize(&mut self, most: usize) {
        self.most = most;
        if let Some(log) = &mut self.log {
            log.resize(most, unix_time());
        }
    }
}

// === impl FeedPlace ===

impl FeedPlace {
    fn of(settings: &Settings) -> Self {
        let mut place = Self::nowhere(settings);
        let key = settings.origin.mark_key.as_ref();
        place.key = key.map(|key| Arc::new(FeedKey::new(key, &place.root)));
        place.file = settings.state_dir.as_ref().map(|directory| directory.join(FILE));
        place
    }

    /// The same without a log.
    fn nowhere(settings: &Settings) -> Self {
        let root = settings.roots.first();
        Self {
            root: root.map_or_else(|| settings.origin.url.clone(), |root| root.origin_url.clone()),
            key: None,
            file: None,
        }
    }

    /// Tells the log from those of other sites.
    fn log_id(&self) -> String {
        self.key
            .as_ref()
            .map(|key| key.name_of("log"))
            .unwrap_or_default()
    }
}
