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

// === impl Documented ===

impl Documented {
    /// The type in words, for the routes listing and for error messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::DateTime => "date-time",
            Self::Date => "date",
            Self::UtcDate => "UTC date",
            Self::Url => "URL",
            Self::Email => "e-mail",
            Self::Integer => "integer",
            Self::Double => "number",
            Self::Boolean => "boolean",
            Self::BooleanLike => "boolean-like",
            Self::IntegerList => "integer list",
            Self::Any => "any",
        }
    }
}
