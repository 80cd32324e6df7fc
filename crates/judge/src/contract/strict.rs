//! The strict profile as data: the form of each value, and the maximum size of a call.

use super::documented::Documented;

/// The form of a value that the strict profile requires. It is checked after WordPress's own checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrictRule {
    /// A whole number above zero in plain digits.
    Whole {
        /// The maximum.
        most: u64,
    },
    /// `true`, `false`, `1` or `0`.
    Flag,
    /// `YYYY-MM-DD`, optionally followed by a blank or a `T` and `HH:MM` or `HH:MM:SS`.
    AbsoluteDate,
    /// Any date that PHP reads and that is in the years 1 to 9999; not a plain number.
    ReadableDate,
    /// A plain decimal number.
    Degrees {
        /// The maximum of the absolute value.
        most: u8,
    },
    /// Numbers of records.
    Ids,
    /// Numbers, slugs or names of terms.
    Terms,
    /// An absolute `http` or `https` URL without a user.
    Url,
    /// The number of an image, or a URL.
    Image,
    /// One of these words.
    Word(&'static [&'static str]),
    /// One of these words, in upper or lower case.
    WordInAnyCase(&'static [&'static str]),
    /// A short text that fits into a path.
    Slug,
    /// Checked with the path, while it is still percent-encoded.
    InPath,
    /// A text of any length without control characters, except tabs and line ends.
    LongText,
    /// A short text without control characters.
    Text,
    /// A short text, a number or a boolean.
    Scalar,
}

/// The strict profile's rule about two arguments of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// A coordinate of a point must come with this other coordinate.
    OtherCoordinate(&'static str),
    /// The date is not before the one in this argument.
    NotBefore(&'static str),
}

/// Maximum number of pairs in a query of the strict profile. No setting changes this limit, nor those below.
pub const QUERY_PAIRS: usize = 64;

/// Maximum bytes of a request body.
pub const BODY_BYTES: usize = 1024 * 1024;

/// Maximum nesting of a JSON body.
pub const JSON_DEPTH: usize = 32;

/// Maximum number of members of one JSON object.
pub const OBJECT_MEMBERS: usize = 200;

/// Maximum number of elements of one JSON list.
pub const JSON_ELEMENTS: usize = 1000;

/// Maximum number of elements of one list argument.
pub const LIST_ELEMENTS: usize = 100;

/// Maximum number of characters of a text that is not a description.
pub const TEXT_CHARACTERS: usize = 1000;

/// Maximum bytes of a slug.
pub const SLUG_BYTES: usize = 200;

/// Maximum number of digits of an id in a path.
pub const ID_DIGITS: usize = 16;

/// Maximum id: the largest integer that a JSON number carries exactly.
pub const LARGEST_ID: u64 = (1 << 53) - 1;

/// Maximum page number.
pub const LAST_PAGE: u64 = 100_000;

/// The most records that the plugin puts on a page, by default.
pub const LARGEST_PAGE: u64 = 50;

/// The statuses that the specification names.
pub(super) const STATUSES: StrictRule =
    StrictRule::Word(&["publish", "draft", "pending", "private", "future"]);

// === impl StrictRule ===

impl StrictRule {
    /// The form that follows from the documented type alone; rows of the table refine it.
    pub(super) const fn of(documented: Documented) -> Self {
        match documented {
            Documented::Integer => Self::Whole { most: LARGEST_ID },
            Documented::Boolean | Documented::BooleanLike => Self::Flag,
            Documented::Date | Documented::UtcDate | Documented::DateTime => Self::ReadableDate,
            Documented::Double => Self::Degrees { most: 180 },
            Documented::IntegerList => Self::Ids,
            Documented::Url => Self::Url,
            Documented::Any => Self::Scalar,
            Documented::String | Documented::Email => Self::Text,
        }
    }
}
