//! The dates of an event, from the parameters of a write.

use jiff::civil::{DateTime, Time};

use crate::moment;
use crate::site_call::Call;
use crate::store::{Event, Flags};
use crate::zone::Zone;

/// The four clocks of an event.
#[derive(Debug, Clone, Copy)]
struct Dates {
    start: DateTime,
    end: DateTime,
    utc_start: DateTime,
    utc_end: DateTime,
}

/// Sets zone and dates.
///
/// One date alone is ignored, both together move the event. A zone that is not sent falls back to the site's,
/// while the stored UTC clocks stay as they are: that is the plugin's doing. Whole days are cut again whenever
/// they are asked for.
pub(super) fn set(call: &Call, event: &mut Event) {
    let zone = call.filled("timezone").and_then(|name| Zone::named(&name));
    let zone = zone.unwrap_or_else(Zone::site);
    let both = sent(call, "start_date").zip(sent(call, "end_date"));
    if both.is_some() || event.flags.all_day {
        let (start, end) = both.unwrap_or((event.start, event.end));
        let dates = between(&zone, start, end, event.flags);
        event.start = dates.start;
        event.end = dates.end;
        event.utc_start = dates.utc_start;
        event.utc_end = dates.utc_end;
    }
    zone.name().clone_into(&mut event.timezone);
}

fn sent(call: &Call, name: &str) -> Option<DateTime> {
    moment::read(&call.text(name)?, call.wall())
}

/// An end before the start becomes the start, on the wall but not in UTC.
fn between(zone: &Zone, start: DateTime, end: DateTime, flags: Flags) -> Dates {
    let (start, end) = if flags.all_day {
        (
            start.date().to_datetime(Time::midnight()),
            end.date().at(23, 59, 59, 0),
        )
    } else {
        (start, end)
    };
    Dates {
        start,
        end: end.max(start),
        utc_start: zone.to_utc(start),
        utc_end: zone.to_utc(end),
    }
}
