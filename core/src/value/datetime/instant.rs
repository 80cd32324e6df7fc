//! Whether a date that was read is the first second of 1970, the one instant that PHP's truth calls false.

use jiff::{SignedDuration, Timestamp};

use super::calendar;
use super::reading::{Counting, DateReading, DayEdge, Special, Weekday};
use crate::value::timezone::offset::ZoneReading;

/// What is known of the instant that a date names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Instant {
    /// 1970-01-01 00:00:00 UTC, whatever the fraction.
    Epoch,
    /// Any other.
    Other,
    /// It hangs on the day on which it is asked, or on the zone data of the server.
    Unsure,
}

const DAY: i128 = 86_400;

/// Whether the date is the epoch.
pub(super) fn instant(mut reading: DateReading) -> Instant {
    if reading.has_date() && !reading.has_clock() {
        reading.clear_clock();
    }
    match local_seconds(&reading) {
        Some(seconds) => in_zone(seconds, reading.zone.as_ref()),
        None => on_another_day(&reading),
    }
}

/// Seconds from 1970-01-01 00:00:00 to the date on the wall clock of its zone; none when a part is missing.
pub(super) fn local_seconds(reading: &DateReading) -> Option<i128> {
    let mut date = Date {
        year: reading.year?.into(),
        month: reading.month?.into(),
        day: reading.day?.into(),
    };
    // A fraction may have been rounded to a whole second.
    let micros = i128::from(reading.micros);
    let clock = i128::from(reading.hour?) * 3600
        + i128::from(reading.minute?) * 60
        + i128::from(reading.second?)
        + micros.div_euclid(1_000_000);
    let micros = micros.rem_euclid(1_000_000);
    let shift = &reading.shift;
    let mut months = i128::from(shift.months);
    match reading.special {
        Some(Special::WeekdayOfMonth) => {
            date = Date {
                day: 1,
                month: date.month + months,
                ..date
            };
            months = 0;
        }
        Some(Special::LastWeekdayOfMonth) => {
            date = Date {
                day: 1,
                month: date.month + months + 1,
                ..date
            };
            months = 0;
        }
        Some(Special::WorkingDays(_)) | None => {}
    }
    date = date.at(reading.edge);
    // Hours past midnight belong to the next day before weekdays are counted.
    date.day += clock.div_euclid(DAY);
    let clock = clock.rem_euclid(DAY);
    date = date.normal();
    if let Some(weekday) = reading.weekday {
        date.day += days_to(weekday, date, shift.days);
        date = date.normal();
    }
    date.year += i128::from(shift.years);
    date.month += months;
    date.day += i128::from(shift.days);
    let seconds = clock
        + i128::from(shift.hours) * 3600
        + i128::from(shift.minutes) * 60
        + i128::from(shift.seconds)
        + (micros + i128::from(shift.micros)).div_euclid(1_000_000);
    if reading.edge.is_some() {
        date = date.at(reading.edge);
    }
    date.day += seconds.div_euclid(DAY);
    let seconds = seconds.rem_euclid(DAY);
    if let Some(Special::WorkingDays(count)) = reading.special {
        date = date.normal();
        date.day += working_days(count.into(), date.weekday());
    }
    Some(date.number() * DAY + seconds)
}

/// A date whose parts may lie outside their usual range.
#[derive(Clone, Copy)]
struct Date {
    year: i128,
    month: i128,
    day: i128,
}

impl Date {
    fn number(self) -> i128 {
        calendar::day_number(self.year, self.month, self.day)
    }

    fn normal(self) -> Self {
        let (year, month, day) = calendar::date(self.number());
        Self { year, month, day }
    }

    fn weekday(self) -> i128 {
        calendar::weekday(self.year, self.month, self.day)
    }

