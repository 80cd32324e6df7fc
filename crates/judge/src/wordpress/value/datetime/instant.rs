//! The test for whether a date is the first second of 1970, the only instant that PHP treats as false.

use jiff::{SignedDuration, Timestamp};

use super::calendar;
use super::date_reading::{Counting, DateReading, DayEdge, Shift, Special, Weekday};
use crate::wordpress::value::timezone::ZoneReading;

const DAY: i128 = 86_400;

/// True for the date 1970-01-01 00:00:00 UTC, with any fraction. `None` if it depends on the day of the request, or on the
/// server's time zone data.
pub(super) fn is_epoch(reading: &DateReading) -> Option<bool> {
    match local_seconds(reading) {
        Some(seconds) => in_zone(seconds, reading.zone.as_ref()),
        None => on_another_day(reading),
    }
}

/// The seconds from 1970-01-01 00:00:00 to the date, on the wall clock of its zone.
///
/// `None` if a part is missing.
pub(super) fn local_seconds(reading: &DateReading) -> Option<i128> {
    let (clock, micros) = clock(reading)?;
    let (date, months) = base_date(reading)?;
    let mut date = date.at(reading.edge);
    // Hours past midnight belong to the next day, before weekdays are counted.
    date.day += clock.div_euclid(DAY);
    date = date.normal();
    let shift = &reading.shift;
    if let Some(weekday) = reading.weekday {
        date.day += days_to(weekday, date, shift.days);
        date = date.normal();
    }
    date.year += i128::from(shift.years);
    date.month += months;
    date.day += i128::from(shift.days);
    let seconds = clock.rem_euclid(DAY) + shifted_seconds(shift, micros);
    if reading.edge.is_some() {
        date = date.at(reading.edge);
    }
    date.day += seconds.div_euclid(DAY);
    if let Some(Special::WorkingDays(count)) = reading.special {
        date = date.normal();
        date.day += working_days(count.into(), date.weekday());
    }
    Some(date.number() * DAY + seconds.rem_euclid(DAY))
}

/// The time of day in seconds since midnight, and the microseconds of its last second.
fn clock(reading: &DateReading) -> Option<(i128, i128)> {
    // Rounding may have turned the fraction into a whole second.
    let micros = i128::from(reading.micros);
    let seconds = i128::from(reading.hour?) * 3600
        + i128::from(reading.minute?) * 60
        + i128::from(reading.second?)
        + micros.div_euclid(1_000_000);
    Some((seconds, micros.rem_euclid(1_000_000)))
}

/// The date to count from, and the months that are still to be added to it.
///
/// A weekday of the month is counted from the first of a month, so the months are added before.
fn base_date(reading: &DateReading) -> Option<(Date, i128)> {
    let date = Date {
        year: reading.year?.into(),
        month: reading.month?.into(),
        day: reading.day?.into(),
    };
    let months = i128::from(reading.shift.months);
    let first_of = |month| Date {
        day: 1,
        month,
        ..date
    };
    Some(match reading.special {
        Some(Special::WeekdayOfMonth) => (first_of(date.month + months), 0),
        Some(Special::LastWeekdayOfMonth) => (first_of(date.month + months + 1), 0),
        Some(Special::WorkingDays(_)) | None => (date, months),
    })
}

/// The seconds of a shift by hours, minutes, seconds and microseconds. `micros` is added to its microseconds.
fn shifted_seconds(shift: &Shift, micros: i128) -> i128 {
    i128::from(shift.hours) * 3600
        + i128::from(shift.minutes) * 60
        + i128::from(shift.seconds)
        + (micros + i128::from(shift.micros)).div_euclid(1_000_000)
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

    /// Moves to the first or last day of the month, if `edge` names one.
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

/// The days from a date to the weekday. `counted` is the number of days that will be added afterwards.
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

/// The days from the weekday `today` to the weekday `count` working days later, or earlier if negative.
fn working_days(count: i128, today: i128) -> i128 {
    if count > 0 {
        working_days_ahead(count, today)
    } else {
        // Counting back mirrors counting ahead: Saturday and Sunday swap, and so do Friday and Monday.
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

/// Compares a wall-clock time, in seconds since 1970, with the epoch in its zone.
fn in_zone(local: i128, zone: Option<&ZoneReading>) -> Option<bool> {
    let offset = match zone {
        None => 0,
        Some(ZoneReading::Offset(seconds)) => i128::from(*seconds),
        Some(_) if local.abs() > 2 * DAY => return Some(false),
        Some(ZoneReading::Named(zone)) => {
            let offset_at = |days: i64| {
                let moment = Timestamp::UNIX_EPOCH.checked_add(SignedDuration::from_hours(24 * days));
                moment.map(|moment| i128::from(zone.to_offset(moment).seconds()))
            };
            match (offset_at(-3), offset_at(3)) {
                (Ok(before), Ok(after)) if before == after => after,
                _ => return None,
            }
        }
        Some(ZoneReading::Unsure | ZoneReading::Unknown) => return None,
    };
    Some(local == offset)
}

/// Compares a date that depends on today. It can be the epoch only if it counts back that far or names the
/// year.
fn on_another_day(reading: &DateReading) -> Option<bool> {
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
    // No server's clock shows a year before 2020.
    let reaches_back = counted < -49 * 365;
    let names_year = reading.year.is_some_and(|year| {
        let from_epoch = (i128::from(year) - 1970) * 365 + counted;
        from_epoch.abs() < 3 * 365
    });
    let may_be_epoch = match reading.year {
        None => reaches_back,
        Some(_) => names_year,
    };
    (!may_be_epoch).then_some(false)
}
