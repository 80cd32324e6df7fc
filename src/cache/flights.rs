//! One question at a time: who asks the same as somebody before waits for that answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    progress: watch::Receiver<Progress<L>>,
}

/// How far a question is.
#[derive(Debug, Clone)]
pub(crate) enum Progress<L> {
    /// The site is being asked.
    Asking,
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
        let mut running = lock(&self.running);
        if let Some(flight) = running.by_key.get(key)
            && flight.generation == generation
        {
            return Seat::Follower(flight.progress.clone());
        }
        running.last_number += 1;
        let number = running.last_number;
        let (sender, progress) = watch::channel(Progress::Asking);
        let flight = Flight {
            number,
            generation,
            progress,
        };
        running.by_key.insert(key.to_owned(), flight);
        Seat::Leader(Leader {
            running: Arc::clone(&self.running),
            key: key.to_owned(),
            number,
            generation,
            progress: sender,
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
        // One receiver is kept for those who come, one may be the leader's own.
        self.progress.receiver_count() > 2
    }

    /// Tells the first failure.
    pub(crate) fn failed_once(&self, landing: L) {
        self.progress.send_replace(Progress::FailedOnce(landing));
    }

    /// Tells the end. Nobody joins from here on.
    pub(crate) fn land(self, landing: L) {
        self.leave();
        self.progress.send_replace(Progress::Landed(landing));
    }

    fn leave(&self) {
        let mut running = lock(&self.running);
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
        self.leave();
    }
}

fn lock<L>(running: &Mutex<FlightTable<L>>) -> MutexGuard<'_, FlightTable<L>> {
    // A panic between two steps leaves at most a flight that nobody leads, which ends with its sender.
    running.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
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
        assert!(flights.running.lock().unwrap().by_key.is_empty());
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
