//! One reader on its way through the log of changes.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;
use http::StatusCode;
use parking_lot::Mutex;
use tokio::time::{Instant, sleep};

use super::change_feed::ChangeFeed;
use super::judging::{AT_ONCE, ReadsRecords, RecordRead};
use crate::companion::Companions;
use crate::server::Drain;
use crate::telemetry::unix_time;
use calendar_edge_core::companion::feed::{
    FeedKey, FeedPage, FeedPosition, FeedQuery, RecordName, WalkedRecords,
};
use calendar_edge_core::companion::purge::SiteCompanion;
use calendar_edge_core::gateway::authority::PublicAddress;
use calendar_edge_core::limits::rates::{Budgets, Client, CostClass};
use calendar_edge_core::relay::BufferBudget;
use calendar_edge_judge::call::credentials::Identity;

/// The parts that all readers share.
#[derive(Debug)]
pub(crate) struct FeedParts {
    pub(crate) companions: Arc<Companions>,
    pub(crate) records: Arc<dyn ReadsRecords>,
    pub(crate) drain: Drain,
    /// The memory for pages that slow readers have not taken yet.
    pub(crate) buffers: BufferBudget,
    /// The records as they were when all were last known: a site that is edited all the time hardly has such a moment,
    /// and from any of them the feed leads on.
    pub(crate) walked: Mutex<Option<Arc<WalkedRecords>>>,
    /// Charges readers for reads from the site.
    pub(crate) budgets: Budgets,
}

/// A reader.
#[derive(Debug)]
pub(super) struct ChangeReader {
    pub(super) parts: Arc<FeedParts>,
    pub(super) key: Arc<FeedKey>,
    pub(super) query: FeedQuery,
    /// Where the reader reached the edge: included records have its URLs.
    pub(super) public: PublicAddress,
    /// Its address, if it has one.
    pub(super) address: Option<IpAddr>,
    /// True once a record was read from the site; the request itself was charged for the first one.
    pub(super) has_read: AtomicBool,
}

/// The most changes of one response; a few more, because those of one number stay together.
const MOST_CHANGES: usize = 1000;

/// The most records that one response includes.
pub(super) const MOST_RECORDS: usize = 100;

/// The most bytes of them.
pub(super) const RECORD_BYTES: usize = 1 << 20;

/// The longest wait of a reader for the verdicts on changed records.
const VERDICTS: Duration = Duration::from_secs(5);

/// The longest wait of the first reader for a number of the site.
pub(super) const FIRST_NUMBER: Duration = Duration::from_secs(2);

/// The longest time between two looks at the log. While there is a reader, the edge requests lost messages.
const LOOK: Duration = Duration::from_secs(1);

// === impl Companions ===

impl Companions {
    /// True if the site of the feed counts its changes, as far as it showed.
    pub(super) fn stand(&self) -> bool {
        let root = self.feed.root();
        root.is_some_and(|root| !self.is_so(&root, SiteCompanion::is_gone))
    }

    /// True if the log has every change that the site has counted, by its last number.
    pub(super) fn are_current(&self) -> bool {
        let (reconcile, now) = (self.reconcile(), unix_time());
        let root = self.feed.root();
        root.is_some_and(|root| self.is_so(&root, |state| state.is_current(reconcile, now)))
    }
}

// === impl ChangeReader ===

impl ChangeReader {
    pub(super) fn feed(&self) -> &Arc<ChangeFeed> {
        &self.parts.companions.feed
    }

    /// Waits a little until the site has shown a number. False if it does not count its changes.
    pub(super) async fn has_number(&self) -> bool {
        let begun = Instant::now();
        while self.look() && begun.elapsed() < FIRST_NUMBER {
            if self.page(false).is_some() {
                return true;
            }
            let pause = self.parts.drain.unless_begun(sleep(SHORTEST)).await;
            if pause.is_none() {
                return false;
            }
        }
        false
    }

