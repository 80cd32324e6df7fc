//! A value that logs and panics must not print.

use std::fmt;

/// Holds a secret; `Debug` prints a placeholder.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Secret<T>(T);

// === impl Secret ===

impl<T> Secret<T> {
    pub(super) const fn new(value: T) -> Self {
        Self(value)
    }

    pub(super) const fn expose(&self) -> &T {
        &self.0
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[redacted]")
    }
}
