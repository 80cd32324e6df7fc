//! Forms that count from a date or from now: words, amounts of units, weekdays, timestamps.

use super::date_form::Form;
use super::date_reading::{DateReading, DayEdge, Special};
use super::pattern::Pattern::{self, Either, Exact, Optional, Run, Sequence, Word};
use super::pattern::digits;
use super::token::DateToken;
use super::vocabulary::{Amount, BLANKS, DIGITS, ORDINAL, WEEKDAY};

const DIRECTION: Pattern = Word(&["next", "last", "previous", "this"]);

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
            Some(())
        },
    },
    Form {
        pattern: Word(&["now"]),
        read: |_, _| Some(()),
    },
    Form {
        pattern: Word(&["noon"]),
        read: noon,
    },
    Form {
        pattern: Word(&["midnight", "today"]),
        read: |reading, _| {
            reading.clear_clock();
            Some(())
        },
    },
    Form {
        pattern: Word(&["tomorrow"]),
        read: |reading, _| {
            reading.day_from_today(1);
            Some(())
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
            digits(0, 6),
        ]),
        read: timestamp_with_fraction,
    },
    Form {
        pattern: Word(&["first day of"]),
        read: |reading, _| {
            reading.edge = Some(DayEdge::FirstDay);
            Some(())
        },
    },
    Form {
        pattern: Word(&["last day of"]),
        read: |reading, _| {
            reading.edge = Some(DayEdge::LastDay);
            Some(())
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
            Some(())
        },
    },
    Form {
        pattern: WEEKDAY_OR_WORKING_DAY,
        read: |reading, token| {
            reading.set_weekday(token.unit());
            Some(())
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
            digits(1, 13),
            Optional(&BLANKS),
            Either(&[UNIT, Word(&["week"])]),
        ]),
        read: counted,
    },
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
