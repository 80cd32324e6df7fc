//! The queues that the simulation compares.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use super::*;

/// A queue; requests are known by their position among all.
pub(super) trait Queue {
    fn patience(&self) -> Duration;
    /// Takes a request. Returns one that loses its place, which may be itself.
    fn enter(&mut self, request: usize, rank: Rank, now: Duration) -> Option<usize>;
    /// The next one, and those that are dropped on the way.
    fn next(&mut self, now: Duration) -> (Vec<usize>, Option<usize>);
    fn leave(&mut self, request: usize, now: Duration);
}

/// First come, first served, for all ranks; `CoDel` drops anonymous reads at the head if it has a target.
pub(super) struct Fifo {
    places: usize,
    patience: Duration,
    waiting: VecDeque<(usize, Rank, Duration)>,
    codel: Option<Codel>,
}

/// The control law of RFC 8289.
pub(super) struct Codel {
    target: Duration,
    interval: Duration,
    above_since: Option<Duration>,
    dropping: bool,
    drop_at: Duration,
    count: u32,
}

impl Fifo {
    pub(super) fn new(places: usize, patience: Duration) -> Self {
        Self {
            places,
            patience,
            waiting: VecDeque::new(),
            codel: None,
        }
    }

    pub(super) fn with_codel(self, target: Duration, interval: Duration) -> Self {
        let codel = Codel {
            target,
            interval,
            above_since: None,
            dropping: false,
            drop_at: Duration::ZERO,
            count: 0,
        };
        Self {
            codel: Some(codel),
            ..self
        }
    }
}

impl Codel {
    fn drops(&mut self, waited: Duration, now: Duration) -> bool {
        if waited < self.target {
            self.above_since = None;
            self.dropping = false;
            return false;
        }
        let since = *self.above_since.get_or_insert(now);
        if !self.dropping {
            self.dropping = now.saturating_sub(since) >= self.interval;
            self.count = if self.dropping {
                self.count.saturating_sub(2).max(1)
            } else {
                self.count
            };
            self.drop_at = now + self.interval.div_f64(f64::from(self.count.max(1)).sqrt());
            return self.dropping;
        }
        if now < self.drop_at {
            return false;
        }
        self.count += 1;
        self.drop_at += self.interval.div_f64(f64::from(self.count).sqrt());
        true
    }
}

impl Queue for Fifo {
    fn patience(&self) -> Duration {
        self.patience
    }

    fn enter(&mut self, request: usize, rank: Rank, now: Duration) -> Option<usize> {
        if self.waiting.len() >= self.places {
            return Some(request);
        }
        self.waiting.push_back((request, rank, now));
        None
    }

    fn next(&mut self, now: Duration) -> (Vec<usize>, Option<usize>) {
        let mut dropped = Vec::new();
        while let Some((request, rank, since)) = self.waiting.pop_front() {
            let drops = self
                .codel
                .as_mut()
                .is_some_and(|codel| codel.drops(now.saturating_sub(since), now));
            if !drops || rank == Rank::Protected {
                return (dropped, Some(request));
            }
            dropped.push(request);
        }
        (dropped, None)
    }

    fn leave(&mut self, request: usize, _now: Duration) {
        self.waiting.retain(|(other, ..)| *other != request);
    }
}

/// The edge's own.
pub(super) struct Own {
    line: WaitingLine,
    patience: Duration,
    tickets: HashMap<usize, Ticket>,
    requests: HashMap<Ticket, usize>,
}

impl Own {
    pub(super) fn new(patience: Duration) -> Self {
        Self {
            line: WaitingLine::new(256, patience),
            patience,
            tickets: HashMap::new(),
            requests: HashMap::new(),
        }
    }
}

impl Queue for Own {
    fn patience(&self) -> Duration {
        self.patience
    }

    fn enter(&mut self, request: usize, rank: Rank, now: Duration) -> Option<usize> {
        let Ok((ticket, displaced)) = self.line.enter(rank, now) else {
            return Some(request);
        };
        self.tickets.insert(request, ticket);
        self.requests.insert(ticket, request);
        displaced.map(|ticket| self.requests[&ticket])
    }

    fn next(&mut self, now: Duration) -> (Vec<usize>, Option<usize>) {
        let granted = self.line.next(now);
        (Vec::new(), granted.map(|ticket| self.requests[&ticket]))
    }

    fn leave(&mut self, request: usize, now: Duration) {
        self.line.leave(self.tickets[&request], now);
    }
}
