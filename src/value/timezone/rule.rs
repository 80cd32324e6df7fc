//! The plugin's rule for `timezone`: a zone PHP knows, anything that starts with `UTC`, or nothing.

use super::offset::{self, ZoneReading};
use crate::value::{Verdict, Why};

/// PHP refuses offsets of 100 hours and more.
const OFFSET_LIMIT: i64 = 100 * 3600;

/// Whether the plugin takes a text as a time zone (CONTRACT section 5, "timezone or empty").
///
/// Admits the empty text and `0`; after trimming, `UTC` with anything behind it; offsets, abbreviations and
/// names of the tz database as PHP's `DateTimeZone` takes them. Names that depend on the age or origin of PHP's
/// time zone data are deferred. A NUL makes PHP fail, so it is refused.
pub fn timezone_or_empty(text: &[u8]) -> Verdict {
    if text.is_empty() || text == b"0" || has_utc_prefix(text) {
        return Verdict::Admit;
    }
    if text.contains(&0) {
        return Verdict::Reject;
    }
    let (zone, rest) = offset::read(text);
    match zone {
        ZoneReading::Unknown => Verdict::Reject,
        _ if !rest.is_empty() => Verdict::Reject,
        ZoneReading::Offset(seconds) if seconds.abs() >= OFFSET_LIMIT => Verdict::Reject,
        ZoneReading::Unsure => Verdict::Defer(Why::PhpBuild),
        // Later releases of PHP count the parentheses.
        _ if is_overclosed(text) => Verdict::Defer(Why::PhpBuild),
        ZoneReading::Offset(_) | ZoneReading::Named(_) => Verdict::Admit,
    }
}

/// `UTC` and at least one byte more, after PHP's `trim`.
fn has_utc_prefix(text: &[u8]) -> bool {
    let is_trimmed = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0);
    let start = text.iter().take_while(|byte| is_trimmed(byte)).count();
    let end = text
        .iter()
        .rposition(|byte| !is_trimmed(byte))
        .map_or(0, |last| last + 1);
    text.get(start..end)
        .and_then(|trimmed| trimmed.strip_prefix(b"UTC"))
        .is_some_and(|rest| !rest.is_empty())
}

/// Whether more parentheses are closed than opened.
fn is_overclosed(text: &[u8]) -> bool {
    let balance = text.iter().map(|byte| match byte {
        b'(' => 1,
        b')' => -1,
        _ => 0,
    });
    balance.sum::<isize>() < 0
}
