//! The record of the exchanges with one backend: how the last ones ended, and how many failed of late.

use std::collections::VecDeque;
use std::time::Duration;

use http::StatusCode;

use crate::relay::{Detour, OriginFailure, advice_about};
use crate::unix_time::UnixTime;

/// The reason why an exchange failed, without text of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteFault {
    /// The event.
    pub what: String,
    /// The advice for an operator.
    pub advice: String,
}

/// The ends of all exchanges with one backend: those for clients and those of the edge's own.
#[derive(Debug, Clone, Default)]
pub struct Exchanges {
    /// The time of the last exchange that succeeded.
    pub last_success: Option<UnixTime>,
    failed: Option<(UnixTime, SiteFault)>,
    /// Failures since the last success.
    pub(super) run: u64,
    /// The last minutes, the newest slot at the end.
    slots: VecDeque<ExchangeEnds>,
}

/// The exchanges that ended in one slot of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ExchangeEnds {
    /// The number of the slot.
    slot: u64,
    /// Exchanges with a sound response.
    pub(super) succeeded: u64,
    /// Exchanges without one.
    pub(super) failed: u64,
    /// Exchanges with a sound response that took longer than [`Exchanges::SLOW`].
    pub(super) slow: u64,
}

/// The seconds of a slot.
const SLOT: u64 = 5;

// === impl SiteFault ===

impl SiteFault {
    /// The fault of an unsound response; none if the request or the edge is the reason.
    pub fn of(failure: &OriginFailure) -> Option<Self> {
        let what = match failure {
            OriginFailure::RequestTooLarge(_)
            | OriginFailure::TooLarge { .. }
            | OriginFailure::Redirect {
                detour: Detour::Within,
                ..
            } => return None,
            // The site's own words may name its files.
            OriginFailure::Fatal { .. } => "PHP ended with an error".to_owned(),
            other => other.to_string(),
        };
        Some(Self {
            what,
            advice: failure.advice().into_owned(),
        })
    }

    /// The same fault of a candidate, with advice about its settings.
    pub(super) fn of_candidate(&self, name: &str) -> Self {
        Self {
            what: self.what.clone(),
            advice: advice_about(name, self.advice.as_str().into()).into_owned(),
        }
    }

    /// The fault of a page of the rest of the site; none below 500.
    pub fn of_page(status: StatusCode) -> Option<Self> {
        let failure = status.is_server_error().then_some(OriginFailure::Html(status));
        failure.as_ref().and_then(Self::of)
    }

    /// The fault of a sound response with this status; none below 500.
    pub fn of_status(status: StatusCode) -> Option<Self> {
        status.is_server_error().then(|| Self {
            what: format!("the site responded with status {}", status.as_u16()),
            advice: "the error logs of the web server and of PHP name the reason".to_owned(),
        })
    }
}

// === impl Exchanges ===

impl Exchanges {
    /// The time that counts as "of late".
    pub const WINDOW: Duration = Duration::from_mins(5);

    /// A sound response that takes longer is slow.
    pub const SLOW: Duration = Duration::from_secs(1);

    /// Adds an exchange that took this time and ended now.
    pub fn end(&mut self, fault: Option<SiteFault>, took: Duration, now: UnixTime) {
        self.turn(now);
        if let Some(slot) = self.slots.back_mut() {
            let is_sound = fault.is_none();
            slot.succeeded += u64::from(is_sound);
            slot.failed += u64::from(!is_sound);
            slot.slow += u64::from(is_sound && took > Self::SLOW);
        }
        match fault {
            None => (self.last_success, self.run) = (Some(now), 0),
            Some(fault) => (self.failed, self.run) = (Some((now, fault)), self.run.saturating_add(1)),
        }
    }

    /// The time of the last exchange that failed.
    pub fn last_failure(&self) -> Option<UnixTime> {
        self.failed.as_ref().map(|(at, _)| *at)
    }

    /// The fault of the last exchange that failed.
    pub(super) fn fault(&self) -> Option<&SiteFault> {
        self.failed.as_ref().map(|(_, fault)| fault)
    }

    /// The sums of the last [`Self::WINDOW`].
    pub(super) fn lately(&self, now: UnixTime) -> ExchangeEnds {
        self.within(Self::WINDOW, now)
    }

    /// The sums of a time that is no longer than [`Self::WINDOW`].
    pub(super) fn within(&self, time: Duration, now: UnixTime) -> ExchangeEnds {
        let first = number(now.saturating_sub(time));
        let mut sums = ExchangeEnds::default();
        for ends in self.slots.iter().filter(|ends| ends.slot > first) {
            sums.succeeded += ends.succeeded;
            sums.failed += ends.failed;
            sums.slow += ends.slow;
        }
        sums
    }

    /// Begins the slot of a time, unless the newest one is it. A clock that was set back stays in the newest.
    fn turn(&mut self, now: UnixTime) {
        let slot = number(now);
        if self.slots.back().is_none_or(|newest| newest.slot < slot) {
            let first = number(now.saturating_sub(Self::WINDOW));
            self.slots.retain(|ends| ends.slot > first);
            self.slots.push_back(ExchangeEnds {
                slot,
                ..ExchangeEnds::default()
            });
        }
    }
}

/// The number of the slot of a time.
const fn number(time: UnixTime) -> u64 {
    time.as_secs() / SLOT
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> UnixTime {
        UnixTime::from_secs(1_000_000 + seconds)
    }

    #[test]
    fn old_exchanges_leave_the_sums_and_the_memory() {
        let mut exchanges = Exchanges::default();
        let fault = || SiteFault::of(&OriginFailure::Malformed);
        for second in 0..1000 {
            let fault = (second % 10 == 0).then(fault).flatten();
            exchanges.end(fault, Duration::from_secs(second % 3), at(second));
        }
        assert!(exchanges.slots.len() <= 61, "{}", exchanges.slots.len());
        let lately = exchanges.lately(at(1000));
        assert_eq!((lately.succeeded, lately.failed), (266, 29));
        assert_eq!(exchanges.lately(at(2000)), ExchangeEnds::default());
        assert_eq!(exchanges.last_success, Some(at(999)));
        assert_eq!(exchanges.last_failure(), Some(at(990)));
        exchanges.end(None, Duration::ZERO, at(0));
        assert_eq!(
            exchanges.lately(at(1000)).succeeded,
            267,
            "the clock was set back"
        );
    }
}
