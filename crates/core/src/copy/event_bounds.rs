//! Dates of a question, and the bounds that they set for events.

use calendar_edge_judge::wordpress::value::datetime;
use jiff::civil::{Date, DateTime, date};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp};

use super::ask::Ask;
use super::question::CopyQuestion;
use super::record_copy::{RecordCopy, of_clock};
use crate::unix_time::UnixTime;

/// The bounds of a list of events, in seconds of the clock of its rows, and as its address repeats them.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    /// Not before, and not at or before.
    from: Option<i64>,
    after: Option<i64>,
    /// Starts before.
    before: Option<i64>,
    /// Ends at the latest, before, and after.
    until: Option<i64>,
    ends_before: Option<i64>,
    ends_after: Option<i64>,
    /// Name and text.
    pub(super) repeated: Vec<(&'static str, String)>,
}

/// How the dates of a question are read.
struct DateRule<'a> {
    local_zone: &'a TimeZone,
    is_strict: bool,
    /// The end of a day, after midnight.
    cutoff: SignedDuration,
}

/// The arguments that replace the usual dates of a list.
const RELATIVE: [&str; 4] = ["starts_before", "starts_after", "ends_before", "ends_after"];

/// Words for a day that counts from now.
const DAYS: [&str; 4] = ["now", "today", "tomorrow", "yesterday"];

/// Units in which a day counts from now.
const UNITS: [&str; 4] = ["day", "week", "month", "year"];

/// Spellings of true for PHP's `FILTER_VALIDATE_BOOLEAN`.
const TRUE: [&str; 4] = ["1", "true", "on", "yes"];

// === impl Bounds ===

impl Bounds {
    pub(super) fn of(copy: &RecordCopy, question: &CopyQuestion, now: UnixTime) -> Result<Self, Ask> {
        let rule = DateRule::of(copy, question)?;
        let now = clock_of(now)?;
        let is_relative = question.has(&RELATIVE);
        let mut bounds = Self::default();
        let sent = |name: &str| question.text(name).map(|text| rule.read(text, now)).transpose();
        let start = match sent("start_date")? {
            None if is_relative => None,
            Some(start) => Some(start),
            None => Some(rule.localized(now.date().yesterday().unwrap_or(now.date()).at(23, 59, 0, 0))),
        };
        let end = match sent("end_date")? {
            None if is_relative => None,
            None if rule.is_strict => return Err(Ask::Second),
            None => Some(months_later(now.date())),
            end => end,
        };
        let mut bound = |name, clock: Option<DateTime>, is_last| -> Result<Option<i64>, Ask> {
            let Some(clock) = clock else { return Ok(None) };
            let clock = rule.bound(clock, is_last);
            if !(1000..=9999).contains(&clock.year()) {
                return Err(Ask::Date);
            }
            bounds
                .repeated
                .push((name, clock.strftime("%Y-%m-%d %H:%M:%S").to_string()));
            copy.row_seconds(clock).map(Some)
        };
        let from = bound("start_date", start, false)?;
        let until = bound("end_date", end, true)?;
        let before = bound("starts_before", sent("starts_before")?, true)?;
        let after = bound("starts_after", sent("starts_after")?, true)?;
        let ends_before = bound("ends_before", sent("ends_before")?, true)?;
        let ends_after = bound("ends_after", sent("ends_after")?, true)?;
        Ok(Self {
            // The plugin keeps one condition of a name, so that the later one takes the place of the earlier.
            from: from.filter(|_| after.is_none()),
            until: until.filter(|_| ends_before.is_none()),
            after,
            before,
            ends_before,
            ends_after,
            ..bounds
        })
    }

    /// Whether an event with these ends is listed.
    pub(super) fn hold(&self, start: i64, end: i64) -> bool {
        self.from.is_none_or(|bound| start >= bound)
            && self.after.is_none_or(|bound| start > bound)
            && self.before.is_none_or(|bound| start < bound)
            && self.until.is_none_or(|bound| end <= bound)
            && self.ends_before.is_none_or(|bound| end < bound)
            && self.ends_after.is_none_or(|bound| end > bound)
    }
}

// === impl DateRule ===

impl<'a> DateRule<'a> {
    fn of(copy: &'a RecordCopy, question: &CopyQuestion) -> Result<Self, Ask> {
        let cutoff = copy.site.cutoff.as_deref().and_then(read_cutoff);
        let strict = question.text("strict_dates").unwrap_or_default();
        Ok(Self {
            local_zone: copy.local_zone.as_ref().ok_or(Ask::Site)?,
            is_strict: TRUE.iter().any(|word| strict.trim().eq_ignore_ascii_case(word)),
            cutoff: cutoff.ok_or(Ask::Site)?,
        })
    }

