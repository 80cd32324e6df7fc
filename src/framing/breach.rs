//! Ways in which a request cannot be read in one way only, and what the client is told.

use http::StatusCode;

use crate::problem::Refusal;

/// Why a request may not pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Breach {
    /// A line ends otherwise than in CRLF, or holds a control character (RFC 9112 2.2).
    Line,
    /// The request line is not method, target and version with single blanks (RFC 9112 3).
    RequestLine,
    /// The method is no token, or far too long (RFC 9110 9.1).
    Method,
    /// The version is neither HTTP/1.0 nor HTTP/1.1.
    Version,
    /// The target names no path, or has a fragment or user information (RFC 9112 3.2).
    Target,
    /// The target is longer than allowed.
    TargetTooLong,
    /// A header field is malformed: its name, its colon or folding (RFC 9112 5).
    Field,
    /// The header fields are too many or too large.
    HeadersTooLarge,
    /// A header field is spelt so that CGI takes it for one that frames the body.
    LookAlike,
    /// Content-Length is repeated, or no plain number (RFC 9110 8.6).
    Length,
    /// Content-Length beside Transfer-Encoding (RFC 9112 6.3).
    LengthAndCoding,
    /// Transfer-Encoding is repeated, malformed, or of HTTP/1.0 (RFC 9112 6.1).
    Coding,
    /// A transfer coding other than `chunked` (RFC 9112 6.1).
    UnknownCoding,
    /// A chunk is malformed (RFC 9112 7.1).
    Chunk,
    /// The trailers are malformed, too many or too large (RFC 9112 7.1.2).
    Trailer,
    /// An expectation other than `100-continue` (RFC 9110 10.1.1).
    Expectation,
}

/// Where a breach was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// In a head, of which nothing was passed on.
    Head,
    /// In the body of a request whose head was passed on.
    Body,
}

/// A breach and its place; nothing behind it can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Breached {
    /// What is wrong.
    pub breach: Breach,
    /// Where.
    pub part: Part,
}

impl Breach {
    /// The answer to a request that breaks this rule.
    pub fn refusal(self) -> Refusal {
        let (status, code) = match self {
            Self::Line => (StatusCode::BAD_REQUEST, "edge_bad_line"),
            Self::RequestLine | Self::Method | Self::Version => {
                (StatusCode::BAD_REQUEST, "edge_bad_request_line")
            }
            Self::Target => (StatusCode::BAD_REQUEST, "edge_bad_target"),
            Self::TargetTooLong => (StatusCode::URI_TOO_LONG, "edge_target_too_long"),
            Self::Field | Self::LookAlike => (StatusCode::BAD_REQUEST, "edge_bad_header"),
            Self::HeadersTooLarge => (
                StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
                "edge_headers_too_large",
            ),
            Self::Length | Self::LengthAndCoding | Self::Coding => {
                (StatusCode::BAD_REQUEST, "edge_ambiguous_length")
            }
            Self::UnknownCoding => (StatusCode::NOT_IMPLEMENTED, "edge_unknown_transfer_coding"),
            Self::Chunk | Self::Trailer => (StatusCode::BAD_REQUEST, "edge_bad_chunk"),
            Self::Expectation => (StatusCode::EXPECTATION_FAILED, "edge_unknown_expectation"),
        };
        Refusal::edge(status, code, self.message())
    }

    const fn message(self) -> &'static str {
        match self {
            Self::Line => "Lines must end in CRLF and hold no control characters.",
            Self::RequestLine => "The request line must be method, target and version.",
            Self::Method => "The request method is malformed.",
            Self::Version => "The HTTP version is not supported.",
            Self::Target => "The request target must be a path.",
            Self::TargetTooLong => "The request target is too long.",
            Self::Field => "A request header is malformed.",
            Self::HeadersTooLarge => "The request headers are too many or too large.",
            Self::LookAlike => "A request header looks like one that frames the body.",
            Self::Length => "The request must have at most one valid Content-Length.",
            Self::LengthAndCoding => "The request must not have both Content-Length and Transfer-Encoding.",
            Self::Coding => "The request must have at most one valid Transfer-Encoding.",
            Self::UnknownCoding => "The only transfer coding is chunked.",
            Self::Chunk => "The chunks of the request body are malformed.",
            Self::Trailer => "The trailers of the request body are malformed or too large.",
            Self::Expectation => "The only expectation is 100-continue.",
        }
    }
}
