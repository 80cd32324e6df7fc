//! PHP values that a request can carry.

/// A PHP value from a query, a form or a JSON body.
///
/// Strings are bytes, as in PHP, because a query may carry any bytes. Numbers keep the text in which they
/// were sent, so forwarding never rounds them.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// JSON `null`.
    Null,
    /// JSON `true` or `false`.
    Bool(bool),
    /// A JSON number.
    Number(Number),
    /// Text. All scalars of a query or form are text.
    String(Vec<u8>),
    /// A PHP array: a list or a map.
    Array(PhpArray),
}

/// A JSON number with its exact spelling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number {
    text: String,
}

/// A PHP array: ordered entries with unique keys.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PhpArray {
    kind: ArrayKind,
    entries: Vec<(Key, Value)>,
}

/// The JSON form of an array, used when it is written again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ArrayKind {
    /// Keys 0, 1, 2, … in order: JSON `[…]`.
    #[default]
    List,
    /// Any other keys: JSON `{…}`.
    Map,
}

/// A key of a PHP array: decimal integers become numbers, all other keys are text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Key {
    /// An integer key.
    Int(i64),
    /// A text key.
    Text(Vec<u8>),
}

// === impl Value ===

impl Value {
    /// Returns a text value.
    pub fn text(bytes: impl Into<Vec<u8>>) -> Self {
        Self::String(bytes.into())
    }

    /// The bytes of a text value; `None` for other values.
    pub fn as_text(&self) -> Option<&[u8]> {
        match self {
            Self::String(bytes) => Some(bytes),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Array(_) => None,
        }
    }

    /// PHP's `empty()`: true for `""`, `"0"`, zero, `false`, `null` and the empty array.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Bool(value) => !value,
            Self::Number(number) => number.is_zero(),
            Self::String(bytes) => bytes.is_empty() || bytes == b"0",
            Self::Array(array) => array.is_empty(),
        }
    }

    /// True if arrays are nested more than `depth` deep; a scalar has depth 0, a flat array 1.
    pub fn is_deeper_than(&self, depth: usize) -> bool {
        match self {
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) => false,
            Self::Array(array) => depth == 0 || array.values().any(|value| value.is_deeper_than(depth - 1)),
        }
    }
}

// === impl Number ===

impl Number {
    /// Returns a number from its JSON spelling. The caller has checked that `text` follows
    /// RFC 8259 section 6.
    pub fn from_json_text(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }

    /// The spelling in which it was sent.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The integer that PHP decodes; `None` if PHP makes it a float (fraction, exponent, overflow, `-0`).
    pub fn as_int(&self) -> Option<i64> {
        if self.text == "-0" {
            return None;
        }
        self.text.parse().ok()
    }

    /// The number as PHP's float; infinite if it overflows.
    pub fn as_float(&self) -> f64 {
        self.text.parse().unwrap_or(f64::NAN)
    }

    fn is_zero(&self) -> bool {
        self.as_float() == 0.0
    }
}

// === impl Key ===

impl Key {
    /// The key that PHP makes of this text: a canonical decimal integer becomes a number.
    pub fn from_bytes(text: impl Into<Vec<u8>>) -> Self {
        let text = text.into();
        match canonical_int(&text) {
            Some(number) => Self::Int(number),
            None => Self::Text(text),
        }
    }

    /// The key as text.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Int(number) => number.to_string().into_bytes(),
            Self::Text(text) => text.clone(),
        }
    }
}

/// True for `0`, `-5`, `17`, but not for `-0`, `007`, `+1` or any number past 64 bits.
fn canonical_int(text: &[u8]) -> Option<i64> {
    let number: i64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    (number.to_string().as_bytes() == text).then_some(number)
}

// === impl PhpArray ===

impl PhpArray {
    /// Returns an empty array of this kind.
    pub fn new(kind: ArrayKind) -> Self {
        Self {
            kind,
            entries: Vec::new(),
        }
    }

    /// Returns a list of values.
    pub fn list(values: impl IntoIterator<Item = Value>) -> Self {
        let keys = (0..).map(Key::Int);
        Self::from_distinct(ArrayKind::List, keys.zip(values).collect())
    }

    /// Sets a key. As in PHP, an existing key keeps its position and gets the new value.
    pub fn insert(&mut self, key: Key, value: Value) {
        match self.entries.iter_mut().find(|(known, _)| *known == key) {
            Some((_, slot)) => *slot = value,
            None => self.entries.push((key, value)),
        }
    }

    /// Returns an array of entries. The caller guarantees distinct keys.
    pub fn from_distinct(kind: ArrayKind, entries: Vec<(Key, Value)>) -> Self {
        Self { kind, entries }
    }

    /// Removes a key and its value.
    pub fn remove(&mut self, key: &Key) {
        self.entries.retain(|(known, _)| known != key);
    }

    /// The value of a key; a missing one is created by `make`.
    #[expect(
        clippy::indexing_slicing,
        reason = "the position was found or has just been made"
    )]
    pub fn entry(&mut self, key: Key, make: impl FnOnce() -> Value) -> &mut Value {
        let position = self
            .entries
            .iter()
            .position(|(known, _)| *known == key)
            .unwrap_or_else(|| {
                self.entries.push((key, make()));
                self.entries.len() - 1
            });
        &mut self.entries[position].1
    }

    /// The key at which `[]` appends: the largest integer key plus 1. It is 0 if there is no integer key, and
    /// `None` behind the largest integer.
    pub fn next_index(&self) -> Option<i64> {
        let largest = self.entries.iter().filter_map(|(key, _)| match key {
            Key::Int(number) => Some(*number),
            Key::Text(_) => None,
        });
        largest.max().map_or(Some(0), |number| number.checked_add(1))
    }

    /// The form in which the array is written.
    pub fn kind(&self) -> ArrayKind {
        self.kind
    }

    /// Sets the kind by the keys, as PHP's `array_is_list` does, in nested arrays too.
    pub fn settle_kinds(&mut self) {
        for (_, value) in &mut self.entries {
            if let Value::Array(inner) = value {
                inner.settle_kinds();
            }
        }
        let sequential = (0i64..)
            .zip(&self.entries)
            .all(|(index, (key, _))| *key == Key::Int(index));
        self.kind = if sequential {
            ArrayKind::List
        } else {
            ArrayKind::Map
        };
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if there is no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The keys and values, in order.
    pub fn entries(&self) -> &[(Key, Value)] {
        &self.entries
    }

    /// The values, in order.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.entries.iter().map(|(_, value)| value)
    }

    /// The value of a text key.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let found = self
            .entries
            .iter()
            .find(|(key, _)| matches!(key, Key::Text(t) if t == name.as_bytes()));
        found.map(|(_, value)| value)
    }
}
