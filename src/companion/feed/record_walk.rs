//! A chunk of all records for one reader on its way through them.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, sleep};

use super::change_reader::{ChangeReader, FIRST_NUMBER, MOST_RECORDS, RECORD_BYTES, SHORTEST};
use super::feed_route::invalid;
use super::judging::AT_ONCE;
use crate::layers::{EdgeResponse, refused};
use calendar_edge_core::companion::feed::{
    FeedPosition, InvalidArgument, RecordChunk, WalkCursor, WalkedRecords,
};
use calendar_edge_core::errors;

/// The time after which a chunk ends with the records that were read: proxies do not wait for a slow site.
const LONGEST: Duration = Duration::from_secs(5);

// === impl ChangeReader ===

impl ChangeReader {
    /// The next chunk, after a little wait for a moment at which all records are known.
    ///
    /// # Errors
    ///
    /// The response where its cursor stands for records that are not all known, or is of an earlier count of the site, or
    /// where the site does not count its changes.
    pub(super) async fn walk(&self) -> Result<Bytes, Box<EdgeResponse>> {
        let after = self.query.after.as_ref().map(|cursor| cursor.start);
        let begun = Instant::now();
        while self.look() {
            let is_patient = begun.elapsed() < FIRST_NUMBER;
            if let Some((records, are_new)) = self.all_records() {
                let is_enough = match after {
                    Some(after) => after.number <= records.through,
                    None => are_new || !is_patient && self.leads_on_from(records.start),
                };
                if is_enough {
                    return Ok(self.chunk(&records).await);
                }
            }
            let is_ending = self.parts.drain.unless_begun(sleep(SHORTEST)).await.is_none();
            if is_ending || !is_patient {
                let page = after.and_then(|after| self.feed().read(Some(after), &[], 0));
                let is_reached = page.is_none_or(|page| page.is_complete);
                return Err(Box::new(if is_reached {
                    refused(&errors::RECORDS_BEHIND.refusal()).again_soon()
                } else {
                    refused(&invalid(InvalidArgument::CURSOR))
                }));
            }
        }
        Err(Box::new(refused(&errors::FEED_UNAVAILABLE.refusal())))
    }

    /// All records as they are known now, or as they were when all were last known, and which of both. None while the
    /// site is silent.
    fn all_records(&self) -> Option<(Arc<WalkedRecords>, bool)> {
        let (feed, last) = (self.feed(), &self.parts.walked);
        if !self.parts.companions.are_current() {
            return None;
        }
        // Before the facts: these have every change up to both.
        let (start, through) = (feed.read(None, &[], 0)?.next, feed.settled(&feed.root()?)?);
        let facts = self.parts.companions.current_facts();
        if let Some(readable) = facts.and_then(|facts| facts.readable_records()) {
            let records = Arc::new(WalkedRecords::new(start, through, readable));
            *last.lock() = Some(Arc::clone(&records));
            return Some((records, true));
        }
        Some((last.lock().clone()?, false))
    }

    /// True if the feed leads on from a position, one change after the other.
    fn leads_on_from(&self, position: FeedPosition) -> bool {
        let page = self.feed().read(Some(position), &[], 0);
        page.is_some_and(|page| page.is_complete)
    }

    async fn chunk(&self, records: &WalkedRecords) -> Bytes {
        let first = || WalkCursor::first(records.start, self.query.kinds.clone());
        let mut cursor = self.query.after.clone().unwrap_or_else(first);
        let mut chunk = RecordChunk::new(self.parts.buffers.allowance(RECORD_BYTES));
        let names: Vec<_> = records.after(&cursor).take(MOST_RECORDS).collect();
        let begun = Instant::now();
        for names in names.chunks(AT_ONCE) {
            let found = self.read(names, chunk.left).await;
            let is_paid = self.is_charged(&found);
            for (name, found) in names.iter().zip(found) {
                chunk.take(*name, found.map(|found| (found.status, found.body)));
            }
            if chunk.is_full || begun.elapsed() > LONGEST || !is_paid {
                break;
            }
        }
        cursor.last = chunk.last.unwrap_or(cursor.last);
        let next = records.after(&cursor).next().map(|_| cursor.write(&self.key));
        chunk.to_json(next.as_deref(), &self.token(cursor.start))
    }
}
