//! The times that a page shows (backend.md section 16), widened: a page that may show an event is never taken for empty.

use jiff::civil::{Date, date};

use super::calendar_page::{CalendarPage, PageView};
use crate::companion::facts::{SiteFacts, WallSpan};
use crate::unix_time::UnixTime;

/// The boundaries of the days of a site.
#[derive(Debug, Clone, Copy)]
pub(super) struct SiteDays {
    /// The seconds after midnight at which a day begins.
    cutoff: i64,
    /// The first day of a week; 0 is Sunday.
    week_starts: i64,
}

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// The end of a day may fall into the hours that a change of the clock takes away or gives twice.
const WIDENED: i64 = 3 * HOUR;

/// The farthest zone from UTC.
const ZONES: i64 = 14 * HOUR;

/// People look for pages near today, and some views show past events there where there are no others.
pub(super) const NEAR: i64 = 35 * DAY;

// === impl SiteDays ===

impl SiteDays {
    pub(super) fn of(site: &SiteFacts) -> Self {
        let (hours, minutes) = site.cutoff.split_once(':').unwrap_or_default();
        let number = |text: &str| text.parse::<i64>().unwrap_or_default();
        Self {
            cutoff: (number(hours) * HOUR + number(minutes) * 60).clamp(0, DAY),
            week_starts: i64::from(site.week_starts) % 7,
        }
    }

    /// The times of the events that a view of a day may show. The site's own view may be any view.
    pub(super) fn shown(self, view: PageView, day: Date) -> WallSpan {
        let list = WallSpan {
            start: seconds(day) - WIDENED,
            end: i64::MAX,
        };
        match view {
            PageView::Day => self.days(day, day),
            PageView::Month => self.month(day),
            PageView::List => list,
            PageView::Default => WallSpan {
                start: list.start.min(self.month(day.first_of_month()).start),
                end: i64::MAX,
            },
        }
    }

    /// The weeks of a month. The last one is looked for until the end of the day after it.
    fn month(self, first: Date) -> WallSpan {
        let back = (weekday(first) - self.week_starts).rem_euclid(7);
        let last = first.last_of_month();
        let on = (self.week_starts - 1 - weekday(last)).rem_euclid(7);
        let mut span = self.days(first, last);
        span.start -= back * DAY;
        span.end += (on + 1) * DAY;
        span
    }

    /// From the beginning of a day to the end of another.
    fn days(self, first: Date, last: Date) -> WallSpan {
        WallSpan {
            start: seconds(first) + self.cutoff - WIDENED,
            end: seconds(last) + self.cutoff + DAY + WIDENED,
        }
    }
}

/// The day of the week; 0 is Sunday.
fn weekday(day: Date) -> i64 {
    i64::from(day.weekday().to_sunday_zero_offset())
}

/// A span that begins so much earlier and ends so much later.
pub(super) const fn widened(span: WallSpan, by: i64) -> WallSpan {
    WallSpan {
        start: span.start.saturating_sub(by),
        end: span.end.saturating_add(by),
    }
}

/// The least time that may be now at the site, whatever its zone.
pub(super) fn earliest_now(now: UnixTime) -> i64 {
    wall(now) - ZONES - WIDENED
}

/// True if a page is near today.
pub(super) fn is_near(page: &CalendarPage, shown: WallSpan, now: UnixTime) -> bool {
    let now = wall(now);
    let begins = page.date.map_or(now, seconds);
    // A list goes on for ever, and is near where it begins.
    let ends = if shown.end == i64::MAX { begins } else { shown.end };
    begins.min(shown.start) <= now + NEAR && ends >= now - NEAR
}

fn wall(now: UnixTime) -> i64 {
    i64::try_from(now.as_secs()).unwrap_or(i64::MAX / 2)
}

/// The midnight of a day in seconds since 1970, on the clock of the wall.
fn seconds(day: Date) -> i64 {
    day.duration_since(date(1970, 1, 1)).as_secs()
}
