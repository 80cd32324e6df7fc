//! The strict profile as data: the form of each value, and the maximum size of a call.

use super::documented::Documented;
use super::query::LARGEST_PAGE;

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

/// The maximum size of a call in the strict profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StrictLimits {
    /// Maximum number of pairs in a query.
    pub query_pairs: usize,
    /// Maximum bytes of a request body.
    pub body_bytes: usize,
    /// Maximum nesting of a JSON body.
    pub json_depth: usize,
    /// Maximum number of members of one JSON object.
    pub object_members: usize,
    /// Maximum number of elements of one JSON list.
    pub json_elements: usize,
    /// Maximum number of elements of one list argument.
    pub list_elements: usize,
    /// Maximum number of characters of a text that is not a description.
    pub text_characters: usize,
    /// Maximum bytes of a slug.
    pub slug_bytes: usize,
    /// Maximum number of digits of an id in a path.
    pub id_digits: usize,
    /// Maximum id: the largest integer that a JSON number carries exactly.
    pub id: u64,
    /// Maximum page number.
    pub page: u64,
    /// Maximum page size: of more the site gives as many, without an error.
    pub per_page: u64,
}

/// The limits of the strict profile. No setting changes them.
pub const STRICT_LIMITS: StrictLimits = StrictLimits {
    query_pairs: 64,
    body_bytes: 1024 * 1024,
    json_depth: 32,
    object_members: 200,
    json_elements: 1000,
    list_elements: 100,
    text_characters: 1000,
    slug_bytes: 200,
    id_digits: 16,
    id: (1 << 53) - 1,
    page: 100_000,
    per_page: LARGEST_PAGE,
};

/// The statuses that the specification names.
pub(super) const STATUSES: StrictRule =
    StrictRule::Word(&["publish", "draft", "pending", "private", "future"]);

// === impl StrictRule ===

impl StrictRule {
    /// The form that follows from the documented type alone; rows of the table refine it.
    pub(super) const fn of(documented: Documented) -> Self {
        match documented {
            Documented::Integer => Self::Whole {
                most: STRICT_LIMITS.id,
            },
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

// === impl StrictLimits ===

impl StrictLimits {
    /// Every limit with its unit, for documents.
    pub fn rows(&self) -> [(&'static str, u64); 12] {
        [
            ("Pairs of a query", self.query_pairs as u64),
            ("Bytes of a request body", self.body_bytes as u64),
            ("Nesting of a JSON body", self.json_depth as u64),
            ("Members of one JSON object", self.object_members as u64),
            ("Elements of one JSON list", self.json_elements as u64),
            ("Elements of one list argument", self.list_elements as u64),
            (
                "Characters of a text that is not a description",
                self.text_characters as u64,
            ),
            ("Bytes of a slug", self.slug_bytes as u64),
            ("Digits of an id in a path", self.id_digits as u64),
            ("The largest id", self.id),
            ("The largest page", self.page),
            ("The largest page size", self.per_page),
        ]
    }
}
