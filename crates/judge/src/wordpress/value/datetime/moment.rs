//! Forms of a calendar date and a time of day in one piece.

use super::clock::{LONG_12, LONG_24, SHORT_12, SHORT_24};
use super::date::{DAY, DAY_2, MONTH, MONTH_2, MONTH_DAY, YEAR_4};
use super::date_form::Form;
use super::date_reading::DateReading;
use super::pattern::Pattern::{self, Either, Exact, One, Optional, Sequence, Word};
use super::token::DateToken;
use super::vocabulary::{BLANKS, DIGITS, HOUR, HOUR_2, MINUTE, MINUTE_2, MONTH_SHORT, SECOND, SECOND_2};
use super::zone::{CORRECTION, ZONE};

const DASH: Pattern = Exact("-");
const SLASH: Pattern = Exact("/");
const COLON: Pattern = Exact(":");

/// The forms of a date with a time. Of equally long matches the first one counts.
pub(super) const FORMS: &[Form] = &[
    Form {
        pattern: MOMENT,
        read: moment,
    },
    Form {
        // `10/Oct/2000:13:55:36 -0700`
        pattern: Sequence(&[
            DAY,
            SLASH,
            MONTH_SHORT,
            SLASH,
            YEAR_4,
            COLON,
            HOUR_2,
            COLON,
            MINUTE_2,
            COLON,
            SECOND_2,
            BLANKS,
            CORRECTION,
        ]),
        read: log_line,
    },
    Form {
        // `Jan 5 10:30 pm`
        pattern: Sequence(&[MONTH_DAY, Either(&[SHORT_12, LONG_12])]),
        read: name_day_clock_12,
    },
    Form {
        // `Jan 5 10:30:15 CET`
        pattern: Sequence(&[
            MONTH_DAY,
            Either(&[
                SHORT_24,
                LONG_24,
                Sequence(&[
                    Optional(&Word(&["t"])),
                    HOUR,
                    One(b":."),
                    MINUTE,
                    One(b":."),
                    SECOND_2,
                    Optional(&BLANKS),
                    Either(&[CORRECTION, ZONE]),
                ]),
            ]),
        ]),
        read: name_day_clock_24,
    },
];

/// A date and a time of day in one piece, year first.
const MOMENT: Pattern = Either(&[
    // `20080115T10:30:15`
    Sequence(&[
        YEAR_4,
        MONTH_2,
        DAY_2,
        Exact("T"),
        HOUR,
        COLON,
        MINUTE_2,
        COLON,
        SECOND_2,
    ]),
    // `20080115t103015`
    Sequence(&[YEAR_4, MONTH_2, DAY_2, Word(&["t"]), HOUR, MINUTE_2, SECOND_2]),
    // `2008-01-15T10:30:15.5+01:00`
    Sequence(&[
        YEAR_4,
        DASH,
        MONTH_2,
        DASH,
        DAY_2,
        Exact("T"),
        HOUR_2,
        COLON,
        MINUTE_2,
        COLON,
        SECOND_2,
        Exact("."),
        DIGITS,
        Optional(&CORRECTION),
    ]),
    // `2008-1-5T1:3:5`
    Sequence(&[
        YEAR_4,
        DASH,
        MONTH,
        DASH,
        DAY,
        Exact("T"),
        HOUR,
        COLON,
        MINUTE,
        COLON,
        SECOND,
    ]),
    // `2008:01:15 10:30:15`
    Sequence(&[
        YEAR_4,
        COLON,
        MONTH_2,
        COLON,
        DAY_2,
        Exact(" "),
        HOUR_2,
        COLON,
        MINUTE_2,
        COLON,
        SECOND_2,
    ]),
]);

fn moment(reading: &mut DateReading, token: &mut DateToken<'_>) -> Option<()> {
    reading.start_clock()?;
    reading.set_date(token.number(4), token.number(2), token.number(2))?;
    reading.set_clock(token.number(2), token.number(2), token.number(2));
    if token.peek() == Some(b'.') {
        reading.micros = token.fraction();
        if token.peek().is_some() {
            reading.set_zone(token.zone())?;
        }
    }
    Some(())
}

fn log_line(reading: &mut DateReading, token: &mut DateToken<'_>) -> Option<()> {
    reading.start_clock()?;
    let (day, month) = (token.number(2), token.month());
    reading.set_date(token.number(4), month, day)?;
    reading.set_clock(token.number(2), token.number(2), token.number(2));
    token.skip_blanks();
    reading.set_zone(token.zone())
}

fn name_day_clock_12(reading: &mut DateReading, token: &mut DateToken<'_>) -> Option<()> {
    let (month, day) = (token.month(), token.number(2));
    reading.set_date(reading.year, month, day)?;
    reading.start_clock()?;
    let (hour, minute) = (token.number(2), token.number(2));
    let second = match token.peek() {
        Some(b':' | b'.') => token.number(2),
        _ => Some(0),
    };
    let added = token.meridian(hour.unwrap_or_default());
    reading.set_clock(hour.map(|hour| hour + added), minute, second);
    Some(())
}

fn name_day_clock_24(reading: &mut DateReading, token: &mut DateToken<'_>) -> Option<()> {
    let (month, day) = (token.month(), token.number(2));
    reading.set_date(reading.year, month, day)?;
    reading.start_clock()?;
    let (hour, minute) = (token.number(2), token.number(2));
    let second = match token.peek() {
        Some(b':') => token.number(2),
        _ => Some(0),
    };
    reading.set_clock(hour, minute, second);
    // PHP reads seconds after a point as a zone here, and refuses them.
    match token.peek() {
        Some(_) => reading.set_zone(token.zone()),
        None => Some(()),
    }
}
