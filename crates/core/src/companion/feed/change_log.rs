//! The log of changes that readers follow: the last change of each record, from a floor up to where all is known.

use std::collections::HashSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::feed_token::FeedPosition;
use super::known_records::{KnownRecords, RecordName};
use super::numbered::Numbered;
use super::page::{ChangedRecord, FeedPage, WhatChanged};
use super::record_verdict::RecordVerdict;
use crate::cache::{Dependencies, Removal, Tag};
use crate::companion::purge::PurgeRequest;
use crate::unix_time::UnixTime;
use calendar_edge_judge::contract::Kind;

/// The changes at one site, by the numbers that its companion plugin gives them.
///
/// A change that was received is pending until an anonymous read shows the state of the record. Readers receive nothing
/// behind the first pending change, so that no token skips one. Where changes are not known one by one, the floor rises
/// above them: tokens of before are no longer complete. So the log may forget anything, and may begin anew at any
/// number, without losing a change. Times are those of the wall clock.
///
/// Any earlier state of a log that a file has kept is a right one, once it has its bound again: it only has fewer
/// changes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ChangeLog {
    /// The most records with a change.
    #[serde(skip)]
    pub(super) most: usize,
    /// The number that was the highest one when the log began.
    pub(super) begun: FeedPosition,
    /// Tokens of before are not complete, whatever their number: a message without a number stated that anything may
    /// have changed.
    pub(super) doubted: UnixTime,
    /// Changes up to this one are not listed one by one.
    pub(super) floor: u64,
    /// Every change up to this one was received.
    pub(super) settled: u64,
    /// The end of what readers get.
    pub(super) end: FeedPosition,
    pub(super) listed: Numbered<WhatChanged>,
    pub(super) pending: Numbered<PendingReads>,
    pub(super) known: KnownRecords,
}

/// The reads of a pending record.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct PendingReads {
    /// Those without a result. A file does not keep them: after a restart the site may respond again.
    #[serde(skip)]
    failed: u8,
}

/// A record that is to be read as an anonymous reader, because of the change with this number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueRecord {
    /// The record.
    pub name: RecordName,
    pub(super) number: u64,
}

// === impl ChangeLog ===

impl ChangeLog {
    /// The number of reads of a record after which its change counts as one that is not known.
    pub const MOST_ATTEMPTS: u8 = 10;

    /// The greatest distance of another edge's token ahead of the changes that this edge has received.
    const MOST_AHEAD: u64 = 10_000;

    /// The greatest difference between clocks.
    const SKEW: Duration = Duration::from_mins(1);

    /// A log that begins behind this number, and holds the changes of at most so many records.
    pub fn begin(number: u64, most: usize, now: UnixTime) -> Self {
        let begun = FeedPosition {
            number,
            at: whole_millis(now),
        };
        Self {
            most,
            begun,
            doubted: UnixTime::default(),
            floor: number,
            settled: number,
            end: begun,
            listed: Numbered::default(),
            pending: Numbered::default(),
            known: KnownRecords::default(),
        }
    }

    /// Every change up to this one was received.
    pub const fn settled(&self) -> u64 {
        self.settled
    }

    /// The time of the last message without a number: no number repeats it after a crash.
    pub const fn doubted(&self) -> UnixTime {
        self.doubted
    }

    /// Changes the bound of records.
    pub fn resize(&mut self, most: usize, now: UnixTime) {
        self.most = most;
        self.drop_oldest();
        self.moved(now);
    }

    /// Takes a message, before the tracker of numbers counts it. Only numbered messages are about the site; an order to
    /// remove everything may come from an operator, for changes that the site did not count.
    pub fn received(&mut self, purge: &PurgeRequest, now: UnixTime) {
        match (purge.changes.iter().max().copied(), &purge.removal) {
            (None, Removal::All) => self.doubt(now),
            (None, Removal::Tags(_)) => {}
            // It was received before, or counts as not known.
            (Some(number), _) if number <= self.settled => {}
            (Some(number), Removal::All) => self.gap(number, now),
            (Some(number), Removal::Tags(tags)) => self.changed(number, tags, &purge.hidden, now),
        }
    }

    /// Changes up to this number were received, or count as missed.
    pub fn settle(&mut self, settled: u64, now: UnixTime) {
        self.settled = self.settled.max(settled);
        self.moved(now);
    }

    /// Changes up to this number are not known one by one.
    pub fn gap(&mut self, number: u64, now: UnixTime) {
        self.raise_floor(number);
        self.known.doubt_all();
        self.moved(now);
    }

    /// The site's count began anew at this number.
    pub fn begin_anew(&mut self, number: u64, now: UnixTime) {
        let mut known = std::mem::take(&mut self.known);
        known.doubt_all();
        // Behind the positions of the old count.
        let now = whole_millis(now).max(self.end.at.saturating_add(Duration::from_millis(1)));
        *self = Self {
            known,
            doubted: now,
            ..Self::begin(number, self.most, now)
        };
    }

    /// A response for all clients showed these records. True if that was not known.
    pub fn shown(&mut self, answer: &Dependencies) -> bool {
        let mut is_news = false;
        for name in RecordName::shown_by(answer) {
            is_news |= self.known.note(name, true);
        }
        is_news
    }

    /// The records that are to be read as an anonymous reader, the oldest changes first.
    pub fn due(&self, most: usize) -> Vec<DueRecord> {
        let pending = self.pending.iter().take(most);
        let heard = pending.take_while(|(number, ..)| *number <= self.settled);
        heard
            .map(|(number, name, _)| DueRecord { name, number })
            .collect()
    }

