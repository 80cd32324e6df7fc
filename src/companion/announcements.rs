//! Messages of this edge for the other edges of its fleet, until the exchange with their store takes them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, timeout};
use url::Url;

use calendar_edge_core::cache::{Removal, RemovalCause};
use calendar_edge_core::companion::mark::ShownChanges;
use calendar_edge_core::companion::purge::PurgeRequest;

/// Messages for the other edges. Without a fleet nothing is kept.
#[derive(Debug, Default)]
pub(crate) struct Announcements {
    connectivity: Mutex<Connectivity>,
    waiting: Mutex<VecDeque<Announcement>>,
    turns: Mutex<Vec<RequestTurn>>,
    /// Is notified when something is to be sent.
    pub(crate) waker: Notify,
    is_idle: AtomicBool,
}

/// The connection to the other edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Connectivity {
    /// The settings name no store.
    #[default]
    None,
    /// The store cannot be reached.
    Alone,
    /// The last exchange with the store succeeded.
    Together,
}

/// Messages that wait to be sent.
#[derive(Debug)]
pub(crate) struct Announcement {
    pub(crate) message: OutgoingMessage,
    /// Is notified when the store has it.
    confirmation: Option<oneshot::Sender<()>>,
}

/// A message of this edge.
#[derive(Debug)]
pub(crate) enum OutgoingMessage {
    /// Stored responses were removed.
    Purge(PurgeRequest, RemovalCause),
    /// The response of a site to a request of this edge.
    Seen {
        /// The root of the requested site.
        root: Url,
        changes: ShownChanges,
        /// True if the site's count began anew.
        is_new_count: bool,
        /// The time of the request.
        requested: Instant,
    },
}

/// A root for whose site one edge of the fleet shall send the request.
#[derive(Debug)]
pub(crate) struct RequestTurn {
    pub(crate) root: Url,
    /// Is notified with true if it is this edge's turn.
    pub(crate) is_ours: oneshot::Sender<bool>,
}

/// A message that was given away.
#[derive(Debug)]
pub(crate) struct Sending(Option<oneshot::Receiver<()>>);

/// The most messages that wait: while the store is away, the others find out from the site.
const MOST_WAITING: usize = 256;

/// The longest wait for the store's word on which edge requests the number of a site.
const TURN_PATIENCE: Duration = Duration::from_millis(500);

// === impl Announcements ===

impl Announcements {
    /// The connection to the other edges.
    pub(crate) fn connectivity(&self) -> Connectivity {
        *self.connectivity.lock()
    }

    /// Notes the connection to the other edges. A wait for a message to be sent ends when there are none.
    pub(crate) fn set_connectivity(&self, connectivity: Connectivity) {
        *self.connectivity.lock() = connectivity;
        if connectivity == Connectivity::Together {
            return;
        }
        self.turns.lock().clear();
        let mut waiting = self.waiting.lock();
        for announcement in waiting.iter_mut() {
            announcement.confirmation = None;
        }
        if connectivity == Connectivity::None {
            waiting.clear();
        }
    }

    /// Takes a message. It is sent at once, or later if the store is away now.
    pub(crate) fn send(&self, message: OutgoingMessage) -> Sending {
        let connectivity = self.connectivity();
        let is_of_use =
            connectivity == Connectivity::Together || !matches!(message, OutgoingMessage::Seen { .. });
        if connectivity == Connectivity::None || !is_of_use {
            return Sending(None);
        }
        let (confirmation, sent) = oneshot::channel();
        let confirmation = (connectivity == Connectivity::Together).then_some(confirmation);
        self.put_back([Announcement {
            message,
            confirmation,
        }]);
        self.waker.notify_one();
        Sending(Some(sent))
    }

    /// Sends that responses were removed. It has to be called before they are: the others must know every removal.
    pub(crate) fn send_purge(&self, purge: PurgeRequest, cause: RemovalCause) -> Sending {
        self.send(OutgoingMessage::Purge(purge, cause))
    }

    /// Sends a write through this edge, before the responses that it may have changed are removed here.
    pub(crate) fn send_write(&self, removal: &Removal) -> Sending {
        if self.connectivity() == Connectivity::None {
            return Sending(None);
        }
        let purge = PurgeRequest::unnumbered(removal.clone());
        self.send_purge(purge, RemovalCause::Write)
    }

    /// True if this edge shall request the number of a root's site. One edge of a fleet does; alone, each does.
    pub(crate) async fn is_our_turn(&self, root: &Url) -> bool {
        if self.connectivity() != Connectivity::Together {
            return true;
        }
        let (is_ours, answer) = oneshot::channel();
        let root = root.clone();
        self.turns.lock().push(RequestTurn { root, is_ours });
        self.waker.notify_one();
        let answer = timeout(TURN_PATIENCE, answer).await;
        answer.ok().and_then(Result::ok).unwrap_or(true)
    }

