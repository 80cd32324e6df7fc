//! The guard of a rule: what it counts, and when it is sure.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::failure_run::FailureRun;
use super::place::ClientId;
use super::rule_event::RuleEvent;
use super::tally::{CallCounts, CallFault, Tally};
use super::window::Window;
use crate::settings::{GuardSettings, Percentage};
use crate::unix_time::UnixTime;

/// The length of the short window beside the long one.
const SHORT: Duration = Duration::from_secs(10);

/// The time for which the counts of a slot are sent after its end.
const OPEN: Duration = Duration::from_secs(3);

/// The least failures in a row, without those of one client.
const LEAST_RUN: u64 = 3;

/// The time for which calls must fail, or responses differ, before the number of their clients does not matter.
const OUTAGE: Duration = Duration::from_secs(5);

/// The counts of a guard.
#[derive(Debug, Clone)]
pub struct RuleGuard {
    pub(super) settings: GuardSettings,
    long: Window,
    short: Window,
    run: FailureRun,
    /// The differences since the window last had none.
    differences: FailureRun,
}

// === impl RuleGuard ===

impl RuleGuard {
    pub(super) fn new(settings: &GuardSettings) -> Self {
        Self {
            long: Window::new(settings.window),
            short: Window::new(SHORT.min(settings.window)),
            run: FailureRun::default(),
            differences: FailureRun::default(),
            settings: settings.clone(),
        }
    }

    /// Counts an event of a client's call, and finds out whether it was one too many.
    pub(super) fn observe(&mut self, event: RuleEvent, client: ClientId, now: UnixTime) -> Option<String> {
        match event {
            RuleEvent::Responded => {
                self.run.end();
                self.count(client, now, |counts| counts.calls += 1);
                None
            }
            RuleEvent::Began => {
                self.count(client, now, |counts| counts.calls += 1);
                None
            }
            RuleEvent::Ended => {
                self.run.end();
                None
            }
            RuleEvent::BrokeOff => self.failed(client, 0, now),
            RuleEvent::Failed => self.failed(client, 1, now),
            RuleEvent::Same => {
                self.count(client, now, |counts| counts.compared += 1);
                None
            }
            RuleEvent::Different => self.differed(client, now),
        }
    }

    /// The slots of the window of the last seconds, which other edges may still count in.
    pub(super) fn open_slots(&self, now: UnixTime) -> RangeInclusive<u128> {
        let since = now.saturating_sub(OPEN.min(self.settings.window * 9 / 10));
        self.long.number(since)..=self.long.number(now)
    }

    /// The name of a slot, which holds for windows of the same length.
    pub(super) fn slot_name(&self, number: u128) -> String {
        format!("{}-{number}", self.long.width.as_millis())
    }

    /// This edge's counts in a slot.
    pub(super) fn own(&self, number: u128) -> Option<&Tally> {
        self.long.own(number)
    }

    /// Takes what other edges counted in a slot, and finds out whether all together is too much.
    pub(super) fn take_counts(&mut self, number: u128, others: Tally, now: UnixTime) -> Option<String> {
        self.long.take_counts(number, others);
        let faults = [CallFault::Failed, CallFault::Different];
        faults.into_iter().find_map(|fault| self.judge(fault, now))
    }

    /// The counts of the window.
    pub fn counts(&self, now: UnixTime) -> CallCounts {
        self.long.counts(now)
    }

    fn failed(&mut self, client: ClientId, calls: u64, now: UnixTime) -> Option<String> {
        self.run.fail(client, now);
        self.count(client, now, |counts| {
            counts.calls += calls;
            counts.failed += 1;
        });
        self.judge_run(now)
            .or_else(|| self.judge_outage(now))
            .or_else(|| self.judge(CallFault::Failed, now))
    }

    fn differed(&mut self, client: ClientId, now: UnixTime) -> Option<String> {
        if self.long.counts(now).different == 0 {
            self.differences.end();
        }
        self.differences.fail(client, now);
        self.count(client, now, |counts| {
            counts.compared += 1;
            counts.different += 1;
        });
        self.judge(CallFault::Different, now)
            .or_else(|| self.judge_lone_differences(now))
    }

    fn count(&mut self, client: ClientId, now: UnixTime, change: impl Fn(&mut CallCounts)) {
        self.long.tally(now).count(client, &change);
        self.short.tally(now).count(client, &change);
    }

