//! Ways in which a request cannot be read in one way only, and what the client is told.

use crate::problem::{Cause, EdgeError, Problem, Refusal};

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
        Refusal::plain(self.problem())
    }

    const fn problem(self) -> Problem {
        match self {
            Self::Line => Problem::edge(EdgeError::BadLine),
            Self::RequestLine => Problem::edge(EdgeError::BadRequestLine),
            Self::Method => Problem::because(Cause::MalformedMethod),
            Self::Version => Problem::because(Cause::UnsupportedVersion),
            Self::Target => Problem::edge(EdgeError::BadTarget),
            Self::TargetTooLong => Problem::edge(EdgeError::TargetTooLong),
            Self::Field => Problem::edge(EdgeError::BadHeader),
            Self::HeadersTooLarge => Problem::edge(EdgeError::HeadersTooLarge),
            Self::LookAlike => Problem::because(Cause::LookAlikeHeader),
            Self::Length => Problem::edge(EdgeError::AmbiguousLength),
            Self::LengthAndCoding => Problem::because(Cause::LengthAndCoding),
            Self::Coding => Problem::because(Cause::BadTransferEncoding),
            Self::UnknownCoding => Problem::edge(EdgeError::UnknownTransferCoding),
            Self::Chunk => Problem::edge(EdgeError::BadChunk),
            Self::Trailer => Problem::because(Cause::BadTrailers),
            Self::Expectation => Problem::edge(EdgeError::UnknownExpectation),
        }
    }
}
