//! The words of PHP's dates, and the fragments that several forms share.

use super::pattern::Pattern::{self, Either, Exact, Number, Repeat, Run, Word};

/// Month names and their numbers. The patterns accept the Roman names in capitals only.
pub(super) const MONTHS: &[(&str, i64)] = &[
    ("january", 1),
    ("february", 2),
    ("march", 3),
    ("april", 4),
    ("may", 5),
    ("june", 6),
    ("july", 7),
    ("august", 8),
    ("september", 9),
    ("october", 10),
    ("november", 11),
    ("december", 12),
    ("jan", 1),
    ("feb", 2),
    ("mar", 3),
    ("apr", 4),
    ("jun", 6),
    ("jul", 7),
    ("aug", 8),
    ("sep", 9),
    ("sept", 9),
    ("oct", 10),
    ("nov", 11),
    ("dec", 12),
    ("i", 1),
    ("ii", 2),
    ("iii", 3),
    ("iv", 4),
    ("v", 5),
    ("vi", 6),
    ("vii", 7),
    ("viii", 8),
    ("ix", 9),
    ("x", 10),
    ("xi", 11),
    ("xii", 12),
];

/// The unit of a relative amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Microsecond,
    Second,
    Minute,
    Hour,
    Day,
    Month,
    Year,
    /// A day of the week; Sunday is 0.
    Weekday,
    /// Days from Monday to Friday.
    WorkingDay,
}

/// The amount of a word such as `next`, and the way to count a weekday after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Amount {
    pub(super) count: i64,
    /// 1: a weekday that is today counts as reached; 0: it does not.
    pub(super) counts_today: i64,
}

/// The amount of a word; 0 for unknown words.
pub(super) fn amount(word: &[u8]) -> Amount {
    let known = AMOUNTS
        .iter()
        .find(|(known, _)| word.eq_ignore_ascii_case(known.as_bytes()));
    let count = known.map_or(0, |&(_, count)| count);
    let counts_today = i64::from(word.eq_ignore_ascii_case(b"this"));
    Amount { count, counts_today }
}

const AMOUNTS: &[(&str, i64)] = &[
    ("last", -1),
    ("previous", -1),
    ("this", 0),
    ("next", 1),
    ("first", 1),
    ("second", 2),
    ("third", 3),
    ("fourth", 4),
    ("fifth", 5),
    ("sixth", 6),
    ("seventh", 7),
    ("eight", 8),
    ("eighth", 8),
    ("ninth", 9),
    ("tenth", 10),
    ("eleventh", 11),
    ("twelfth", 12),
];

/// The unit that a word names, in singular or plural, and the number of units that it represents, or the
/// weekday.
pub(super) fn unit(word: &[u8]) -> Option<(Unit, i64)> {
    let lower = word.to_ascii_lowercase();
    let singular = lower.strip_suffix(b"s").unwrap_or(&lower);
    let find = |name: &[u8]| UNITS.iter().find(|(known, ..)| known.as_bytes() == name);
    find(&lower)
        .or_else(|| find(singular))
        .map(|&(_, unit, size)| (unit, size))
}

const UNITS: &[(&str, Unit, i64)] = &[
    ("ms", Unit::Microsecond, 1000),
    ("msec", Unit::Microsecond, 1000),
    ("millisecond", Unit::Microsecond, 1000),
    ("µs", Unit::Microsecond, 1),
    ("µsec", Unit::Microsecond, 1),
    ("usec", Unit::Microsecond, 1),
    ("microsecond", Unit::Microsecond, 1),
    ("sec", Unit::Second, 1),
    ("second", Unit::Second, 1),
    ("min", Unit::Minute, 1),
    ("minute", Unit::Minute, 1),
    ("hour", Unit::Hour, 1),
    ("day", Unit::Day, 1),
    ("week", Unit::Day, 7),
    ("fortnight", Unit::Day, 14),
    ("forthnight", Unit::Day, 14),
    ("month", Unit::Month, 1),
    ("year", Unit::Year, 1),
    ("sunday", Unit::Weekday, 0),
    ("sun", Unit::Weekday, 0),
    ("monday", Unit::Weekday, 1),
    ("mon", Unit::Weekday, 1),
    ("tuesday", Unit::Weekday, 2),
    ("tue", Unit::Weekday, 2),
    ("wednesday", Unit::Weekday, 3),
    ("wed", Unit::Weekday, 3),
    ("thursday", Unit::Weekday, 4),
    ("thu", Unit::Weekday, 4),
    ("friday", Unit::Weekday, 5),
    ("fri", Unit::Weekday, 5),
    ("saturday", Unit::Weekday, 6),
    ("sat", Unit::Weekday, 6),
    ("weekday", Unit::WorkingDay, 1),
];

/// Blanks and tabs, or one kind of no-break space.
pub(super) const BLANKS: Pattern = Either(&[
    Run {
        of: |byte| matches!(byte, b' ' | b'\t'),
        length: (1, usize::MAX),
    },
    Repeat(&Exact("\u{a0}")),
    Repeat(&Exact("\u{202f}")),
]);

/// One or more digits.
pub(super) const DIGITS: Pattern = Run {
    of: u8::is_ascii_digit,
    length: (1, usize::MAX),
};

/// The hour of a day, 0 to 24. The suffix `_2` marks forms that require both digits.
pub(super) const HOUR: Pattern = Number {
    digits: (1, 2),
    values: (0, 24),
};
pub(super) const HOUR_2: Pattern = Number {
    digits: (2, 2),
    values: (0, 24),
};
pub(super) const MINUTE: Pattern = Number {
    digits: (1, 2),
    values: (0, 59),
};
pub(super) const MINUTE_2: Pattern = Number {
    digits: (2, 2),
    values: (0, 59),
};
pub(super) const SECOND: Pattern = Number {
    digits: (1, 2),
    values: (0, 60),
};
pub(super) const SECOND_2: Pattern = Number {
    digits: (2, 2),
    values: (0, 60),
};

/// `jan`, `sept`
pub(super) const MONTH_SHORT: Pattern = Word(&[
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
]);

/// `January`, `jan`, `sept`, but not the Roman months.
pub(super) const MONTH_WORD: Pattern = Either(&[
    MONTH_SHORT,
    Word(&[
        "january",
        "february",
        "march",
        "april",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ]),
]);

/// Any name of a month.
pub(super) const MONTH_NAME: Pattern = Either(&[
    MONTH_WORD,
    Exact("I"),
    Exact("II"),
    Exact("III"),
    Exact("IV"),
    Exact("V"),
    Exact("VI"),
    Exact("VII"),
    Exact("VIII"),
    Exact("IX"),
    Exact("X"),
    Exact("XI"),
    Exact("XII"),
]);
