//! The words of PHP's dates, and the fragments that several forms share.

/// The names of the months. A list of words is also the pattern that accepts one of them.
const MONTHS: &str = "january|february|march|april|may|june|july|august|september|october|november|december";

/// Their short names; PHP has a second one, `sept`.
const SHORT_MONTHS: &str = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec";

/// Their numbers. The patterns accept capitals only.
const ROMAN_MONTHS: &str = "I|II|III|IV|V|VI|VII|VIII|IX|X|XI|XII";

/// The days of the week.
const WEEKDAYS: &str = "sunday|monday|tuesday|wednesday|thursday|friday|saturday";

const SHORT_WEEKDAYS: &str = "sun|mon|tue|wed|thu|fri|sat";

/// The numbers from one on; PHP has a second word for the eighth, `eight`.
const ORDINALS: &str = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth";

/// The patterns that forms and later rows name in braces. The suffix `_2` marks numbers that require both digits.
pub(super) const FRAGMENTS: &[(&str, &str)] = &[
    // Blanks and tabs, or one kind of no-break space.
    ("blanks", r"[ \t]+|(\xc2\xa0)+|(\xe2\x80\xaf)+"),
    ("digits", "[0-9]+"),
    ("hour", "[01]?[0-9]|2[0-4]"),
    ("hour_2", "[01][0-9]|2[0-4]"),
    ("hour_12", "0?[1-9]|1[0-2]"),
    ("minute", "[0-5]?[0-9]"),
    ("minute_2", "[0-5][0-9]"),
    ("second", "[0-5]?[0-9]|60"),
    ("second_2", "[0-5][0-9]|60"),
    // `am`, `P.M.`: only if a blank or the end follows.
    ("meridian", r"[AaPp]\.?[Mm]\.?[\x00\t ]"),
    // `10:30 am`, `10.30pm`, `10:30:15 am`
    (
        "clock_12",
        r"{hour_12}[:.]({minute_2}|{minute}[:.]{second_2}){blanks}?{meridian}",
    ),
    // `10:30`, `t10.30`, `10:30:15`
    ("clock_24", r"[Tt]?{hour}[:.]{minute}([:.]{second})?"),
    ("year", "[0-9]{1,4}"),
    ("year_2", "[0-9]{2}"),
    ("year_4", "[0-9]{4}"),
    ("month", "0?[0-9]|1[0-2]"),
    ("month_2", "0[0-9]|1[0-2]"),
    // `1`, `01`, `31st`, `2th`
    ("day", "([0-2]?[0-9]|3[01])(st|nd|rd|th)?"),
    ("day_2", "[0-2][0-9]|3[01]"),
    (
        "day_of_year",
        "00[1-9]|0[1-9][0-9]|[12][0-9][0-9]|3[0-5][0-9]|36[0-6]",
    ),
    ("week", "0[1-9]|[1-4][0-9]|5[0-3]"),
    // Any separator, or none, between a day, a month's name and a year.
    ("gap", r"[ \t.-]*"),
    // The text after a day that follows a month's name; the letters are those of the ordinals, in any order.
    ("after_day", r"[,.stndrh\t ]+"),
    ("short_months", SHORT_MONTHS),
    ("months", MONTHS),
    ("short_month", "(?i:{short_months}|sept)"),
    // Not the Roman months.
    ("month_word", "{short_month}|(?i:{months})"),
    ("roman_month", ROMAN_MONTHS),
    ("month_name", "{month_word}|{roman_month}"),
    // `Jan 5 `, before a time of day.
    ("month_day", r"{month_name}{gap}{day}({after_day}|\x00)"),
    ("weekdays", WEEKDAYS),
    ("short_weekdays", SHORT_WEEKDAYS),
    // `Sunday`, `sundays`, `sun`
    ("weekday", "(?i:{weekdays}s?|{short_weekdays})"),
    ("weekday_or_working_day", "{weekday}|(?i:weekdays?)"),
    ("ordinals", ORDINALS),
    ("direction", "(?i:next|last|previous|this)"),
    // `first`, `next`
    ("amount", "(?i:{ordinals}|eight)|{direction}"),
    ("fraction_unit", r"(milli|micro)second|(m|\xc2\xb5|u)sec"),
    ("clock_unit", "sec|second|min|minute|hour"),
    ("calendar_unit", "day|fortnight|forthnight|month|year"),
    (
        "unit",
        r"(?i:ms|\xc2\xb5s|weeks|({fraction_unit}|{clock_unit}|{calendar_unit})s?)|{weekday_or_working_day}",
    ),
    // `CET`, `(EST)`, `Europe/Berlin`: an abbreviation has up to six letters, a name at least two parts.
    ("zone", r"\(?[A-Za-z]{1,6}\)?|[A-Z][a-z]+([_/-][A-Za-z]+)+"),
    // `+2`, `-0530`, `+05:30:00`, `GMT+1`
    (
        "correction",
        "(GMT)?[+-]({hour}(:?{minute})?|{hour_2}{minute_2}{second_2}|{hour_2}:{minute_2}:{second_2})",
    ),
];

/// The place of a word in a list, in any case; the first place is 0.
fn place(words: &str, word: &[u8]) -> Option<i64> {
    let known = |known: &str| word.eq_ignore_ascii_case(known.as_bytes());
    i64::try_from(words.split('|').position(known)?).ok()
}

/// The number of the month that a name means.
pub(super) fn month(name: &[u8]) -> Option<i64> {
    if name.eq_ignore_ascii_case(b"sept") {
        return Some(9);
    }
    let mut lists = [MONTHS, SHORT_MONTHS, ROMAN_MONTHS].into_iter();
    lists.find_map(|names| place(names, name)).map(|place| place + 1)
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
        ordinal => place(ORDINALS, ordinal).map_or(0, |place| place + 1),
    };
    let counts_today = i64::from(word.eq_ignore_ascii_case(b"this"));
    Amount { count, counts_today }
}

/// The unit that a word names, in singular or plural, and the number of units that it represents, or the
/// weekday.
pub(super) fn unit(word: &[u8]) -> Option<(Unit, i64)> {
    let lower = word.to_ascii_lowercase();
    let singular = lower.strip_suffix(b"s").unwrap_or(&lower);
    let weekday = |name: &[u8]| place(WEEKDAYS, name).or_else(|| place(SHORT_WEEKDAYS, name));
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
