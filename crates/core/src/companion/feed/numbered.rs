//! Values of records in the order of their changes, one for each record.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize, Serializer};

use super::known_records::RecordName;

/// A value for each record, with the number of its change.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "HashMap<RecordName, (u64, T)>", bound = "T: Deserialize<'de>")]
pub(super) struct Numbered<T> {
    records: HashMap<RecordName, (u64, T)>,
    order: BTreeSet<(u64, RecordName)>,
}

// === impl Numbered ===

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self {
            records: HashMap::new(),
            order: BTreeSet::new(),
        }
    }
}

impl<T> From<HashMap<RecordName, (u64, T)>> for Numbered<T> {
    fn from(records: HashMap<RecordName, (u64, T)>) -> Self {
        let order = records.iter().map(|(name, (number, _))| (*number, *name));
        Self {
            order: order.collect(),
            records,
        }
    }
}

/// The order follows from the numbers.
impl<T: Serialize> Serialize for Numbered<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.records.serialize(serializer)
    }
}

impl<T> Numbered<T> {
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    /// Sets the value of a record, in place of an earlier one.
    pub(super) fn put(&mut self, name: RecordName, number: u64, value: T) {
        self.take(name);
        self.records.insert(name, (number, value));
        self.order.insert((number, name));
    }

    pub(super) fn take(&mut self, name: RecordName) -> Option<(u64, T)> {
        let taken = self.records.remove(&name)?;
        self.order.remove(&(taken.0, name));
        Some(taken)
    }

    pub(super) fn get(&self, name: RecordName) -> Option<&(u64, T)> {
        self.records.get(&name)
    }

    pub(super) fn get_mut(&mut self, name: RecordName) -> Option<&mut T> {
        self.records.get_mut(&name).map(|(_, value)| value)
    }

    /// The lowest number.
    pub(super) fn first(&self) -> Option<u64> {
        self.order.first().map(|(number, _)| *number)
    }

    /// The highest number up to this one.
    pub(super) fn last_through(&self, number: u64) -> Option<u64> {
        let mut through = self.order.range(..(number.saturating_add(1), RecordName::LEAST));
        through.next_back().map(|(number, _)| *number)
    }

    /// Number, name and value of what has a higher number than this one, in order.
    pub(super) fn after(&self, number: u64) -> impl Iterator<Item = (u64, RecordName, &T)> {
        let from = number.checked_add(1).map(|next| (next, RecordName::LEAST));
        let above = from.map(|from| self.order.range(from..));
        above.into_iter().flatten().filter_map(|(number, name)| {
            let (_, value) = self.records.get(name)?;
            Some((*number, *name, value))
        })
    }

    /// All of it, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, RecordName, &T)> {
        self.order.iter().filter_map(|(number, name)| {
            let (_, value) = self.records.get(name)?;
            Some((*number, *name, value))
        })
    }

    /// Drops what has this number or a lower one, and names it.
    pub(super) fn drop_through(&mut self, number: u64) -> Vec<RecordName> {
        let mut dropped = Vec::new();
        while let Some((first, name)) = self.order.first().copied()
            && first <= number
        {
            self.take(name);
            dropped.push(name);
        }
        dropped
    }
}
