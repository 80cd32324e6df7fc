//! Header fields (RFC 9112 5), and the two that give the length of a body (RFC 9112 6).

use http::header::{CONTENT_LENGTH, HeaderName, TRANSFER_ENCODING};

use super::breach::Breach;
use super::bytes::{is_token, split_once};
use crate::errors;

/// The longest field name, in bytes.
pub(super) const LONGEST_NAME: usize = 256;

/// The largest Content-Length; it must fit into signed 64-bit numbers.
const LARGEST: u64 = i64::MAX.unsigned_abs();

/// Splits a field line into name and value.
pub(super) fn split(line: &[u8]) -> Result<(&[u8], &[u8]), Breach> {
    // A name with a blank before the colon is not a token, and neither is a folded line.
    let (name, value) = split_once(line, b':').ok_or(errors::BAD_HEADER)?;
    if !is_token(name) {
        return Err(errors::BAD_HEADER);
    }
    // No line holds another white space than blanks and tabs.
    Ok((name, value.trim_ascii()))
}

/// The framing field with this name, if any. Look-alikes are refused.
///
/// CGI writes every byte except letters and digits as `_`, so PHP cannot distinguish `Content_Length` from
/// `Content-Length` (T-28).
pub(super) fn framing_field(name: &[u8]) -> Result<Option<HeaderName>, Breach> {
    let framing = match name.len() {
        14 => CONTENT_LENGTH,
        17 => TRANSFER_ENCODING,
        _ => return Ok(None),
    };
    let literal = framing.as_str().as_bytes();
    if name.eq_ignore_ascii_case(literal) {
        return Ok(Some(framing));
    }
    let is_alike = |(byte, known): (&u8, &u8)| {
        byte.eq_ignore_ascii_case(known) || (*known == b'-' && !byte.is_ascii_alphanumeric())
    };
    if name.iter().zip(literal).all(is_alike) {
        return Err(errors::LOOK_ALIKE_HEADER);
    }
    Ok(None)
}

/// The number of a Content-Length, which must be digits only (T-27).
pub(super) fn length(value: &[u8]) -> Result<u64, Breach> {
    if value.is_empty() {
        return Err(errors::AMBIGUOUS_LENGTH);
    }
    let number = value.iter().try_fold(0_u64, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    });
    number
        .filter(|&number| number <= LARGEST)
        .ok_or(errors::AMBIGUOUS_LENGTH)
}

/// Accepts `chunked`, the only supported transfer coding (T-28).
pub(super) fn coding(value: &[u8]) -> Result<(), Breach> {
    if value.eq_ignore_ascii_case(b"chunked") {
        return Ok(());
    }
    let codings = value.split(|&byte| byte == b',').map(|coding| {
        let name = coding.split(|&byte| byte == b';').next().unwrap_or_default();
        name.trim_ascii()
    });
    let is_list = codings.clone().all(is_token);
    let has_other = codings
        .clone()
        .any(|coding| !coding.eq_ignore_ascii_case(b"chunked"));
    Err(if is_list && has_other {
        errors::UNKNOWN_TRANSFER_CODING
    } else {
        errors::BAD_TRANSFER_ENCODING
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wants_token_names_right_before_the_colon() {
        for (line, expected) in [
            ("Host: a", Ok(("Host", "a"))),
            ("X:", Ok(("X", ""))),
            ("X: \t a b \t ", Ok(("X", "a b"))),
            ("X_Y.Z: a:b", Ok(("X_Y.Z", "a:b"))),
            (": a", Err(errors::BAD_HEADER)),
            ("Host : a", Err(errors::BAD_HEADER)),
            ("Host\t: a", Err(errors::BAD_HEADER)),
            (" Host: a", Err(errors::BAD_HEADER)),
            ("\tfolded", Err(errors::BAD_HEADER)),
            ("Host", Err(errors::BAD_HEADER)),
            ("H(st: a", Err(errors::BAD_HEADER)),
            ("H\u{f6}st: a", Err(errors::BAD_HEADER)),
        ] {
            let expected = expected.map(|(name, value)| (name.as_bytes(), value.as_bytes()));
            assert_eq!(split(line.as_bytes()), expected, "{line}");
        }
    }

    #[test]
    fn knows_framing_fields_and_their_look_alikes() {
        for (name, expected) in [
            ("Content-Length", Ok(Some(CONTENT_LENGTH))),
            ("TRANSFER-ENCODING", Ok(Some(TRANSFER_ENCODING))),
            ("Content_Length", Err(errors::LOOK_ALIKE_HEADER)),
            ("transfer.encoding", Err(errors::LOOK_ALIKE_HEADER)),
            ("Transfer~Encoding", Err(errors::LOOK_ALIKE_HEADER)),
            ("ContentXLength", Ok(None)),
            ("Content-Lengths", Ok(None)),
            ("X_HTTP_Method_Override", Ok(None)),
        ] {
            assert_eq!(framing_field(name.as_bytes()), expected, "{name}");
        }
    }

    #[test]
    fn lengths_are_digits_that_fit() {
        for (value, expected) in [
            ("0", Some(0)),
            ("007", Some(7)),
            ("9223372036854775807", Some(LARGEST)),
            ("9223372036854775808", None),
            ("99999999999999999999999", None),
            ("", None),
            ("+5", None),
            ("-5", None),
            ("5,5", None),
            ("5 5", None),
            ("0x5", None),
            ("5.0", None),
            ("\u{665}", None),
        ] {
            assert_eq!(length(value.as_bytes()).ok(), expected, "{value}");
        }
    }

    #[test]
    fn the_only_coding_is_chunked() {
        for (value, expected) in [
            ("chunked", Ok(())),
            ("Chunked", Ok(())),
            ("gzip", Err(errors::UNKNOWN_TRANSFER_CODING)),
            ("identity", Err(errors::UNKNOWN_TRANSFER_CODING)),
            ("xchunked", Err(errors::UNKNOWN_TRANSFER_CODING)),
            ("gzip, chunked", Err(errors::UNKNOWN_TRANSFER_CODING)),
            ("gzip;q=1, chunked", Err(errors::UNKNOWN_TRANSFER_CODING)),
            ("chunked, chunked", Err(errors::BAD_TRANSFER_ENCODING)),
            ("chunked;a=b", Err(errors::BAD_TRANSFER_ENCODING)),
            ("chunked,", Err(errors::BAD_TRANSFER_ENCODING)),
            (",chunked", Err(errors::BAD_TRANSFER_ENCODING)),
            ("\"chunked\"", Err(errors::BAD_TRANSFER_ENCODING)),
            ("chun ked", Err(errors::BAD_TRANSFER_ENCODING)),
            ("", Err(errors::BAD_TRANSFER_ENCODING)),
        ] {
            assert_eq!(coding(value.as_bytes()), expected, "{value}");
        }
    }
}
