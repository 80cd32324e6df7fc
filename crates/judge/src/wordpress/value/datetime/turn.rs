//! The moment at which a date begins to mean another time.

use super::date_reading::DateReading;
use super::date_rule::read;
use super::plain::is_plain;
use crate::wordpress::value::numeric::{Numeric, numeric};

/// The time for which a date text keeps its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DateTurn {
    /// It means the same time for ever: `2027-01-15`, `@1800000000`.
    Never,
    /// It means another time from the next midnight on: `today`, `next friday`, `10am`.
    Daily,
    /// It means another time at every moment: `now`, `+2 hours`; also every text that is not understood.
    Always,
}

/// The moment at which a text that PHP reads as a date begins to mean another time.
///
/// A day in a zone that the text names itself ends at another midnight than the site's, so that it counts as
/// [`DateTurn::Always`].
pub fn turn(text: &[u8]) -> DateTurn {
    if is_plain(text) {
        return DateTurn::Never;
    }
    match numeric(text) {
        // The plugin reads zero as "now".
        Some(Numeric::Int(0)) => DateTurn::Always,
        Some(Numeric::Float(number)) if number.abs() < 1.0 => DateTurn::Always,
        Some(_) => DateTurn::Never,
        None => read(text).map_or(DateTurn::Always, |reading| of_reading(&reading)),
    }
}

fn of_reading(reading: &DateReading) -> DateTurn {
    let names_day = [reading.year, reading.month, reading.day]
        .iter()
        .all(Option::is_some);
    let names_clock = [reading.hour, reading.minute, reading.second]
        .iter()
        .all(Option::is_some);
    match (names_day, names_clock) {
        (true, true) => DateTurn::Never,
        (false, true) if reading.zone.is_none() => DateTurn::Daily,
        _ => DateTurn::Always,
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::super::wall::wall;
    use super::*;

    #[test]
    fn dates_turn_as_php_reads_them() {
        for (turns, texts) in [
            (
                DateTurn::Never,
                &[
                    "2027-01-15",
                    "2027-01-15 10:00",
                    "2027-02-30",
                    "15 January 2027",
                    "1800000000",
                    "@1800000000",
                    "2027-W02",
                    "2027-01-15 +2 hours",
                    "2027-01-15T10:00:00+02:00",
                ][..],
            ),
            (
                DateTurn::Daily,
                &[
                    "today",
                    "tomorrow",
                    "yesterday noon",
                    "friday",
                    "next thursday",
                    "10am",
                    "00:00",
                    "midnight +1 month",
                    "first day of next month midnight",
                ],
            ),
            (
                DateTurn::Always,
                &[
                    "now",
                    "+2 hours",
                    "+1 week",
                    "next month",
                    " ",
                    "0",
                    "0.5",
                    "x",
                    "today Europe/Berlin",
                    "tomorrow EST",
                    "abc",
                    "",
                ],
            ),
        ] {
            for text in texts {
                assert_eq!(turn(text.as_bytes()), turns, "{text}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_date_that_does_not_turn_means_the_same_on_every_day(
            text in "(today|tomorrow|noon|friday|2027-03-01|10:30|@77|now)?[ T]?([+-][0-9] (hours|days|weeks|months))?",
            hour in 0_i8..24,
        ) {
            let mornings = [date(2026, 11, 20).at(0, 0, 0, 0), date(2026, 11, 20).at(hour, 59, 0, 0)];
            let other_day = date(2028, 2, 3).at(hour, 0, 0, 0);
            let on = |now| wall(text.as_bytes(), now);
            match turn(text.as_bytes()) {
                DateTurn::Never => prop_assert_eq!(on(mornings[0]), on(other_day)),
                DateTurn::Daily => prop_assert_eq!(on(mornings[0]), on(mornings[1])),
                DateTurn::Always => {}
            }
        }
    }
}
