//! Maximum number of elements of a body of any size.

/// A body with more elements is refused while it is read: list elements and object members of a JSON text at all
/// levels, or variables, brackets and each 64 bytes of the names of a form.
///
/// Ten times the number that PHP reads of a form (`max_input_vars`), so no call that a form could carry reaches it.
pub const ELEMENT_LIMIT: usize = 10_000;
