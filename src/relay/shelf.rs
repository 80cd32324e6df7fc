//! What waits in memory until clients take it, counted over all answers together.
//!
//! One answer is bounded by `limits.response_buffer_bytes`; slow clients can still ask for many, a hundred on one
//! connection of HTTP/2. Once too much waits, further answers are not held but stream, which slows the origin's answer
//! down to its client.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

/// Pieces up to this size are neither counted nor refused room: they are no more than the connection itself takes.
const SMALL: usize = 16 * 1024;

/// Counts what waits; clones share the count.
#[derive(Debug, Clone)]
pub(super) struct Shelf {
    waiting: Arc<AtomicUsize>,
    most: usize,
}

/// Some bytes that wait, until it is dropped.
#[derive(Debug)]
pub(super) struct Ticket {
    waiting: Arc<AtomicUsize>,
    bytes: usize,
}

/// Bytes that carry their ticket along.
struct Counted {
    bytes: Bytes,
    _ticket: Ticket,
}

// === impl Shelf ===

impl Shelf {
    /// Nothing waits yet, and no more than `most` bytes should.
    pub(super) fn new(most: usize) -> Self {
        Self {
            waiting: Arc::default(),
            most,
        }
    }

    /// Counts what waits on an earlier shelf, too.
    pub(super) fn remember(&mut self, earlier: &Self) {
        self.waiting = Arc::clone(&earlier.waiting);
    }

    /// How much of the next answer may be held, if it wants so much.
    ///
    /// Answers that are being read count once they are there, so what waits may exceed its bound by as much as the
    /// exchanges that run at once may hold.
    pub(super) fn room(&self, wanted: usize) -> usize {
        // Only the sum matters, and nothing is published with it.
        if self.waiting.load(Ordering::Relaxed) < self.most {
            wanted
        } else {
            wanted.min(SMALL)
        }
    }

    /// Counts so many bytes from now on.
    pub(super) fn ticket(&self, bytes: usize) -> Ticket {
        self.waiting.fetch_add(bytes, Ordering::Relaxed);
        Ticket {
            waiting: Arc::clone(&self.waiting),
            bytes,
        }
    }

    /// Counts these bytes until the last reference to them is gone, wherever they are passed on to.
    pub(super) fn put(&self, bytes: Bytes) -> Bytes {
        if bytes.len() <= SMALL {
            return bytes;
        }
        let ticket = self.ticket(bytes.len());
        Bytes::from_owner(Counted {
            bytes,
            _ticket: ticket,
        })
    }
}

// === impl Ticket ===

impl Drop for Ticket {
    fn drop(&mut self) {
        self.waiting.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

// === impl Counted ===

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIECE: usize = 4 * SMALL;

    fn piece() -> Bytes {
        Bytes::from(vec![b'x'; PIECE])
    }

    #[test]
    fn there_is_room_until_the_bound_is_reached() {
        let shelf = Shelf::new(2 * PIECE);
        assert_eq!(shelf.room(PIECE), PIECE);
        let first = shelf.put(piece());
        assert_eq!(shelf.room(PIECE), PIECE);
        let _second = shelf.put(piece());
        assert_eq!(shelf.room(PIECE), SMALL);
        assert_eq!(shelf.room(10), 10);
        drop(first);
        assert_eq!(shelf.room(PIECE), PIECE);
    }

    #[test]
    fn bytes_count_until_their_last_part_is_gone() {
        let shelf = Shelf::new(1);
        let bytes = shelf.put(piece());
        assert_eq!(bytes, piece());
        let end = bytes.slice(PIECE - 1..);
        drop(bytes);
        assert_eq!(shelf.room(PIECE), SMALL);
        drop(end);
        assert_eq!(shelf.room(PIECE), PIECE);
    }

    #[test]
    fn small_pieces_do_not_count() {
        let shelf = Shelf::new(1);
        let _small = shelf.put(Bytes::from(vec![b'x'; SMALL]));
        assert_eq!(shelf.room(PIECE), PIECE);
    }

    #[test]
    fn a_new_bound_holds_for_what_waits_already() {
        let earlier = Shelf::new(usize::MAX);
        let _waiting = earlier.put(piece());
        let mut shelf = Shelf::new(PIECE);
        assert_eq!(shelf.room(PIECE), PIECE);
        shelf.remember(&earlier);
        assert_eq!(shelf.room(PIECE), SMALL);
    }
}
