//! The types of the specification's tables.

/// The type an argument has in the specification's tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Documented {
    /// Text.
    String,
    /// A date with or without a time, as text.
    DateTime,
    /// A date, as text.
    Date,
    /// A date in UTC, as text.
    UtcDate,
    /// A web address, as text.
    Url,
    /// An e-mail address, as text.
    Email,
    /// A whole number.
    Integer,
    /// A floating-point number.
    Double,
    /// True or false.
    Boolean,
    /// True or false, in any spelling that the backend accepts.
    BooleanLike,
    /// A list of whole numbers.
    IntegerList,
    /// Anything.
    Any,
}
