//! The plugin's rule for `timezone`: a zone that PHP has, a text that starts with `UTC`, or nothing.

use super::offset;
use super::zone_names::ZoneReading;
use crate::wordpress::value::{Verdict, Why, split_while, trim_end};

/// PHP refuses offsets of 100 hours and more.
const OFFSET_LIMIT: i64 = 100 * 3600;

/// Judges whether the plugin accepts a text as a time zone (backend.md section 5, "timezone or empty").
///
/// Accepted are the empty text and `0`; after trimming, `UTC` followed by any text; and the offsets,
/// abbreviations and names of the tz database that PHP's `DateTimeZone` accepts. Names are deferred if they
/// depend on the age or origin of PHP's time zone data. A text with a NUL is refused, because PHP fails on
/// it.
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

/// True for `UTC` followed by at least one more byte, after PHP's `trim`.
fn has_utc_prefix(text: &[u8]) -> bool {
    let is_trimmed = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0);
    let trimmed = trim_end(split_while(text, is_trimmed).1, is_trimmed);
    trimmed.strip_prefix(b"UTC").is_some_and(|rest| !rest.is_empty())
}

/// True if more parentheses are closed than opened.
fn is_overclosed(text: &[u8]) -> bool {
    let balance = text.iter().map(|byte| match byte {
        b'(' => 1,
        b')' => -1,
        _ => 0,
    });
    balance.sum::<isize>() < 0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::wordpress::value::fixture;
    use crate::wordpress::value::oracle::{Score, compare};

    const CASES: &str = include_str!("../../../../../../fixtures/timezones/cases.tsv");

    #[test]
    fn agrees_with_the_recorded_verdicts_of_php() {
        let cases = fixture::rows(CASES);
        assert!(cases.len() >= 900, "the table is complete");
        let score = Score::of(
            timezone_or_empty,
            cases.iter().map(|(text, columns)| (&text[..], columns[0])),
        );
        score.assert_none_wrong("recorded time zones");
        score.assert_few_deferred();
    }

    #[test]
    fn agrees_with_live_php_on_generated_zones() {
        compare(
            "made-up time zones",
            "timezones/verdicts.php",
            timezone_or_empty,
            &zones(),
        );
    }

    #[test]
    fn defers_names_that_depend_on_the_servers_zone_data() {
        for text in [
            "Europe/Atlantis",
            "posix/UTC",
            "right/UTC",
            "Factory",
            "America/Coyhaique",
            "EST)",
            "Etc/Unknown",
        ] {
            assert_eq!(
                timezone_or_empty(text.as_bytes()),
                Verdict::Defer(Why::PhpBuild),
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn never_panics_on_bytes(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            timezone_or_empty(&bytes);
        }
    }

    /// One to three pieces of zones in any order.
    fn zones() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            8 => prop::sample::select(PIECES).prop_map(str::to_owned),
            2 => "[+-][0-9:]{0,9}",
            1 => "[A-Za-z]{1,6}",
            1 => "[ -~]{1,2}",
        ];
        prop::collection::vec(piece, 1..4).prop_map(|pieces| pieces.concat().into_bytes())
    }

    const PIECES: &[&str] = &[
        "UTC",
        "utc",
        "GMT",
        "gmt",
        "Z",
        "z",
        "EST",
        "cest",
        "a",
        "J",
        "Europe/Berlin",
        "europe/berlin",
        "Etc/GMT+5",
        "America/Argentina/Buenos_Aires",
        "Japan",
        "PST8PDT",
        "W-SU",
        "+02:00",
        "-5",
        "+0530",
        "+1:2:3",
        "+99",
        "+100:00",
        "-99:59",
        "+023015",
        " ",
        "\t",
        "\n",
        "(",
        ")",
        "((",
        "0",
        "1",
        "é",
        "\0",
        ":",
        "/",
        "x",
        "LMT",
        "Mars/Phobos",
    ];
}
