//! Reads from the store no more bytes an exchange than its replies may have: a store that sends more ends the
//! connection.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// A reader within a bound.
pub(super) struct BoundedReader<R> {
    pub(super) reader: R,
    /// The bytes that the exchange may still read.
    pub(super) budget: Arc<AtomicUsize>,
}

/// The most bytes of the replies of one exchange (T-105): the whole log, where each message names as many changes as
/// the companion plugin reports one by one.
pub(super) const MOST_BYTES: usize = 8 << 20;

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
        let budget = Arc::new(AtomicUsize::new(MOST_BYTES));
        let mut reader = BoundedReader {
            reader: tokio::io::repeat(b'x'),
            budget: Arc::clone(&budget),
        };
        let mut reply = vec![0; MOST_BYTES];
        assert!(reader.read_exact(&mut reply).await.is_ok());
        assert!(reader.read_u8().await.is_err());
        budget.store(MOST_BYTES, Ordering::Relaxed);
        assert!(reader.read_u8().await.is_ok());
    }
}
