//! The facts of one site as far as they are known, and the query that is due.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::event_fact::EventFact;
use super::facts_query::{FactsQuery, WantedEvents};
use super::facts_reply::{FactsReply, FactsReplyFault};
use super::facts_snapshot::FactsSnapshot;
use super::named_facts::NamedFacts;
use super::query_pacing::QueryPacing;
use super::record_fact::RecordFact;
use super::site_facts::SiteFacts;
use crate::cache::{Removal, Tag};
use crate::companion::purge::PurgeRequest;
use crate::unix_time::UnixTime;

/// The facts of the calendar of a site.
///
/// A message names the records that may have changed. Until a query that began after the message has its reply, they
/// are unsettled, and the facts are not whole. Each reply has the sums of the site's tables: sums that differ although
/// neither a message nor the site's number is a reason are those of an import past WordPress, and everything is read
/// again. Where a message may be the reason, an import may hide behind it, so all events are read anew within the hour.
#[derive(Debug, Default)]
pub struct Facts {
    progress: EventsRead,
    pub(super) site: Option<SiteFacts>,
    pub(super) events: BTreeMap<u64, EventFact>,
    /// All records, as far as they are read; none where no part of the edge needs them.
    pub(super) records: Option<BTreeMap<u64, Arc<RecordFact>>>,
    /// The events and records that messages named, by the number of the last such message.
    unsettled: BTreeMap<u64, u64>,
    /// The last message after which pages may be made in another way.
    unsettled_site: Option<u64>,
    /// The number of messages that were received.
    messages: u64,
    /// The highest number of a change that they named.
    highest: u64,
    /// The state of the site at the last reply.
    pub(super) last: Option<LastReply>,
    /// The number of times that everything was lost, and the last reason.
    losses: u64,
    loss: Option<&'static str>,
    /// The site was silent, and its sums are to be compared.
    is_doubted: bool,
    /// Sums changed where a message may be the reason.
    pub(super) is_unproven: bool,
    /// The progress of reading all events anew, while the present facts stay in use.
    again: Option<u64>,
    read_anew: UnixTime,
    is_waiting: bool,
    pause: QueryPacing,
    /// None once something has changed.
    snapshot: Option<Arc<FactsSnapshot>>,
}

/// The progress of reading all events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EventsRead {
    /// Those up to this number.
    UpTo(u64),
    /// All, by an earlier run; the site has not confirmed yet that nothing changed since.
    Kept,
    All,
}

/// The state of the site at a reply.
#[derive(Debug)]
pub(super) struct LastReply {
    pub(super) number: u64,
    pub(super) sums: String,
    /// The number of messages that were received when its query began.
    pub(super) messages: u64,
    pub(super) at: UnixTime,
}

/// The reason of a loss by a message.
const EVERYTHING: &str = "the site reports that everything may have changed";

// === impl Facts ===

impl Facts {
    /// The most events that may be unsettled before all are read again.
    const MOST_UNSETTLED: usize = 5000;

    /// The time after which sums are compared without another reason.
    pub const HOUR: Duration = Duration::from_hours(1);

    /// No facts yet. Records are read as well where they are wanted.
    pub fn wanting_records(are_wanted: bool) -> Self {
        Self {
            records: are_wanted.then(BTreeMap::new),
            ..Self::default()
        }
    }

    /// The facts that an earlier run has kept, as of the last reply that it got.
    pub(super) fn kept(snapshot: Arc<FactsSnapshot>, last: LastReply, is_unproven: bool) -> Self {
        let events = snapshot.events.iter().map(|event| (event.id, event.clone()));
        let records = snapshot.records.as_ref().map(|records| {
            let records = records.iter().map(|record| (record.id, Arc::clone(record)));
            records.collect()
        });
        Self {
            records,
            progress: EventsRead::Kept,
            site: Some(snapshot.site.clone()),
            events: events.collect(),
            last: Some(last),
            is_unproven,
            snapshot: Some(snapshot),
            ..Self::default()
        }
    }

    /// Takes a message, before the tracker of numbers counts it.
    pub fn received(&mut self, purge: &PurgeRequest) {
        self.messages = self.messages.saturating_add(1);
        match &purge.removal {
            Removal::All => self.lost(EVERYTHING),
            // No query has begun that the message could overtake.
            Removal::Tags(_) if self.progress == EventsRead::UpTo(0) && !self.is_waiting => {}
            Removal::Tags(tags) => self.unsettle(tags),
        }
        self.highest = purge.changes.iter().copied().fold(self.highest, u64::max);
    }

