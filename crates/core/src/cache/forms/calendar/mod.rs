//! Events as a calendar (RFC 5545), with the refresh hints of RFC 7986.

#[cfg(test)]
mod calendar_tests;
mod content_lines;
mod event_lines;
mod event_times;
mod plain_text;
mod zones;

use std::collections::HashSet;

use serde_json::Value;

use super::members::{number, text};
use content_lines::ContentLines;
use event_lines::{host, write_event};
use zones::UsedZones;

/// Maximum number of events that are read for one response.
pub const MOST_EVENTS: u64 = 500;

/// Maximum bytes of the events in one response. With the rules of their time zones it stays below the megabyte that Google
/// reads of a calendar.
pub const MOST_BYTES: usize = 900_000;

/// Maximum number of pages that are read for one response: sites may list fewer events on a page than the request
/// names.
const MOST_PAGES: u32 = 50;

/// The time after which programs should request the calendar again.
const REFRESH: &str = "PT15M";

/// Writes the pages of one read as a calendar.
#[derive(Debug, Default)]
pub struct CalendarWriter {
    /// The configured name.
    name: Option<String>,
    /// The host of the first event.
    host: Option<String>,
    events: ContentLines,
    zones: UsedZones,
    shown: HashSet<u64>,
    /// Events on the pages so far, those that are listed twice included.
    listed: u64,
    repeated: u64,
    /// Events that match, as the first page counts them.
    total: Option<u64>,
    is_full: bool,
}

/// The reason why pages make no response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PageFault {
    /// A page holds no events where they are expected.
    #[error("the response holds no events where they are expected")]
    Unreadable,
    /// A page is larger than what is read of one.
    #[error("a page of events is larger than 8 MiB, or streamed while slow clients use up the buffers")]
    TooLarge,
    /// A page ended too early, or went wrong while it was streamed.
    #[error("a page of events broke off while it was read")]
    BrokenOff,
    /// The list changed from one page to the next.
    #[error("the list changed while its pages were read")]
    Changed,
}

// === impl CalendarWriter ===

impl CalendarWriter {
    /// A calendar with this name; none: it has the host of its events.
    pub fn new(name: Option<String>) -> Self {
        Self {
            name,
            ..Self::default()
        }
    }

    /// Adds a page: the response to a list, or to the read of one event. `page` is its number, from 1. Returns false if the
    /// response is complete, or can hold no more.
    ///
    /// # Errors
    ///
    /// [`PageFault`]: the pages so far are of no use.
    pub fn add(&mut self, body: &[u8], page: u32) -> Result<bool, PageFault> {
        let body: Value = serde_json::from_slice(body).map_err(|_| PageFault::Unreadable)?;
        let Some(events) = body.get("events").and_then(Value::as_array) else {
            number(&body, "id").ok_or(PageFault::Unreadable)?;
            self.total = Some(1);
            self.show(&body);
            return Ok(false);
        };
        let total = number(&body, "total");
        if page > 1 && total != self.total {
            return Err(PageFault::Changed);
        }
        self.total = total;
        for event in events {
            self.show(event);
        }
        let has_more = number(&body, "total_pages").is_some_and(|pages| u64::from(page) < pages);
        self.is_full = self.is_full || (has_more && page >= MOST_PAGES);
        let reads_on = has_more && !self.is_full;
        if reads_on && events.is_empty() {
            return Err(PageFault::Changed);
        }
        Ok(reads_on)
    }

    fn show(&mut self, event: &Value) {
        self.listed += 1;
        let id = number(event, "id");
        if id.is_some_and(|id| self.shown.contains(&id)) {
            self.repeated += 1;
            return;
        }
        let before = self.events.text.len();
        if !self.is_full && self.write(event) {
            self.is_full = self.events.text.len() > MOST_BYTES;
            match id.filter(|_| !self.is_full) {
                Some(id) => _ = self.shown.insert(id),
                None => self.events.text.truncate(before),
            }
        }
        self.is_full = self.is_full || self.listed >= MOST_EVENTS;
    }

    /// Returns false if the event has no number or no start.
    fn write(&mut self, event: &Value) -> bool {
        if self.host.is_none() {
            self.host = host(text(event, "url")).map(ToOwned::to_owned);
        }
        write_event(event, &mut self.events, &mut self.zones)
    }

    /// The bytes of the response. `is_whole` is true if all pages of the list were wanted.
    ///
    /// # Errors
    ///
    /// [`PageFault::Changed`] if the pages do not hold as many events as they state.
    pub fn finish(self, is_whole: bool) -> Result<Vec<u8>, PageFault> {
        let total = self.total.filter(|_| is_whole).unwrap_or(self.listed);
        if !self.is_full && self.listed < total {
            return Err(PageFault::Changed);
        }
        let left_out = total.saturating_sub(self.shown.len() as u64 + self.repeated);
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
        lines.text.push_str(&self.events.text);
        lines.plain("END", "VCALENDAR");
        Ok(lines.text.into_bytes())
    }
}
