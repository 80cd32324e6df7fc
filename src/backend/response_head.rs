//! Refuses ambiguous and oversized response heads that the HTTP library accepts (T-62).
//!
//! hyper's client accepts several equal lengths, prefers chunks to a length, reads a body of unknown coding to the end
//! of the connection, and accepts heads of several hundred KiB. This file refuses those cases as far as the parsed head
//! shows them. Two deviations are not visible: lines that end in a bare LF, and interim responses, which the library
//! skips until the deadline. In both cases the edge writes the response anew, so that a client cannot read it
//! differently. reqwest gives no access to the bytes: it drops a request's `on_informational` of hyper, and its
//! connector layers must return its own sealed connection type.

use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use http::{Extensions, HeaderMap, HeaderValue, Version};
use hyper::ext::ReasonPhrase;

/// Maximum bytes of a head: its fields, and the reason phrase if it is unusual.
const HEAD_BYTES: usize = 64 * 1024;

/// Bytes of a field beside its name and value: colon, space, CR, LF.
const FIELD_EXTRA: usize = 4;

/// The reason why a response head is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ResponseHeadFault {
    /// The end of the body is ambiguous or unknown.
    #[error("the length of the origin's response is ambiguous")]
    Framing,
    /// More than 64 KiB, or more than 100 fields over HTTP/1.
    #[error("the head of the origin's response is too large: it has more than 64 KiB or 100 fields")]
    TooLarge,
}

/// Refuses a response head that is ambiguous or too large.
pub(super) fn check(
    version: Version,
    headers: &HeaderMap,
    noted: &Extensions,
) -> Result<(), ResponseHeadFault> {
    let reason = noted
        .get()
        .map_or(0, |reason: &ReasonPhrase| reason.as_bytes().len());
    let sizes = headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len() + FIELD_EXTRA);
    if reason + sizes.sum::<usize>() > HEAD_BYTES {
        return Err(ResponseHeadFault::TooLarge);
    }
    let lengths = headers.get_all(CONTENT_LENGTH).iter().collect::<Vec<_>>();
    let codings = headers.get_all(TRANSFER_ENCODING).iter().collect::<Vec<_>>();
    let is_framed = match (lengths.as_slice(), codings.as_slice()) {
        ([], []) => true,
        ([length], []) => is_length(length),
        ([], [coding]) => version == Version::HTTP_11 && coding.as_bytes().eq_ignore_ascii_case(b"chunked"),
        _ => false,
    };
    if is_framed {
        Ok(())
    } else {
        Err(ResponseHeadFault::Framing)
    }
}

fn is_length(value: &HeaderValue) -> bool {
    let digits = value.as_bytes();
    !digits.is_empty() && digits.len() <= 18 && digits.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn odd(version: Version, fields: &[(&'static str, &str)]) -> Option<ResponseHeadFault> {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        check(version, &headers, &Extensions::new()).err()
    }

    #[test]
    fn bodies_end_in_one_way() {
        let (length, coding) = ("content-length", "transfer-encoding");
        for (fields, is_odd) in [
            (&[][..], false),
            (&[(length, "0")], false),
            (&[(length, "999999999999999999")], false),
            (&[(length, "1000000000000000000")], true),
            (&[(length, "")], true),
            (&[(length, "+1")], true),
            (&[(length, "1, 1")], true),
            (&[(length, "1"), (length, "1")], true),
            (&[(length, "1"), (coding, "chunked")], true),
            (&[(coding, "Chunked")], false),
            (&[(coding, "gzip, chunked")], true),
            (&[(coding, "identity")], true),
            (&[(coding, "chunked"), (coding, "chunked")], true),
        ] {
            let expected = is_odd.then_some(ResponseHeadFault::Framing);
            assert_eq!(odd(Version::HTTP_11, fields), expected, "{fields:?}");
        }
        assert!(odd(Version::HTTP_10, &[(coding, "chunked")]).is_some());
        assert!(odd(Version::HTTP_2, &[(length, "1")]).is_none());
    }

    #[test]
    fn heads_have_a_sane_size() {
        let value = "a".repeat(HEAD_BYTES / 2);
        assert_eq!(odd(Version::HTTP_11, &[("x-a", &value)]), None);
        let twice = [("x-a", value.as_str()), ("x-b", &value)];
        assert_eq!(odd(Version::HTTP_11, &twice), Some(ResponseHeadFault::TooLarge));
        for (length, is_odd) in [(HEAD_BYTES, false), (HEAD_BYTES + 1, true)] {
            let mut noted = Extensions::new();
            noted.insert(ReasonPhrase::try_from("r".repeat(length)).unwrap());
            let odd = check(Version::HTTP_11, &HeaderMap::new(), &noted).is_err();
            assert_eq!(odd, is_odd, "{length}");
        }
    }
}
