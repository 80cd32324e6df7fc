//! Events that have left the calendar: cancelled for subscribers once the site is known to hide them.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::companion::{AsksSite, ChangeFeed};
use crate::gateway::Shared;
use crate::gateway::calls::CalendarCall;
use crate::server::Drain;
use crate::telemetry::unix_time;
use calendar_edge_core::cache::forms::{AnswerForm, FormWriter, ShownEvent, WrittenForm};

/// Remembers what the calendar of all events has shown.
///
/// Calendars of a selection do not cancel: an event leaves them for many reasons.
#[derive(Debug)]
pub(super) struct Cancellations {
    feed: ChangeFeed,
    site: Arc<dyn AsksSite>,
    drain: Drain,
    shown: Mutex<Vec<ShownEvent>>,
}

// === impl Cancellations ===

impl Cancellations {
    pub(super) fn new(site: Arc<dyn AsksSite>, shared: &Shared) -> Self {
        Self {
            feed: shared.companions.feed().clone(),
            site,
            drain: shared.drain.clone(),
            shown: Mutex::default(),
        }
    }

    /// Whether the calendar of a call cancels events: that of all events of the site that is followed.
    pub(super) fn are_in(&self, call: &CalendarCall) -> bool {
        let is_of_the_site = call.call.request().root == 0 && !call.route.is_candidate();
        let is_for_everybody = !call.call.expects_privacy() && call.call.lists_all();
        call.form == AnswerForm::Calendar && is_of_the_site && is_for_everybody && self.feed.is_on()
    }

    /// Cancels events that were shown before, have not passed and are gone.
    pub(super) fn write(&self, writer: &mut FormWriter) {
        let before = self.shown.lock().clone();
        writer.cancel(&before, unix_time(), |id| self.feed.hides_event(id));
    }

    /// Remembers what a calendar shows. Returns true if it is only for the moment: an event is missing, and an anonymous
    /// reader is asked what became of it.
    pub(super) fn keep(&self, written: &mut WrittenForm) -> bool {
        *self.shown.lock() = std::mem::take(&mut written.remembered);
        let is_asked = written.may_cancel && self.feed.is_pending();
        if is_asked {
            self.feed.begin_judging(&self.site, &self.drain);
        }
        is_asked
    }
}