    /// The changes since its position, after a wait for one for this time, unless the edge ends, and a little for the
    /// verdicts on changed records. None if the site does not count its changes.
    pub(super) async fn next(&self, wait: Duration) -> Option<FeedPage> {
        let begun = Instant::now();
        let mut moved = self.feed().subscribe();
        loop {
            moved.mark_unchanged();
            let is_current = self.parts.companions.are_current();
            let page = self.page(is_current).filter(|_| self.look())?;
            let time = begun.elapsed();
            let is_judging = time < VERDICTS && self.feed().is_pending();
            // The reader gets no page before the site has shown its number, as long as it may do so soon.
            let is_asking = !is_current && time < wait.max(FIRST_NUMBER);
            if !is_asking && (!page.is_complete || (!is_judging && (page.has_content() || time >= wait))) {
                return Some(page);
            }
            tokio::select! {
                // The next look finds the reason.
                _ = moved.changed() => {}
                () = sleep(LOOK.min(wait.saturating_sub(time).max(SHORTEST))) => {}
                () = self.parts.drain.begun() => return Some(page),
            }
        }
    }

    /// The changes since its position; as if it had none while the number of the site is unknown.
    fn page(&self, is_current: bool) -> Option<FeedPage> {
        let FeedQuery { since, kinds, .. } = &self.query;
        let since = since.filter(|_| is_current);
        self.feed().read(since, kinds, MOST_CHANGES)
    }

    /// Has pending changes judged. False if the site does not count its changes.
    pub(super) fn look(&self) -> bool {
        let FeedParts {
            companions,
            records,
            drain,
            ..
        } = &*self.parts;
        companions.called();
        self.feed().begin_judging(records, drain);
        companions.stand()
    }

    /// Counts the bytes sent to a reader until it has them.
    pub(super) fn count(&self, sent: Bytes) -> Bytes {
        self.parts.buffers.count(sent)
    }

    /// The text of a page, with records if the reader requests them.
    pub(super) async fn text(&self, page: &FeedPage) -> Bytes {
        let mut records = self.records(page).await.into_iter();
        let next = self.token(page.next);
        // Records were read in the order of the changes that have one.
        page.to_json(&next, |change| {
            let is_read = change.is_readable();
            is_read.then(|| records.next().flatten()).flatten()
        })
    }

    pub(super) fn token(&self, position: FeedPosition) -> String {
        self.key.write(position)
    }

    /// The records of changes, as far as there is room for them.
    async fn records(&self, page: &FeedPage) -> Vec<Option<Bytes>> {
        if !self.query.includes_records {
            return Vec::new();
        }
        let changed = page.changes.iter().filter(|change| change.is_readable());
        let names: Vec<_> = changed.map(|change| change.name).take(MOST_RECORDS).collect();
        let mut records = Vec::with_capacity(names.len());
        let mut left = self.parts.buffers.allowance(RECORD_BYTES);
        for names in names.chunks(AT_ONCE) {
            let read = self.read(names, left).await;
            let is_paid = self.is_charged(&read);
            for record in read {
                let shown = record.filter(|record| record.status == StatusCode::OK);
                let record = shown.and_then(|record| record.body);
                let record = record.filter(|record| record.len() <= left);
                left -= record.as_ref().map_or(0, Bytes::len);
                records.push(record);
            }
            if !is_paid {
                break;
            }
        }
        records
    }

    /// Charges the reader for each of these reads that went to the site (T-103), but for the first, for which its
    /// request has paid. False once a budget is used up: the records read so far are stored, and the next request goes
    /// on from there.
    pub(super) fn is_charged(&self, read: &[Option<RecordRead>]) -> bool {
        let asked = read.iter().flatten().filter(|read| read.is_of_backend).count();
        let is_paid = asked > 0 && !self.has_read.swap(true, Ordering::Relaxed);
        let (nobody, now) = (Identity::default(), std::time::Instant::now());
        let payer = Client::new(self.address, &nobody);
        let mut due = usize::from(is_paid)..asked;
        due.all(|_| {
            self.parts
                .budgets
                .spend_again(payer, CostClass::Item, now)
                .is_ok()
        })
    }

    /// Reads records for this reader.
    pub(super) async fn read(&self, names: &[RecordName], most: usize) -> Vec<Option<RecordRead>> {
        let at = (&self.public, self.query.namespace.as_deref());
        let reads = names
            .iter()
            .map(|name| self.parts.records.read(*name, Some(at), most));
        join_all(reads).await
    }
}

/// The shortest time between two looks.
pub(super) const SHORTEST: Duration = Duration::from_millis(50);
