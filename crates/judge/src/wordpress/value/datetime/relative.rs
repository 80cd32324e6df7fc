//! Forms that count from a date or from now: words, amounts of units, weekdays, timestamps.

use super::date_reading::{DateReading, DayEdge, Special};
use super::token::{DateToken, Form};
use super::vocabulary::Amount;

/// The relative forms. Of equally long matches the first one counts.
pub(super) const FORMS: &[Form] = &[
    ("(?i:yesterday)", |reading, _| {
        reading.day_from_today(-1);
        Some(())
    }),
    ("(?i:now)", |_, _| Some(())),
    ("(?i:noon)", noon),
    ("(?i:midnight|today)", |reading, _| {
        reading.clear_clock();
        Some(())
    }),
    ("(?i:tomorrow)", |reading, _| {
        reading.day_from_today(1);
        Some(())
    }),
    ("@-?{digits}", timestamp),
    (r"@-?{digits}\.[0-9]{0,6}", timestamp_with_fraction),
    ("(?i:first day of)", |reading, _| {
        reading.edge = Some(DayEdge::FirstDay);
        Some(())
    }),
    ("(?i:last day of)", |reading, _| {
        reading.edge = Some(DayEdge::LastDay);
        Some(())
    }),
    // `first monday of`
    ("{amount}{blanks}{weekday}{blanks}(?i:of)", weekday_of_month),
    ("(?i:ago)", |reading, _| {
        reading.reverse();
        Some(())
    }),
    ("{weekday_or_working_day}", |reading, token| {
        reading.set_weekday(token.unit());
        Some(())
    }),
    ("{direction}{blanks}(?i:week)", |reading, token| {
        let amount = token.amount();
        token.skip_blanks();
        reading.shift_weeks(amount, token.unit())
    }),
    // `next month`, `third friday`
    ("{amount}{blanks}{unit}", |reading, token| {
        let amount = token.amount();
        token.skip_blanks();
        reading.shift(amount, token.unit(), false)
    }),
    // `+1 week`, `-- 3 days`, `12sec`
    (r"[+-]*[ \t]*[0-9]{1,13}{blanks}?({unit}|(?i:week))", counted),
];

fn noon(reading: &mut DateReading, _: &mut DateToken<'_>) -> Option<()> {
    reading.clear_clock();
    reading.start_clock()?;
    reading.set_clock(Some(12), Some(0), Some(0));
    Some(())
}

fn timestamp(reading: &mut DateReading, token: &mut DateToken<'_>) -> Option<()> {
    if reading.start_timestamp()? {
        reading.set_timestamp(token.signed(24)?, 0);
    }
    Some(())
}

fn timestamp_with_fraction(reading: &mut DateReading, token: &mut DateToken<'_>) -> Option<()> {
    if !reading.start_timestamp()? {
        return Some(());
    }
    let direction = if token.starts_with(b"@-") { -1 } else { 1 };
    let seconds = token.signed(24)?;
    let micros = token.fraction_digits()?;
    reading.set_timestamp(seconds, direction * micros);
    Some(())
}

fn weekday_of_month(reading: &mut DateReading, token: &mut DateToken<'_>) -> Option<()> {
    let mut amount = token.amount();
    token.skip_blanks();
    if amount.count > 0 {
        amount.counts_today = 1;
    }
    reading.special = Some(if amount.count > 0 {
        Special::WeekdayOfMonth
    } else {
        Special::LastWeekdayOfMonth
    });
    reading.shift(amount, token.unit(), false)
}

fn counted(reading: &mut DateReading, token: &mut DateToken<'_>) -> Option<()> {
    let count = token.signed(24)?;
    token.skip_blanks();
    let amount = Amount {
        count,
        counts_today: 1,
    };
    reading.shift(amount, token.unit(), true)
}
