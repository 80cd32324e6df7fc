//! A stream that hyper uses for a time: it comes back when hyper drops it.
//!
//! hyper gives a stream back only at the end of its connection, and closes it before. A stream that the owner keeps
//! open is not closed, so that another connection of hyper can go on with it.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use parking_lot::{Mutex, MutexGuard};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The place of a stream while it is not borrowed, shared by its owner and its borrower.
#[derive(Debug)]
pub(super) struct Attachable<S> {
    /// The stream unless it is borrowed.
    returned: Mutex<Option<S>>,
    stays_open: AtomicBool,
    /// True if nothing was written since the last flush of this borrower.
    is_flushed: AtomicBool,
}

/// The stream, as the borrower has it.
#[derive(Debug)]
pub(super) struct DetachableIo<S> {
    /// Always set until it is returned.
    stream: Option<S>,
    state: Arc<Attachable<S>>,
}

// === impl Attachable ===

impl<S> Attachable<S> {
    pub(super) fn new(stream: S) -> Arc<Self> {
        Arc::new(Self {
            returned: Mutex::new(Some(stream)),
            stays_open: AtomicBool::new(false),
            is_flushed: AtomicBool::new(false),
        })
    }

    /// Lends the stream; `None` while it is attached already.
    pub(super) fn attach(self: &Arc<Self>) -> Option<DetachableIo<S>> {
        let stream = self.returned().take()?;
        self.is_flushed.store(false, Ordering::Relaxed);
        Some(DetachableIo {
            stream: Some(stream),
            state: Arc::clone(self),
        })
    }

    /// Sets whether the stream stays open when the borrower closes it.
    pub(super) fn keep_open(&self, stays_open: bool) {
        self.stays_open.store(stays_open, Ordering::Relaxed);
    }

    /// True if the borrower has flushed the stream, and written nothing since.
    ///
    /// hyper flushes a stream only after it has written everything that it holds, and not before it knows the protocol.
    pub(super) fn is_flushed(&self) -> bool {
        self.is_flushed.load(Ordering::Relaxed)
    }

    /// The stream itself, if it is not attached.
    pub(super) fn returned(&self) -> MutexGuard<'_, Option<S>> {
        self.returned.lock()
    }
}

// === impl DetachableIo ===

impl<S> Drop for DetachableIo<S> {
    fn drop(&mut self) {
        if let Some(stream) = self.stream.take() {
            *self.state.returned.lock() = Some(stream);
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for DetachableIo<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut self.stream {
            Some(stream) => Pin::new(stream).poll_read(cx, buf),
            None => Poll::Ready(Ok(())),
        }
    }
}

impl<S: AsyncWrite + Unpin> DetachableIo<S> {
    fn writing(&mut self) -> io::Result<Pin<&mut S>> {
        self.state.is_flushed.store(false, Ordering::Relaxed);
        let stream = self.stream.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        Ok(Pin::new(stream))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for DetachableIo<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.writing()?.poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.writing()?.poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.as_ref().is_some_and(AsyncWrite::is_write_vectored)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(stream) = &mut self.stream {
            ready!(Pin::new(stream).poll_flush(cx))?;
            self.state.is_flushed.store(true, Ordering::Relaxed);
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.state.stays_open.load(Ordering::Relaxed) {
            return Poll::Ready(Ok(()));
        }
        match &mut self.stream {
            Some(stream) => Pin::new(stream).poll_shutdown(cx),
            None => Poll::Ready(Ok(())),
        }
    }
}