    /// Takes the result of a read that began after the change was received.
    pub fn judged(&mut self, asked: DueRecord, verdict: RecordVerdict, now: UnixTime) {
        let DueRecord { name, number } = asked;
        // A later change of the record is read anew.
        if self
            .pending
            .get(name)
            .is_none_or(|(pending, _)| *pending != number)
        {
            return;
        }
        match verdict {
            RecordVerdict::Readable(modified) => {
                self.pending.take(name);
                self.known.note(name, true);
                self.listed.put(name, number, WhatChanged::Changed(modified));
            }
            RecordVerdict::Hidden => {
                self.pending.take(name);
                self.hidden(name, number);
            }
            RecordVerdict::Failed => self.failed(name, number),
            RecordVerdict::Refused => self.raise_floor(number),
        }
        self.drop_oldest();
        self.moved(now);
    }

    /// The changes since a position, of these kinds or of all; a few more than `most`, because those of one number stay
    /// together.
    pub fn read(&self, since: Option<FeedPosition>, kinds: &[Kind], most: usize, now: UnixTime) -> FeedPage {
        let mut page = FeedPage {
            changes: Vec::new(),
            next: self.end,
            is_complete: false,
        };
        let Some(since) = since.filter(|since| self.reaches(*since, now)) else {
            return page;
        };
        page.is_complete = true;
        if since.number >= self.end.number {
            page.next = since;
            return page;
        }
        let mut last = since.number;
        for (number, name, what) in self.listed.after(since.number) {
            if number > last && page.changes.len() >= most {
                page.next.number = last;
                break;
            }
            if number > self.end.number {
                break;
            }
            last = number;
            if kinds.is_empty() || kinds.contains(&name.kind) {
                let what = what.clone();
                page.changes.push(ChangedRecord { number, name, what });
            }
        }
        page
    }

    /// True if all changes since a position are listed one by one.
    fn reaches(&self, since: FeedPosition, now: UnixTime) -> bool {
        let is_of_this_count = since.at >= self.begun.at || since.number <= self.begun.number;
        let is_of_the_past = since.at <= now.saturating_add(Self::SKEW);
        let is_near = since.number <= self.settled.saturating_add(Self::MOST_AHEAD);
        since.number >= self.floor
            && since.at >= self.doubted
            && is_of_this_count
            && is_of_the_past
            && is_near
    }

    fn changed(&mut self, number: u64, tags: &[Tag], hidden: &[Tag], now: UnixTime) {
        let names: Vec<RecordName> = tags.iter().filter_map(RecordName::of).collect();
        // A record that shows an image is named beside it.
        let is_image = |tag: &Tag| matches!(tag, Tag::Image(_));
        if names.is_empty() && (tags.is_empty() || !tags.iter().all(is_image)) {
            return self.gap(number, now);
        }
        let hidden: HashSet<RecordName> = hidden.iter().filter_map(RecordName::of).collect();
        for name in names {
            if hidden.contains(&name) && self.known.are_shown(name) != Some(true) {
                // Readers have nothing of it: for them nothing has changed.
                continue;
            }
            let later = self
                .pending
                .get(name)
                .map_or(number, |(pending, _)| number.max(*pending));
            self.pending.put(name, later, PendingReads::default());
        }
        if self.pending.len() > self.most {
            self.gap(number, now);
        }
        self.moved(now);
    }

    /// Anything may have changed, and no number shows it.
    fn doubt(&mut self, now: UnixTime) {
        self.known.doubt_all();
        self.doubted = whole_millis(now)
            .max(self.end.at)
            .saturating_add(Duration::from_millis(1));
        self.end.at = self.doubted;
    }

    /// A record that is not shown is listed as gone only if it was shown before: its number alone would show that it
    /// exists. Where that is not known, readers have to read all.
    fn hidden(&mut self, name: RecordName, number: u64) {
        let listed = self.listed.get(name);
        let listed = listed.map(|(_, what)| matches!(what, WhatChanged::Changed(_)));
        match self.known.are_shown(name).or(listed) {
            Some(true) => self.listed.put(name, number, WhatChanged::Gone),
            Some(false) => {}
            None => self.raise_floor(number),
        }
        self.known.note(name, false);
    }

    fn failed(&mut self, name: RecordName, number: u64) {
        let Some(reads) = self.pending.get_mut(name) else {
            return;
        };
        reads.failed += 1;
        if reads.failed >= Self::MOST_ATTEMPTS {
            self.raise_floor(number);
        }
    }

    fn raise_floor(&mut self, floor: u64) {
        self.floor = self.floor.max(floor);
        self.listed.drop_through(self.floor);
        let unjudged = self.pending.drop_through(self.floor);
        self.known.doubt(&unjudged);
    }

    fn drop_oldest(&mut self) {
        while self.listed.len() > self.most
            && let Some(oldest) = self.listed.first()
        {
            self.floor = self.floor.max(oldest);
            self.listed.drop_through(oldest);
        }
    }

    /// Moves the end up to the last listed change before the first pending one. Others do not move it: a position that
    /// moves would show that something changed.
    fn moved(&mut self, now: UnixTime) {
        let first = self
            .pending
            .first()
            .map_or(u64::MAX, |first| first.saturating_sub(1));
        let known = self.settled.min(first);
        let listed = self.listed.last_through(known).unwrap_or_default();
        let number = listed.max(self.floor).max(self.end.number).min(known);
        if number != self.end.number {
            let at = self.end.at.max(whole_millis(now));
            self.end = FeedPosition { number, at };
        }
    }
}

/// A time as tokens carry it.
fn whole_millis(time: UnixTime) -> UnixTime {
    UnixTime::from_millis(time.as_millis())
}
