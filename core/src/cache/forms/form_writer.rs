//! Pages of events written in another form.

use serde_json::Value;

use super::answer_form::AnswerForm;
use super::calendar::CalendarWriter;
use super::members::number;
use crate::unix_time::UnixTime;
use std::collections::HashSet;

/// Maximum number of events that are read for one answer.
pub const MOST_EVENTS: u64 = 500;

/// Maximum bytes of the events in one answer.
pub const MOST_BYTES: usize = 2 * 1024 * 1024;

/// Maximum number of events that have left a calendar and are remembered.
const MOST_REMEMBERED: usize = 200;

/// Maximum number of pages that are read for one answer: sites may list fewer events on a page than they are asked for.
const MOST_PAGES: u32 = 50;

/// Writes the pages of one read in another form.
#[derive(Debug)]
pub struct FormWriter {
    output: FormOutput,
    shown: HashSet<u64>,
    /// What is remembered of the events in a calendar.
    remembered: Vec<ShownEvent>,
    /// Events of an earlier calendar that are missing, and of which nobody knows why.
    missing: usize,
    /// Events on the pages so far, those that are listed twice included.
    listed: u64,
    repeated: u64,
    /// Events that match, as the first page says.
    total: Option<u64>,
    is_full: bool,
}

/// The form itself.
#[derive(Debug)]
enum FormOutput {
    Calendar(Box<CalendarWriter>),
    /// What the event carries, as text.
    JsonLd(Option<String>),
}

/// An event that a calendar has shown, remembered for the case that it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownEvent {
    id: u64,
    over: UnixTime,
    /// Its lines once it is gone.
    cancelled: Box<str>,
}

/// What follows a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterPage {
    /// There are more.
    More,
    /// The answer is complete, or can hold no more.
    End,
}

/// The reason why pages make no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PageFault {
    /// A page holds no events where they are expected.
    #[error("the answer holds no events where they are expected")]
    Unreadable,
    /// A page is larger than what is read of one.
    #[error(
        "a page of events is larger than 8 MiB, or streamed while limits.response_buffer_total is used up by slow clients"
    )]
    TooLarge,
    /// A page ended too early, or went wrong while it was streamed.
    #[error("a page of events broke off while it was read")]
    BrokenOff,
    /// The list changed from one page to the next.
    #[error("the list changed while its pages were read")]
    Changed,
}

/// An answer in another form.
#[derive(Debug, PartialEq, Eq)]
pub struct WrittenForm {
    /// The bytes.
    pub body: Vec<u8>,
    /// Events that match and are not in it.
    pub left_out: u64,
    /// What the next calendar of the same read should know: events in this one, and those that have left it.
    pub remembered: Vec<ShownEvent>,
    /// True if events have left it and may still turn out to be gone.
    pub may_cancel: bool,
}

// === impl FormWriter ===

impl FormWriter {
    /// A writer of this form; JSON needs none. `name` is what the calendar is called.
    pub fn new(form: AnswerForm, name: Option<String>) -> Option<Self> {
        let output = match form {
            AnswerForm::Json => return None,
            AnswerForm::Calendar => FormOutput::Calendar(Box::new(CalendarWriter::new(name))),
            AnswerForm::JsonLd => FormOutput::JsonLd(None),
        };
        Some(Self {
            output,
            shown: HashSet::new(),
            remembered: Vec::new(),
            missing: 0,
            listed: 0,
            repeated: 0,
            total: None,
            is_full: false,
        })
    }

