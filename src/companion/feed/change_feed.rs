//! The log of changes at the site of the first root, which all readers share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{Mutex as AsyncMutex, watch};
use url::Url;

use super::feed_readers::FeedReaders;
use super::followed_log::{FeedPlace, FollowedLog};
use super::metrics::FeedMetrics;
use crate::server::Subject;
use crate::server::{Drain, Kept};
use crate::telemetry::{Metrics, unix_time};
use calendar_edge_core::cache::Dependencies;
use calendar_edge_core::companion::feed::{
    ChangeLog, DueRecord, FeedKey, FeedPage, FeedPosition, RecordVerdict,
};
use calendar_edge_core::companion::purge::PurgeRequest;
use calendar_edge_core::settings::Settings;
use calendar_edge_core::unix_time::UnixTime;
use calendar_edge_judge::contract::Kind;

/// The log of changes. Without `feed.enabled` nothing is kept.
#[derive(Debug)]
pub(crate) struct ChangeFeed {
    is_on: AtomicBool,
    log: Arc<Kept<FollowedLog>>,
    /// Changes with everything that readers may have waited for.
    pub(super) moved: watch::Sender<()>,
    /// Locked by the task that reads records.
    pub(super) judging: Arc<AsyncMutex<()>>,
    /// The places of readers that wait, have a stream or read records.
    pub(super) readers: FeedReaders,
    metrics: FeedMetrics,
}

impl Subject for ChangeFeed {
    /// The log of another site, or with another secret, is another one.
    fn adapt(&self, settings: &Settings) {
        let of = FeedPlace::of(settings);
        let is_on = settings.feed.enabled && of.is_some();
        if is_on {
            self.metrics.expect();
        }
        if is_on && self.log.lock().of != of {
            let file = of.as_ref().and_then(|of| of.file.clone());
            let kept = Kept::<FollowedLog>::read(file.as_deref()).unwrap_or_default();
            self.log.replace(file, |_| FollowedLog::of(of, kept, settings));
        }
        self.log.lock().resize(settings.feed.records);
        self.readers.limit(&settings.feed);
        self.is_on.store(is_on, Ordering::Release);
        self.moved.send_replace(());
    }

    fn keep_files(&self, drain: &Drain) {
        self.log.keep_up(drain);
    }
}

// === impl ChangeFeed ===

impl ChangeFeed {
    /// The log that an earlier run has kept, or none yet.
    pub(crate) fn new(settings: &Settings, metrics: &Metrics) -> Arc<Self> {
        let metrics = metrics.register(FeedMetrics::new);
        let feed = Arc::new(Self {
            is_on: AtomicBool::new(false),
            log: Kept::new(None, FollowedLog::of(None, None, settings)),
            moved: watch::Sender::new(()),
            judging: Arc::default(),
            readers: FeedReaders::new(metrics.clone()),
            metrics,
        });
        feed.adapt(settings);
        feed
    }

    /// True if there is a log.
    pub(crate) fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Acquire)
    }

    /// The key of the tokens; none without a secret.
    pub(crate) fn key(&self) -> Option<Arc<FeedKey>> {
        let log = self.log.lock();
        log.of.as_ref().map(|of| Arc::clone(&of.key))
    }

    /// Receives everything that readers may wait for from now on.
    pub(crate) fn subscribe(&self) -> watch::Receiver<()> {
        self.moved.subscribe()
    }

    /// The root whose site is followed; none without one.
    pub(crate) fn root(&self) -> Option<Url> {
        let log = self.is_on().then(|| self.log.lock())?;
        log.of.as_ref().map(|of| of.root.clone())
    }

    /// The last change that the log of this root knows from an earlier run.
    pub(crate) fn settled(&self, root: &Url) -> Option<u64> {
        self.is_on().then_some(())?;
        let log = self.log.lock();
        log.log
            .as_ref()
            .filter(|_| log.is_of(root))
            .map(ChangeLog::settled)
    }

    /// Receives a message, before its numbers are counted.
    pub(crate) fn note_purge(&self, purge: &PurgeRequest) {
        self.change(None, |log, now| log.received(purge, now));
    }

    /// The changes of a root's site are known up to this one.
    pub(crate) fn follow(&self, root: &Url, settled: Option<u64>) {
        let Some(settled) = settled.filter(|_| self.is_on()) else {
            return;
        };
        let mut log = self.log.lock();
        let is_news = log.log.as_ref().is_none_or(|log| log.settled() < settled);
        if log.is_of(root) && is_news {
            log.settle(settled);
            drop(log);
            self.log.mark();
            self.moved.send_replace(());
        }
    }

    /// Changes of a root up to this one may have come without a message.
    pub(crate) fn missed(&self, root: &Url, settled: Option<u64>) {
        self.change(Some(root), |log, now| {
            if let Some(settled) = settled {
                log.gap(settled, now);
                log.settle(settled, now);
            }
        });
    }

    /// The count of a root began anew at this number.
    pub(crate) fn began_anew(&self, root: &Url, number: u64) {
        self.change(Some(root), |log, now| log.begin_anew(number, now));
    }

    /// The site of a root did not count its changes for a while.
    pub(crate) fn doubt(&self, root: &Url) {
        self.change(Some(root), |log, now| {
            log.received(&PurgeRequest::everything(), now);
        });
    }

    /// Notes the records of a response that any client may get.
    pub(crate) fn shown(&self, answer: &Dependencies) {
        if !self.is_on() {
            return;
        }
        let mut log = self.log.lock();
        let is_news = log.log.as_mut().is_some_and(|known| known.shown(answer));
        drop(log);
        if is_news {
            self.log.mark();
        }
    }

    /// The changes since a position; none until the site has shown a number.
    pub(crate) fn read(&self, since: Option<FeedPosition>, kinds: &[Kind], most: usize) -> Option<FeedPage> {
        let log = self.log.lock();
        log.log
            .as_ref()
            .map(|log| log.read(since, kinds, most, unix_time()))
    }

    /// The records to be read as an anonymous reader.
    pub(super) fn records_to_read(&self, most: usize) -> Vec<DueRecord> {
        let log = self.log.lock();
        log.log.as_ref().map(|log| log.due(most)).unwrap_or_default()
    }

    /// True if a record waits to be read.
    pub(crate) fn is_pending(&self) -> bool {
        !self.records_to_read(1).is_empty()
    }

    /// Takes the verdict of such a read.
    pub(super) fn judged(&self, asked: DueRecord, verdict: RecordVerdict) {
        self.metrics.judged(&verdict);
        self.change(None, |log, now| log.judged(asked, verdict, now));
    }

    /// Changes the log, if there is one; that of this root alone if one is given.
    fn change(&self, root: Option<&Url>, change: impl FnOnce(&mut ChangeLog, UnixTime)) {
        if !self.is_on() {
            return;
        }
        let mut log = self.log.change();
        let doubted = log.doubted();
        if root.is_none_or(|root| log.is_of(root))
            && let Some(log) = &mut log.log
        {
            change(log, unix_time());
        }
        let is_urgent = log.doubted() != doubted;
        drop(log);
        if is_urgent {
            // Rare, and the site's number will not show it again: it is on the disk before its message is acknowledged.
            self.log.write();
        }
        self.moved.send_replace(());
    }
}