    /// The most calls that may have a fault.
    fn limit(&self, fault: CallFault) -> Option<Percentage> {
        match fault {
            CallFault::Failed => self.settings.failures,
            CallFault::Different => self.settings.different,
        }
    }

    fn judge(&self, fault: CallFault, now: UnixTime) -> Option<String> {
        let most = self.limit(fault)?;
        // The number of calls in the settings is one of the long window.
        let windows = [(&self.long, self.settings.calls), (&self.short, u64::MAX)];
        let (found, _) = windows.into_iter().find(|(window, enough)| {
            let (part, all) = window.counts(now).share(fault);
            most.is_exceeded_by(part, all) && is_certain(fault, most, (window, *enough), now)
        })?;
        Some(reason(fault, most, &found.counts(now)))
    }

    /// The reason if calls in a row failed that are too many for chance, without those of one client.
    fn judge_run(&self, now: UnixTime) -> Option<String> {
        let most = self.settings.failures?;
        let failed = self.run.without_one();
        if failed < LEAST_RUN || !most.is_surely_exceeded_by(failed, failed) {
            return None;
        }
        let mut clients = self.short.clients(now);
        clients.extend(self.run.clients.keys());
        let counts = [self.run.clients.len(), clients.len()];
        let [with, all] = counts.map(|number| u64::try_from(number).unwrap_or(u64::MAX));
        is_of_clients(most, (with, all)).then(|| in_a_row(self.run.failed))
    }

    /// True if every call failed for some seconds, and no client called in the window but those whose calls failed: then
    /// one client is enough, such as a front end that renders on a server (T-94).
    fn judge_outage(&self, now: UnixTime) -> Option<String> {
        let most = self.settings.failures?;
        let failed = self.run.failed;
        let is_sure = most.is_surely_exceeded_by(failed, failed) && self.is_of_all_clients(&self.run, now);
        is_sure.then(|| in_a_row(failed))
    }

    /// The same for differences. A read of another record may well be equal meanwhile: the window counts.
    fn judge_lone_differences(&self, now: UnixTime) -> Option<String> {
        let most = self.settings.different?;
        let counts = self.long.counts(now);
        let is_sure = most.is_surely_exceeded_by(counts.different, counts.compared)
            && self.is_of_all_clients(&self.differences, now);
        is_sure.then(|| reason(CallFault::Different, most, &counts))
    }

    /// True if a run has lasted for seconds, and no client called in the window but those of the run.
    fn is_of_all_clients(&self, run: &FailureRun, now: UnixTime) -> bool {
        run.length(now) >= OUTAGE
            && self
                .long
                .clients(now)
                .iter()
                .all(|client| run.clients.contains_key(client))
    }
}

/// The reason for which calls return to the site: the share, and the limit that it exceeds.
fn reason(fault: CallFault, most: Percentage, counts: &CallCounts) -> String {
    let (part, all) = counts.share(fault);
    match fault {
        CallFault::Failed => format!("{part} of {all} calls failed, more than {most}"),
        CallFault::Different => format!("{part} of {all} compared responses differ, more than {most}"),
    }
}

fn in_a_row(failed: u64) -> String {
    format!("{failed} calls in a row failed")
}

/// True if a limit is exceeded beyond chance, or among so many calls that they are enough; and that without the calls
/// of one client: one of several cannot return the calls of all (T-94). As many of the clients as of the calls must
/// have the fault.
fn is_certain(fault: CallFault, most: Percentage, (window, enough): (&Window, u64), now: UnixTime) -> bool {
    let sum = window.sum(now);
    let (part, all) = sum.total.share(fault);
    let left = |number: u64| number.saturating_sub(sum.largest(fault));
    let (part, least) = (left(part), all >= enough);
    let is_exceeded =
        least && most.is_exceeded_by(part, left(all)) || most.is_surely_exceeded_by(part, left(all));
    is_exceeded && is_of_clients(most, sum.clients_with(fault))
}

/// True if more of the clients have a fault than may, also without one of them.
fn is_of_clients(most: Percentage, (with, all): (u64, u64)) -> bool {
    most.is_exceeded_by(with.saturating_sub(1), all.saturating_sub(1))
}
