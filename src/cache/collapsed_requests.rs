//! One question at a time: who asks the same as somebody before waits for that answer.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;

/// The questions that the site is being asked, by their keys.
///
/// The one who asks first leads. A question is asked by a task of its own, so that neither a leader nor a follower who
/// leaves ends it for others.
#[derive(Debug)]
pub(crate) struct Flights<L> {
    running: Arc<Mutex<FlightTable<L>>>,
}

#[derive(Debug)]
struct FlightTable<L> {
    by_key: HashMap<String, Flight<L>>,
    last_number: u64,
}

#[derive(Debug)]
struct Flight<L> {
    /// Tells this flight from an earlier one with the same key.
    number: u64,
    /// The generation of removals when it began.
    generation: u64,
    progress: watch::Sender<Progress<L>>,
}

/// How far a question is.
#[derive(Debug, Clone)]
pub(crate) enum Progress<L> {
    /// The site is being asked.
    Asking,
    /// The question waits until the site can be asked.
    Queued,
    /// The first attempt failed; for the sake of the followers there is a second one.
    FailedOnce(L),
    /// The end.
    Landed(L),
}

/// The place of somebody who asks.
#[derive(Debug)]
pub(crate) enum Seat<L> {
    /// Nobody asks this yet.
    Leader(Leader<L>),
    /// Somebody does: this tells how far it is.
    Follower(watch::Receiver<Progress<L>>),
}

/// The one who asks the site. When it is dropped, the question is over for everybody.
#[derive(Debug)]
pub(crate) struct Leader<L> {
    running: Arc<Mutex<FlightTable<L>>>,
    key: String,
    number: u64,
    generation: u64,
    progress: watch::Sender<Progress<L>>,
}

// === impl Flights ===

impl<L> Default for Flights<L> {
    fn default() -> Self {
        let running = FlightTable {
            by_key: HashMap::new(),
            last_number: 0,
        };
        Self {
            running: Arc::new(Mutex::new(running)),
        }
    }
}

impl<L> Flights<L> {
    /// Takes a seat for a question. A flight that began before the last removal is not joined: its answer may be older
    /// than the change that this client knows of.
    pub(crate) fn board(&self, key: &str, generation: u64) -> Seat<L> {
        let mut running = self.running.lock();
        if let Some(flight) = running.by_key.get(key)
            && flight.generation == generation
        {
            return Seat::Follower(flight.progress.subscribe());
        }
        running.last_number += 1;
        let number = running.last_number;
        let progress = watch::Sender::new(Progress::Asking);
        let flight = Flight {
            number,
            generation,
            progress: progress.clone(),
        };
        running.by_key.insert(key.to_owned(), flight);
        Seat::Leader(Leader {
            running: Arc::clone(&self.running),
            key: key.to_owned(),
            number,
            generation,
            progress,
        })
    }
}

// === impl Leader ===

impl<L> Leader<L> {
    /// The generation of removals when the question began.
    pub(crate) const fn generation(&self) -> u64 {
        self.generation
    }

    /// The key of the question.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// The progress, for the one whose question this is.
    pub(crate) fn progress(&self) -> watch::Receiver<Progress<L>> {
        self.progress.subscribe()
    }

    /// Returns true if others wait for the answer too.
    pub(crate) fn has_followers(&self) -> bool {
        // One may be the leader's own.
        self.progress.receiver_count() > 1
    }

    /// Tells whether the question waits until the site can be asked.
    pub(crate) fn waits(&self, is_queued: bool) {
        self.progress.send_if_modified(|progress| {
            let next = if is_queued {
                Progress::Queued
            } else {
                Progress::Asking
            };
            let may_change = matches!(progress, Progress::Asking | Progress::Queued);
            if may_change {
                *progress = next;
            }
            may_change
        });
    }

