//! The guard of a rule: what it counts, and when it has seen enough.

use std::fmt;
use std::time::Duration;

use ipnet::IpNet;

use super::window::{Window, WindowCounts};
use crate::settings::{GuardSettings, Percentage};
use crate::unix_time::UnixTime;

/// The events between two looks at the latencies.
const LATENCY_EVERY: u64 = 16;

/// The least difference of latencies that counts: what nobody notices.
const NOTICEABLE: Duration = Duration::from_millis(10);

/// What a guard counts.
#[derive(Debug, Clone)]
pub(super) struct RuleGuard {
    settings: GuardSettings,
    window: Window,
    /// The last median of the site that enough calls support: at a share of everything, none follow.
    owner_median: Option<Duration>,
    events: u64,
}

/// Something that happened to a call that a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleEvent {
    /// The backend answered within this time.
    Answered(Duration),
    /// The backend failed: no connection, a timeout, an unusable answer, or a status of 500 or more.
    Failed,
    /// The client left before the backend had answered.
    GivenUp(Duration),
    /// The site answered a call of a client that the rule does not take.
    PrimaryAnswered(Duration),
    /// The answers of backend and site do not differ in value.
    Same,
    /// The answers of backend and site differ in value.
    Different,
}

/// Why a guard returns calls to the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TripReason {
    /// Too many calls failed.
    Failures {
        /// The calls in the window.
        calls: u64,
        /// Those that failed.
        failed: u64,
        /// The most that may.
        most: Percentage,
    },
    /// Too many answers differ.
    Different {
        /// The compared calls in the window.
        compared: u64,
        /// Those that differ.
        different: u64,
        /// The most that may.
        most: Percentage,
    },
    /// The backend is slower than the site.
    Slower {
        /// The median of the backend.
        own: Duration,
        /// The median of the site.
        primary: Duration,
        /// By how many per cent of the site's median it may be slower.
        most: u32,
    },
}

// === impl RuleGuard ===

impl RuleGuard {
    pub(super) fn new(settings: &GuardSettings) -> Self {
        Self {
            settings: settings.clone(),
            window: Window::new(settings.window),
            owner_median: None,
            events: 0,
        }
    }

    pub(super) const fn settings(&self) -> &GuardSettings {
        &self.settings
    }

    /// Counts an event of a client's call, and finds out whether it was one too many.
    pub(super) fn observe(
        &mut self,
        event: RuleEvent,
        client: Option<IpNet>,
        now: UnixTime,
    ) -> Option<TripReason> {
        match event {
            RuleEvent::Answered(duration) => {
                self.window.counts(now).calls += 1;
                self.took(duration, client, now);
            }
            RuleEvent::Failed => {
                let counts = self.window.counts(now);
                counts.calls += 1;
                counts.failed += 1;
                if let Some(own) = self.window.client(client, now) {
                    own.failed += 1;
                }
            }
            // One that had taken long says that the backend is slow; one that had not says nothing.
            RuleEvent::GivenUp(duration) => {
                if self.owner_median.is_some_and(|median| duration > median) {
                    self.window.counts(now).calls += 1;
                    self.took(duration, client, now);
                }
            }
            RuleEvent::PrimaryAnswered(duration) => self.window.owner_took(duration, now),
            RuleEvent::Same => self.window.counts(now).compared += 1,
            RuleEvent::Different => {
                let counts = self.window.counts(now);
                counts.compared += 1;
                counts.different += 1;
                if let Some(own) = self.window.client(client, now) {
                    own.different += 1;
                }
            }
        }
        self.finding(now)
    }

    /// Counts a duration, unless its client has as many as could be half of them.
    fn took(&mut self, duration: Duration, client: Option<IpNet>, now: UnixTime) {
        if self.settings.slower.is_none() || self.window.sums_of(client, now).timed >= self.most_timed() {
            return;
        }
        if let Some(own) = self.window.client(client, now) {
            own.timed += 1;
        }
        self.window.own_took(duration, now);
    }

    /// The most durations of one client that count in a window: fewer than half of those that a finding needs.
    fn most_timed(&self) -> u64 {
        (self.settings.calls.saturating_sub(1) / 2).max(1)
    }

    /// The counts of the window.
    pub(super) fn counts(&self, now: UnixTime) -> WindowCounts {
        self.window.sums(now)
    }

    /// The medians of the backend and of the site.
    pub(super) fn medians(&self, now: UnixTime) -> (Option<Duration>, Option<Duration>) {
        let latencies = self.window.latencies(now);
        (
            latencies.own.median(),
            latencies.primary.median().or(self.owner_median),
        )
    }

    fn finding(&mut self, now: UnixTime) -> Option<TripReason> {
        self.events = self.events.wrapping_add(1);
        let counts = self.window.sums(now);
        let GuardSettings {
            calls: least,
            failures,
            different,
            ..
        } = self.settings;
        if let Some(most) = failures
            && counts.calls >= least
            && most.is_exceeded_by(counts.failed, counts.calls)
            && without_one(
                most,
                (counts.failed, counts.calls),
                self.window.largest(now).failed,
            )
        {
            let WindowCounts { calls, failed, .. } = counts;
            return Some(TripReason::Failures { calls, failed, most });
        }
        if let Some(most) = different
            && counts.compared >= least
            && most.is_exceeded_by(counts.different, counts.compared)
            && without_one(
                most,
                (counts.different, counts.compared),
                self.window.largest(now).different,
            )
        {
            let WindowCounts {
                compared, different, ..
            } = counts;
            return Some(TripReason::Different {
                compared,
                different,
                most,
            });
        }
        let is_turn = self.events.is_multiple_of(LATENCY_EVERY);
        self.settings
            .slower
            .filter(|_| is_turn)
            .and_then(|most| self.slowness(most, now))
    }

    fn slowness(&mut self, most: u32, now: UnixTime) -> Option<TripReason> {
        let latencies = self.window.latencies(now);
        if latencies.primary.total() >= self.settings.calls {
            self.owner_median = latencies.primary.median();
        }
        let primary = self.owner_median?;
        let least = self.settings.calls.max(2 * self.most_timed() + 1);
        let own = latencies
            .own
            .median()
            .filter(|_| latencies.own.total() >= least)?;
        let limit = primary * (100 + most) / 100;
        (own > limit && own > primary + NOTICEABLE).then_some(TripReason::Slower { own, primary, most })
    }
}

/// Whether a limit is exceeded without what one client contributes: one alone cannot return the calls of all (T-94).
fn without_one(most: Percentage, (part, all): (u64, u64), largest: u64) -> bool {
    most.is_exceeded_by(part.saturating_sub(largest), all.saturating_sub(largest))
}

impl fmt::Display for TripReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failures { calls, failed, most } => {
                write!(f, "{failed} of {calls} calls failed, more than {most}")
            }
            Self::Different {
                compared,
                different,
                most,
            } => {
                write!(
                    f,
                    "{different} of {compared} compared answers differ, more than {most}"
                )
            }
            Self::Slower { own, primary, most } => write!(
                f,
                "half of the answers take more than {} ms, those of the site {} ms: slower by more than {most}%",
                own.as_millis(),
                primary.as_millis()
            ),
        }
    }
}