    /// The first or last day of the month, where that was asked.
    fn at(self, edge: Option<DayEdge>) -> Self {
        match edge {
            Some(DayEdge::FirstDay) => Self { day: 1, ..self },
            Some(DayEdge::LastDay) => Self {
                day: 0,
                month: self.month + 1,
                ..self
            },
            None => self,
        }
    }
}

/// Days from a date to the weekday; `counted` are the days that will be added afterwards.
fn days_to(weekday: Weekday, date: Date, counted: i64) -> i128 {
    let today = date.weekday();
    let number = i128::from(weekday.number);
    if weekday.counting == Counting::InWeek {
        let number = match (today, number) {
            (0, number) if number != 0 => number - 7,
            (today, 0) if today != 0 => 7,
            _ => number,
        };
        return number - today;
    }
    if number < 0 {
        return number.abs() - today - 7;
    }
    let difference = number - today;
    let reached = match weekday.counting {
        Counting::AfterDay => difference <= 0,
        Counting::FromDay | Counting::InWeek => difference < 0,
    };
    let wraps = if counted < 0 { difference < 0 } else { reached };
    if wraps { difference + 7 } else { difference }
}

/// Days from a weekday to the one that is `count` working days away.
fn working_days(count: i128, today: i128) -> i128 {
    if count > 0 {
        working_days_ahead(count, today)
    } else {
        // Backwards is forwards in a mirror, where Saturday is Sunday and Friday is Monday.
        -working_days_ahead(-count, 6 - today)
    }
}

fn working_days_ahead(count: i128, today: i128) -> i128 {
    let (weeks, rest) = (count / 5 * 7, count % 5);
    let around_weekend = match (rest, today) {
        (0, 0) => -2,
        (0, 6) => -1,
        (0, _) => 0,
        (_, 6) => 1,
        _ if today + rest > 5 => 2,
        _ => 0,
    };
    weeks + around_weekend + rest
}

/// Whether a wall-clock time, in seconds from 1970, is the epoch in its zone.
fn in_zone(local: i128, zone: Option<&ZoneReading>) -> Instant {
    let offset = match zone {
        None => 0,
        Some(ZoneReading::Offset(seconds)) => i128::from(*seconds),
        Some(_) if local.abs() > 2 * DAY => return Instant::Other,
        Some(ZoneReading::Named(zone)) => {
            let offset_at = |days: i64| {
                let moment = Timestamp::UNIX_EPOCH.checked_add(SignedDuration::from_hours(24 * days));
                moment.map(|moment| i128::from(zone.to_offset(moment).seconds()))
            };
            match (offset_at(-3), offset_at(3)) {
                (Ok(before), Ok(after)) if before == after => after,
                _ => return Instant::Unsure,
            }
        }
        Some(ZoneReading::Unsure | ZoneReading::Unknown) => return Instant::Unsure,
    };
    if local == offset {
        Instant::Epoch
    } else {
        Instant::Other
    }
}

/// A date that counts from today is the epoch only when it counts back that far, or names the year.
fn on_another_day(reading: &DateReading) -> Instant {
    let shift = &reading.shift;
    let days = i128::from(shift.years) * 365
        + i128::from(shift.months) * 30
        + i128::from(shift.days)
        + (i128::from(shift.hours) * 3600 + i128::from(shift.minutes) * 60 + i128::from(shift.seconds)) / DAY
        + i128::from(shift.micros) / (1_000_000 * DAY);
    let working_days = match reading.special {
        Some(Special::WorkingDays(count)) => i128::from(count) * 7 / 5,
        _ => 0,
    };
    let counted = days + working_days;
    // No clock of a server shows a year before 2020.
    let reaches_back = counted < -49 * 365;
    let names_year = reading.year.is_some_and(|year| {
        let from_epoch = (i128::from(year) - 1970) * 365 + counted;
        from_epoch.abs() < 3 * 365
    });
    match reading.year {
        None if reaches_back => Instant::Unsure,
        Some(_) if names_year => Instant::Unsure,
        _ => Instant::Other,
    }
}
