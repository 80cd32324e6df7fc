//! The first line of an HTTP/1 request (RFC 9112 3).

use std::ops::Range;

use http::Version;

use super::breach::Breach;
use super::bytes::{is_token, split_once};
use super::target::{self, Respelling};
use crate::errors;

/// The longest method, in bytes; registered ones have at most 17.
const LONGEST_METHOD: usize = 32;

/// The bytes of a request line besides method and target: two blanks and the version.
const REST: usize = 2 + b"HTTP/1.1".len();

/// A valid request line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RequestLine {
    /// The position of the method in the head.
    pub(super) method: Range<usize>,
    /// Another spelling of the target, if the HTTP library would refuse the client's.
    pub(super) respelling: Option<Respelling>,
    /// HTTP/1.0 or HTTP/1.1.
    pub(super) version: Version,
}

/// The length of the longest valid line, in bytes.
pub(super) const fn longest(target_bytes: usize) -> usize {
    LONGEST_METHOD.saturating_add(target_bytes).saturating_add(REST)
}

/// The breach of a line longer than [`longest`], judged by its beginning.
pub(super) fn too_long(line: &[u8]) -> Breach {
    let beginning = line.get(..=LONGEST_METHOD).unwrap_or(line);
    match split_once(beginning, b' ') {
        Some((method, _)) if is_token(method) => errors::TARGET_TOO_LONG,
        _ => errors::BAD_REQUEST_LINE,
    }
}

impl RequestLine {
    /// Reads a complete line, which begins at this position of the head.
    pub(super) fn read(line: &[u8], start: usize, target_bytes: usize) -> Result<Self, Breach> {
        let (method, rest) = split_once(line, b' ').ok_or(errors::BAD_REQUEST_LINE)?;
        let (target, version) = split_once(rest, b' ').ok_or(errors::BAD_REQUEST_LINE)?;
        check_method(method)?;
        let version = match version {
            b"HTTP/1.1" => Version::HTTP_11,
            b"HTTP/1.0" => Version::HTTP_10,
            other if other.starts_with(b"HTTP/") && !other.contains(&b' ') => {
                return Err(errors::UNSUPPORTED_VERSION);
            }
            _ => return Err(errors::BAD_REQUEST_LINE),
        };
        let method = start..start + method.len();
        let place = method.end + 1..method.end + 1 + target.len();
        let respelt = target::check(target, target_bytes)?;
        Ok(Self {
            method,
            respelling: respelt.map(|target| (place, target)),
            version,
        })
    }
}

/// Accepts every method except CONNECT, whose target and response have another form. The router judges the
/// rest.
pub(super) fn check_method(method: &[u8]) -> Result<(), Breach> {
    if method.len() > LONGEST_METHOD || !is_token(method) {
        return Err(errors::MALFORMED_METHOD);
    }
    if method == b"CONNECT" {
        return Err(errors::BAD_TARGET);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wants_three_parts_with_single_blanks() {
        for (line, expected) in [
            ("GET / HTTP/1.1", Ok(Version::HTTP_11)),
            ("GET / HTTP/1.0", Ok(Version::HTTP_10)),
            ("get / HTTP/1.1", Ok(Version::HTTP_11)),
            ("", Err(errors::BAD_REQUEST_LINE)),
            ("GET /", Err(errors::BAD_REQUEST_LINE)),
            ("GET  / HTTP/1.1", Err(errors::BAD_REQUEST_LINE)),
            (" GET / HTTP/1.1", Err(errors::MALFORMED_METHOD)),
            ("GET / HTTP/1.1 ", Err(errors::BAD_REQUEST_LINE)),
            ("GET / a HTTP/1.1", Err(errors::BAD_REQUEST_LINE)),
            ("GET\t/ HTTP/1.1", Err(errors::BAD_REQUEST_LINE)),
            ("GET / HTTP/1.2", Err(errors::UNSUPPORTED_VERSION)),
            ("GET / HTTP/2.0", Err(errors::UNSUPPORTED_VERSION)),
            ("GET / HTTP/1.10", Err(errors::UNSUPPORTED_VERSION)),
            ("GET / HTTP/0.9", Err(errors::UNSUPPORTED_VERSION)),
            ("GET / http/1.1", Err(errors::BAD_REQUEST_LINE)),
            ("G(T / HTTP/1.1", Err(errors::MALFORMED_METHOD)),
            ("CONNECT / HTTP/1.1", Err(errors::BAD_TARGET)),
        ] {
            let read = RequestLine::read(line.as_bytes(), 0, 100);
            assert_eq!(read.map(|line| line.version), expected, "{line}");
        }
        let long = format!("{} / HTTP/1.1", "A".repeat(LONGEST_METHOD + 1));
        assert_eq!(
            RequestLine::read(long.as_bytes(), 0, 100),
            Err(errors::MALFORMED_METHOD)
        );
    }

    #[test]
    fn a_target_is_written_again_in_its_place() {
        let read = RequestLine::read(br#"POST /a"b HTTP/1.1"#, 100, 100).unwrap();
        assert_eq!(read.method, 100..104);
        assert_eq!(read.respelling, Some((105..109, b"/a%22b".to_vec())));
    }

    #[test]
    fn reports_the_part_that_is_too_long() {
        assert_eq!(
            too_long(b"GET /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
            errors::TARGET_TOO_LONG
        );
        assert_eq!(too_long(&[b'A'; 100]), errors::BAD_REQUEST_LINE);
        assert_eq!(
            too_long("\u{e9} /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa".as_bytes()),
            errors::BAD_REQUEST_LINE
        );
    }
}