    /// Ends when nobody waits for the answer any more. Nobody joins from here on.
    pub(crate) async fn abandoned(&self) {
        loop {
            self.progress.closed().await;
            let mut running = self.running.lock();
            // Somebody may have joined meanwhile; who joins holds the lock.
            if self.progress.receiver_count() == 0 {
                self.leave(&mut running);
                return;
            }
        }
    }

    /// Tells the first failure.
    pub(crate) fn failed_once(&self, landing: L) {
        self.progress.send_replace(Progress::FailedOnce(landing));
    }

    /// Tells the end. Nobody joins from here on.
    pub(crate) fn land(self, landing: L) {
        self.leave(&mut self.running.lock());
        self.progress.send_replace(Progress::Landed(landing));
    }

    fn leave(&self, running: &mut FlightTable<L>) {
        let is_own = running
            .by_key
            .get(&self.key)
            .is_some_and(|flight| flight.number == self.number);
        if is_own {
            running.by_key.remove(&self.key);
        }
    }
}

impl<L> Drop for Leader<L> {
    fn drop(&mut self) {
        self.leave(&mut self.running.lock());
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn lead(flights: &Flights<u8>, generation: u64) -> Leader<u8> {
        match flights.board("a", generation) {
            Seat::Leader(leader) => leader,
            Seat::Follower(_) => panic!("somebody leads already"),
        }
    }

    fn follow(flights: &Flights<u8>, generation: u64) -> watch::Receiver<Progress<u8>> {
        match flights.board("a", generation) {
            Seat::Follower(progress) => progress,
            Seat::Leader(_) => panic!("nobody leads"),
        }
    }

    #[tokio::test]
    async fn followers_share_the_answer_of_their_leader() {
        let flights = Flights::default();
        let leader = lead(&flights, 0);
        let mut followers = [follow(&flights, 0), follow(&flights, 0)];
        assert!(leader.has_followers());
        leader.land(7);
        for progress in &mut followers {
            assert!(progress.changed().await.is_ok());
            assert!(matches!(*progress.borrow(), Progress::Landed(7)));
        }
        drop(lead(&flights, 0));
    }

    #[tokio::test]
    async fn a_leader_that_is_lost_ends_the_wait() {
        let flights = Flights::default();
        let leader = lead(&flights, 0);
        let mut progress = follow(&flights, 0);
        drop(leader);
        assert!(progress.changed().await.is_err());
        drop(lead(&flights, 0));
    }

    #[tokio::test]
    async fn nobody_joins_a_question_from_before_a_removal() {
        let flights = Flights::default();
        let before = lead(&flights, 0);
        let after = lead(&flights, 1);
        drop(follow(&flights, 1));
        before.land(1);
        drop(follow(&flights, 1));
        after.land(2);
        assert!(flights.running.lock().by_key.is_empty());
    }

    #[tokio::test]
    async fn a_question_is_abandoned_when_the_last_one_leaves() {
        let flights = Flights::default();
        let leader = lead(&flights, 0);
        let own = leader.progress();
        leader.waits(true);
        let follower = follow(&flights, 0);
        drop(own);
        assert!(leader.abandoned().now_or_never().is_none());
        assert!(matches!(*follower.borrow(), Progress::Queued));
        drop(follower);
        assert!(leader.abandoned().now_or_never().is_some());
        // The next one asks anew, and the end of the old question does not end the new one.
        let next = lead(&flights, 0);
        drop(leader);
        drop(follow(&flights, 0));
        drop(next);
    }

    #[tokio::test]
    async fn the_first_failure_is_told_before_the_end() {
        let flights = Flights::default();
        let leader = lead(&flights, 0);
        let own = leader.progress();
        assert!(!leader.has_followers());
        leader.failed_once(1);
        assert!(matches!(*own.borrow(), Progress::FailedOnce(1)));
        let late = follow(&flights, 0);
        leader.land(2);
        assert!(matches!(*late.borrow(), Progress::Landed(2)));
    }
}
