//! A memory budget for bytes that are buffered for clients, shared by all responses.
//!
//! `limits.response_buffer_bytes` bounds a single response, but a slow client can request many, up to a hundred on one
//! HTTP/2 connection. When the budget is used up, further responses are streamed without buffering. The backend then
//! sends each of them only as fast as its client reads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

/// Pieces up to this size in bytes are neither counted nor refused, because they take no more memory than the
/// connection itself.
const SMALL: usize = 16 * 1024;

/// Counts buffered bytes; clones share the count and the limit. It is created once and survives every reload.
#[derive(Debug, Clone)]
pub struct BufferBudget {
    shared: Arc<Counters>,
}

// The counters do not guard other data, so relaxed ordering is enough everywhere.
#[derive(Debug)]
struct Counters {
    reserved: AtomicUsize,
    limit: usize,
}

/// A number of buffered bytes, counted until the reservation is dropped.
#[derive(Debug)]
pub struct Reservation {
    shared: Arc<Counters>,
    bytes: usize,
}

/// Bytes together with their reservation.
struct ReservedBytes {
    bytes: Bytes,
    _reservation: Reservation,
}

// === impl BufferBudget ===

impl BufferBudget {
    /// Returns an unused budget of this many bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            shared: Arc::new(Counters {
                reserved: AtomicUsize::new(0),
                limit,
            }),
        }
    }

    /// The bytes that are buffered, and the most that may be.
    pub fn usage(&self) -> (usize, usize) {
        (self.shared.reserved.load(Ordering::Relaxed), self.shared.limit)
    }

    /// Returns the number of bytes, at most `wanted`, that the next response may buffer.
    ///
    /// A response is counted after it was read. So the sum can exceed the limit by the bytes that all
    /// concurrent exchanges may buffer.
    pub fn allowance(&self, wanted: usize) -> usize {
        let Counters { reserved, limit } = &*self.shared;
        if reserved.load(Ordering::Relaxed) < *limit {
            wanted
        } else {
            wanted.min(SMALL)
        }
    }

    /// Returns true if a piece of this size in bytes is counted.
    pub const fn is_counted(bytes: usize) -> bool {
        bytes > SMALL
    }

    /// Counts this many bytes until the reservation is dropped.
    pub fn reserve(&self, bytes: usize) -> Reservation {
        self.shared.reserved.fetch_add(bytes, Ordering::Relaxed);
        Reservation {
            shared: Arc::clone(&self.shared),
            bytes,
        }
    }

    /// Counts these bytes until the last reference to them is dropped.
    pub fn count(&self, bytes: Bytes) -> Bytes {
        if !Self::is_counted(bytes.len()) {
            return bytes;
        }
        let reservation = self.reserve(bytes.len());
        Bytes::from_owner(ReservedBytes {
            bytes,
            _reservation: reservation,
        })
    }
}

// === impl Reservation ===

impl Drop for Reservation {
    fn drop(&mut self) {
        self.shared.reserved.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

// === impl ReservedBytes ===

impl AsRef<[u8]> for ReservedBytes {
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
    fn responses_are_buffered_until_the_limit_is_reached() {
        let budget = BufferBudget::new(2 * PIECE);
        assert_eq!(budget.allowance(PIECE), PIECE);
        let first = budget.count(piece());
        assert_eq!(budget.allowance(PIECE), PIECE);
        let _second = budget.count(piece());
        assert_eq!(budget.allowance(PIECE), SMALL);
        assert_eq!(budget.allowance(10), 10);
        drop(first);
        assert_eq!(budget.allowance(PIECE), PIECE);
    }

    #[test]
    fn bytes_count_until_their_last_part_is_gone() {
        let budget = BufferBudget::new(1);
        let bytes = budget.count(piece());
        assert_eq!(bytes, piece());
        let end = bytes.slice(PIECE - 1..);
        drop(bytes);
        assert_eq!(budget.allowance(PIECE), SMALL);
        drop(end);
        assert_eq!(budget.allowance(PIECE), PIECE);
    }

    #[test]
    fn small_pieces_do_not_count() {
        let budget = BufferBudget::new(1);
        let _small = budget.count(Bytes::from(vec![b'x'; SMALL]));
        assert_eq!(budget.allowance(PIECE), PIECE);
    }
}
