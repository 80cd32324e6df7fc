//! The records, in memory and on a disk behind it, and the queries about more than one of them.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use calendar_edge_judge::contract::Kind;
use serde_json::Value;

use crate::outbox::{Key, Outbox, Waiting};
#[cfg(feature = "site")]
use crate::parcel::names;
use crate::record::{Members, UNSEEN, ids, number, text};

/// The most records of all kinds.
const MOST: usize = 100_000;

/// A record in place of the one with its number; none removes it.
#[derive(Debug, Clone)]
pub struct Change {
    pub(crate) kind: Kind,
    pub(crate) id: u64,
    pub(crate) record: Option<Members>,
}

/// The reason why a change is not made.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No number or no room is left for another record.
    #[error("The calendar has no room for another record")]
    Full,
    /// The disk fails.
    #[error("The disk fails: {0}")]
    Disk(String),
}

/// The place where records are kept when the service ends.
pub trait Disk: fmt::Debug + Send {
    /// Makes changes of records and of the outbox, all or none; nothing in place of what waits removes it.
    ///
    /// # Errors
    /// When they cannot be made.
    fn write(&mut self, changes: &[Change], outbox: &[(Key, Option<Waiting>)]) -> Result<(), StoreError>;

    /// Keeps the number of the site's change up to which the records are level.
    ///
    /// # Errors
    /// When it cannot be kept.
    fn follow(&mut self, change: u64) -> Result<(), StoreError>;
}

/// The records.
#[derive(Debug)]
pub struct Store {
    records: BTreeMap<(Kind, u64), Members>,
    /// The numbers for new records: a block of its own where another store counts as well.
    numbers: (u64, u64),
    followed: Option<u64>,
    disk: Option<Box<dyn Disk>>,
    /// The writes that the site does not have yet; none: there is no site.
    pub(crate) outbox: Option<Outbox>,
}

/// The published events that have each term.
#[derive(Debug, Default)]
pub(crate) struct Usage(HashMap<(Kind, u64), u64>);

// === impl Usage ===

impl Usage {
    pub(crate) fn of(&self, kind: Kind, id: u64) -> u64 {
        self.0.get(&(kind, id)).copied().unwrap_or(0)
    }
}

// === impl Change ===

impl Change {
    /// The end of a record.
    pub(crate) fn removal(kind: Kind, id: u64) -> Self {
        let record = None;
        Self { kind, id, record }
    }
}

// === impl Store ===

impl Default for Store {
    fn default() -> Self {
        Self {
            records: BTreeMap::new(),
            numbers: (1, u64::MAX),
            followed: None,
            disk: None,
            outbox: None,
        }
    }
}

impl Store {
    /// The records that a disk has, which keeps their changes, and what waits in its outbox.
    pub fn on(
        disk: Box<dyn Disk>,
        records: BTreeMap<Key, Members>,
        followed: Option<u64>,
        waiting: BTreeMap<Key, Waiting>,
    ) -> Self {
        Self {
            records,
            followed,
            disk: Some(disk),
            outbox: Some(Outbox::of(waiting)),
            ..Self::default()
        }
    }

    /// Gives new records numbers of this block only, its first and last.
    pub fn number(&mut self, first: u64, last: u64) {
        self.numbers = (first, last);
    }

    /// Notes in an outbox what is written from now on. A store on a disk always does.
    #[must_use]
    pub fn noting(self) -> Self {
        Self {
            outbox: Some(Outbox::default()),
            ..self
        }
    }

    /// This moment among the writes and copies, for [`take`](Self::take).
    pub fn moment(&self) -> u64 {
        self.outbox.as_ref().map_or(0, Outbox::last)
    }

    /// Takes records of the site as they were read from this moment on. Those that were written or copied since then, or
    /// that the site does not have so yet, stay.
    ///
    /// # Errors
    /// When there is no room, or the disk fails.
    pub fn take(&mut self, mut changes: Vec<Change>, moment: u64) -> Result<(), StoreError> {
        if let Some(outbox) = &self.outbox {
            changes.retain(|change| !outbox.is_younger((change.kind, change.id), moment));
        }
        let terms = changes.iter().filter(|change| change.kind.is_term());
        let terms: Vec<Key> = terms.map(|change| (change.kind, change.id)).collect();
        self.apply(changes, Vec::new())?;
        self.count_unseen(&terms)
    }

