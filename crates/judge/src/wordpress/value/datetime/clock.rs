//! Forms of a time of day.

use super::date_reading::DateReading;
use super::token::{DateToken, Form};

/// The clock forms. Of equally long matches the first one counts.
pub(super) const FORMS: &[Form] = &[
    // `back of 7pm`: a quarter past; `front of 7pm`: a quarter to.
    ("(?i:back of |front of ){hour}({blanks}?{meridian})?", quarter),
    ("{hour_12}{blanks}?{meridian}|{clock_12}", twelve_hours),
    // `10:30:15.123am`, with a point or colon before the fraction.
    (
        "{hour_12}:{minute_2}:{second_2}[:.]{digits}{meridian}",
        twelve_hours,
    ),
    (
        r"[Tt]{hour}|{clock_24}|[Tt]?{hour}[:.]{minute}[:.]{second}\.{digits}",
        twenty_four_hours,
    ),
    ("[Tt]?{hour_2}{minute_2}", four_digits),
    ("[Tt]?{hour_2}{minute_2}{second_2}", six_digits),
];

/// A year alone, such as `1700`, if the four digits are not a time of day.
pub(super) const LONE_YEAR: Form = ("{year_4}", |reading, token| {
    reading.year = token.number(4);
    Some(())
});

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