    /// Takes at most so many messages, the oldest first.
    pub(crate) fn take(&self, most: usize) -> Vec<Announcement> {
        let mut waiting = self.waiting.lock();
        let count = most.min(waiting.len());
        waiting.drain(..count).collect()
    }

    /// Takes the roots for which a turn is wanted.
    pub(crate) fn take_turns(&self) -> Vec<RequestTurn> {
        std::mem::take(&mut *self.turns.lock())
    }

    /// Lets messages wait again that could not be sent. Too many become one that removes everything.
    pub(crate) fn put_back(&self, announcements: impl IntoIterator<Item = Announcement>) {
        let mut waiting = self.waiting.lock();
        waiting.extend(announcements);
        if waiting.len() > MOST_WAITING {
            let purge = PurgeRequest::everything();
            waiting.clear();
            waiting.push_back(Announcement {
                message: OutgoingMessage::Purge(purge, RemovalCause::Message),
                confirmation: None,
            });
        }
    }

    /// True if something waits to be sent.
    pub(crate) fn has_unsent(&self) -> bool {
        !self.waiting.lock().is_empty()
    }

    /// Notes that the exchange makes long pauses, or makes them no longer: they are long while no client calls.
    pub(crate) fn be_idle(&self, is_idle: bool) {
        self.is_idle.store(is_idle, Ordering::Relaxed);
    }

    /// Ends such a pause.
    pub(super) fn end_idleness(&self) {
        if self.is_idle.load(Ordering::Relaxed) {
            self.waker.notify_one();
        }
    }
}

// === impl Announcement ===

impl Announcement {
    /// Notes that the store has it.
    pub(crate) fn confirm(self) {
        if let Some(confirmation) = self.confirmation {
            // The sender may have given up its wait.
            let _ = confirmation.send(());
        }
    }
}

// === impl Sending ===

impl Sending {
    /// Waits at most so long until the others can receive it. False if they could not yet; true without a fleet.
    pub(crate) async fn within(self, patience: Duration) -> bool {
        match self.0 {
            None => true,
            Some(sent) => matches!(timeout(patience, sent).await, Ok(Ok(()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn purge(number: u64) -> PurgeRequest {
        PurgeRequest {
            removal: Removal::Tags(Vec::new()),
            changes: vec![number],
            hidden: Vec::new(),
        }
    }

    fn changes(announcement: &Announcement) -> (bool, Vec<u64>) {
        match &announcement.message {
            OutgoingMessage::Purge(purge, _) => (purge.removal == Removal::All, purge.changes.clone()),
            OutgoingMessage::Seen { .. } => panic!("a purge was sent"),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_waits_hears_that_the_store_has_it_or_that_it_is_away() {
        let announcements = Announcements::default();
        let purged = || announcements.send_purge(purge(1), RemovalCause::Message);
        assert!(purged().within(Duration::ZERO).await, "there is no other edge");
        assert!(!announcements.has_unsent());

        announcements.set_connectivity(Connectivity::Together);
        let sent = purged();
        let taken = announcements.take(8);
        taken.into_iter().for_each(Announcement::confirm);
        assert!(sent.within(Duration::from_millis(250)).await);
        let (lost, waiting) = (purged(), purged());
        assert!(!lost.within(Duration::from_millis(250)).await);

        announcements.set_connectivity(Connectivity::Alone);
        assert!(!waiting.within(Duration::from_hours(1)).await);
        assert!(!purged().within(Duration::from_hours(1)).await);
        assert_eq!(announcements.take(8).len(), 3, "they are sent later");
    }

    #[test]
    fn too_many_messages_become_one() {
        let announcements = Announcements::default();
        announcements.set_connectivity(Connectivity::Alone);
        for number in 0..MOST_WAITING as u64 {
            announcements.send_purge(purge(number), RemovalCause::Write);
        }
        assert_eq!(changes(&announcements.take(1)[0]), (false, vec![0]));
        announcements.send_purge(purge(1), RemovalCause::Write);
        announcements.send_purge(purge(2), RemovalCause::Write);
        let left = announcements.take(usize::MAX);
        assert_eq!(left.iter().map(changes).collect::<Vec<_>>(), [(true, vec![])]);
    }

    #[tokio::test(start_paused = true)]
    async fn alone_each_edge_asks() {
        let announcements = std::sync::Arc::new(Announcements::default());
        let root: Url = "http://wp.example/wp-json".parse().unwrap();
        assert!(announcements.is_our_turn(&root).await);
        announcements.set_connectivity(Connectivity::Together);
        let asking = tokio::spawn({
            let (announcements, root) = (announcements.clone(), root.clone());
            async move { announcements.is_our_turn(&root).await }
        });
        tokio::task::yield_now().await;
        for turn in announcements.take_turns() {
            turn.is_ours.send(false).unwrap();
        }
        assert!(!asking.await.unwrap());
        assert!(
            announcements.is_our_turn(&root).await,
            "an exchange that hangs decides nothing"
        );
    }
}
