//! The outbox: the records that were written here, and that the site does not have so yet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use calendar_edge_judge::contract::Kind;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::secret::unix_time;

/// The kind and the number of a record.
pub type Key = (Kind, u64);

/// A record with writes that the site does not have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// The number of its last write.
    pub(crate) write: u64,
    /// The number of the first of these writes, by which records are sent in their order.
    #[serde(default)]
    pub(crate) first: u64,
    /// When that was made, in seconds since 1970.
    pub(crate) since: u64,
    /// The members that they have changed.
    pub(crate) members: BTreeSet<String>,
    /// The words with which the site has refused it, so that it is sent no more until it is written again.
    pub(crate) refused: Option<String>,
    /// The number of failed attempts.
    #[serde(skip)]
    pub(crate) failures: u32,
}

/// The records that wait, and what has become of others.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    waiting: BTreeMap<Key, Waiting>,
    /// The moment of the last write or copy of each record in this run.
    written: BTreeMap<Key, u64>,
    /// The last moment, by which writes are numbered.
    last: u64,
    sent: u64,
    failure: Option<String>,
    /// Wakes what sends them.
    pub(crate) changed: Arc<Notify>,
}

// === impl Outbox ===

impl Outbox {
    /// The outbox of a run before this one. Writes that the site refused then are sent again.
    pub(crate) fn of(mut waiting: BTreeMap<Key, Waiting>) -> Self {
        for kept in waiting.values_mut() {
            kept.refused = None;
        }
        Self {
            last: waiting.values().map(|kept| kept.write).max().unwrap_or(0),
            waiting,
            ..Self::default()
        }
    }

    /// A record as it waits after one more write, which has changed these members.
    pub(crate) fn noted(&self, key: Key, members: impl Iterator<Item = String>) -> Waiting {
        let write = self.last + 1;
        let before = self.waiting.get(&key).cloned().unwrap_or_else(|| Waiting {
            first: write,
            since: unix_time(),
            ..Waiting::default()
        });
        Waiting {
            write,
            members: before.members.into_iter().chain(members).collect(),
            first: before.first,
            since: before.since,
            ..Waiting::default()
        }
    }

    /// Puts a record in as it waits; none: it waits no more.
    pub(crate) fn set(&mut self, key: Key, waiting: Option<Waiting>) {
        let Some(waiting) = waiting else {
            self.sent += 1;
            // A state that the site showed before it took the copy is older than the copy.
            self.last += 1;
            self.written.insert(key, self.last);
            self.failure = None;
            self.waiting.remove(&key);
            return;
        };
        self.last = self.last.max(waiting.write);
        self.written.insert(key, waiting.write);
        self.waiting.insert(key, waiting);
        self.changed.notify_one();
    }

    /// The moment of the last write or copy.
    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// True if the record here is younger than the one that the site showed from this moment on.
    pub(crate) fn is_younger(&self, key: Key, moment: u64) -> bool {
        self.waiting.contains_key(&key) || self.written.get(&key).is_some_and(|own| *own > moment)
    }

    #[cfg(any(test, feature = "site"))]
    /// The record to send now: the longest waiting of those that failed least, but first those that it names.
    pub(crate) fn next(&self, names: impl Fn(Key) -> Vec<Key>) -> Option<(Key, &Waiting)> {
        let waits = |key: &Key| self.waiting.get(key).is_some_and(|kept| kept.refused.is_none());
        let waiting = self.waiting.iter().filter(|(key, _)| waits(key));
        let (first, _) = waiting.min_by_key(|(_, kept)| (kept.failures, kept.first))?;
        let mut way = vec![*first];
        while let Some(key) = way.last()
            && let Some(named) = names(*key)
                .into_iter()
                .find(|named| waits(named) && !way.contains(named))
        {
            way.push(named);
        }
        let key = way.pop()?;
        self.waiting.get(&key).map(|kept| (key, kept))
    }

    #[cfg(any(test, feature = "site"))]
    /// A record with what waits of it, after the site has taken its write of this number or refused it with these words;
    /// none if it was written again meanwhile.
    pub(crate) fn settled(
        &self,
        key: Key,
        write: u64,
        refused: Option<String>,
    ) -> Option<(Key, Option<Waiting>)> {
        let kept = self.waiting.get(&key).filter(|kept| kept.write == write)?;
        let waiting = refused.map(|words| Waiting {
            refused: Some(words),
            ..kept.clone()
        });
        Some((key, waiting))
    }

    #[cfg(any(test, feature = "site"))]
    /// Sends refused records again for which this is so.
    pub(crate) fn send_again(&mut self, is_due: impl Fn(Key) -> bool) {
        let refused = self.waiting.iter_mut().filter(|(_, kept)| kept.refused.is_some());
        for (_, kept) in refused.filter(|(key, _)| is_due(**key)) {
            kept.refused = None;
        }
    }