    /// Reads a date. The day of a relative one is that of UTC; its second is known to the site alone.
    fn read(&self, text: &str, now: DateTime) -> Result<DateTime, Ask> {
        if !self.is_strict && counts_from_now(text) {
            return datetime::wall(text.as_bytes(), now).ok_or(Ask::Date);
        }
        read(text, now)
    }

    /// A clock of UTC on the site's clock.
    fn localized(&self, utc: DateTime) -> DateTime {
        let instant = TimeZone::UTC.to_timestamp(utc);
        instant.map_or(utc, |instant| self.local_zone.to_datetime(instant))
    }

    /// Whole days, or the second itself: strict dates are dates of UTC.
    fn bound(&self, clock: DateTime, is_last: bool) -> DateTime {
        if self.is_strict {
            return self.localized(clock);
        }
        let midnight = clock.date().at(0, 0, 0, 0);
        if is_last {
            let next = midnight.saturating_add(Span::new().days(1));
            next.saturating_add(self.cutoff)
                .saturating_sub(SignedDuration::from_secs(1))
        } else {
            midnight.saturating_add(self.cutoff)
        }
    }
}

// === impl RecordCopy ===

impl RecordCopy {
    /// The clock of UTC, read as one of the site's zone, in seconds of the clock of the rows.
    pub(super) fn row_seconds_of_utc(&self, now: UnixTime) -> Result<i64, Ask> {
        self.row_seconds(clock_of(now)?)
    }

    /// A clock of the site as seconds of the clock of the rows.
    fn row_seconds(&self, clock: DateTime) -> Result<i64, Ask> {
        let zone = self.zone.as_ref().ok_or(Ask::Site)?;
        Ok(match zone.to_timestamp(clock) {
            Ok(instant) if self.is_utc => instant.as_second(),
            // An hour that summer time skips is another one.
            Ok(instant) => of_clock(zone.to_datetime(instant)),
            Err(_) => of_clock(clock),
        })
    }
}

/// The clock of UTC.
fn clock_of(now: UnixTime) -> Result<DateTime, Ask> {
    let seconds = i64::try_from(now.as_secs()).map_err(|_| Ask::Date)?;
    let instant = Timestamp::from_second(seconds).map_err(|_| Ask::Date)?;
    Ok(TimeZone::UTC.to_datetime(instant))
}

/// Reads a date that means the same at any time and in any zone; a number is a time of UTC.
fn read(text: &str, now: DateTime) -> Result<DateTime, Ask> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number {
        let seconds = super::question::read_number(text).and_then(|number| i64::try_from(number).ok());
        let instant = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
        return instant
            .map(|instant| TimeZone::UTC.to_datetime(instant))
            .ok_or(Ask::Date);
    }
    let text = text.strip_suffix('Z').unwrap_or(text);
    let is_plain = |byte: u8| byte.is_ascii_digit() || b"-:/ T".contains(&byte);
    let has_zone = text
        .find('T')
        .or_else(|| text.find(' '))
        .is_some_and(|at| text.get(at..).unwrap_or_default().contains('-'));
    if has_zone || !text.bytes().all(is_plain) {
        return Err(Ask::Date);
    }
    let long_ago = date(1971, 2, 3).at(4, 5, 6, 0);
    let read = |now| datetime::wall(text.as_bytes(), now);
    read(now)
        .filter(|clock| read(long_ago) == Some(*clock))
        .ok_or(Ask::Date)
}

/// Whether a text counts from now, in words that name no zone.
fn counts_from_now(text: &str) -> bool {
    let is_number = |word: &str| {
        let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
        (1..=3).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let mut words = text.split_ascii_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some(day), None, None) => DAYS.contains(&day),
        (Some(number), Some(unit), None) => {
            is_number(number) && UNITS.contains(&unit.strip_suffix('s').unwrap_or(unit))
        }
        _ => false,
    }
}

/// Two years later, where PHP goes on from the end of February.
fn months_later(today: Date) -> DateTime {
    let later = today.saturating_add(Span::new().months(24));
    let overflow = i64::from(today.day()) - i64::from(later.day());
    later.saturating_add(Span::new().days(overflow)).at(0, 0, 0, 0)
}

/// `04:30`
fn read_cutoff(text: &str) -> Option<SignedDuration> {
    let (hours, minutes) = text.split_once(':')?;
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    Some(SignedDuration::from_secs(hours * 3600 + minutes * 60))
}
