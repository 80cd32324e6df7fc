//! The changes of a calendar, counted and sent to an edge as the companion plugin sends them.

use calendar_edge_judge::contract::Kind;
use parking_lot::Mutex;
use serde_json::json;
use tokio::sync::mpsc::UnboundedSender;

use crate::secret::{Secret, unix_time};

/// Shows the number of changes in responses to an edge.
pub(crate) const CHANGES: &str = "x-calendar-edge-changes";

/// A message for an edge, and the value of its header [`SEAL`](crate::seal::SEAL).
#[derive(Debug)]
pub struct Announcement {
    /// Proves that the message is the calendar's.
    pub seal: String,
    /// The changes.
    pub body: String,
}

/// Counts changes, and puts a message about each into a queue.
#[derive(Debug)]
pub(crate) struct Announcer {
    secret: Secret,
    count: Mutex<u64>,
    queue: UnboundedSender<Announcement>,
}

// === impl Announcer ===

impl Announcer {
    pub(crate) fn new(secret: Secret, queue: UnboundedSender<Announcement>) -> Self {
        Self {
            secret,
            count: Mutex::default(),
            queue,
        }
    }

    /// The number of changes so far.
    pub(crate) fn count(&self) -> u64 {
        *self.count.lock()
    }

    /// Counts a change of a record. Without a reader of the queue it is counted all the same.
    pub(crate) fn announce(&self, kind: Kind, id: u64) {
        let mut count = self.count.lock();
        *count += 1;
        let tags = [format!("{}:{id}", kind.singular()), kind.collection().to_owned()];
        let body = json!({"tags": tags, "changes": [*count]}).to_string();
        let seal = self.secret.seal(&body, unix_time(), *count);
        let _ = self.queue.send(Announcement { seal, body });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seal::Opener;

    #[test]
    fn a_change_is_numbered_and_its_message_opens_once() {
        let secret = Secret::new(&[b'x'; 32]).expect("long enough");
        let (queue, mut messages) = tokio::sync::mpsc::unbounded_channel();
        let announcer = Announcer::new(secret.clone(), queue);
        announcer.announce(Kind::Venue, 7);
        announcer.announce(Kind::Event, 8);
        assert_eq!(announcer.count(), 2);
        let opener = Opener::new(secret);
        for (tags, number) in [(["venue:7", "venues"], 1), (["event:8", "events"], 2)] {
            let sent = messages.try_recv().expect("a message");
            let open = || opener.open(&sent.seal, sent.body.as_bytes(), unix_time());
            let message = open().expect("it opens");
            assert_eq!(
                (message.tags, message.changes),
                (tags.map(str::to_owned).to_vec(), vec![number])
            );
            assert!(open().is_err(), "it opens once");
        }
    }
}
