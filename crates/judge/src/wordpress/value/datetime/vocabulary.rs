//! The words of PHP's dates, and the fragments that several forms share.

use super::pattern::Pattern::{self, Either, Exact, Optional, Repeat, Run, Sequence, Word};
use super::pattern::{digits, number};

/// The names of the months.
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Their short names; PHP has a second one, `sept`.
const SHORT_MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// Their numbers. The patterns accept capitals only.
const ROMAN_MONTHS: [&str; 12] = [
    "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii",
];

/// The days of the week.
const WEEKDAYS: [&str; 7] = [
    "sunday",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
];

const SHORT_WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// The numbers from one on; PHP has a second word for the eighth, `eight`.
const ORDINALS: [&str; 12] = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth",
];

/// The place of a word among others, in any case; the first place is 0.
fn place(words: &[&str], word: &[u8]) -> Option<i64> {
    let known = |known: &&str| word.eq_ignore_ascii_case(known.as_bytes());
    i64::try_from(words.iter().position(known)?).ok()
}

/// The number of the month that a name means.
pub(super) fn month(name: &[u8]) -> Option<i64> {
    if name.eq_ignore_ascii_case(b"sept") {
        return Some(9);
    }
    let mut lists = [MONTHS, SHORT_MONTHS, ROMAN_MONTHS].into_iter();
    lists.find_map(|names| place(&names, name)).map(|place| place + 1)
}

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

/// The amount of a word; 0 for `this` and for unknown words.
pub(super) fn amount(word: &[u8]) -> Amount {
    let count = match word.to_ascii_lowercase().as_slice() {
        b"last" | b"previous" => -1,
        b"next" => 1,
        b"eight" => 8,
        ordinal => place(&ORDINALS, ordinal).map_or(0, |place| place + 1),
    };
    let counts_today = i64::from(word.eq_ignore_ascii_case(b"this"));
    Amount { count, counts_today }
}

/// The unit that a word names, in singular or plural, and the number of units that it represents, or the
/// weekday.
pub(super) fn unit(word: &[u8]) -> Option<(Unit, i64)> {
    let lower = word.to_ascii_lowercase();
    let singular = lower.strip_suffix(b"s").unwrap_or(&lower);
    let weekday = |name: &[u8]| place(&WEEKDAYS, name).or_else(|| place(&SHORT_WEEKDAYS, name));
    let find = |name: &[u8]| {
        let known = UNITS.iter().find(|(known, ..)| known.as_bytes() == name);
        let known = known.map(|&(_, unit, size)| (unit, size));
        known.or_else(|| Some((Unit::Weekday, weekday(name)?)))
    };
    find(&lower).or_else(|| find(singular))
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
pub(super) const DIGITS: Pattern = digits(1, usize::MAX);

/// The hour of a day, 0 to 24. The suffix `_2` marks forms that require both digits.
pub(super) const HOUR: Pattern = number((1, 2), (0, 24));
pub(super) const HOUR_2: Pattern = number((2, 2), (0, 24));
pub(super) const MINUTE: Pattern = number((1, 2), (0, 59));
pub(super) const MINUTE_2: Pattern = number((2, 2), (0, 59));
pub(super) const SECOND: Pattern = number((1, 2), (0, 60));
pub(super) const SECOND_2: Pattern = number((2, 2), (0, 60));

/// `jan`, `sept`
pub(super) const MONTH_SHORT: Pattern = Either(&[Word(&SHORT_MONTHS), Word(&["sept"])]);

/// `January`, `jan`, `sept`, but not the Roman months.
pub(super) const MONTH_WORD: Pattern = Either(&[MONTH_SHORT, Word(&MONTHS)]);

/// `Sunday`, `sundays`, `sun`
pub(super) const WEEKDAY: Pattern = Either(&[
    Sequence(&[Word(&WEEKDAYS), Optional(&Word(&["s"]))]),
    Word(&SHORT_WEEKDAYS),
]);

/// `first` to `twelfth`
pub(super) const ORDINAL: Pattern = Either(&[Word(&ORDINALS), Word(&["eight"])]);

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
