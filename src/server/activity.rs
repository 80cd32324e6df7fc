//! The current phase of a connection, so that a silent or idle one can be closed.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{Instant, Sleep, sleep_until};

/// The time after which an idle HTTP/1 connection is parked.
///
/// Parking and resuming cost more than a kept response, so it must not happen while a client loads a page.
const PARKING: Duration = Duration::from_secs(5);

/// The phase a connection is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// No complete request head has arrived yet.
    Opening,
    /// Bytes arrived after a response, but no complete head yet.
    Head,
    /// Between two requests.
    Idle,
    /// This many requests are running.
    Busy(usize),
}

/// The longest time a connection may stay in a phase.
#[derive(Debug, Clone, Copy)]
pub(super) struct PhaseLimits {
    /// The limit for [`Phase::Opening`] and [`Phase::Head`], counted from the connect or from the first byte
    /// of the head.
    pub(super) head: Duration,
    /// The limit for [`Phase::Idle`], between two requests.
    pub(super) idle: Duration,
}

/// The step that the time of a connection demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// The connection stayed in this phase for longer than its limit.
    End(Phase),
    /// It is idle, and can be parked.
    Parking,
}

/// The phase of one connection, shared by its stream and its service.
#[derive(Debug)]
pub(super) struct Activity {
    place: Mutex<PhaseStart>,
    multiplexed: AtomicBool,
    dismissed: AtomicBool,
    /// True if nothing was written since the last flush.
    is_flushed: AtomicBool,
    /// Notified once, when the connection has to make room for another.
    makes_room: Notify,
    is_notified: AtomicBool,
}

/// A phase and when it began.
#[derive(Debug, Clone, Copy)]
struct PhaseStart {
    phase: Phase,
    /// Not kept for [`Phase::Busy`], which has no limit.
    since: Instant,
}

/// Counts one request as running until its response has been sent or dropped.
#[derive(Debug)]
pub(super) struct RunningRequest {
    activity: Arc<Activity>,
}

/// Watches that a connection stays in no phase for longer than its limit, and finds when it can be parked.
/// Requests do not touch its timer: it ends early at most, and is then set to the rest. That is why it must be polled
/// after the connection, whose poll may begin a phase with a shorter limit.
#[derive(Debug)]
pub(super) struct PhaseWatch {
    activity: Arc<Activity>,
    limits: PhaseLimits,
    /// The begin of the idle phase for which [`Due::Parking`] was returned.
    parked: Option<Instant>,
    timer: Pin<Box<Sleep>>,
}

// === impl Activity ===

impl Activity {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            place: Mutex::new(PhaseStart::since_now(Phase::Opening)),
            multiplexed: AtomicBool::new(false),
            dismissed: AtomicBool::new(false),
            is_flushed: AtomicBool::new(false),
            makes_room: Notify::new(),
            is_notified: AtomicBool::new(false),
        })
    }

    /// Since when the connection has waited for a request; `None` while one runs, and for a connection that makes room
    /// already.
    pub(super) fn waiting_since(&self) -> Option<Instant> {
        let place = *self.place.lock();
        let is_busy = matches!(place.phase, Phase::Busy(_));
        (!is_busy && !self.is_notified.load(Ordering::Relaxed)).then_some(place.since)
    }

    /// Makes the connection give way to another one.
    pub(super) fn make_room(&self) {
        self.is_notified.store(true, Ordering::Relaxed);
        self.makes_room.notify_one();
    }

    /// Ready when the connection has to make room for another one.
    pub(super) async fn room_wanted(&self) {
        self.makes_room.notified().await;
    }

    /// True until the head of a request is complete, but for the time between two requests.
    pub(super) fn awaits_head(&self) -> bool {
        matches!(self.place.lock().phase, Phase::Opening | Phase::Head)
    }

    /// Records that bytes arrived.
    pub(super) fn received(&self) {
        // Over HTTP/2, bytes between requests are mostly window updates and pings, so no head is expected.
        if self.is_multiplexed() {
            return;
        }
        let mut place = self.place.lock();
        if place.phase == Phase::Idle {
            *place = PhaseStart::since_now(Phase::Head);
        }
    }

    /// Records that the connection uses HTTP/2.
    pub(super) fn multiplexes(&self) {
        self.multiplexed.store(true, Ordering::Relaxed);
    }

    /// True if the connection is known to use HTTP/2.
    pub(super) fn is_multiplexed(&self) -> bool {
        self.multiplexed.load(Ordering::Relaxed)
    }

    /// Records that what the client still sends after the last response is not waited for: the edge ends, or the
    /// client floods it.
    pub(super) fn dismiss(&self) {
        self.dismissed.store(true, Ordering::Relaxed);
    }

    /// True if what the client still sends is not waited for.
    pub(super) fn is_dismissed(&self) -> bool {
        self.dismissed.load(Ordering::Relaxed)
    }

    /// Records that bytes were written, or that all of them were flushed.
    ///
    /// hyper flushes a stream only after it has written everything that it holds.
    pub(super) fn set_flushed(&self, is_flushed: bool) {
        self.is_flushed.store(is_flushed, Ordering::Relaxed);
    }

    /// True if all that was written was flushed.
    pub(super) fn is_flushed(&self) -> bool {
        self.is_flushed.load(Ordering::Relaxed)
    }

    /// Records that a request begins. The request ends when the returned guard is dropped.
    pub(super) fn begin(self: &Arc<Self>) -> RunningRequest {
        let mut place = self.place.lock();
        place.phase = match place.phase {
            Phase::Busy(running) => Phase::Busy(running + 1),
            Phase::Opening | Phase::Head | Phase::Idle => Phase::Busy(1),
        };
        drop(place);
        RunningRequest {
            activity: Arc::clone(self),
        }
    }

    fn ended(&self) {
        let mut place = self.place.lock();
        match place.phase {
            Phase::Busy(running) if running > 1 => place.phase = Phase::Busy(running - 1),
            Phase::Busy(_) | Phase::Opening | Phase::Head | Phase::Idle => {
                *place = PhaseStart::since_now(Phase::Idle);
            }
        }
    }
}

