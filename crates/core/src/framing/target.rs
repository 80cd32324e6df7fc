//! Request targets with exactly one path, in a spelling that every parser accepts.

use std::ops::Range;

use http::Uri;

use super::breach::Breach;
use super::bytes::DELETE;
use crate::errors;
use crate::simd;

/// The longest target that the HTTP library can hold, in bytes.
const LONGEST: usize = 65_534;

/// Another spelling of a target, with the same meaning, that the HTTP library accepts: the position of the target in the
/// head, and the bytes to write there.
pub type Respelling = (Range<usize>, Vec<u8>);

/// Checks a target. Returns the spelling to use if the library would refuse the client's.
///
/// PHP decodes an escape to the byte that it encodes, so both spellings have the same meaning.
pub(super) fn check(target: &[u8], longest: usize) -> Result<Option<Vec<u8>>, Breach> {
    if target.len() > longest.min(LONGEST) {
        return Err(errors::TARGET_TOO_LONG);
    }
    if target.starts_with(b"/") && is_plain(target) {
        return Ok(None);
    }
    let is_visible = |&byte: &u8| byte > b' ' && byte != DELETE;
    // A library that removes a fragment reads another target than one that keeps it (T-13).
    if !target.iter().all(is_visible) || target.contains(&b'#') {
        return Err(errors::BAD_TARGET);
    }
    let respelt = respell(target);
    let spelling = respelt.as_deref().unwrap_or(target);
    if spelling.len() > LONGEST {
        return Err(errors::TARGET_TOO_LONG);
    }
    if spelling.starts_with(b"/") || is_absolute(spelling) {
        return Ok(respelt);
    }
    Err(errors::BAD_TARGET)
}

/// True if every byte is one that all parsers of targets accept.
fn is_plain(target: &[u8]) -> bool {
    let unusual = simd::first(target, |lane| {
        let is_other = simd::is_at_most(lane, b' ') | !simd::is_at_most(lane, DELETE - 1);
        REFUSED
            .iter()
            .fold(is_other, |found, &byte| found | simd::is(lane, byte))
    });
    unusual.is_none()
}

/// The printable characters that no target may hold as they are: the beginning of a fragment, and those that
/// [`respell`] escapes.
const REFUSED: [u8; 5] = *b"#\"<>`";

/// Escapes bytes that the HTTP library refuses but web servers pass to PHP. Usually returns `None`.
fn respell(target: &[u8]) -> Option<Vec<u8>> {
    // The library accepts well-formed UTF-8 as it is.
    let is_text = target.is_ascii() || std::str::from_utf8(target).is_ok();
    let is_refused = |byte: u8| matches!(byte, b'"' | b'<' | b'>' | b'`') || (!byte.is_ascii() && !is_text);
    if !target.iter().any(|&byte| is_refused(byte)) {
        return None;
    }
    let mut respelt = Vec::with_capacity(target.len() + 16);
    for &byte in target {
        if is_refused(byte) {
            let digit = |value: u8| HEX.get(usize::from(value)).copied().unwrap_or(b'0');
            respelt.extend([b'%', digit(byte >> 4), digit(byte & 0xf)]);
        } else {
            respelt.push(byte);
        }
    }
    Some(respelt)
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// True for `http://host/path`. The path is judged and the authority ignored; user information is refused
/// (T-13).
fn is_absolute(target: &[u8]) -> bool {
    let Ok(uri) = Uri::try_from(target) else {
        return false;
    };
    let is_web = uri
        .scheme_str()
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"));
    // Only a port may follow the host, and no user information may precede it.
    let is_plain = uri.authority().is_some_and(|authority| {
        let port = authority.port().map_or(0, |port| 1 + port.as_str().len());
        authority.host().len() + port == authority.as_str().len()
    });
    let has_path = uri
        .path_and_query()
        .is_some_and(|path| path.as_str().starts_with('/'));
    is_web && is_plain && has_path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_bytes_need_no_other_check() {
        for byte in 0..=u8::MAX {
            let target = [b'/', byte];
            let is_accepted = check(&target, 20) == Ok(None);
            assert_eq!(is_plain(&target), is_accepted, "{byte}");
        }
    }

    #[test]
    fn wants_a_path_in_origin_or_absolute_form() {
        for (target, expected) in [
            ("/", Ok(None)),
            ("/a?b=c", Ok(None)),
            ("//a", Ok(None)),
            ("/\u{6771}", Ok(None)),
            ("/a?{b}=|c|^", Ok(None)),
            ("http://host/a", Ok(None)),
            ("HTTPS://host", Ok(None)),
            ("*", Err(errors::BAD_TARGET)),
            ("a", Err(errors::BAD_TARGET)),
            ("?a", Err(errors::BAD_TARGET)),
            ("host:80", Err(errors::BAD_TARGET)),
            ("http:///a", Err(errors::BAD_TARGET)),
            ("http://host:80/a", Ok(None)),
            ("http://[::1]:80/a", Ok(None)),
            ("http://host:/a", Err(errors::BAD_TARGET)),
            ("http://host:b/a", Err(errors::BAD_TARGET)),
            ("http://host?a", Err(errors::BAD_TARGET)),
            ("http://user@host/a", Err(errors::BAD_TARGET)),
            ("ftp://host/a", Err(errors::BAD_TARGET)),
            ("/a#b", Err(errors::BAD_TARGET)),
            ("/a?b#c", Err(errors::BAD_TARGET)),
            ("/a\tb", Err(errors::BAD_TARGET)),
            ("/aaaaaaaaaaaaaaaaaaaa", Err(errors::TARGET_TOO_LONG)),
        ] {
            assert_eq!(check(target.as_bytes(), 20), expected, "{target}");
        }
    }

    #[test]
    fn escapes_only_bytes_that_the_library_refuses() {
        for (target, expected) in [
            (&b"/a?b=\"c\""[..], "/a?b=%22c%22"),
            (b"/<a>`", "/%3Ca%3E%60"),
            (b"/a?b=\xe9", "/a?b=%E9"),
            (b"http://host/a?\"", "http://host/a?%22"),
        ] {
            assert_eq!(
                check(target, 100),
                Ok(Some(expected.as_bytes().to_vec())),
                "{expected}"
            );
            assert!(Uri::try_from(expected).is_ok());
        }
    }

    #[test]
    fn the_library_takes_every_byte_in_the_spelling_given_to_it() {
        for byte in 0..=u8::MAX {
            for target in [[&b"/a"[..], &[byte]].concat(), [&b"/a?"[..], &[byte]].concat()] {
                if let Ok(respelt) = check(&target, 100) {
                    let spelling = respelt.unwrap_or(target);
                    assert!(Uri::try_from(spelling.as_slice()).is_ok(), "{spelling:?}");
                }
            }
        }
    }
}
