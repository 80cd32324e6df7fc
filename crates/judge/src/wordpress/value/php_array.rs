//! PHP arrays: ordered, keyed, each key once.

use super::php::{Key, KeyRef, Value};

/// A PHP array: ordered, keyed, each key once.
///
/// As in PHP, a list does not store its keys. Neither form has spare capacity: an array takes the memory of its
/// entries.
#[derive(Debug, Clone, PartialEq)]
pub struct PhpArray {
    entries: Entries,
}

#[derive(Debug, Clone, PartialEq)]
enum Entries {
    /// The keys are 0, 1, 2, … in order.
    List(Box<[Value]>),
    /// Any keys.
    Map(Box<[(Key, Value)]>),
}

// === impl PhpArray ===

impl Default for PhpArray {
    fn default() -> Self {
        Self::list([])
    }
}

impl PhpArray {
    /// A list of values.
    pub fn list(values: impl IntoIterator<Item = Value>) -> Self {
        let entries = Entries::List(values.into_iter().collect());
        Self { entries }
    }

    /// A map from entries whose keys are distinct already.
    pub fn from_distinct(entries: Vec<(Key, Value)>) -> Self {
        let entries = Entries::Map(entries.into_boxed_slice());
        Self { entries }
    }

    /// Sets a key: an existing one keeps its place and takes the new value, as in PHP.
    pub fn insert(&mut self, key: Key, value: Value) {
        *self.entry(key, || Value::Null) = value;
    }

    /// Takes a key and its value out.
    pub fn remove(&mut self, key: &Key) {
        let mut entries = self.take_map().into_vec();
        entries.retain(|(known, _)| known != key);
        self.entries = Entries::Map(entries.into_boxed_slice());
    }

    /// The value under a key, created by `make` where it is missing.
    #[expect(
        clippy::indexing_slicing,
        reason = "the position was found or has just been made"
    )]
    pub fn entry(&mut self, key: Key, make: impl FnOnce() -> Value) -> &mut Value {
        let place = self.list_place(&key);
        if place.is_none() && matches!(self.entries, Entries::List(_)) {
            self.entries = Entries::Map(self.take_map());
        }
        match (&mut self.entries, place) {
            (Entries::List(values), place) => {
                let place = place.unwrap_or(values.len());
                if place == values.len() {
                    push(values, make());
                }
                &mut values[place]
            }
            (Entries::Map(entries), _) => {
                let known = entries.iter().position(|(known, _)| *known == key);
                let place = known.unwrap_or_else(|| {
                    push(entries, (key, make()));
                    entries.len() - 1
                });
                &mut entries[place].1
            }
        }
    }

    /// The position of a key, or the position at which it would be appended, in a list that stays a list.
    fn list_place(&self, key: &Key) -> Option<usize> {
        match (&self.entries, key) {
            (Entries::List(values), Key::Int(number)) => usize::try_from(*number)
                .ok()
                .filter(|&place| place <= values.len()),
            _ => None,
        }
    }

    /// The entries with their keys; the array is empty afterwards.
    fn take_map(&mut self) -> Box<[(Key, Value)]> {
        match std::mem::replace(&mut self.entries, Entries::List(Box::default())) {
            Entries::List(values) => (0..).map(Key::Int).zip(values).collect(),
            Entries::Map(entries) => entries,
        }
    }

    /// The integer key after the largest one, which is where `[]` appends; 0 in an array without any, and
    /// none behind the largest integer.
    pub fn next_index(&self) -> Option<i64> {
        let entries = match &self.entries {
            Entries::List(values) => return i64::try_from(values.len()).ok(),
            Entries::Map(entries) => entries,
        };
        let largest = entries.iter().filter_map(|(key, _)| match key {
            Key::Int(number) => Some(*number),
            Key::Text(_) => None,
        });
        largest.max().map_or(Some(0), |number| number.checked_add(1))
    }

    /// True for a list, JSON `[…]`; false for a map, JSON `{…}`.
    pub fn is_list(&self) -> bool {
        matches!(self.entries, Entries::List(_))
    }

    /// Decides the kind by the keys, as PHP's `array_is_list` does, in nested arrays too.
    pub fn settle_kinds(&mut self) {
        for value in self.values_mut() {
            if let Value::Array(inner) = value {
                inner.settle_kinds();
            }
        }
        if self.is_sequential() && !self.is_list() {
            let values = self.take_map().into_iter().map(|(_, value)| value);
            self.entries = Entries::List(values.collect());
        }
    }

    /// Returns true if the keys are 0, 1, 2, … in order, in either notation.
    pub fn is_sequential(&self) -> bool {
        match &self.entries {
            Entries::List(_) => true,
            Entries::Map(entries) => (0i64..)
                .zip(entries)
                .all(|(index, (key, _))| *key == Key::Int(index)),
        }
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        let (list, map) = self.parts();
        list.len() + map.len()
    }

    /// Returns true if there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Keys and values in order.
    pub fn entries(&self) -> impl Iterator<Item = (KeyRef<'_>, &Value)> {
        let (list, map) = self.parts();
        let list = (0..).map(KeyRef::Int).zip(list);
        list.chain(map.iter().map(|(key, value)| (key.as_ref(), value)))
    }

    /// Values in order.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        let (list, map) = self.parts();
        list.iter().chain(map.iter().map(|(_, value)| value))
    }

    fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        let (list, map) = match &mut self.entries {
            Entries::List(values) => (&mut **values, &mut [][..]),
            Entries::Map(entries) => (&mut [][..], &mut **entries),
        };
        list.iter_mut().chain(map.iter_mut().map(|(_, value)| value))
    }

    /// The value under a text key.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let (_, map) = self.parts();
        let found = map
            .iter()
            .find(|(key, _)| matches!(key, Key::Text(text) if **text == *name.as_bytes()));
        found.map(|(_, value)| value)
    }

    /// The entries of a list and those of a map; one of both is empty.
    fn parts(&self) -> (&[Value], &[(Key, Value)]) {
        match &self.entries {
            Entries::List(values) => (values, &[]),
            Entries::Map(entries) => (&[], entries),
        }
    }
}

