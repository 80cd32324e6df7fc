//! A client socket with a minimum read rate for the client, and a lingering close.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::server::TlsStream;

use super::activity::Activity;
use super::leftover::Leftover;
use super::min_rate::MinRate;

/// The longest time for which unread bytes are consumed after the last response.
///
/// A client that was refused while it sends a body often reads nothing before all is sent. If its bytes were left
/// unread, the kernel would send a reset, and the client would see a broken connection instead of the refusal. A
/// refused client may keep its connection for this long, less than one whose body is read.
const LINGER: Duration = Duration::from_secs(15);

/// The size of the buffer for unread bytes.
const LINGER_READ: usize = 16 * 1024;

/// A connected socket of any kind.
#[derive(Debug)]
pub(crate) enum Socket {
    Tcp(TcpStream),
    // Boxed, because it is much larger than the others.
    Tls(Box<TlsStream<TcpStream>>),
    Unix(UnixStream),
}

/// A socket that reports its reads, fails when its peer stops reading, and lingers when it is closed.
#[derive(Debug)]
pub(super) struct ClientStream {
    pub(super) socket: Socket,
    activity: Arc<Activity>,
    min_rate: MinRate,
    ending: Option<Ending>,
}

/// The progress of closing a stream.
#[derive(Debug)]
enum Ending {
    /// Our side is closed, and what the client still sends is consumed.
    Lingering(Leftover),
    Over,
}

// === impl ClientStream ===

impl ClientStream {
    pub(super) const fn new(socket: Socket, activity: Arc<Activity>, min_rate: MinRate) -> Self {
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
        ready!(this.socket.reader().poll_read(cx, buf))?;
        if buf.filled().len() > before {
            this.activity.received();
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.activity.set_flushed(false);
        let written = this.socket.writer().poll_write(cx, buf);
        this.watch_write(cx, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.activity.set_flushed(false);
        let written = this.socket.writer().poll_write_vectored(cx, bufs);
        this.watch_write(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        // TLS accepts bytes before the socket does; a client that does not read is noticed here.
        let flushed = this.socket.writer().poll_flush(cx);
        ready!(this.watch_write(cx, flushed.map_ok(|()| 0)))?;
        this.activity.set_flushed(true);
        Poll::Ready(Ok(()))
    }

    /// Closes our side, then consumes what the client still sends, within limits.
    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            match &mut this.ending {
                None => {
                    // TLS sends a close alert here, which also waits for a client that does not read.
                    let shut = this.socket.writer().poll_shutdown(cx);
                    ready!(this.watch_write(cx, shut.map_ok(|()| 0)))?;
                    this.ending = Some(Ending::Lingering(Leftover::new(LINGER)));
                }
                Some(Ending::Lingering(lingering)) => {
                    if !this.activity.is_dismissed() {
                        let socket = &mut this.socket;
                        ready!(lingering.poll_end(cx, |cx| take_in(socket, cx)));
                    }
                    this.ending = Some(Ending::Over);
                }
                Some(Ending::Over) => return Poll::Ready(Ok(())),
            }
        }
    }
}

/// Reads and discards some bytes; none at the end or on an error.
fn take_in(socket: &mut Socket, cx: &mut Context<'_>) -> Poll<Option<usize>> {
    let mut space = [0; LINGER_READ];
    let mut buf = ReadBuf::new(&mut space);
    let read = ready!(socket.reader().poll_read(cx, &mut buf));
    let taken = read.map_or(0, |()| buf.filled().len());
    Poll::Ready(Some(taken).filter(|taken| *taken > 0))
}

// === impl Socket ===

impl Socket {
    /// Ready when the peer has sent something, or is gone.
    ///
    /// Over TLS this may be less than a record.
    pub(super) fn poll_sent(&self, cx: &mut Context<'_>) -> Poll<()> {
        let ready = match self {
            Self::Tcp(stream) => stream.poll_read_ready(cx),
            Self::Tls(stream) => {
                let (socket, session) = stream.get_ref();
                // It has decrypted bytes that were not read.
                if !session.wants_read() {
                    return Poll::Ready(());
                }
                socket.poll_read_ready(cx)
            }
            Self::Unix(stream) => stream.poll_read_ready(cx),
        };
        // A read gives the error.
        ready.map(|_| ())
    }

    fn reader(&mut self) -> Pin<&mut (dyn AsyncRead + Unpin)> {
        Pin::new(match self {
            Self::Tcp(stream) => stream,
            Self::Tls(stream) => stream,
            Self::Unix(stream) => stream,
        })
    }

    fn writer(&mut self) -> Pin<&mut (dyn AsyncWrite + Unpin)> {
        Pin::new(match self {
            Self::Tcp(stream) => stream,
            Self::Tls(stream) => stream,
            Self::Unix(stream) => stream,
        })
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::time::Instant;

    use super::*;

    fn ending() -> (UnixStream, ClientStream) {
        let (client, ours) = UnixStream::pair().unwrap();
        let min_rate = MinRate::new(LINGER, LINGER, 0);
        (
            client,
            ClientStream::new(Socket::Unix(ours), Activity::new(), min_rate),
        )
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_sends_on_is_listened_to() {
        let (mut client, mut ours) = ending();
        let sending = async move {
            client.write_all(&vec![0; 8 << 20]).await.unwrap();
            client
        };
        let (mut client, ()) = tokio::join!(sending, async {
            ours.write_all(b"refused").await.unwrap();
            // It goes on until the client has closed as well.
            drop(tokio::time::timeout(LINGER / 2, ours.shutdown()).await);
        });
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        assert_eq!(answer, "refused");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_sends_little_is_not_listened_to_for_long() {
        let (mut client, mut ours) = ending();
        let started = Instant::now();
        let dripping = async {
            for _ in 0..600 {
                tokio::time::sleep(Duration::from_millis(100)).await;
                client.write_all(b"a").await.unwrap();
            }
        };
        tokio::select! {
            ended = ours.shutdown() => ended.unwrap(),
            () = dripping => unreachable!("our end is open"),
        }
        assert!(
            started.elapsed() < Duration::from_secs(3),
            "{:?}",
            started.elapsed()
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_dismissed_client_is_not_listened_to() {
        let (_client, mut ours) = ending();
        ours.activity.dismiss();
        let started = Instant::now();
        ours.shutdown().await.unwrap();
        assert!(started.elapsed().is_zero());
    }
}
