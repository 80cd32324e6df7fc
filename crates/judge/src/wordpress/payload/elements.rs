//! Maximum number of elements of a body of any size.

/// A body with more elements is refused while it is read: list elements and object members of a JSON text at all
/// levels, or variables, brackets and each 64 bytes of the names of a form.
///
/// Ten times the number that PHP reads of a form (`max_input_vars`), so no call that a form could carry reaches it.
pub const ELEMENT_LIMIT: usize = 10_000;

/// The body has more than [`ELEMENT_LIMIT`] elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the body has more than {ELEMENT_LIMIT} elements")]
pub struct TooManyElements;

/// The rest of [`ELEMENT_LIMIT`] while a body is read.
#[derive(Debug)]
pub(super) struct ElementBudget {
    left: usize,
}

// === impl ElementBudget ===

impl ElementBudget {
    /// The budget of one body.
    pub(super) const fn full() -> Self {
        Self { left: ELEMENT_LIMIT }
    }

    /// Takes a number of elements off the budget.
    pub(super) fn spend(&mut self, elements: usize) -> Result<(), TooManyElements> {
        self.left = self.left.checked_sub(elements).ok_or(TooManyElements)?;
        Ok(())
    }
}
