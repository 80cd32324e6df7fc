//! The content of a date, read piece by piece.

use super::vocabulary::{Amount, Unit};
use crate::wordpress::value::timezone::ZoneReading;

/// The content of the pieces read so far. A method that returns `None` has met a flaw, for which PHP refuses the whole
/// date. A part that is `None` comes from the current time.
#[derive(Debug, Default)]
pub(super) struct DateReading {
    pub(super) year: Option<i64>,
    pub(super) month: Option<i64>,
    pub(super) day: Option<i64>,
    pub(super) hour: Option<i64>,
    pub(super) minute: Option<i64>,
    pub(super) second: Option<i64>,
    /// The fraction of the second, in microseconds.
    pub(super) micros: i64,
    /// `None` means the server's zone, which WordPress sets to UTC.
    pub(super) zone: Option<ZoneReading>,
    pub(super) shift: Shift,
    pub(super) weekday: Option<Weekday>,
    pub(super) edge: Option<DayEdge>,
    pub(super) special: Option<Special>,
    dates: u8,
    clocks: u8,
    zones: u8,
}

/// Amounts to add.
#[derive(Debug, Default)]
pub(super) struct Shift {
    pub(super) years: i64,
    pub(super) months: i64,
    pub(super) days: i64,
    pub(super) hours: i64,
    pub(super) minutes: i64,
    pub(super) seconds: i64,
    pub(super) micros: i64,
}

/// A weekday to move to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weekday {
    /// Sunday is 0; negative after `ago`.
    pub(super) number: i64,
    pub(super) counting: Counting,
}

/// The way in which a weekday is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counting {
    /// The next one, not including the day itself.
    AfterDay,
    /// The next one, including the day itself.
    FromDay,
    /// The one in the week of the day; weeks begin on Monday.
    InWeek,
}

/// `first day of`, `last day of`: the first or last day of the month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DayEdge {
    FirstDay,
    LastDay,
}

/// Movements with their own arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Special {
    /// This many days from Monday to Friday.
    WorkingDays(i64),
    /// `second friday of`: counted from the first of the month.
    WeekdayOfMonth,
    /// `last friday of`: counted back from the first of the next month.
    LastWeekdayOfMonth,
}

// === impl DateReading ===

impl DateReading {
    /// True if a date was named. The time of day is then midnight, unless it was named too.
    pub(super) fn has_date(&self) -> bool {
        self.dates > 0
    }

    /// True if a time of day was named.
    pub(super) fn has_clock(&self) -> bool {
        self.clocks > 0
    }

    /// Sets the date; a second one is a flaw.
    pub(super) fn set_date(&mut self, year: Option<i64>, month: Option<i64>, day: Option<i64>) -> Option<()> {
        if self.has_date() {
            return None;
        }
        self.dates = 1;
        (self.year, self.month, self.day) = (year, month, day);
        Some(())
    }

    /// Sets a day by year, week and weekday. The first week is the one with the year's first Thursday.
    pub(super) fn set_week(&mut self, year: Option<i64>, week: Option<i64>, day: i64) -> Option<()> {
        self.set_date(year, Some(1), Some(1))?;
        let year = year.unwrap_or_default();
        let new_year = super::calendar::weekday(i128::from(year), 1, 1);
        let new_year = i64::try_from(new_year).unwrap_or_default();
        let before_first = if new_year > 4 { 7 - new_year } else { -new_year };
        self.shift.days = before_first + (week.unwrap_or_default() - 1) * 7 + day;
        Some(())
    }

    /// Begins a time of day, which is midnight until it is set; a second one is a flaw.
    pub(super) fn start_clock(&mut self) -> Option<()> {
        if self.has_clock() {
            return None;
        }
        self.clear_clock();
        self.clocks = 1;
        Some(())
    }

    pub(super) fn set_clock(&mut self, hour: Option<i64>, minute: Option<i64>, second: Option<i64>) {
        (self.hour, self.minute, self.second) = (hour, minute, second);
    }

    /// Sets the time of day to midnight; a time of day may still follow.
    pub(super) fn clear_clock(&mut self) {
        self.clocks = 0;
        self.set_clock(Some(0), Some(0), Some(0));
        self.micros = 0;
    }

    /// Sets the year to four digits that follow a time of day; allowed once.
    pub(super) fn year_instead_of_clock(&mut self, year: Option<i64>) -> Option<()> {
        if self.clocks > 1 {
            return None;
        }
        self.clocks += 1;
        self.year = year;
        Some(())
    }

    /// Counts one more zone. Returns true for the first, which is the one that counts. PHP only warns about
    /// the second; the third is a flaw.
    pub(super) fn start_zone(&mut self) -> Option<bool> {
        self.zones += 1;
        match self.zones {
            1 => Some(true),
            2 => Some(false),
            _ => None,
        }
    }