    /// Notes how many events of these terms the site counts, and does not show.
    fn count_unseen(&mut self, terms: &[Key]) -> Result<(), StoreError> {
        let usage = self.usage();
        let known = terms
            .iter()
            .filter_map(|key| Some((*key, self.records.get(key)?)));
        let counted = known.map(|((kind, id), term)| {
            let unseen = number(term, "count").saturating_sub(usage.of(kind, id));
            changed(kind, id, term, UNSEEN, unseen.into())
        });
        let counted = counted.collect();
        self.apply(counted, Vec::new())
    }

    /// Makes changes that are written here, which the site shall have as well.
    fn write(&mut self, changes: Vec<Change>) -> Result<(), StoreError> {
        let mut notes = Vec::new();
        if let Some(outbox) = &self.outbox {
            for Change { kind, id, record } in &changes {
                let before = self.get(*kind, *id);
                let members = record.iter().flatten();
                let members = members
                    .filter(|(name, value)| before.and_then(|before| before.get(*name)) != Some(*value));
                let key = (*kind, *id);
                let waiting = outbox.noted(key, members.map(|(name, _)| name.clone()));
                notes.push((key, Some(waiting)));
            }
        }
        self.apply(changes, notes)
    }

    #[cfg(feature = "site")]
    /// Notes that the site has taken a record with its write of this number, or has refused it with these words. A
    /// write that the site may have refused for want of a record that it has taken is sent again.
    ///
    /// # Errors
    /// When the disk fails.
    pub(crate) fn settle(&mut self, key: Key, write: u64, refused: Option<String>) -> Result<(), StoreError> {
        let is_taken = refused.is_none();
        let outbox = self.outbox.as_ref();
        if let Some(note) = outbox.and_then(|outbox| outbox.settled(key, write, refused)) {
            self.apply(Vec::new(), vec![note])?;
        }
        let Self { records, outbox, .. } = self;
        if let (Some(outbox), true) = (outbox, is_taken) {
            outbox.send_again(|other| {
                // Two terms of a kind cannot have one name: the other one may have had it.
                let is_of_names = other.0 == key.0 && key.0.is_term();
                let names = |record| names((other.0, record)).contains(&key);
                is_of_names || records.get(&other).is_some_and(names)
            });
        }
        Ok(())
    }

    /// Makes changes, all or none: on the disk, and then in memory.
    fn apply(&mut self, changes: Vec<Change>, notes: Vec<(Key, Option<Waiting>)>) -> Result<(), StoreError> {
        if self.records.len() + changes.len() > MOST {
            return Err(StoreError::Full);
        }
        if let Some(disk) = &mut self.disk {
            disk.write(&changes, &notes)?;
        }
        if let Some(outbox) = &mut self.outbox {
            for (key, waiting) in notes {
                outbox.set(key, waiting);
            }
        }
        for Change { kind, id, record } in changes {
            match record {
                Some(record) => drop(self.records.insert((kind, id), record)),
                None => drop(self.records.remove(&(kind, id))),
            }
        }
        Ok(())
    }

    pub(crate) fn put(&mut self, kind: Kind, id: u64, record: Members) -> Result<(), StoreError> {
        let record = Some(record);
        self.write(vec![Change { kind, id, record }])
    }

    /// Removes a term: its children move up, and its events lose it.
    pub(crate) fn remove_term(&mut self, kind: Kind, id: u64) -> Result<(), StoreError> {
        let above = self.get(kind, id).map_or(0, |term| number(term, "parent"));
        let mut changes = vec![Change::removal(kind, id)];
        for (child, term) in self.all(kind).filter(|(_, term)| number(term, "parent") == id) {
            changes.push(changed(kind, child, term, "parent", above.into()));
        }
        let name = kind.collection();
        for (event, record) in self.all(Kind::Event) {
            let mut terms = ids(record, name);
            if terms.contains(&id) {
                terms.retain(|term| *term != id);
                changes.push(changed(Kind::Event, event, record, name, terms.into()));
            }
        }
        self.write(changes)
    }

