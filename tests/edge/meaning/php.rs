//! PHP values and texts, as far as a request can hold them.

/// A value. Arrays are ordered; numbers stay the text they were.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Php {
    Null,
    Bool(bool),
    Number(String),
    Text(Vec<u8>),
    Array(Array),
}

/// A PHP array: JSON lists and objects are the same to WordPress, which decodes both into one of these.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Array {
    entries: Vec<(Key, Php)>,
}

/// A key: texts that look like a decimal integer are one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    Int(i64),
    Text(Vec<u8>),
}

// === impl Php ===

impl Php {
    /// PHP's `empty()`.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Null | Self::Bool(false) => true,
            Self::Bool(true) => false,
            Self::Number(number) => number.parse::<f64>().is_ok_and(|number| number == 0.0),
            Self::Text(text) => text.is_empty() || text == b"0",
            Self::Array(array) => array.entries.is_empty(),
        }
    }

    pub(super) fn as_text(&self) -> Option<&[u8]> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

// === impl Key ===

impl Key {
    pub(super) fn read(text: &[u8]) -> Self {
        let number = std::str::from_utf8(text)
            .ok()
            .and_then(|text| text.parse::<i64>().ok());
        match number {
            Some(number) if number.to_string().as_bytes() == text => Self::Int(number),
            _ => Self::Text(text.to_vec()),
        }
    }
}

// === impl Array ===

impl Array {
    pub(super) fn of(values: impl IntoIterator<Item = Php>) -> Self {
        let mut array = Self::default();
        for value in values {
            array.push(value);
        }
        array
    }

    pub(super) fn entries(&self) -> &[(Key, Php)] {
        &self.entries
    }

    pub(super) fn get(&self, name: &str) -> Option<&Php> {
        let wanted = Key::read(name.as_bytes());
        self.entries
            .iter()
            .find(|(key, _)| *key == wanted)
            .map(|(_, value)| value)
    }

    /// The entry of a key; a new one is appended if the key is missing.
    pub(super) fn place(&mut self, key: Key) -> &mut Php {
        let at = self.entries.iter().position(|(known, _)| *known == key);
        let at = at.unwrap_or_else(|| {
            self.entries.push((key, Php::Null));
            self.entries.len() - 1
        });
        &mut self.entries[at].1
    }

    pub(super) fn set(&mut self, key: Key, value: Php) {
        *self.place(key) = value;
    }

    pub(super) fn remove(&mut self, key: &Key) {
        self.entries.retain(|(known, _)| known != key);
    }

    /// The key `$array[]` takes: one more than the largest integer, none after the last integer.
    pub(super) fn next_key(&self) -> Option<Key> {
        let integers = self.entries.iter().filter_map(|(key, _)| match key {
            Key::Int(number) => Some(*number),
            Key::Text(_) => None,
        });
        integers.max().unwrap_or(-1).checked_add(1).map(Key::Int)
    }

    pub(super) fn push(&mut self, value: Php) {
        if let Some(key) = self.next_key() {
            self.set(key, value);
        }
    }

    /// True if the keys are 0, 1, 2, … in this order.
    pub(super) fn is_list(&self) -> bool {
        (0..)
            .zip(&self.entries)
            .all(|(at, (key, _))| *key == Key::Int(at))
    }
}

/// `urldecode` or, where a plus is itself, `rawurldecode`.
pub(super) fn decoded(text: &[u8], plus: u8) -> Vec<u8> {
    let hex = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match (text[at], hex(text.get(at + 1)), hex(text.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high * 16 + low).expect("two digits"));
                at += 3;
            }
            (b'+', ..) => {
                out.push(plus);
                at += 1;
            }
            (byte, ..) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    out
}

/// `urldecode`.
pub(super) fn urldecoded(text: &[u8]) -> Vec<u8> {
    decoded(text, b' ')
}