    /// Sets the zone. An unknown zone is a flaw; a zone that some builds of PHP lack makes the whole result unsure.
    pub(super) fn set_zone(&mut self, zone: ZoneReading) -> Option<()> {
        if zone == ZoneReading::Unknown {
            return None;
        }
        if self.zone != Some(ZoneReading::Unsure) {
            self.zone = Some(zone);
        }
        Some(())
    }

    /// Clears date and time of day before a timestamp. A timestamp is also a zone; returns true if it is the
    /// first.
    pub(super) fn start_timestamp(&mut self) -> Option<bool> {
        self.dates = 0;
        (self.year, self.month, self.day) = (Some(0), Some(0), Some(0));
        self.clear_clock();
        self.start_zone()
    }

    /// Sets the instant in seconds since 1970 and microseconds, both added to amounts read before.
    pub(super) fn set_timestamp(&mut self, seconds: i64, micros: i64) {
        (self.year, self.month, self.day) = (Some(1970), Some(1), Some(1));
        self.set_clock(Some(0), Some(0), Some(0));
        self.micros = 0;
        self.shift.seconds = self.shift.seconds.wrapping_add(seconds);
        if micros != 0 {
            self.shift.micros = micros;
        }
        self.zone = Some(ZoneReading::Offset(0));
    }

    /// `yesterday`, `tomorrow`: replaces days counted before.
    pub(super) fn day_from_today(&mut self, days: i64) {
        self.clear_clock();
        self.shift.days = days;
    }

    /// Sets a weekday that is named alone.
    pub(super) fn set_weekday(&mut self, named: Option<(Unit, i64)>) {
        self.clear_clock();
        let number = named.map_or(0, |(_, number)| number);
        let counting = match self.weekday {
            Some(Weekday {
                counting: Counting::InWeek,
                ..
            }) => Counting::InWeek,
            _ => Counting::FromDay,
        };
        self.weekday = Some(Weekday { number, counting });
    }

    /// `next week`: counted in days, and from the week of a weekday if one is named too.
    pub(super) fn shift_weeks(&mut self, amount: Amount, unit: Option<(Unit, i64)>) -> Option<()> {
        self.shift(amount, unit, false)?;
        let number = self.weekday.map_or(1, |weekday| weekday.number);
        self.weekday = Some(Weekday {
            number,
            counting: Counting::InWeek,
        });
        Some(())
    }

    /// Adds an amount of a unit; a sum past 64 bits is a flaw. Days of a week begin at midnight unless the clock is kept.
    pub(super) fn shift(
        &mut self,
        amount: Amount,
        unit: Option<(Unit, i64)>,
        keeps_clock: bool,
    ) -> Option<()> {
        let Some((unit, size)) = unit else {
            return Some(());
        };
        let shift = &mut self.shift;
        let sum = match unit {
            Unit::Microsecond => &mut shift.micros,
            Unit::Second => &mut shift.seconds,
            Unit::Minute => &mut shift.minutes,
            Unit::Hour => &mut shift.hours,
            Unit::Day => &mut shift.days,
            Unit::Month => &mut shift.months,
            Unit::Year => &mut shift.years,
            Unit::Weekday | Unit::WorkingDay => {
                self.shift_weekdays(amount, unit, size, keeps_clock);
                return Some(());
            }
        };
        let added = amount.count.checked_mul(size)?;
        *sum = sum.checked_add(added)?;
        Some(())
    }

    /// `2 fridays`, `next friday`, `5 weekdays`.
    fn shift_weekdays(&mut self, amount: Amount, unit: Unit, number: i64, keeps_clock: bool) {
        if !keeps_clock {
            self.clear_clock();
        }
        if unit == Unit::WorkingDay {
            self.special = Some(Special::WorkingDays(amount.count));
            return;
        }
        let weeks = if amount.count > 0 {
            amount.count - 1
        } else {
            amount.count
        };
        self.shift.days = self.shift.days.saturating_add(weeks.saturating_mul(7));
        let counting = if amount.counts_today == 1 {
            Counting::FromDay
        } else {
            Counting::AfterDay
        };
        self.weekday = Some(Weekday { number, counting });
    }

    /// `ago`: reverses the sign of every amount.
    pub(super) fn reverse(&mut self) {
        let shift = &mut self.shift;
        for amount in [
            &mut shift.years,
            &mut shift.months,
            &mut shift.days,
            &mut shift.hours,
            &mut shift.minutes,
            &mut shift.seconds,
        ] {
            *amount = amount.wrapping_neg();
        }
        if let Some(weekday) = &mut self.weekday {
            weekday.number = if weekday.number == 0 { -7 } else { -weekday.number };
        }
        if let Some(Special::WorkingDays(count)) = &mut self.special {
            *count = count.wrapping_neg();
        }
    }
}
