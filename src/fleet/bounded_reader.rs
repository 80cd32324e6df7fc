//! Reads from the store no more bytes an exchange than its replies may have: a store that sends more ends the
//! connection.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// The bytes that an exchange may still read; clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct ReplyBudget(Arc<AtomicUsize>);

/// A reader within a budget.
pub(super) struct BoundedReader<R> {
    reader: R,
    budget: ReplyBudget,
}

/// The most bytes of the replies of one exchange (T-105): the whole log, where each message names as many changes as
/// the companion plugin reports one by one.
const MOST_BYTES: usize = 8 << 20;

// === impl ReplyBudget ===

impl ReplyBudget {
    /// The next exchange begins.
    pub(super) fn refill(&self) {
        self.0.store(MOST_BYTES, Ordering::Relaxed);
    }

    /// A reader within the bound.
    pub(super) fn bound<R>(&self, reader: R) -> BoundedReader<R> {
        let budget = self.clone();
        BoundedReader { reader, budget }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for BoundedReader<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.reader).poll_read(context, buffer))?;
        let read = buffer.filled().len() - before;
        let rest = |left: usize| left.checked_sub(read);
        let spent = self
            .budget
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest);
        Poll::Ready(
            spent
                .map(|_| ())
                .map_err(|_| io::Error::other("the replies are too large")),
        )
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    #[tokio::test]
    async fn t105_each_exchange_reads_so_much_and_no_more() {
        let budget = ReplyBudget::default();
        budget.refill();
        let mut reader = budget.bound(tokio::io::repeat(b'x'));
        let mut reply = vec![0; MOST_BYTES];
        assert!(reader.read_exact(&mut reply).await.is_ok());
        assert!(reader.read_u8().await.is_err());
        budget.refill();
        assert!(reader.read_u8().await.is_ok());
    }
}