    #[cfg(any(test, feature = "site"))]
    /// Notes that a record could not be sent.
    pub(crate) fn fail(&mut self, key: Key, why: String) {
        self.failure = Some(why);
        if let Some(kept) = self.waiting.get_mut(&key) {
            kept.failures = kept.failures.saturating_add(1);
        }
    }

    /// The document for operators, `check` and `migration status`.
    pub(crate) fn to_json(&self, is_copied: bool) -> Value {
        let refused = self.waiting.iter().filter_map(|((kind, id), kept)| {
            let words = kept.refused.as_ref()?;
            Some(json!({"kind": kind.singular(), "id": id, "words": words}))
        });
        let refused: Vec<Value> = refused.collect();
        let waiting = self.waiting.values().filter(|kept| kept.refused.is_none());
        let oldest = waiting.clone().map(|kept| kept.since).min();
        json!({
            "copied": is_copied,
            "sent": self.sent,
            "waiting": waiting.count(),
            "oldest_seconds": oldest.map(|since| unix_time().saturating_sub(since)),
            "failure": self.failure,
            "refused": refused,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VENUE: Key = (Kind::Venue, 7);
    const EVENT: Key = (Kind::Event, 8);

    fn write(outbox: &mut Outbox, key: Key, member: &str) -> u64 {
        let waiting = outbox.noted(key, std::iter::once(member.to_owned()));
        outbox.set(key, Some(waiting));
        outbox.last()
    }

    fn settle(outbox: &mut Outbox, key: Key, write: u64, refused: Option<&str>) -> bool {
        let settled = outbox.settled(key, write, refused.map(str::to_owned));
        let Some((key, waiting)) = settled else {
            return false;
        };
        outbox.set(key, waiting);
        true
    }

    fn names(key: Key) -> Vec<Key> {
        if key == EVENT { vec![VENUE] } else { Vec::new() }
    }

    fn next(outbox: &Outbox) -> Option<Key> {
        outbox.next(names).map(|(key, _)| key)
    }

    #[test]
    fn what_a_record_names_is_sent_before_it() {
        let mut outbox = Outbox::default();
        let first = write(&mut outbox, EVENT, "title");
        let second = write(&mut outbox, VENUE, "venue");
        assert_eq!(next(&outbox), Some(VENUE));
        assert!(settle(&mut outbox, VENUE, second, None));
        assert_eq!(next(&outbox), Some(EVENT));
        assert!(settle(&mut outbox, EVENT, first, None));
        assert_eq!(next(&outbox), None);
        assert_eq!(outbox.to_json(true)["sent"], 2);
    }

    #[test]
    fn a_write_during_the_sending_is_sent_as_well() {
        let mut outbox = Outbox::default();
        let first = write(&mut outbox, EVENT, "title");
        let second = write(&mut outbox, EVENT, "cost");
        assert!(!settle(&mut outbox, EVENT, first, None));
        assert!(!settle(&mut outbox, EVENT, first, Some("400 no")));
        let (_, waiting) = outbox.next(names).expect("it waits");
        assert_eq!((waiting.write, waiting.members.len()), (second, 2));
    }

    #[test]
    fn a_refused_record_waits_for_its_next_write_and_holds_up_no_other() {
        let mut outbox = Outbox::default();
        let first = write(&mut outbox, EVENT, "title");
        assert!(settle(&mut outbox, EVENT, first, Some("400 no")));
        assert_eq!(next(&outbox), None);
        assert_eq!(outbox.to_json(true)["refused"][0]["words"], "400 no");
        write(&mut outbox, EVENT, "title");
        assert_eq!(next(&outbox), Some(EVENT));
        outbox.fail(EVENT, "503".to_owned());
        write(&mut outbox, (Kind::Tag, 1), "name");
        assert_eq!(next(&outbox), Some((Kind::Tag, 1)), "the other one has failed");
    }

    #[test]
    fn a_restart_sends_what_waits_and_what_was_refused() {
        let mut outbox = Outbox::default();
        let first = write(&mut outbox, EVENT, "title");
        assert!(settle(&mut outbox, EVENT, first, Some("400 no")));
        let outbox = Outbox::of(outbox.waiting);
        assert_eq!((next(&outbox), outbox.last()), (Some(EVENT), first));
    }

    #[test]
    fn what_the_site_showed_before_a_write_or_its_copy_is_older() {
        let mut outbox = Outbox::default();
        let before = outbox.last();
        let write = write(&mut outbox, EVENT, "title");
        assert!(outbox.is_younger(EVENT, write), "it waits");
        assert!(settle(&mut outbox, EVENT, write, None));
        assert!(outbox.is_younger(EVENT, before) && outbox.is_younger(EVENT, write));
        assert!(!outbox.is_younger(EVENT, outbox.last()));
        assert!(!outbox.is_younger(VENUE, before));
    }
}
