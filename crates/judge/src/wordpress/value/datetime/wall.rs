//! The wall-clock time that a text names, for callers that have a clock.

use jiff::SignedDuration;
use jiff::civil::DateTime;

use super::date_reading::DateReading;
use super::date_rule::read;
use super::instant::local_seconds;

/// The result of PHP's `strtotime` for a text at the time `now`, as wall-clock time in the zone that the text
/// names or implies. The zone itself is dropped. Times beyond the ends of the calendar become its ends.
/// `None` if PHP reads no date, and for texts over 512 bytes.
pub fn wall(text: &[u8], now: DateTime) -> Option<DateTime> {
    let mut reading = read(text)?;
    fill(&mut reading, now);
    let seconds = local_seconds(&reading)?;
    let seconds = seconds.clamp(i128::from(i64::MIN), i128::from(i64::MAX));
    let since_1970 = SignedDuration::from_secs(i64::try_from(seconds).ok()?);
    Some(
        jiff::civil::date(1970, 1, 1)
            .at(0, 0, 0, 0)
            .saturating_add(since_1970),
    )
}

/// Takes the parts that the text does not name from the clock.
fn fill(reading: &mut DateReading, now: DateTime) {
    reading.year.get_or_insert(now.year().into());
    reading.month.get_or_insert(now.month().into());
    reading.day.get_or_insert(now.day().into());
    reading.hour.get_or_insert(now.hour().into());
    reading.minute.get_or_insert(now.minute().into());
    reading.second.get_or_insert(now.second().into());
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_the_recorded_forms() {
        let now = date(2026, 11, 20).at(9, 49, 43, 0);
        let cases = [
            ("2027-10-02", "2027-10-02T00:00:00"),
            ("2027-10-02T10:00:00Z", "2027-10-02T10:00:00"),
            ("2027-10-02T10:00:00+05:00", "2027-10-02T10:00:00"),
            ("tomorrow", "2026-11-21T00:00:00"),
            ("tomorrow 19:00", "2026-11-21T19:00:00"),
            ("+1 week", "2026-11-27T09:49:43"),
            ("next month", "2026-12-20T09:49:43"),
            ("next thursday", "2026-11-26T00:00:00"),
            (" ", "2026-11-20T09:49:43"),
            ("x", "2026-11-20T09:49:43"),
            ("10am", "2026-11-20T10:00:00"),
            ("2027-02-30", "2027-03-02T00:00:00"),
            ("2027-10-02 24:00:00", "2027-10-03T00:00:00"),
            ("15.01.2027", "2027-01-15T00:00:00"),
            ("20270115T100000", "2027-01-15T10:00:00"),
            ("2027-W02", "2027-01-11T00:00:00"),
            ("15 January 2027", "2027-01-15T00:00:00"),
            ("0000-00-00", "-000001-11-30T00:00:00"),
            ("@1800000000", "2027-01-15T08:00:00"),
            ("+99999-01-01", "9999-12-31T23:59:59.999999999"),
        ];
        for (text, expected) in cases {
            let read = wall(text.as_bytes(), now).map(|wall| wall.to_string());
            assert_eq!(read.as_deref(), Some(expected), "{text}");
        }
        for text in ["", "abc", "2027-13-45", "15/01/2027", "25:00"] {
            assert_eq!(wall(text.as_bytes(), now), None, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn survives_any_text_on_any_day(text in "[0-9a-z:/.@+ -]{0,24}") {
            for now in [DateTime::MIN, DateTime::ZERO, DateTime::MAX] {
                let _ = wall(text.as_bytes(), now);
            }
        }
    }
}
