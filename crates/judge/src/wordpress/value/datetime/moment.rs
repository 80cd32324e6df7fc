//! Forms of a calendar date and a time of day in one piece.

use super::date_reading::DateReading;
use super::token::{DateToken, Form};

/// The forms of a date with a time. Of equally long matches the first one counts.
pub(super) const FORMS: &[Form] = &[
    // `20080115T10:30:15`
    ("{year_4}{month_2}{day_2}T{hour}:{minute_2}:{second_2}", moment),
    // `20080115t103015`
    ("{year_4}{month_2}{day_2}[Tt]{hour}{minute_2}{second_2}", moment),
    // `2008-01-15T10:30:15.5+01:00`
    (
        r"{year_4}-{month_2}-{day_2}T{hour_2}:{minute_2}:{second_2}\.{digits}{correction}?",
        moment,
    ),
    // `2008-1-15T1:3:5`
    ("{year_4}-{month}-{day}T{hour}:{minute}:{second}", moment),
    // `2008:01:15 10:30:15`
    (
        "{year_4}:{month_2}:{day_2} {hour_2}:{minute_2}:{second_2}",
        moment,
    ),
    // `10/Oct/2000:13:55:36 -0700`
    (
        "{day}/{short_month}/{year_4}:{hour_2}:{minute_2}:{second_2}{blanks}{correction}",
        log_line,
    ),
    // `Jan 5 10:30 pm`
    ("{month_day}{clock_12}", name_day_clock_12),
    // `Jan 5 10:30:15 CET`
    (
        "{month_day}({clock_24}|[Tt]?{hour}[:.]{minute}[:.]{second_2}{blanks}?({correction}|{zone}))",
        name_day_clock_24,
    ),
];

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
