//! The first line of an HTTP/1 request (RFC 9112 3).

use std::ops::Range;

use http::Version;

use super::breach::Breach;
use super::bytes::{is_token, split_once};
use super::target::{self, Respelling};

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
        Some((method, _)) if is_token(method) => Breach::TargetTooLong,
        _ => Breach::RequestLine,
    }
}

impl RequestLine {
    /// Reads a complete line, which begins at this position of the head.
    pub(super) fn read(line: &[u8], start: usize, target_bytes: usize) -> Result<Self, Breach> {
        let (method, rest) = split_once(line, b' ').ok_or(Breach::RequestLine)?;
        let (target, version) = split_once(rest, b' ').ok_or(Breach::RequestLine)?;
        check_method(method)?;
        let version = match version {
            b"HTTP/1.1" => Version::HTTP_11,
            b"HTTP/1.0" => Version::HTTP_10,
            other if other.starts_with(b"HTTP/") && !other.contains(&b' ') => return Err(Breach::Version),
            _ => return Err(Breach::RequestLine),
        };
        let method = start..start + method.len();
        let place = method.end + 1..method.end + 1 + target.len();
        let respelt = target::check(target, target_bytes)?;
        Ok(Self {
            method,
            respelling: respelt.map(|target| Respelling { place, target }),
            version,
        })
    }
}

/// Accepts every method except CONNECT, whose target and response have another form. The router judges the
/// rest.
pub(super) fn check_method(method: &[u8]) -> Result<(), Breach> {
    if method.len() > LONGEST_METHOD || !is_token(method) {
        return Err(Breach::Method);
    }
    if method == b"CONNECT" {
        return Err(Breach::Target);
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
            ("", Err(Breach::RequestLine)),
            ("GET /", Err(Breach::RequestLine)),
            ("GET  / HTTP/1.1", Err(Breach::RequestLine)),
            (" GET / HTTP/1.1", Err(Breach::Method)),
            ("GET / HTTP/1.1 ", Err(Breach::RequestLine)),
            ("GET / a HTTP/1.1", Err(Breach::RequestLine)),
            ("GET\t/ HTTP/1.1", Err(Breach::RequestLine)),
            ("GET / HTTP/1.2", Err(Breach::Version)),
            ("GET / HTTP/2.0", Err(Breach::Version)),
            ("GET / HTTP/1.10", Err(Breach::Version)),
            ("GET / HTTP/0.9", Err(Breach::Version)),
            ("GET / http/1.1", Err(Breach::RequestLine)),
            ("G(T / HTTP/1.1", Err(Breach::Method)),
            ("CONNECT / HTTP/1.1", Err(Breach::Target)),
        ] {
            let read = RequestLine::read(line.as_bytes(), 0, 100);
            assert_eq!(read.map(|line| line.version), expected, "{line}");
        }
        let long = format!("{} / HTTP/1.1", "A".repeat(LONGEST_METHOD + 1));
        assert_eq!(RequestLine::read(long.as_bytes(), 0, 100), Err(Breach::Method));
    }

    #[test]
    fn a_target_is_written_again_in_its_place() {
        let read = RequestLine::read(br#"POST /a"b HTTP/1.1"#, 100, 100).unwrap();
        assert_eq!(read.method, 100..104);
        let respelling = read.respelling.unwrap();
        assert_eq!(
            (respelling.place, &respelling.target[..]),
            (105..109, &b"/a%22b"[..])
        );
    }

    #[test]
    fn reports_the_part_that_is_too_long() {
        assert_eq!(
            too_long(b"GET /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
            Breach::TargetTooLong
        );
        assert_eq!(too_long(&[b'A'; 100]), Breach::RequestLine);
        assert_eq!(
            too_long("\u{e9} /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa".as_bytes()),
            Breach::RequestLine
        );
    }
}
