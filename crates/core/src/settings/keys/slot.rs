//! The receiver of a key's value: a field, as far as a reader of the configuration needs it.

use super::text_form::{ReadText, TextError};

/// A field for values of one type: one, one that may be absent, or a list.
pub trait ValueSlot<V> {
    /// Takes a value; a list takes one more.
    fn put(&mut self, value: V);

    /// Empties a list.
    fn clear(&mut self) {}

    /// The values of the field.
    fn held(&self) -> &[V];
}

/// A field for whole numbers. The bounds of its key fit its type.
pub trait WholeNumber {
    /// Takes a number.
    fn set_number(&mut self, number: u64);

    /// The number that is held.
    fn number(&self) -> u64;
}

/// A field that reads texts of a form.
pub trait TextSlot {
    /// Empties a list.
    fn clear(&mut self);

    /// Reads a text and takes its value; a list takes one more.
    ///
    /// # Errors
    /// A text that has not the form, or that the setting cannot have.
    fn take(&mut self, text: &str) -> Result<(), TextError>;
}

/// A field and the reader of its texts.
pub(super) struct ReadInto<'a, V> {
    pub(super) read: ReadText<V>,
    pub(super) slot: &'a mut dyn ValueSlot<V>,
}

impl<V> ValueSlot<V> for V {
    fn put(&mut self, value: V) {
        *self = value;
    }

    fn held(&self) -> &[V] {
        std::slice::from_ref(self)
    }
}

impl<V> ValueSlot<V> for Option<V> {
    fn put(&mut self, value: V) {
        *self = Some(value);
    }

    fn held(&self) -> &[V] {
        self.as_slice()
    }
}

impl<V> ValueSlot<V> for Vec<V> {
    fn put(&mut self, value: V) {
        self.push(value);
    }

    fn clear(&mut self) {
        self.clear();
    }

    fn held(&self) -> &[V] {
        self
    }
}

impl<V> ValueSlot<V> for Option<Vec<V>> {
    fn put(&mut self, value: V) {
        self.get_or_insert_default().push(value);
    }

    fn clear(&mut self) {
        *self = Some(Vec::new());
    }

    fn held(&self) -> &[V] {
        self.as_deref().unwrap_or_default()
    }
}

impl WholeNumber for u64 {
    fn set_number(&mut self, number: u64) {
        *self = number;
    }

    fn number(&self) -> u64 {
        *self
    }
}

impl WholeNumber for usize {
    fn set_number(&mut self, number: u64) {
        *self = Self::try_from(number).unwrap_or(Self::MAX);
    }

    fn number(&self) -> u64 {
        u64::try_from(*self).unwrap_or(u64::MAX)
    }
}

impl<V> TextSlot for ReadInto<'_, V> {
    fn clear(&mut self) {
        self.slot.clear();
    }

    fn take(&mut self, text: &str) -> Result<(), TextError> {
        (self.read)(text).map(|value| self.slot.put(value))
    }
}
