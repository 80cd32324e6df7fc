//! Forms that count from a date or from now: words, amounts of units, weekdays, timestamps.

use super::date_form::Form;
use super::date_reading::{DateReading, DayEdge, Flaw};
use super::pattern::Pattern::{self, Either, Exact, Optional, Run, Sequence, Word};
use super::token::DateToken;
use super::vocabulary::{Amount, BLANKS, DIGITS};

/// `first` to `twelfth`
const ORDINAL: Pattern = Word(&[
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eight", "eighth", "ninth", "tenth",
    "eleventh", "twelfth",
]);

const DIRECTION: Pattern = Word(&["next", "last", "previous", "this"]);

const WEEKDAY: Pattern = Word(&[
    "sunday",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sundays",
    "mondays",
    "tuesdays",
    "wednesdays",
    "thursdays",
    "fridays",
    "saturdays",
    "sun",
    "mon",
    "tue",
    "wed",
    "thu",
    "fri",
    "sat",
]);

const WEEKDAY_OR_WORKING_DAY: Pattern = Either(&[WEEKDAY, Word(&["weekday", "weekdays"])]);

const UNIT: Pattern = Either(&[
    Word(&["ms", "µs", "weeks"]),
    Sequence(&[
        Word(&[
            "msec",
            "millisecond",
            "µsec",
            "microsecond",
            "usec",
            "sec",
            "second",
            "min",
            "minute",
            "hour",
            "day",
            "fortnight",
            "forthnight",
            "month",
            "year",
        ]),
        Optional(&Word(&["s"])),
    ]),
    WEEKDAY_OR_WORKING_DAY,
]);

/// The relative forms. Of equally long matches the first one counts.
pub(super) const FORMS: &[Form] = &[
    Form {
        pattern: Word(&["yesterday"]),
        read: |reading, _| {
            reading.day_from_today(-1);
            Ok(())
        },
    },
    Form {
        pattern: Word(&["now"]),
        read: |_, _| Ok(()),
    },
    Form {
        pattern: Word(&["noon"]),
        read: noon,
    },
    Form {
        pattern: Word(&["midnight", "today"]),
        read: |reading, _| {
            reading.clear_clock();
            Ok(())
        },
    },
    Form {
        pattern: Word(&["tomorrow"]),
        read: |reading, _| {
            reading.day_from_today(1);
            Ok(())
        },
    },
    Form {
        pattern: Sequence(&[Exact("@"), Optional(&Exact("-")), DIGITS]),
        read: timestamp,
    },
    Form {
        pattern: Sequence(&[
            Exact("@"),
            Optional(&Exact("-")),
            DIGITS,
            Exact("."),
            Run {
                of: u8::is_ascii_digit,
                length: (0, 6),
            },
        ]),
        read: timestamp_with_fraction,
    },
    Form {
        pattern: Word(&["first day of"]),
        read: |reading, _| {
            reading.edge = Some(DayEdge::FirstDay);
            Ok(())
        },
    },
    Form {
        pattern: Word(&["last day of"]),
        read: |reading, _| {
            reading.edge = Some(DayEdge::LastDay);
            Ok(())
        },
    },
    Form {
        // `first monday of`
        pattern: Sequence(&[
            Either(&[ORDINAL, DIRECTION]),
            BLANKS,
            WEEKDAY,
            BLANKS,
            Word(&["of"]),
        ]),
        read: weekday_of_month,
    },
    Form {
        pattern: Word(&["ago"]),
        read: |reading, _| {
            reading.reverse();
            Ok(())
        },
    },
    Form {
        pattern: WEEKDAY_OR_WORKING_DAY,
        read: |reading, token| {
            reading.set_weekday(token.unit());
            Ok(())
        },
    },
    Form {
        pattern: Sequence(&[DIRECTION, BLANKS, Word(&["week"])]),
        read: |reading, token| {
            let amount = token.amount();
            token.skip_blanks();
            reading.shift_weeks(amount, token.unit())
        },
    },
    Form {
        // `next month`, `third friday`
        pattern: Sequence(&[Either(&[ORDINAL, DIRECTION]), BLANKS, UNIT]),
        read: |reading, token| {
            let amount = token.amount();
            token.skip_blanks();
            reading.shift(amount, token.unit(), false)
        },
    },
    Form {
        // `+1 week`, `-- 3 days`, `12sec`
        pattern: Sequence(&[
            Run {
                of: |byte| matches!(byte, b'+' | b'-'),
                length: (0, usize::MAX),
            },
            Run {
                of: |byte| matches!(byte, b' ' | b'\t'),
                length: (0, usize::MAX),
            },
            Run {
                of: u8::is_ascii_digit,
                length: (1, 13),
            },
            Optional(&BLANKS),
            Either(&[UNIT, Word(&["week"])]),
        ]),
        read: counted,
    },
];

fn noon(reading: &mut DateReading, _: &mut DateToken<'_>) -> Result<(), Flaw> {
    reading.clear_clock();
    reading.start_clock()?;
    reading.set_clock(Some(12), Some(0), Some(0));
    Ok(())
}

fn timestamp(reading: &mut DateReading, token: &mut DateToken<'_>) -> Result<(), Flaw> {
    if reading.start_timestamp()? {
        reading.set_timestamp(token.signed(24)?, 0);
    }
    Ok(())
}

fn timestamp_with_fraction(reading: &mut DateReading, token: &mut DateToken<'_>) -> Result<(), Flaw> {
    if !reading.start_timestamp()? {
        return Ok(());
    }
    let direction = if token.starts_with(b"@-") { -1 } else { 1 };
    let seconds = token.signed(24)?;
    let micros = token.fraction_digits()?;
    reading.set_timestamp(seconds, direction * micros);
    Ok(())
}

fn weekday_of_month(reading: &mut DateReading, token: &mut DateToken<'_>) -> Result<(), Flaw> {
    let mut amount = token.amount();
    token.skip_blanks();
    if amount.count > 0 {
        amount.counts_today = 1;
    }
    reading.set_weekday_of_month(amount.count > 0);
    reading.shift(amount, token.unit(), false)
}

fn counted(reading: &mut DateReading, token: &mut DateToken<'_>) -> Result<(), Flaw> {
    let count = token.signed(24)?;
    token.skip_blanks();
    let amount = Amount {
        count,
        counts_today: 1,
    };
    reading.shift(amount, token.unit(), true)
}
