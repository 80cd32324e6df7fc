//! A memory budget for bytes that are buffered for clients, shared by all responses.
//!
//! One response is bounded by `limits.response_buffer_bytes`; slow clients can still ask for many, a hundred on one
//! connection of HTTP/2. Once the budget is used up, further responses are not buffered but streamed, which slows the
//! backend's response down to its client.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;

use crate::settings::Settings;

/// Pieces up to this size are neither counted nor refused: they take no more than the connection itself.
const SMALL: usize = 16 * 1024;

/// Counts buffered bytes; clones share the count and the limit. It is made once and outlives every reload.
#[derive(Debug, Clone)]
pub struct BufferBudget {
    shared: Arc<Counters>,
}

// Only the numbers themselves matter, and nothing is published with them: all orderings are relaxed.
#[derive(Debug)]
struct Counters {
    reserved: AtomicUsize,
    limit: AtomicUsize,
}

/// Some buffered bytes, counted until it is dropped.
#[derive(Debug)]
pub(super) struct Reservation {
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
    /// An unused budget with the limit of these settings.
    pub fn new(settings: &Settings) -> Self {
        Self::with_limit(settings.limits.response_buffer_total)
    }

    /// Takes the limit of new settings; it holds for what is buffered already.
    pub fn adapt(&self, settings: &Settings) {
        let limit = settings.limits.response_buffer_total;
        self.shared.limit.store(limit, Ordering::Relaxed);
    }

    pub(super) fn with_limit(limit: usize) -> Self {
        Self {
            shared: Arc::new(Counters {
                reserved: AtomicUsize::new(0),
                limit: AtomicUsize::new(limit),
            }),
        }
    }

    /// How many of the `wanted` bytes of the next response may be buffered.
    ///
    /// Responses count once they are read, so the sum may exceed the limit by as much as the exchanges that run at
    /// once may buffer.
    pub(super) fn allowance(&self, wanted: usize) -> usize {
        let Counters { reserved, limit } = &*self.shared;
        if reserved.load(Ordering::Relaxed) < limit.load(Ordering::Relaxed) {
            wanted
        } else {
            wanted.min(SMALL)
        }
    }

    /// Counts so many bytes from now on.
    pub(super) fn reserve(&self, bytes: usize) -> Reservation {
        self.shared.reserved.fetch_add(bytes, Ordering::Relaxed);
        Reservation {
            shared: Arc::clone(&self.shared),
            bytes,
        }
    }

    /// Counts these bytes until the last reference to them is dropped, wherever they are passed on to.
    pub(super) fn count(&self, bytes: Bytes) -> Bytes {
        if bytes.len() <= SMALL {
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
        let budget = BufferBudget::with_limit(2 * PIECE);
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
        let budget = BufferBudget::with_limit(1);
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
        let budget = BufferBudget::with_limit(1);
        let _small = budget.count(Bytes::from(vec![b'x'; SMALL]));
        assert_eq!(budget.allowance(PIECE), PIECE);
    }

    #[test]
    fn a_new_limit_holds_for_what_is_buffered_already() {
        let mut settings = Settings::for_origin("http://10.0.0.5/wp-json".parse().unwrap());
        settings.limits.response_buffer_total = usize::MAX;
        let budget = BufferBudget::new(&settings);
        let clone = budget.clone();
        let _buffered = clone.count(piece());
        assert_eq!(clone.allowance(PIECE), PIECE);
        settings.limits.response_buffer_total = PIECE;
        budget.adapt(&settings);
        assert_eq!(clone.allowance(PIECE), SMALL);
    }
}
