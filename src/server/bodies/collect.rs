//! Reading a body into one buffer.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use tokio::time::timeout;

use super::budget::BodyBudget;
use super::share::Share;

/// The size in bytes of a new buffer. It doubles until the body fits.
const FIRST: usize = 8 * 1024;

/// Reads one body, within the budget of all.
#[derive(Debug)]
pub(crate) struct Collector<B> {
    body: B,
    share: Share,
    /// Maximum bytes of the body.
    most: usize,
    /// The size of a buffer that surely suffices.
    enough: usize,
    buffer: Vec<u8>,
}

/// The reason why a body is not in memory.
#[derive(Debug, PartialEq, Eq)]
pub enum CollectError<E> {
    /// It is larger than allowed.
    TooLarge,
    /// Its client did not send it in time.
    TooSlow,
    /// Other bodies left no memory for it in time, or needed its memory while its client was the slowest.
    NoRoom,
    /// It could not be received.
    Body(E),
}

/// The bytes of a whole body that is not a client's.
///
/// # Errors
///
/// When there are more than `most`, or when it ends early.
pub async fn read_within<B>(mut body: B, most: usize) -> Result<Bytes, CollectError<B::Error>>
where
    B: Body<Data = Bytes> + Unpin,
{
    let mut whole = Vec::new();
    while let Some(frame) = body.frame().await {
        let data = frame.map_err(CollectError::Body)?.into_data().unwrap_or_default();
        if whole.len() + data.len() > most {
            return Err(CollectError::TooLarge);
        }
        whole.extend_from_slice(&data);
    }
    Ok(whole.into())
}

/// Bytes together with what counts them.
struct CountedBytes<T, C> {
    bytes: T,
    _count: C,
}

// === impl Collector ===

impl<B: Body<Data = Bytes> + Unpin> Collector<B> {
    /// Prepares to read a body of at most so many bytes.
    pub(crate) fn new(body: B, budget: &BodyBudget, most: usize) -> Self {
        let declared = body.size_hint().exact();
        let declared = declared.and_then(|bytes| usize::try_from(bytes).ok());
        Self {
            share: budget.open(),
            enough: declared.map_or(most, |declared| declared.min(most)),
            buffer: Vec::new(),
            body,
            most,
        }
    }

    /// Reads the whole body in this time. Its bytes are counted until the last reference to them is dropped.
    ///
    /// # Errors
    ///
    /// The reason why it is not complete.
    pub(crate) async fn collect(mut self, time: Duration) -> Result<Bytes, CollectError<B::Error>> {
        let piece = match timeout(time, self.fill()).await {
            Ok(filled) => filled?,
            Err(_) if self.share.waits => return Err(CollectError::NoRoom),
            Err(_) => return Err(CollectError::TooSlow),
        };
        self.share.completes();
        Ok(match piece {
            Some(bytes) => counted(bytes, self.share),
            None if self.buffer.is_empty() => Bytes::new(),
            None => counted(self.buffer, self.share),
        })
    }

    /// Reads into the buffer. A body that comes in one piece, as most do, is returned instead and never copied.
    async fn fill(&mut self) -> Result<Option<Bytes>, CollectError<B::Error>> {
        while let Some(piece) = self.next().await? {
            let length = self.buffer.len().saturating_add(piece.len());
            if length > self.most {
                return Err(CollectError::TooLarge);
            }
            if self.buffer.is_empty() && self.body.is_end_stream() {
                self.share.grow(length).await;
                return Ok(Some(piece));
            }
            self.make_room(length).await;
            self.buffer.extend_from_slice(&piece);
        }
        Ok(None)
    }

    /// The next piece of data.
    async fn next(&mut self) -> Result<Option<Bytes>, CollectError<B::Error>> {
        let Self { body, share, .. } = self;
        poll_fn(|cx| {
            loop {
                let Poll::Ready(frame) = Pin::new(&mut *body).poll_frame(cx) else {
                    let given_up = (!share.pauses(cx)).then_some(CollectError::NoRoom);
                    return given_up.map_or(Poll::Pending, |error| Poll::Ready(Err(error)));
                };
                share.resumes();
                let frame = frame.transpose().map_err(CollectError::Body)?;
                // Trailers are passed over.
                if let Ok(data) = frame.map(Frame::into_data).transpose() {
                    return Poll::Ready(Ok(data));
                }
            }
        })
        .await
    }

    /// Takes a buffer of at least this length, for which memory is granted first.
    async fn make_room(&mut self, length: usize) {
        let capacity = self.buffer.capacity();
        if length <= capacity {
            return;
        }
        let doubled = capacity.saturating_mul(2).max(FIRST).min(self.enough);
        let wanted = doubled.max(length);
        self.share.grow(wanted).await;
        self.buffer.reserve_exact(wanted - self.buffer.len());
    }
}

// === impl CountedBytes ===

/// The same bytes, counted until the last reference to them is dropped.
pub(crate) fn counted<T, C>(bytes: T, count: C) -> Bytes
where
    T: AsRef<[u8]> + Send + 'static,
    C: Send + 'static,
{
    Bytes::from_owner(CountedBytes { bytes, _count: count })
}

impl<T: AsRef<[u8]>, C> AsRef<[u8]> for CountedBytes<T, C> {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}

#[cfg(test)]
#[path = "collect_tests.rs"]
mod tests;