    fn unsettle(&mut self, tags: &[Tag]) {
        let named = NamedFacts::of(tags, self.records.is_some());
        let ids = named.ids.into_iter().map(|id| (id, self.messages));
        self.unsettled.extend(ids);
        if named.is_site {
            self.unsettled_site = Some(self.messages);
        }
        if named.are_unknown || self.unsettled.len() > Self::MOST_UNSETTLED {
            self.lost(EVERYTHING);
        }
    }

    /// Changes may have gone unseen: everything is read again.
    pub fn lost(&mut self, reason: &'static str) {
        *self = Self {
            losses: self.losses.saturating_add(1),
            loss: Some(reason),
            messages: self.messages,
            is_waiting: self.is_waiting,
            pause: self.pause,
            records: self.records.as_ref().map(|_| BTreeMap::new()),
            ..Self::default()
        };
    }

    /// These facts in place of those of another site: a query about that one still waits for its reply.
    #[must_use]
    pub fn instead_of(self, other: &Self) -> Self {
        Self {
            losses: other.losses.saturating_add(1),
            is_waiting: other.is_waiting,
            ..self
        }
    }

    /// The site was silent for a while: its sums are compared before the facts count again.
    pub fn silent(&mut self) {
        self.is_doubted = true;
    }

    /// The query that is due; none while another waits for its reply. It has to be followed by [`Self::replied`] or
    /// [`Self::failed`].
    pub fn next_query(&mut self, now: UnixTime) -> Option<FactsQuery> {
        let is_past = |since: UnixTime, time| now.checked_since(since).is_none_or(|age| age >= time);
        if self.is_waiting || self.pause.goes_on(now) {
            return None;
        }
        let is_hourly = self.last.as_ref().is_none_or(|last| is_past(last.at, Self::HOUR));
        let asked = |events| Some((events, self.unsettled_site.is_some() || self.site.is_none()));
        let (events, site) = match self.progress {
            EventsRead::UpTo(id) => asked(WantedEvents::After(id)),
            EventsRead::Kept => Some((WantedEvents::None, true)),
            EventsRead::All if !self.unsettled.is_empty() => {
                let ids = self
                    .unsettled
                    .keys()
                    .copied()
                    .take(self.pause.size(FactsQuery::MOST_IDS));
                asked(WantedEvents::Ids(ids.collect()))
            }
            EventsRead::All if self.unsettled_site.is_some() || self.is_doubted => asked(WantedEvents::None),
            EventsRead::All => match self.again {
                Some(id) => asked(WantedEvents::After(id)),
                None if self.is_unproven && is_past(self.read_anew, Self::HOUR) => {
                    self.is_unproven = false;
                    self.read_anew = now;
                    self.again = Some(0);
                    Some((WantedEvents::After(0), true))
                }
                // Rules may change without a message.
                None => is_hourly.then_some((WantedEvents::None, true)),
            },
        }?;
        self.is_waiting = true;
        Some(FactsQuery {
            events,
            most: self.pause.size(FactsReply::MOST),
            site,
            records: self.records.is_some(),
            messages: self.messages,
            losses: self.losses,
            number: self.last.as_ref().map_or(0, |last| last.number).max(self.highest),
        })
    }

    /// Takes the reply to a query.
    ///
    /// # Errors
    ///
    /// When it does not fit, or the facts exceed their bounds: the query has failed, and the next one waits.
    pub fn replied(
        &mut self,
        query: &FactsQuery,
        mut reply: FactsReply,
        now: UnixTime,
    ) -> Result<(), FactsReplyFault> {
        self.is_waiting = false;
        if query.losses != self.losses {
            return Ok(());
        }
        if !query.fits(&reply) {
            self.failed(now);
            return Err(FactsReplyFault::Unfit);
        }
        if let Some(reason) = self.contradiction(query, &reply) {
            // An import that goes on is not followed page by page.
            self.pause.hold(now);
            self.lost(reason);
            return Ok(());
        }
        self.pause.replied();
        self.is_doubted = false;
        self.last = Some(LastReply {
            number: reply.changes,
            sums: std::mem::take(&mut reply.sums),
            messages: query.messages,
            at: now,
        });
        if self.progress == EventsRead::Kept {
            self.all_read(now);
        }
        if let Some(records) = reply.names {
            self.take_records(records, reply.next, query);
        }
        if let Some(site) = reply.site {
            self.take_site(site, query);
        }
        self.take_events(reply.events, reply.next, query);
        match reply.next {
            _ if !matches!(query.events, WantedEvents::After(_)) => {}
            next if self.is_read() => self.again = next,
            Some(next) => self.progress = EventsRead::UpTo(next),
            None => self.all_read(now),
        }
        if self.is_too_much() {
            self.lost("the facts of the site exceed their bounds");
            self.pause.begin(now, Self::HOUR);
            return Err(FactsReplyFault::TooMuch);
        }
        self.renew();
        Ok(())
    }

