//! Forms of a time of day.

use super::date_form::Form;
use super::date_reading::DateReading;
use super::pattern::Pattern::{self, Either, Exact, One, Optional, Sequence, Word};
use super::pattern::{digits, number};
use super::token::DateToken;
use super::vocabulary::{BLANKS, DIGITS, HOUR, HOUR_2, MINUTE, MINUTE_2, SECOND, SECOND_2};

const HOUR_12: Pattern = number((1, 2), (1, 12));
const SEPARATOR: Pattern = One(b":.");
const T: Pattern = Optional(&Word(&["t"]));

/// `am`, `P.M.`: only if a blank or the end follows.
const MERIDIAN: Pattern = Sequence(&[
    One(b"AaPp"),
    Optional(&One(b".")),
    One(b"Mm"),
    Optional(&One(b".")),
    One(b"\0\t "),
]);

/// `10:30 am`, `10.30pm`
pub(super) const SHORT_12: Pattern = Sequence(&[HOUR_12, SEPARATOR, MINUTE_2, Optional(&BLANKS), MERIDIAN]);

/// `10:30:15 am`
pub(super) const LONG_12: Pattern = Sequence(&[
    HOUR_12,
    SEPARATOR,
    MINUTE,
    SEPARATOR,
    SECOND_2,
    Optional(&BLANKS),
    MERIDIAN,
]);

/// `10:30`, `t10.30`
pub(super) const SHORT_24: Pattern = Sequence(&[T, HOUR, SEPARATOR, MINUTE]);

/// `10:30:15`, `t10.30.15`
pub(super) const LONG_24: Pattern = Sequence(&[T, HOUR, SEPARATOR, MINUTE, SEPARATOR, SECOND]);

/// The clock forms. Of equally long matches the first one counts.
pub(super) const FORMS: &[Form] = &[
    Form {
        // `back of 7pm`: a quarter past; `front of 7pm`: a quarter to.
        pattern: Sequence(&[
            Word(&["back of ", "front of "]),
            HOUR,
            Optional(&Sequence(&[Optional(&BLANKS), MERIDIAN])),
        ]),
        read: quarter,
    },
    Form {
        pattern: Either(&[
            Sequence(&[HOUR_12, Optional(&BLANKS), MERIDIAN]),
            SHORT_12,
            LONG_12,
        ]),
        read: twelve_hours,
    },
    Form {
        // `10:30:15.123am`, with a point or colon before the fraction.
        pattern: Sequence(&[
            HOUR_12,
            Exact(":"),
            MINUTE_2,
            Exact(":"),
            SECOND_2,
            SEPARATOR,
            DIGITS,
            MERIDIAN,
        ]),
        read: twelve_hours,
    },
    Form {
        pattern: Either(&[
            Sequence(&[Word(&["t"]), HOUR]),
            SHORT_24,
            LONG_24,
            Sequence(&[LONG_24, Exact("."), DIGITS]),
        ]),
        read: twenty_four_hours,
    },
    Form {
        pattern: Sequence(&[T, HOUR_2, MINUTE_2]),
        read: four_digits,
    },
    Form {
        pattern: Sequence(&[T, HOUR_2, MINUTE_2, SECOND_2]),
        read: six_digits,
    },
];

/// A year alone, such as `1700`, if the four digits are not a time of day.
pub(super) const LONE_YEAR: Form = Form {
    pattern: digits(4, 4),
    read: |reading, token| {
        reading.year = token.number(4);
        Some(())
    },
};

fn quarter(reading: &mut DateReading, token: &mut DateToken<'_>) -> Option<()> {
    // PHP looks for a lower-case `b`: it reads `Back of 7` as `front of 7`.
    let after = token.peek() == Some(b'b');
    reading.clear_clock();
    reading.start_clock()?;
    let named = token.number(2).unwrap_or_default();
    let (hour, minute) = if after { (named, 15) } else { (named - 1, 45) };
    let added = match token.peek() {
        Some(_) => {
            token.skip_blanks();
            token.meridian(hour)
        }
        None => 0,
    };
    reading.set_clock(Some(hour + added), Some(minute), Some(0));
    Some(())
}

/// Reads hour, minute, second and fraction as far as they are written, then `am` or `pm`.
fn twelve_hours(reading: &mut DateReading, token: &mut DateToken<'_>) -> Option<()> {
    reading.start_clock()?;
    let hour = token.number(2);
    let (minute, second) = minutes_and_seconds(token);
    if is_separator(token.peek()) {
        reading.micros = token.fraction();
    }
    token.skip_blanks();
    let added = token.meridian(hour.unwrap_or_default());
    reading.set_clock(hour.map(|hour| hour + added), minute, second);
    Some(())
}

fn twenty_four_hours(reading: &mut DateReading, token: &mut DateToken<'_>) -> Option<()> {
    reading.start_clock()?;
    let hour = token.number(2);
    let (minute, second) = minutes_and_seconds(token);
    if token.peek() == Some(b'.') {
        reading.micros = token.fraction();
    }
    reading.set_clock(hour, minute, second);
    Some(())
}

fn minutes_and_seconds(token: &mut DateToken<'_>) -> (Option<i64>, Option<i64>) {
    let mut next = || {
        if is_separator(token.peek()) {
            token.number(2)
        } else {
            Some(0)
        }
    };
    (next(), next())
}

fn is_separator(byte: Option<u8>) -> bool {
    matches!(byte, Some(b':' | b'.'))
}

/// Reads `2008`: a time of day, or a year if a time of day was read before.
fn four_digits(reading: &mut DateReading, token: &mut DateToken<'_>) -> Option<()> {
    if reading.has_clock() {
        reading.year_instead_of_clock(token.number(4))
    } else {
        reading.start_clock()?;
        reading.set_clock(token.number(2), token.number(2), Some(0));
        Some(())
    }
}

fn six_digits(reading: &mut DateReading, token: &mut DateToken<'_>) -> Option<()> {
    reading.start_clock()?;
    reading.set_clock(token.number(2), token.number(2), token.number(2));
    Some(())
}
