//! Forms of a calendar date.

use super::date_reading::DateReading;
use super::token::{DateToken, Form};

/// The date forms. Of equally long matches the first one counts.
pub(super) const FORMS: &[Form] = &[
    // `1/15/2008`, `1/15`
    ("{month}/{day}(/{year})?", month_day_year),
    // `2008-01-15`, `-0044-03-15`, `2008/01/15/`, `2008/1/5`
    (
        "[+-]?{year_4}-{month_2}-{day_2}|{year_4}/{month_2}/{day_2}/?|{year_4}/{month}/{day}",
        |reading, token| long_year_month_day(reading, token, 4),
    ),
    ("{year_2}-{month_2}-{day_2}", year_month_day),
    // `+12008-01-15`
    ("[+-][0-9]{5,19}-{month_2}-{day_2}", |reading, token| {
        long_year_month_day(reading, token, 19)
    }),
    ("{year_4}-{month}", |reading, token| {
        reading.set_date(token.year(), token.number(2), Some(1))
    }),
    // `8-1-5`
    ("{year}-{month}-{day}", year_month_day),
    // `15th January 2008`, `15.Jan-08`
    ("{day}{gap}{month_name}{gap}{year}", day_name_year),
    // `15.01.2008`, `15-1-2008`
    (r"{day}[.\t-]{month}[.-]{year_4}", day_month_year),
    // `15.1.08`
    (r"{day}[.\t]{month}\.{year_2}", day_month_year),
    // `January 2008`
    ("{month_name}{gap}{year_4}", |reading, token| {
        let month = token.month();
        reading.set_date(token.year(), month, Some(1))
    }),
    // `2008 January`
    ("{year_4}{gap}{month_name}", |reading, token| {
        reading.set_date(token.year(), token.month(), Some(1))
    }),
    // `January 15th, 2008`, `Jan 15,`
    (
        "{month_name}{gap}{day}{after_day}{year}|{month_day}",
        name_day_year,
    ),
    // `15 January`
    ("{day}{gap}{month_name}", |reading, token| {
        let (day, month) = day_and_name(token);
        reading.set_date(reading.year, month, day)
    }),
    ("{year_4}{month_2}{day_2}", year_month_day),
    // `2008.197`, `2008-197`, `2008197`
    ("{year_4}[.-]?{day_of_year}", |reading, token| {
        reading.set_date(token.year(), Some(1), token.number(3))
    }),
    // `2008-W28-3`, `2008W28`
    ("{year_4}-?W{week}(-?[0-7])?", |reading, token| {
        let (year, week) = (token.number(4), token.number(2));
        reading.set_week(year, week, token.number(1).unwrap_or(1))
    }),
    // `Jan-15-2008`
    ("{short_month}-{day_2}-{year}", name_day_year),
    // `2008-Jan-15`
    ("{year}-{short_month}-{day_2}", |reading, token| {
        let year = token.year();
        reading.set_date(year, token.month(), token.number(2))
    }),
    ("{month_word}", |reading, token| {
        reading.set_date(reading.year, token.month(), reading.day)
    }),
];

fn month_day_year(reading: &mut DateReading, token: &mut DateToken<'_>) -> Option<()> {
    let (month, day) = (token.number(2), token.number(2));
    let year = match token.peek() {
        Some(b'/') => token.year(),
        _ => reading.year,
    };
    reading.set_date(year, month, day)
}

fn long_year_month_day(reading: &mut DateReading, token: &mut DateToken<'_>, digits: usize) -> Option<()> {
    let year = token.signed(digits)?;
    reading.set_date(Some(year), token.number(2), token.number(2))
}

fn year_month_day(reading: &mut DateReading, token: &mut DateToken<'_>) -> Option<()> {
    reading.set_date(token.year(), token.number(2), token.number(2))
}

fn day_month_year(reading: &mut DateReading, token: &mut DateToken<'_>) -> Option<()> {
    let (day, month) = (token.number(2), token.number(2));
    reading.set_date(token.year(), month, day)
}

fn day_and_name(token: &mut DateToken<'_>) -> (Option<i64>, Option<i64>) {
    let day = token.number(2);
    token.skip_ordinal();
    (day, token.month())
}

fn day_name_year(reading: &mut DateReading, token: &mut DateToken<'_>) -> Option<()> {
    let (day, month) = day_and_name(token);
    reading.set_date(token.year(), month, day)
}

/// A missing year clears one that was read before.
fn name_day_year(reading: &mut DateReading, token: &mut DateToken<'_>) -> Option<()> {
    let (month, day) = (token.month(), token.number(2));
    reading.set_date(token.year(), month, day)
}
