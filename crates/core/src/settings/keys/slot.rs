//! The receiver of a key's value: a field, as far as a reader of the configuration needs it.

/// A field for values of one type: one, one that may be absent, or a list.
pub trait ValueSlot<V> {
    /// Takes a value; a list takes one more.
    fn put(&mut self, value: V);

    /// Empties a list.
    fn clear(&mut self) {}

    /// The values of the field.
    fn held(&self) -> &[V];
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
