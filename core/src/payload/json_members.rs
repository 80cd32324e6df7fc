//! The members of a JSON object while it is read. Each key is kept once, however often it is sent.

use std::collections::HashMap;

use crate::value::{ArrayKind, Key, PhpArray, Value};

/// Objects up to this size are searched for duplicate keys one by one.
const SMALL_OBJECT: usize = 16;

/// The members of an object.
#[derive(Debug, Default)]
pub(super) struct Members {
    entries: Vec<(Key, Value)>,
    places: HashMap<Key, usize>,
    repeated: bool,
}

impl Members {
    /// Adds a member. A known key keeps its position and gets the new value.
    pub(super) fn set(&mut self, key: Key, value: Value) {
        let place = self.place(&key);
        match place.and_then(|place| self.entries.get_mut(place)) {
            Some((_, known)) => {
                self.repeated = true;
                *known = value;
            }
            None => self.append(key, value),
        }
    }

    fn place(&self, key: &Key) -> Option<usize> {
        if self.entries.len() <= SMALL_OBJECT {
            return self.entries.iter().position(|(known, _)| known == key);
        }
        self.places.get(key).copied()
    }

    fn append(&mut self, key: Key, value: Value) {
        if self.entries.len() == SMALL_OBJECT {
            let known = self.entries.iter().enumerate();
            self.places = known.map(|(place, (key, _))| (key.clone(), place)).collect();
        }
        if self.entries.len() >= SMALL_OBJECT {
            self.places.insert(key.clone(), self.entries.len());
        }
        self.entries.push((key, value));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number of distinct keys.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if any key was sent twice.
    pub(super) fn has_repeated(&self) -> bool {
        self.repeated
    }

    /// The finished object.
    pub(super) fn into_map(self) -> PhpArray {
        PhpArray::from_distinct(ArrayKind::Map, self.entries)
    }
}