// === impl PhaseLimits ===

impl PhaseLimits {
    /// No phase has anything due sooner after its begin.
    fn soonest(self) -> Duration {
        self.head.min(self.idle).min(PARKING)
    }
}

// === impl PhaseStart ===

impl PhaseStart {
    fn since_now(phase: Phase) -> Self {
        Self {
            phase,
            since: Instant::now(),
        }
    }

    /// When the phase has lasted for its limit; none for a phase without a limit.
    fn end(self, limits: PhaseLimits) -> Option<Instant> {
        let limit = match self.phase {
            Phase::Opening | Phase::Head => limits.head,
            Phase::Idle => limits.idle,
            Phase::Busy(_) => return None,
        };
        self.since.checked_add(limit)
    }
}

// === impl PhaseWatch ===

impl PhaseWatch {
    pub(super) fn new(activity: &Arc<Activity>, limits: PhaseLimits) -> Self {
        Self {
            activity: Arc::clone(activity),
            limits,
            parked: None,
            timer: Box::pin(sleep_until(Instant::now() + limits.soonest())),
        }
    }

    /// Gives an idle connection this time from now on.
    pub(super) fn allow_idle(&mut self, limit: Duration) {
        self.limits.idle = limit;
        let mut place = self.activity.place.lock();
        if place.phase == Phase::Idle {
            place.since = Instant::now();
            self.parked = Some(place.since);
        }
    }

    /// The first step due in the present phase, and its time; none for a phase without a limit.
    fn next(&self, place: PhaseStart) -> Option<(Instant, Due)> {
        let end = place.end(self.limits)?;
        let parking = place.since + PARKING;
        let can_park = place.phase == Phase::Idle
            && parking < end
            && self.parked != Some(place.since)
            && !self.activity.is_multiplexed();
        Some(if can_park {
            (parking, Due::Parking)
        } else {
            (end, Due::End(place.phase))
        })
    }

    /// Ready with the step that the connection's time demands; with [`Due::Parking`] once in an idle phase.
    fn poll_due(&mut self, cx: &mut Context<'_>) -> Poll<Due> {
        loop {
            let place = *self.activity.place.lock();
            let next = self.next(place);
            if let Some((at, _)) = next.filter(|(at, _)| *at < self.timer.deadline()) {
                self.timer.as_mut().reset(at);
            }
            if self.timer.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            let now = Instant::now();
            match next {
                Some((at, due)) if at <= now => {
                    if due == Due::Parking {
                        self.parked = Some(place.since);
                    }
                    return Poll::Ready(due);
                }
                Some((at, _)) => self.timer.as_mut().reset(at),
                // A phase that begins later has nothing due sooner than this.
                None => self.timer.as_mut().reset(now + self.limits.soonest()),
            }
        }
    }
}

impl Future for PhaseWatch {
    type Output = Due;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Due> {
        self.get_mut().poll_due(cx)
    }
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        self.activity.ended();
    }
}

#[cfg(test)]
#[path = "activity_tests.rs"]
mod tests;
