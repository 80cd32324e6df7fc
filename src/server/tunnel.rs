//! An upgraded connection: bytes are copied both ways until one end closes, or until both are silent for too long.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper::upgrade::OnUpgrade;
use hyper_util::server::conn::auto::upgrade::downcast;
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, sleep_until, timeout};

use super::framing::RequestFraming;
use super::http_connection::ClientIo;

/// Bytes that are copied at once.
const PIECE: usize = 16 * 1024;

/// Time to close both ends.
const CLOSING: Duration = Duration::from_secs(2);

/// The origin's end of an upgraded connection. The connection of the client takes it once the 101 is written.
#[derive(Debug)]
pub(crate) struct Tunnel(Arc<Mutex<Option<OriginEnd>>>);

/// The origin's end.
struct OriginEnd {
    stream: Box<dyn Duplex>,
    /// Released with the connection.
    _held: Box<dyn Send>,
    idle: Duration,
}

/// A stream of bytes in both directions.
trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Duplex for S {}

/// The upgrade that a client asked for, until its response is known.
#[derive(Debug)]
pub(super) struct AskedUpgrade {
    client: OnUpgrade,
    framing: RequestFraming,
    handover: Handover,
}

/// Both ends of the one upgraded connection, passed from the response to the connection.
#[derive(Debug, Clone, Default)]
pub(super) struct Handover(Arc<Mutex<Option<(OnUpgrade, OriginEnd)>>>);

/// The time when bytes last moved in either direction.
struct LastMove(Mutex<Instant>);

// === impl Tunnel ===

impl Tunnel {
    /// `held` is released when the connection ends. `idle` is the longest time without a byte in either direction.
    pub(crate) fn new(
        stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
        held: impl Send + 'static,
        idle: Duration,
    ) -> Self {
        let end = OriginEnd {
            stream: Box::new(stream),
            _held: Box::new(held),
            idle,
        };
        Self(Arc::new(Mutex::new(Some(end))))
    }
}

impl fmt::Debug for OriginEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OriginEnd")
            .field("idle", &self.idle)
            .finish_non_exhaustive()
    }
}

// === impl AskedUpgrade ===

impl AskedUpgrade {
    pub(super) const fn new(client: OnUpgrade, framing: RequestFraming, handover: Handover) -> Self {
        Self {
            client,
            framing,
            handover,
        }
    }

    /// Passes both ends to the connection. From here on the client's bytes are no HTTP.
    pub(super) fn accept(self, tunnel: &Tunnel) {
        if let Some(origin) = take(&tunnel.0) {
            self.framing.switches();
            *self.handover.0.lock() = Some((self.client, origin));
        }
    }
}

// === impl Handover ===

impl Handover {
    /// Copies until an end, if the connection was upgraded.
    pub(super) async fn run(self) {
        let Some((client, origin)) = take(&self.0) else {
            return;
        };
        let Ok(upgraded) = client.await else {
            return;
        };
        let Ok(parts) = downcast::<ClientIo>(upgraded) else {
            return;
        };
        let Some(mut client) = parts.io.into_inner().keep() else {
            return;
        };
        if !client.switch() {
            tracing::debug!("a client sent bytes before its connection was upgraded");
            return;
        }
        origin.join(client, &parts.read_buf).await;
    }
}

fn take<T>(slot: &Mutex<Option<T>>) -> Option<T> {
    slot.lock().take()
}

// === impl OriginEnd ===

impl OriginEnd {
    /// Copies both ways; `first` was read from the client already.
    async fn join(self, client: impl AsyncRead + AsyncWrite + Unpin, first: &[u8]) {
        let (mut from_client, mut to_client) = tokio::io::split(client);
        let (mut from_origin, mut to_origin) = tokio::io::split(self.stream);
        let last = LastMove(Mutex::new(Instant::now()));
        let upstream = async {
            to_origin.write_all(first).await?;
            copy(&mut from_client, &mut to_origin, &last).await
        };
        tokio::select! {
            _ = upstream => {}
            _ = copy(&mut from_origin, &mut to_client, &last) => {}
            () = last.idle(self.idle) => tracing::debug!("an upgraded connection was silent for too long"),
        }
        let closing = async { tokio::join!(to_client.shutdown(), to_origin.shutdown()) };
        let _ = timeout(CLOSING, closing).await;
    }
}

/// Copies until the source ends.
async fn copy(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    last: &LastMove,
) -> io::Result<()> {
    let mut piece = vec![0; PIECE];
    loop {
        let count = from.read(&mut piece).await?;
        let Some(bytes) = piece.get(..count).filter(|bytes| !bytes.is_empty()) else {
            return Ok(());
        };
        last.touch();
        to.write_all(bytes).await?;
        to.flush().await?;
        last.touch();
    }
}

// === impl LastMove ===

impl LastMove {
    fn touch(&self) {
        *self.0.lock() = Instant::now();
    }

    /// Waits until nothing has moved for this time.
    async fn idle(&self, limit: Duration) {
        loop {
            let due = *self.0.lock() + limit;
            if due <= Instant::now() {
                return;
            }
            sleep_until(due).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{DuplexStream, duplex};

    use super::*;

    const IDLE: Duration = Duration::from_mins(1);

    /// The far ends of a joined client and origin.
    fn joined(first: &'static [u8]) -> (DuplexStream, DuplexStream, tokio::task::JoinHandle<()>) {
        let ((client, near), (origin, end)) = (duplex(64), duplex(64));
        let end = OriginEnd {
            stream: Box::new(end),
            _held: Box::new(()),
            idle: IDLE,
        };
        let task = tokio::spawn(async move { end.join(near, first).await });
        (client, origin, task)
    }

    #[tokio::test(start_paused = true)]
    async fn bytes_pass_both_ways_until_one_end_closes() {
        let (mut client, mut origin, task) = joined(b"early ");
        let mut read = vec![0; 1006];
        let (sent, received) = tokio::join!(client.write_all(&[1; 1000]), origin.read_exact(&mut read));
        assert!(sent.is_ok() && received.is_ok());
        assert!(read.starts_with(b"early ") && read.ends_with(&[1; 1000]));
        origin.write_all(b"bye").await.unwrap();
        drop(origin);
        let mut rest = Vec::new();
        client.read_to_end(&mut rest).await.unwrap();
        assert_eq!(rest, b"bye");
        task.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn silence_in_both_directions_ends_it() {
        let (mut client, mut origin, task) = joined(b"");
        let started = Instant::now();
        for _ in 0..3 {
            tokio::time::sleep(IDLE / 2).await;
            client.write_all(b"x").await.unwrap();
            assert_eq!(origin.read_u8().await.unwrap(), b'x');
        }
        task.await.unwrap();
        assert_eq!(started.elapsed(), IDLE * 3 / 2 + IDLE);
    }
}
