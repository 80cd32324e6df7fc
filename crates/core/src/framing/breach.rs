//! The rules that keep a request readable in exactly one way, and the response to a request that breaks one.

use crate::errors;
use calendar_edge_judge::problem::{OwnError, Refusal};

/// The rule that a request breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Breach {
    /// A line does not end in CRLF, or it holds a control character (RFC 9112 2.2).
    Line,
    /// The request line is not method, target and version with single blanks between them (RFC 9112 3).
    RequestLine,
    /// The method is not a token, or it is far too long (RFC 9110 9.1).
    Method,
    /// The version is neither HTTP/1.0 nor HTTP/1.1.
    Version,
    /// The target has no path, or it has a fragment or user information (RFC 9112 3.2).
    Target,
    /// The target is longer than allowed.
    TargetTooLong,
    /// A header field is malformed: its name, its colon or folding (RFC 9112 5).
    Field,
    /// The header fields are too many or too large.
    HeadersTooLarge,
    /// A header field is spelt so that CGI confuses it with one that frames the body (T-28).
    LookAlike,
    /// Content-Length is repeated, or not a plain number (RFC 9110 8.6).
    Length,
    /// Content-Length and Transfer-Encoding are both present (RFC 9112 6.3).
    LengthAndCoding,
    /// Transfer-Encoding is repeated, malformed, or part of an HTTP/1.0 request (RFC 9112 6.1).
    Coding,
    /// The transfer coding is not `chunked` (RFC 9112 6.1).
    UnknownCoding,
    /// A chunk is malformed (RFC 9112 7.1).
    Chunk,
    /// The trailers are malformed, too many or too large (RFC 9112 7.1.2).
    Trailer,
    /// The expectation is not `100-continue` (RFC 9110 10.1.1).
    Expectation,
}

/// The part of a request that holds a breach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The head; no byte of it was passed on.
    Head,
    /// The body; the head was passed on.
    Body,
}

/// A breach and its part. Nothing behind it can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Breached {
    /// The rule that is broken.
    pub breach: Breach,
    /// The part of the request that breaks it.
    pub part: Part,
}

impl Breach {
    /// The response to a request that breaks this rule.
    pub fn refusal(self) -> Refusal {
        self.error().refusal()
    }

    const fn error(self) -> &'static OwnError {
        match self {
            Self::Line => errors::BAD_LINE,
            Self::RequestLine => errors::BAD_REQUEST_LINE,
            Self::Method => errors::MALFORMED_METHOD,
            Self::Version => errors::UNSUPPORTED_VERSION,
            Self::Target => errors::BAD_TARGET,
            Self::TargetTooLong => errors::TARGET_TOO_LONG,
            Self::Field => errors::BAD_HEADER,
            Self::HeadersTooLarge => errors::HEADERS_TOO_LARGE,
            Self::LookAlike => errors::LOOK_ALIKE_HEADER,
            Self::Length => errors::AMBIGUOUS_LENGTH,
            Self::LengthAndCoding => errors::LENGTH_AND_CODING,
            Self::Coding => errors::BAD_TRANSFER_ENCODING,
            Self::UnknownCoding => errors::UNKNOWN_TRANSFER_CODING,
            Self::Chunk => errors::BAD_CHUNK,
            Self::Trailer => errors::BAD_TRAILERS,
            Self::Expectation => errors::UNKNOWN_EXPECTATION,
        }
    }
}