    /// Adds a page: the answer to a list, or to the read of one event. `page` is its number, from 1.
    ///
    /// # Errors
    ///
    /// [`PageFault`]: the pages so far are of no use.
    pub fn add(&mut self, body: &[u8], page: u32) -> Result<AfterPage, PageFault> {
        let body: Value = serde_json::from_slice(body).map_err(|_| PageFault::Unreadable)?;
        let Some(events) = body.get("events").and_then(Value::as_array) else {
            number(&body, "id").ok_or(PageFault::Unreadable)?;
            self.total = Some(1);
            self.show(&body);
            return Ok(AfterPage::End);
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
        match has_more && !self.is_full {
            true if events.is_empty() => Err(PageFault::Changed),
            true => Ok(AfterPage::More),
            false => Ok(AfterPage::End),
        }
    }

    fn show(&mut self, event: &Value) {
        self.listed += 1;
        let id = number(event, "id");
        if id.is_some_and(|id| self.shown.contains(&id)) {
            self.repeated += 1;
            return;
        }
        let before = self.output.len();
        if !self.is_full && self.output.add(event) {
            self.is_full = self.output.len() > MOST_BYTES;
            match id.filter(|_| !self.is_full) {
                Some(id) => self.remember(id, event),
                None => self.output.take_back(before),
            }
        }
        self.is_full = self.is_full || self.listed >= MOST_EVENTS;
    }

    fn remember(&mut self, id: u64, event: &Value) {
        self.shown.insert(id);
        if let (FormOutput::Calendar(_), Some((over, cancelled))) =
            (&self.output, CalendarWriter::cancelled(event))
        {
            self.remembered.push(ShownEvent { id, over, cancelled });
        }
    }

    /// Cancels the events of an earlier calendar of the same read that are gone, after the last page. Those that are over
    /// have passed, and are forgotten. Another that is missing may match no longer.
    pub fn cancel(&mut self, before: &[ShownEvent], now: UnixTime, is_gone: impl Fn(u64) -> bool) {
        let FormOutput::Calendar(calendar) = &mut self.output else {
            return;
        };
        let is_missing = |event: &&ShownEvent| event.over > now && !self.shown.contains(&event.id);
        let missing = before.iter().filter(is_missing);
        for event in missing.take(MOST_REMEMBERED) {
            if is_gone(event.id) {
                calendar.cancel(&event.cancelled);
            } else {
                self.missing += 1;
            }
            self.remembered.push(event.clone());
        }
    }

    /// The answer. `is_whole` says that all pages of the list were wanted.
    ///
    /// # Errors
    ///
    /// [`PageFault::Changed`] if the pages do not hold as many events as they said.
    pub fn finish(self, is_whole: bool) -> Result<WrittenForm, PageFault> {
        let total = self.total.filter(|_| is_whole).unwrap_or(self.listed);
        if !self.is_full && self.listed < total {
            return Err(PageFault::Changed);
        }
        let left_out = total.saturating_sub(self.shown.len() as u64 + self.repeated);
        Ok(WrittenForm {
            body: self.output.finish(left_out),
            left_out,
            remembered: self.remembered,
            may_cancel: self.missing > 0,
        })
    }
}

// === impl FormOutput ===

impl FormOutput {
    /// Returns false if an event cannot be shown.
    fn add(&mut self, event: &Value) -> bool {
        match self {
            Self::Calendar(calendar) => calendar.add(event),
            Self::JsonLd(carried) => {
                let found = event.get("json_ld").filter(|found| found.is_object());
                *carried = found.map(Value::to_string);
                carried.is_some()
            }
        }
    }

    /// Bytes so far.
    fn len(&self) -> usize {
        match self {
            Self::Calendar(calendar) => calendar.len(),
            Self::JsonLd(carried) => carried.as_ref().map_or(0, String::len),
        }
    }

    /// Drops the last event; `length` is the length before it.
    fn take_back(&mut self, length: usize) {
        match self {
            Self::Calendar(calendar) => calendar.take_back(length),
            Self::JsonLd(carried) => *carried = None,
        }
    }

    fn finish(self, left_out: u64) -> Vec<u8> {
        match self {
            Self::Calendar(calendar) => calendar.finish(left_out),
            Self::JsonLd(carried) => carried.unwrap_or_else(|| "{}".to_owned()).into_bytes(),
        }
    }
}
