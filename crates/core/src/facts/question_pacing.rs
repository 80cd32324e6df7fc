//! The pause after questions that were not answered.

use std::time::Duration;

use crate::unix_time::UnixTime;

/// Until when no question is asked.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct QuestionPacing {
    failures: u32,
    since: Option<(UnixTime, Duration)>,
}

// === impl QuestionPacing ===

impl QuestionPacing {
    /// The longest pause after failures.
    const LONGEST: Duration = Duration::from_mins(1);

    pub(super) fn goes_on(self, now: UnixTime) -> bool {
        let is_past = |(since, time)| now.checked_since(since).is_none_or(|age| age >= time);
        self.since.is_some_and(|since| !is_past(since))
    }

    /// A question was not answered: the pause grows.
    pub(super) fn failed(&mut self, now: UnixTime) {
        let pause = Duration::from_secs(1 << self.failures.min(6)).min(Self::LONGEST);
        self.failures = self.failures.saturating_add(1);
        self.since = Some((now, pause));
    }

    /// A pause of this length, whatever failed before.
    pub(super) const fn begin(&mut self, now: UnixTime, length: Duration) {
        self.since = Some((now, length));
    }
}
