//! The reasons why a form is not read, or does not pass.

use super::elements::ELEMENT_LIMIT;

/// The reason why a form is not read, or does not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FormFault {
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
    /// Its names have more brackets, or are longer, than [`ELEMENT_LIMIT`] allows.
    #[error("the body has more than {ELEMENT_LIMIT} elements")]
    TooManyElements,
    /// Its `rest_route` is an array, or too long.
    #[error("the form names a route that cannot be read")]
    UnreadableRoute,
}