    /// The reason for which a reply contradicts the facts; none: both can hold.
    fn contradiction(&mut self, query: &FactsQuery, reply: &FactsReply) -> Option<&'static str> {
        if reply.changes < query.number {
            return Some("the site's count of changes began anew, or its reply is older than a message");
        }
        let last = self.last.as_ref()?;
        let is_counted = reply.changes > last.number;
        if self.progress == EventsRead::Kept && is_counted {
            return Some("the site changed while the edge was away");
        }
        if last.sums == reply.sums {
            return None;
        }
        if self.progress == EventsRead::Kept || !is_counted && self.messages == last.messages {
            return Some("tables of the site changed without a message");
        }
        self.is_unproven = true;
        None
    }

    fn take_site(&mut self, site: SiteFacts, query: &FactsQuery) {
        if self.site.as_ref() != Some(&site) {
            self.snapshot = None;
            self.site = Some(site);
        }
        self.unsettled_site = self.unsettled_site.filter(|message| *message > query.messages);
    }

    fn all_read(&mut self, now: UnixTime) {
        self.progress = EventsRead::All;
        self.read_anew = now;
    }

    fn take_records(&mut self, told: Vec<RecordFact>, next: Option<u64>, query: &FactsQuery) {
        let Some(records) = &mut self.records else {
            return;
        };
        let known = records.values().filter(|record| query.covers(record.id, next));
        if !known.map(|record| &**record).eq(&told) {
            self.snapshot = None;
            records.retain(|id, _| !query.covers(*id, next));
            records.extend(RecordFact::by_number(told));
        }
    }

    fn take_events(&mut self, events: Vec<EventFact>, next: Option<u64>, query: &FactsQuery) {
        let known = self.events.values().filter(|event| query.covers(event.id, next));
        if !known.eq(&events) {
            self.snapshot = None;
            self.events.retain(|id, _| !query.covers(*id, next));
            self.events
                .extend(events.into_iter().map(|event| (event.id, event)));
        }
        let is_settled = |id, message| message <= query.messages && query.covers(id, next);
        self.unsettled.retain(|id, message| !is_settled(*id, *message));
    }

    /// Makes the snapshot anew once it differs.
    fn renew(&mut self) {
        if !self.is_settled() || self.snapshot.is_some() {
            return;
        }
        let records = self.records.as_ref();
        if let Some(site) = &self.site {
            self.snapshot = Some(Arc::new(FactsSnapshot {
                site: site.clone(),
                events: self.events.values().cloned().collect(),
                records: records.map(|records| records.values().cloned().collect()),
            }));
        }
    }

    /// A query got no reply. The pause until the next one grows.
    pub fn failed(&mut self, now: UnixTime) {
        self.is_waiting = false;
        self.pause.failed(now);
    }

    /// The number of events that were read so far.
    pub fn events(&self) -> usize {
        self.events.len()
    }

    /// True if all events were read, so that single ones may be unsettled at most.
    pub fn is_read(&self) -> bool {
        self.progress == EventsRead::All
    }

    /// True if the facts are those of the site, as far as its messages and its number of changes show.
    pub fn is_whole(&self) -> bool {
        self.is_read() && self.is_settled() && !self.is_doubted
    }

    /// True if all records that messages named were read since.
    fn is_settled(&self) -> bool {
        let is_read = !matches!(self.progress, EventsRead::UpTo(_));
        is_read && self.unsettled.is_empty() && self.unsettled_site.is_none()
    }

    /// The facts, while they are whole.
    pub fn snapshot(&self) -> Option<Arc<FactsSnapshot>> {
        self.snapshot.clone().filter(|_| self.is_whole())
    }

    /// The reason of the last loss of everything.
    pub const fn loss(&self) -> Option<&'static str> {
        self.loss
    }
}

impl Default for EventsRead {
    fn default() -> Self {
        Self::UpTo(0)
    }
}