    /// The number for a new record. Posts of all kinds share one sequence, and terms another.
    pub(crate) fn next_number(&self, kind: Kind) -> Result<u64, StoreError> {
        let (first, last) = self.numbers;
        let kinds = Kind::ALL
            .into_iter()
            .filter(|other| other.is_term() == kind.is_term());
        let given = kinds.filter_map(|kind| {
            let given = self.records.range((kind, 0)..=(kind, last)).next_back();
            given.map(|((_, id), _)| id + 1)
        });
        let images = self
            .records
            .values()
            .filter_map(|record| record.get("image")?["id"].as_u64());
        let images = images
            .filter(|id| !kind.is_term() && *id <= last)
            .map(|id| id + 1);
        let next = given.chain(images).max().unwrap_or(first).max(first);
        if next > last {
            return Err(StoreError::Full);
        }
        Ok(next)
    }

    pub(crate) fn get(&self, kind: Kind, id: u64) -> Option<&Members> {
        self.records.get(&(kind, id))
    }

    /// The records of a kind, by number.
    pub(crate) fn all(&self, kind: Kind) -> impl Iterator<Item = (u64, &Members)> {
        let range = self.records.range((kind, 0)..=(kind, u64::MAX));
        range.map(|((_, id), record)| (*id, record))
    }

    pub(crate) fn by_slug(&self, kind: Kind, slug: &str) -> Option<u64> {
        let mut all = self.all(kind);
        all.find(|(_, record)| text(record, "slug") == slug)
            .map(|(id, _)| id)
    }

    /// The slug, or the next one after it that no other record of the kind has.
    pub(crate) fn free_slug(&self, kind: Kind, wanted: &str, own: u64) -> String {
        let is_free = |slug: &str| self.by_slug(kind, slug).is_none_or(|id| id == own);
        if is_free(wanted) {
            return wanted.to_owned();
        }
        let numbered = (2_u64..).map(|count| format!("{wanted}-{count}"));
        numbered.take(MOST).find(|slug| is_free(slug)).unwrap_or_default()
    }

    /// The term that a number, a slug or a name means.
    pub(crate) fn term_called(&self, kind: Kind, asked: &str) -> Option<u64> {
        if let Ok(id) = asked.parse() {
            return self.get(kind, id).map(|_| id);
        }
        let (lower, slug) = (asked.to_lowercase(), crate::slug::of(asked));
        let mut all = self.all(kind);
        let found =
            all.find(|(_, term)| text(term, "slug") == slug || text(term, "name").to_lowercase() == lower);
        found.map(|(id, _)| id)
    }

    /// A term and everything below it.
    pub(crate) fn branch(&self, kind: Kind, id: u64) -> Vec<u64> {
        let mut branch = vec![id];
        let mut next = 0;
        while let Some(&parent) = branch.get(next) {
            let below = self
                .all(kind)
                .filter(|(_, term)| number(term, "parent") == parent);
            let below: Vec<u64> = below
                .map(|(id, _)| id)
                .filter(|id| !branch.contains(id))
                .collect();
            branch.extend(below);
            next += 1;
        }
        branch
    }

    /// An image that a record shows: those are the images that are known here.
    pub(crate) fn image(&self, id: u64) -> Option<&Value> {
        let mut images = self.records.values().filter_map(|record| record.get("image"));
        images.find(|image| image["id"].as_u64() == Some(id))
    }

    pub(crate) fn usage(&self) -> Usage {
        let mut counts = HashMap::new();
        let events = self
            .all(Kind::Event)
            .filter(|(_, event)| text(event, "status") == "publish");
        for (_, event) in events {
            for kind in [Kind::Category, Kind::Tag] {
                for id in ids(event, kind.collection()) {
                    *counts.entry((kind, id)).or_insert(0) += 1;
                }
            }
        }
        for kind in [Kind::Category, Kind::Tag] {
            for (id, term) in self.all(kind).filter(|(_, term)| term.contains_key(UNSEEN)) {
                *counts.entry((kind, id)).or_insert(0) += number(term, UNSEEN);
            }
        }
        Usage(counts)
    }

    /// The number of the site's change up to which the records are level; none before the first reading.
    pub fn followed(&self) -> Option<u64> {
        self.followed
    }

    /// Keeps that number.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn follow(&mut self, change: u64) -> Result<(), StoreError> {
        if let Some(disk) = &mut self.disk {
            disk.follow(change)?;
        }
        self.followed = Some(change);
        Ok(())
    }
}

fn changed(kind: Kind, id: u64, record: &Members, name: &str, value: Value) -> Change {
    let mut record = record.clone();
    record.insert(name.to_owned(), value);
    Change {
        kind,
        id,
        record: Some(record),
    }
}
