//! The rule that a request breaks, and its part.

use calendar_edge_judge::problem::OwnError;

/// The error of a request that cannot be read in exactly one way: a row of [`crate::errors`].
///
/// The rules are those of RFC 9112 about lines (2.2), request lines and targets (3), fields (5), `Content-Length` beside
/// `Transfer-Encoding` (6.1, 6.3), chunks and trailers (7.1), and of RFC 9110 about methods (9.1), lengths (8.6) and
/// expectations (10.1.1).
pub type Breach = &'static OwnError;

/// A breach and its part. Nothing behind it can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Breached {
    /// The rule that is broken.
    pub breach: Breach,
    /// True if the body breaks it, whose head was passed on; else it is the head, of which no byte was.
    pub is_in_body: bool,
}
