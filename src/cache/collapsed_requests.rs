//! One request to the site at a time for each key: later ones wait for its response.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;

/// The requests under way to the site, by their keys.
///
/// The first one leads. It runs in a task of its own, so that neither a leader nor a follower whose client leaves ends
/// it for others.
pub(super) type CollapsedRequests<L> = Arc<Mutex<HashMap<String, CollapsedRequest<L>>>>;

/// The generation of removals when a request began, and its progress.
type CollapsedRequest<L> = (u64, watch::Sender<Progress<L>>);

/// The progress of a request.
#[derive(Debug, Clone)]
pub(super) enum Progress<L> {
    /// The site has the request.
    Sent,
    /// The request waits for a permit of the site.
    Queued,
    /// The first attempt failed; for the sake of the followers there is a second one.
    FailedOnce(L),
    /// The end.
    Finished(L),
}

/// The one that sends the request to the site. When it is dropped, the request is over for all followers.
#[derive(Debug)]
pub(super) struct Leader<L> {
    running: CollapsedRequests<L>,
    /// The key of the request.
    pub(super) key: String,
    /// The generation of removals when the request began.
    pub(super) generation: u64,
    progress: watch::Sender<Progress<L>>,
}

/// The progress of the request for a key, and its leader if it begins now. A waiting request that began before the last
/// removal is not joined: its response may be older than the change that this client has seen.
pub(super) fn join<L>(
    requests: &CollapsedRequests<L>,
    key: &str,
    generation: u64,
) -> (watch::Receiver<Progress<L>>, Option<Leader<L>>) {
    let mut running = requests.lock();
    if let Some((began, progress)) = running.get(key)
        && *began == generation
    {
        return (progress.subscribe(), None);
    }
    let progress = watch::Sender::new(Progress::Sent);
    running.insert(key.to_owned(), (generation, progress.clone()));
    let leader = Leader {
        running: Arc::clone(requests),
        key: key.to_owned(),
        generation,
        progress,
    };
    (leader.progress.subscribe(), Some(leader))
}

// === impl Progress ===

impl<L> Progress<L> {
    /// The outcome for a leader or a follower, if there is one.
    pub(super) const fn outcome(&self, is_leader: bool) -> Option<&L> {
        match self {
            Self::Finished(outcome) => Some(outcome),
            Self::FailedOnce(outcome) if is_leader => Some(outcome),
            Self::Sent | Self::Queued | Self::FailedOnce(_) => None,
        }
    }
}

// === impl Leader ===

impl<L> Leader<L> {
    /// Returns true if others wait for the response too.
    pub(super) fn has_followers(&self) -> bool {
        // One may be the leader's own.
        self.progress.receiver_count() > 1
    }

    /// Reports to followers that the request waits in the queue of the site, or has left it.
    pub(super) fn waits(&self, is_queued: bool) {
        self.progress.send_if_modified(|progress| {
            let next = if is_queued {
                Progress::Queued
            } else {
                Progress::Sent
            };
            let may_change = matches!(progress, Progress::Sent | Progress::Queued);
            if may_change {
                *progress = next;
            }
            may_change
        });
    }

    /// Ends when no client waits for the response any more. No request joins from here on.
    pub(super) async fn abandoned(&self) {
        loop {
            self.progress.closed().await;
            let mut running = self.running.lock();
            // A follower may have joined meanwhile; to join takes the lock.
            if self.progress.receiver_count() == 0 {
                self.leave(&mut running);
                return;
            }
        }
    }

    /// Gives the followers the first failure.
    pub(super) fn failed_once(&self, result: L) {
        self.progress.send_replace(Progress::FailedOnce(result));
    }

    /// Gives the followers the end. No request joins from here on.
    pub(super) fn finish(self, result: L) {
        self.leave(&mut self.running.lock());
        self.progress.send_replace(Progress::Finished(result));
    }

    /// Leaves the place to others, unless one of them has it already.
    fn leave(&self, running: &mut HashMap<String, CollapsedRequest<L>>) {
        let own = running.get(&self.key);
        if own.is_some_and(|(_, progress)| progress.same_channel(&self.progress)) {
            running.remove(&self.key);
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

    fn lead(collapsing: &CollapsedRequests<u8>, generation: u64) -> Leader<u8> {
        let (_, leader) = join(collapsing, "a", generation);
        leader.expect("there is a leader already")
    }

    fn follow(collapsing: &CollapsedRequests<u8>, generation: u64) -> watch::Receiver<Progress<u8>> {
        let (progress, leader) = join(collapsing, "a", generation);
        assert!(leader.is_none(), "there is no leader");
        progress
    }

    #[tokio::test]
    async fn followers_share_the_answer_of_their_leader() {
        let collapsing = CollapsedRequests::default();
        let leader = lead(&collapsing, 0);
        let mut followers = [follow(&collapsing, 0), follow(&collapsing, 0)];
        assert!(leader.has_followers());
        leader.finish(7);
        for progress in &mut followers {
            assert!(progress.changed().await.is_ok());
            assert!(matches!(*progress.borrow(), Progress::Finished(7)));
        }
        drop(lead(&collapsing, 0));
    }

    #[tokio::test]
    async fn a_leader_that_is_lost_ends_the_wait() {
        let collapsing = CollapsedRequests::default();
        let leader = lead(&collapsing, 0);
        let mut progress = follow(&collapsing, 0);
        drop(leader);
        assert!(progress.changed().await.is_err());
        drop(lead(&collapsing, 0));
    }

    #[tokio::test]
    async fn nobody_joins_a_question_from_before_a_removal() {
        let collapsing = CollapsedRequests::default();
        let before = lead(&collapsing, 0);
        let after = lead(&collapsing, 1);
        drop(follow(&collapsing, 1));
        before.finish(1);
        drop(follow(&collapsing, 1));
        after.finish(2);
        assert!(collapsing.lock().is_empty());
    }

    #[tokio::test]
    async fn a_question_is_abandoned_when_the_last_one_leaves() {
        let collapsing = CollapsedRequests::default();
        let (own, leader) = join(&collapsing, "a", 0);
        let leader = leader.expect("there is a leader already");
        leader.waits(true);
        let follower = follow(&collapsing, 0);
        drop(own);
        assert!(leader.abandoned().now_or_never().is_none());
        assert!(matches!(*follower.borrow(), Progress::Queued));
        drop(follower);
        assert!(leader.abandoned().now_or_never().is_some());
        // The next one leads anew, and the end of the old request does not end the new one.
        let next = lead(&collapsing, 0);
        drop(leader);
        drop(follow(&collapsing, 0));
        drop(next);
    }

    #[tokio::test]
    async fn the_first_failure_is_told_before_the_end() {
        let collapsing = CollapsedRequests::default();
        let (own, leader) = join(&collapsing, "a", 0);
        let leader = leader.expect("there is a leader already");
        assert!(!leader.has_followers());
        leader.failed_once(1);
        assert!(matches!(*own.borrow(), Progress::FailedOnce(1)));
        let late = follow(&collapsing, 0);
        leader.finish(2);
        assert!(matches!(*late.borrow(), Progress::Finished(2)));
    }
}
