//! PHP's errors of JSON texts, and the edge's own.

use super::elements::ELEMENT_LIMIT;

/// The reason why PHP refuses a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum JsonError {
    /// Nested deeper than allowed.
    #[error("Maximum stack depth exceeded")]
    Depth,
    /// `{` closed by `]`, or the other way round.
    #[error("State mismatch (invalid or malformed JSON)")]
    StateMismatch,
    /// A control character, also in a string; an unterminated string counts as one.
    #[error("Control character error, possibly incorrectly encoded")]
    ControlCharacter,
    /// Any other text that is not JSON.
    #[error("Syntax error")]
    Syntax,
    /// Bytes that are not UTF-8.
    #[error("Malformed UTF-8 characters, possibly incorrectly encoded")]
    Utf8,
    /// A lone surrogate in a `\u` escape.
    #[error("Single unpaired UTF-16 surrogate in unicode escape")]
    Utf16,
}

/// The reason why a JSON text is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JsonRefusal {
    /// PHP would refuse it.
    #[error(transparent)]
    Invalid(#[from] JsonError),
    /// It has more elements than the edge reads.
    #[error("the body has more than {ELEMENT_LIMIT} elements")]
    TooManyElements,
}

// === impl JsonError ===

impl JsonError {
    /// PHP's number of the error, `json_last_error()`.
    pub const fn code(self) -> u8 {
        match self {
            Self::Depth => 1,
            Self::StateMismatch => 2,
            Self::ControlCharacter => 3,
            Self::Syntax => 4,
            Self::Utf8 => 5,
            Self::Utf16 => 10,
        }
    }
}
