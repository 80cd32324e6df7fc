//! The reasons why a multipart form is not read.

use super::super::elements::TooManyElements;

/// The reason why a multipart body is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MultipartError {
    /// No part begins, a boundary line contains further text, or the boundary appears in a position that is
    /// not read.
    #[error("the multipart body does not follow its boundary")]
    Boundary,
    /// The last boundary is missing.
    #[error("the multipart body ends without its closing boundary")]
    Unterminated,
    /// A part's headers are not plain `Content-…` lines with one disposition, or are too long.
    #[error("a part of the multipart body has unreadable headers")]
    Headers,
    /// More parts than the limit.
    #[error("the multipart body has too many parts")]
    TooManyParts,
    /// The names of its parts have too many brackets.
    #[error(transparent)]
    TooManyElements(#[from] TooManyElements),
}
