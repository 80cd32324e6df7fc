//! Shapes of values that end PHP with a fatal error (backend.md section 3).

/// A shape that crashes the backend, which checks the value too late or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FatalShape {
    /// Any array.
    Array,
    /// An array with at least one element.
    NonEmptyArray,
    /// An array inside an array.
    NestedArray,
}
