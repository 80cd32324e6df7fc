//! Forms of a calendar date.

use super::date_form::Form;
use super::date_reading::DateReading;
use super::pattern::Pattern::{self, Either, Exact, One, Optional, Run, Sequence};
use super::pattern::{digits, number};
use super::token::DateToken;
use super::vocabulary::{MONTH_NAME, MONTH_SHORT, MONTH_WORD};

const YEAR: Pattern = digits(1, 4);
const YEAR_2: Pattern = digits(2, 2);
pub(super) const YEAR_4: Pattern = digits(4, 4);
pub(super) const MONTH: Pattern = number((1, 2), (0, 12));
pub(super) const MONTH_2: Pattern = number((2, 2), (0, 12));
pub(super) const DAY_2: Pattern = number((2, 2), (0, 31));
const DAY_OF_YEAR: Pattern = number((3, 3), (1, 366));
const WEEK: Pattern = number((2, 2), (1, 53));
const DASH: Pattern = Exact("-");
const SLASH: Pattern = Exact("/");

/// `1`, `01`, `31st`, `2th`
pub(super) const DAY: Pattern = Sequence(&[
    number((1, 2), (0, 31)),
    Optional(&Either(&[Exact("st"), Exact("nd"), Exact("rd"), Exact("th")])),
]);

/// Any separator, or none, between a day, a month's name and a year.
const GAP: Pattern = Run {
    of: |byte| matches!(byte, b' ' | b'\t' | b'.' | b'-'),
    length: (0, usize::MAX),
};

/// The text allowed after a day that follows a month's name; the letters are those of the ordinals, in any
/// order.
const AFTER_DAY: Pattern = Run {
    of: |byte| b",.stndrh\t ".contains(byte),
    length: (1, usize::MAX),
};

/// `Jan 5 `, before a time of day.
pub(super) const MONTH_DAY: Pattern = Sequence(&[MONTH_NAME, GAP, DAY, Either(&[AFTER_DAY, Exact("\0")])]);

/// The date forms. Of equally long matches the first one counts.
pub(super) const FORMS: &[Form] = &[
    Form {
        // `1/15/2008`, `1/15`
        pattern: Sequence(&[MONTH, SLASH, DAY, Optional(&Sequence(&[SLASH, YEAR]))]),
        read: month_day_year,
    },
    Form {
        // `2008-01-15`, `-0044-03-15`, `2008/01/15/`, `2008/1/5`
        pattern: Either(&[
            Sequence(&[Optional(&One(b"+-")), YEAR_4, DASH, MONTH_2, DASH, DAY_2]),
            Sequence(&[YEAR_4, SLASH, MONTH_2, SLASH, DAY_2, Optional(&SLASH)]),
            Sequence(&[YEAR_4, SLASH, MONTH, SLASH, DAY]),
        ]),
        read: |reading, token| long_year_month_day(reading, token, 4),
    },
    Form {
        pattern: Sequence(&[YEAR_2, DASH, MONTH_2, DASH, DAY_2]),
        read: year_month_day,
    },
    Form {
        // `+12008-01-15`
        pattern: Sequence(&[One(b"+-"), digits(5, 19), DASH, MONTH_2, DASH, DAY_2]),
        read: |reading, token| long_year_month_day(reading, token, 19),
    },
    Form {
        pattern: Sequence(&[YEAR_4, DASH, MONTH]),
        read: |reading, token| reading.set_date(token.year(), token.number(2), Some(1)),
    },
    Form {
        // `8-1-5`
        pattern: Sequence(&[YEAR, DASH, MONTH, DASH, DAY]),
        read: year_month_day,
    },
    Form {
        // `15th January 2008`, `15.Jan-08`
        pattern: Sequence(&[DAY, GAP, MONTH_NAME, GAP, YEAR]),
        read: day_name_year,
    },
    Form {
        // `15.01.2008`, `15-1-2008`
        pattern: Sequence(&[DAY, One(b".\t-"), MONTH, One(b".-"), YEAR_4]),
        read: day_month_year,
    },
    Form {
        // `15.1.08`
        pattern: Sequence(&[DAY, One(b".\t"), MONTH, Exact("."), YEAR_2]),
        read: day_month_year,
    },
    Form {
        // `January 2008`
        pattern: Sequence(&[MONTH_NAME, GAP, YEAR_4]),
        read: |reading, token| {
            let month = token.month();
            reading.set_date(token.year(), month, Some(1))
        },
    },
    Form {
        // `2008 January`
        pattern: Sequence(&[YEAR_4, GAP, MONTH_NAME]),
        read: |reading, token| reading.set_date(token.year(), token.month(), Some(1)),
    },
    Form {
        // `January 15th, 2008`, `Jan 15,`
        pattern: Either(&[Sequence(&[MONTH_NAME, GAP, DAY, AFTER_DAY, YEAR]), MONTH_DAY]),
        read: name_day_year,
    },
    Form {
        // `15 January`
        pattern: Sequence(&[DAY, GAP, MONTH_NAME]),
        read: |reading, token| {
            let (day, month) = day_and_name(token);
            reading.set_date(reading.year, month, day)
        },
    },
    Form {
        pattern: Sequence(&[YEAR_4, MONTH_2, DAY_2]),
        read: year_month_day,
    },
    Form {
        // `2008.197`, `2008-197`, `2008197`
        pattern: Sequence(&[YEAR_4, Optional(&One(b".-")), DAY_OF_YEAR]),
        read: |reading, token| reading.set_date(token.year(), Some(1), token.number(3)),
    },
    Form {
        // `2008-W28-3`, `2008W28`
        pattern: Sequence(&[
            YEAR_4,
            Optional(&DASH),
            Exact("W"),
            WEEK,
            Optional(&Sequence(&[Optional(&DASH), number((1, 1), (0, 7))])),
        ]),
        read: |reading, token| {
            let (year, week) = (token.number(4), token.number(2));
            reading.set_week(year, week, token.number(1).unwrap_or(1))
        },
    },
    Form {
        // `Jan-15-2008`
        pattern: Sequence(&[MONTH_SHORT, DASH, DAY_2, DASH, YEAR]),
        read: name_day_year,
    },
    Form {
        // `2008-Jan-15`
        pattern: Sequence(&[YEAR, DASH, MONTH_SHORT, DASH, DAY_2]),
        read: |reading, token| {
            let year = token.year();
            reading.set_date(year, token.month(), token.number(2))
        },
    },
    Form {
        pattern: MONTH_WORD,
        read: |reading, token| reading.set_date(reading.year, token.month(), reading.day),
    },
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
