//! A zone at the start of a text, as PHP reads it: an offset from UTC, an abbreviation or a name.

use super::zone_names::{self, ZoneReading};
use crate::wordpress::value::split_while;

/// Reads a zone, with or without parentheses, and returns it with the rest of the text.
pub fn read(text: &[u8]) -> (ZoneReading, &[u8]) {
    let text = skip(text, |byte| matches!(byte, b' ' | b'\t' | b'('));
    let signed = match text {
        [b'G', b'M', b'T', signed @ ..] if matches!(signed, [b'+' | b'-', ..]) => signed,
        _ => text,
    };
    let (zone, rest) = if let [sign @ (b'+' | b'-'), digits @ ..] = signed {
        let (digits, rest) = split_while(digits, |byte| byte.is_ascii_digit() || byte == b':');
        let direction = if *sign == b'-' { -1 } else { 1 };
        let zone = seconds(digits).map_or(ZoneReading::Unknown, |s| ZoneReading::Offset(direction * s));
        (zone, rest)
    } else {
        let (word, rest) = split_while(signed, is_word_byte);
        (zone_names::look_up(word), rest)
    };
    (zone, skip(rest, |byte| byte == b')'))
}

/// The seconds of an offset without its sign: `2`, `02`, `2:30`, `230`, `0230`, `02:30`, `023000`,
/// `02:30:00`.
///
/// The number of bytes determines the form, and each number ends at the first byte that is not a digit: `1::`
/// is an hour.
fn seconds(written: &[u8]) -> Option<i64> {
    let hours = number(written);
    let number_at = |place| number(written.get(place..).unwrap_or_default());
    let colon_at = |place| written.get(place) == Some(&b':');
    match written.len() {
        1 | 2 => Some(hours * 3600),
        3 | 4 if colon_at(1) => Some(hours * 3600 + number_at(2) * 60),
        3..=5 if colon_at(2) => Some(hours * 3600 + number_at(3) * 60),
        3 | 4 => Some(hours / 100 * 3600 + hours % 100 * 60),
        6 => Some(hours / 10_000 * 3600 + hours / 100 % 100 * 60 + hours % 100),
        8 if colon_at(2) && colon_at(5) => Some(hours * 3600 + number_at(3) * 60 + number_at(6)),
        _ => None,
    }
}

/// The number at the start of at most eight bytes.
fn number(bytes: &[u8]) -> i64 {
    let digits = bytes.iter().take(8).take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |number, digit| number * 10 + i64::from(digit - b'0'))
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-' | b'+')
}

fn skip(text: &[u8], skips: impl Fn(u8) -> bool) -> &[u8] {
    split_while(text, skips).1
}
