//! Events as a calendar (RFC 5545), with the refresh hints of RFC 7986.

#[cfg(test)]
mod calendar_tests;
mod content_lines;
mod event_lines;
mod event_times;
mod plain_text;
mod zones;

use serde_json::Value;

use super::members::text;
use content_lines::ContentLines;
use event_lines::{host, write_event};
use zones::UsedZones;

/// The time after which programs should request the calendar again.
const REFRESH: &str = "PT15M";

/// A calendar that is being written.
#[derive(Debug, Default)]
pub(super) struct CalendarWriter {
    /// The configured name.
    name: Option<String>,
    /// The host of the first event.
    host: Option<String>,
    events: ContentLines,
    zones: UsedZones,
}

// === impl CalendarWriter ===

impl CalendarWriter {
    /// A calendar with this name; none: it has the host of its events.
    pub(super) fn new(name: Option<String>) -> Self {
        Self {
            name,
            ..Self::default()
        }
    }

    /// Adds an event. Returns false if it has no number or no start.
    pub(super) fn add(&mut self, event: &Value) -> bool {
        if self.host.is_none() {
            self.host = host(text(event, "url")).map(ToOwned::to_owned);
        }
        write_event(event, &mut self.events, &mut self.zones)
    }

    /// The length of the events so far, in bytes.
    pub(super) const fn len(&self) -> usize {
        self.events.len()
    }

    /// Drops the last event; `length` is the length before it.
    pub(super) fn take_back(&mut self, length: usize) {
        self.events.cut(length);
    }

    /// The whole calendar, with the number of events that it does not hold.
    pub(super) fn finish(self, left_out: u64) -> Vec<u8> {
        let mut lines = ContentLines::default();
        lines.plain("BEGIN", "VCALENDAR");
        lines.plain("VERSION", "2.0");
        lines.plain("PRODID", "-//calendar-edge//calendar-edge//EN");
        lines.plain("CALSCALE", "GREGORIAN");
        lines.plain("METHOD", "PUBLISH");
        if let Some(name) = self.name.as_ref().or(self.host.as_ref()) {
            lines.text("X-WR-CALNAME", name);
        }
        if let Some(zone) = self.zones.first() {
            lines.text("X-WR-TIMEZONE", zone);
        }
        lines.plain("REFRESH-INTERVAL;VALUE=DURATION", REFRESH);
        lines.plain("X-PUBLISHED-TTL", REFRESH);
        if left_out > 0 {
            lines.plain("X-CALENDAR-EDGE-LEFT-OUT", &left_out.to_string());
        }
        self.zones.write(&mut lines);
        lines.append(self.events.as_str());
        lines.plain("END", "VCALENDAR");
        lines.as_str().as_bytes().to_vec()
    }
}
