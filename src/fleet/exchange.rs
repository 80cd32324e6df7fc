//! One pipeline after another on one connection.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout};

use super::connect::{Connection, PATIENCE};
use super::fleet::Fleet;
use super::metrics::StoreFaultKind;
use super::store_fault::StoreFault;
use super::subject::{Commands, ExchangeTurn, FleetSubject, Replies};
use crate::companion::Connectivity;
use calendar_edge_core::fleet::FleetKey;

/// Everything that is exchanged, over all connections to one store.
pub(super) struct StoreExchange {
    fleet: Arc<Fleet>,
    key: Arc<FleetKey>,
    interval: Duration,
    subjects: Vec<Box<dyn FleetSubject>>,
    /// When members were last written and read.
    met: Option<Instant>,
    /// When the last second began.
    second: Option<Instant>,
}

/// The silent exchanges after which a connection counts as dead.
const MOST_SILENT: u32 = 2;

/// The pause while no client calls.
const IDLE: Duration = Duration::from_secs(1);

/// The time without a call after which the pauses are long.
const IDLE_AFTER: Duration = Duration::from_secs(10);

// === impl StoreExchange ===

impl StoreExchange {
    pub(super) fn new(
        fleet: &Arc<Fleet>,
        key: Arc<FleetKey>,
        interval: Duration,
        subjects: Vec<Box<dyn FleetSubject>>,
    ) -> Self {
        Self {
            fleet: fleet.clone(),
            key,
            interval,
            subjects,
            met: None,
            second: None,
        }
    }

    /// Exchanges until the connection is of no use, or `until` has come. Returns true after a success.
    pub(super) async fn run(
        &mut self,
        connection: &mut Connection,
        until: Instant,
    ) -> (bool, Result<(), StoreFault>) {
        let (mut silent, mut succeeded, mut is_first) = (0, false, true);
        loop {
            let began = Instant::now();
            match self.once(connection, is_first).await {
                Ok(is_whole) => {
                    (silent, succeeded, is_first) = (0, true, false);
                    self.fleet.exchanged(began.elapsed(), is_whole);
                }
                Err(fault) if fault.kind == StoreFaultKind::Silent && silent + 1 < MOST_SILENT => {
                    silent += 1;
                    self.fleet.metrics.failed(fault.kind);
                    continue;
                }
                Err(fault) if fault.ends_connection() => return (succeeded, Err(fault)),
                Err(fault) => {
                    (silent, is_first) = (0, false);
                    self.fleet.metrics.failed(fault.kind);
                    self.fleet.is_alone(&fault);
                }
            }
            if Instant::now() >= until {
                return (succeeded, Ok(()));
            }
            self.pause(began).await;
            if self.fleet.leaving.is_cancelled() {
                self.leave(connection).await;
                return (succeeded, Ok(()));
            }
        }
    }

    /// One pipeline and its replies. True if members took part.
    async fn once(&mut self, connection: &mut Connection, is_first: bool) -> Result<bool, StoreFault> {
        let now = Instant::now();
        let is_due =
            |last: Option<Instant>, interval| is_first || last.is_none_or(|last| now - last >= interval);
        let turn = ExchangeTurn {
            is_first,
            is_meeting: is_due(self.met, self.fleet.limits.size.meeting_interval()),
            is_new_second: is_due(self.second, Duration::from_secs(1)),
        };
        let mut commands = Commands::new(&self.key);
        for subject in &mut self.subjects {
            subject.add_commands(&mut commands, turn);
        }
        let replies = match timeout(PATIENCE, connection.exchange(&commands.pipe)).await {
            Ok(Ok(replies)) => replies,
            Ok(Err(error)) => return self.lost(error.into()),
            Err(_) => return self.lost(StoreFault::new(StoreFaultKind::Silent, "no reply in time")),
        };
        if turn.is_meeting {
            self.met = Some(now);
        }
        if turn.is_new_second {
            self.second = Some(now);
        }
        let mut replies = Replies::new(replies);
        for subject in &mut self.subjects {
            subject.take_replies(&mut replies, turn);
        }
        replies.outcome().map(|()| turn.is_meeting)
    }

    fn lost(&mut self, fault: StoreFault) -> Result<bool, StoreFault> {
        for subject in &mut self.subjects {
            subject.lose();
        }
        Err(fault)
    }

    /// Sends the waiting messages, and takes this edge from the members.
    async fn leave(&mut self, connection: &mut Connection) {
        // To leave the fleet is a courtesy: without it the line of this edge lives ten seconds longer.
        let _ = self.once(connection, false).await;
        let mut commands = Commands::new(&self.key);
        commands.command("HDEL", "members", &[&self.fleet.edge]);
        let _ = timeout(PATIENCE, connection.exchange(&commands.pipe)).await;
    }

    /// The store cannot be reached.
    pub(super) fn be_alone(&mut self) {
        for subject in &mut self.subjects {
            subject.be_alone();
        }
    }

    /// Waits for the next turn: the interval, a second while no client calls, or until something is to be sent. While a
    /// call waits for a permit, the table is read as often as it may be.
    async fn pause(&self, began: Instant) {
        let announcements = &self.fleet.companions.announcements;
        if announcements.has_unsent() && announcements.connectivity() == Connectivity::Together {
            return;
        }
        let limits = &self.fleet.limits;
        let is_idle = !self.fleet.companions.were_called(IDLE_AFTER) && !limits.were_settled(IDLE_AFTER);
        announcements.be_idle(is_idle);
        let pause = if is_idle { IDLE } else { self.interval };
        let crowd = async {
            limits.crowd().await;
            sleep_until(self.met.unwrap_or(began) + limits.size.meeting_interval()).await;
        };
        tokio::select! {
            () = sleep_until(began + pause) => {}
            () = crowd => {}
            () = announcements.waker.notified() => {}
            () = self.fleet.migration.next_change() => {}
            () = limits.logins.new_order.notified() => {}
            () = self.fleet.leaving.cancelled() => {}
        }
        announcements.be_idle(false);
    }
}