/// Appends without spare capacity. Arrays that grow are those of forms, which PHP bounds at 1000 variables.
fn push<T>(entries: &mut Box<[T]>, entry: T) {
    let mut grown = std::mem::take(entries).into_vec();
    grown.reserve_exact(1);
    grown.push(entry);
    *entries = grown.into_boxed_slice();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An array that stores every key, as the one under test did once.
    fn plain(keys: &[i64]) -> Vec<i64> {
        let mut seen = Vec::new();
        for key in keys {
            if !seen.contains(key) {
                seen.push(*key);
            }
        }
        seen
    }

    proptest::proptest! {
        #[test]
        fn keeps_order_and_kind_with_and_without_stored_keys(
            keys in proptest::collection::vec(-1i64..6, 0..9),
            removed in -1i64..6,
        ) {
            let mut array = PhpArray::default();
            for key in &keys {
                array.insert(Key::Int(*key), Value::Bool(*key % 2 == 0));
            }
            let mut expected = plain(&keys);
            for _ in 0..2 {
                let read: Vec<_> = array.entries().map(|(key, value)| (key, value.clone())).collect();
                let sent: Vec<_> = expected
                    .iter()
                    .map(|key| (KeyRef::Int(*key), Value::Bool(key % 2 == 0)))
                    .collect();
                proptest::prop_assert_eq!(read, sent);
                let next = expected.iter().max().map_or(0, |key| key + 1);
                proptest::prop_assert_eq!(array.next_index(), Some(next));
                array.settle_kinds();
                let sequential = expected.iter().zip(0..).all(|(key, index)| *key == index);
                proptest::prop_assert_eq!(array.is_list(), sequential);
                array.remove(&Key::Int(removed));
                expected.retain(|key| *key != removed);
            }
        }
    }
}
