//! A client socket with a minimum read rate for the client, and a lingering close.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::{Sleep, sleep};
use tokio_rustls::server::TlsStream;

use super::activity::Activity;
use super::min_rate::MinRate;

/// The longest time for which unread bytes are consumed after the last response, so that a reset does not
/// destroy the response.
const LINGER: Duration = Duration::from_secs(1);

/// The most unread bytes that are consumed after the last response.
const LINGER_BYTES: usize = 64 * 1024;

/// A connected socket of any kind.
#[derive(Debug)]
pub(crate) enum Socket {
    Tcp(TcpStream),
    // Boxed, because it is much larger than the others.
    Tls(Box<TlsStream<TcpStream>>),
    Unix(UnixStream),
}

/// A socket that reports what it reads, fails when its peer stops reading, and lingers when it is closed.
#[derive(Debug)]
pub(super) struct ClientStream {
    socket: Socket,
    activity: Activity,
    min_rate: MinRate,
    ending: Option<Ending>,
}

/// The progress of closing a stream.
#[derive(Debug)]
enum Ending {
    /// Our side is closed. This many more bytes are consumed until the timer fires.
    Lingering(usize, Pin<Box<Sleep>>),
    Over,
}

// === impl ClientStream ===

impl ClientStream {
    pub(super) const fn new(socket: Socket, activity: Activity, min_rate: MinRate) -> Self {
        Self {
            socket,
            activity,
            min_rate,
            ending: None,
        }
    }

    /// Passes the result of a write on. While the client reads nothing, its time allowance is spent.
    fn watch_write(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = written {
            self.min_rate.moved(*written.as_ref().unwrap_or(&0));
            return Poll::Ready(written);
        }
        ready!(self.min_rate.poll_exceeded(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for ClientStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        ready!(Pin::new(&mut this.socket).poll_read(cx, buf))?;
        if buf.filled().len() > before {
            this.activity.received();
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.socket).poll_write(cx, buf);
        this.watch_write(cx, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.socket).poll_write_vectored(cx, bufs);
        this.watch_write(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        // TLS accepts bytes before the socket does; a client that does not read is noticed here.
        let flushed = Pin::new(&mut this.socket).poll_flush(cx);
        this.watch_write(cx, flushed.map_ok(|()| 0)).map_ok(|_| ())
    }

    /// Closes our side, then consumes what the client still sends, within limits.
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            match &mut this.ending {
                None => {
                    // TLS sends a close alert here, which also waits for a client that does not read.
                    let shut = Pin::new(&mut this.socket).poll_shutdown(cx);
                    ready!(this.watch_write(cx, shut.map_ok(|()| 0)))?;
                    let clock = Box::pin(sleep(LINGER));
                    this.ending = Some(Ending::Lingering(LINGER_BYTES, clock));
                }
                Some(Ending::Lingering(left, clock)) => {
                    if clock.as_mut().poll(cx).is_ready() {
                        this.ending = Some(Ending::Over);
                        continue;
                    }
                    let taken = ready!(take_in(&mut this.socket, cx));
                    match left.checked_sub(taken) {
                        Some(rest) if taken > 0 => *left = rest,
                        Some(_) | None => this.ending = Some(Ending::Over),
                    }
                }
                Some(Ending::Over) => return Poll::Ready(Ok(())),
            }
        }
    }
}

/// Reads and discards some bytes; returns 0 at the end or on an error.
fn take_in(socket: &mut Socket, cx: &mut Context<'_>) -> Poll<usize> {
    let mut space = [0; 4096];
    let mut buf = ReadBuf::new(&mut space);
    let read = ready!(Pin::new(socket).poll_read(cx, &mut buf));
    Poll::Ready(read.map_or(0, |()| buf.filled().len()))
}

// === impl Socket ===

impl AsyncRead for Socket {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_read(cx, buf),
            Self::Tls(stream) => Pin::new(stream).poll_read(cx, buf),
            Self::Unix(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_write(cx, buf),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, buf),
            Self::Unix(stream) => Pin::new(stream).poll_write(cx, buf),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_write_vectored(cx, bufs),
            Self::Tls(stream) => Pin::new(stream).poll_write_vectored(cx, bufs),
            Self::Unix(stream) => Pin::new(stream).poll_write_vectored(cx, bufs),
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
            Self::Unix(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Unix(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
