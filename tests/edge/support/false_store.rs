//! A server with the protocol of Redis that misbehaves by script.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use calendar_edge_core::settings::StoreAddress;
use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinHandle;

use super::program::Directory;

/// A relay before a real server, which spoils its replies. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct FalseStore {
    directory: Directory,
    state: Arc<RelayState>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct RelayState {
    server: PathBuf,
    mischief: Mutex<Mischief>,
    spoilt: AtomicUsize,
    flooded: AtomicUsize,
}

/// The fault of the replies to scripts and to `SET`, which are all that edges send once they are connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mischief {
    /// Nothing.
    None,
    /// No reply.
    Hang,
    /// The first bytes of a reply.
    Half,
    /// An error with this text.
    Error(&'static str),
    /// Bytes that are no protocol.
    Garbage,
    /// A reply that is whole and has no meaning.
    Other(&'static str),
    /// The end of the connection.
    Close,
    /// A value without an end, as long as it is read.
    Flood,
    /// A clock that is so many seconds late, where the reply has the time.
    Late(u64),
}

// === impl FalseStore ===

impl FalseStore {
    /// Relays to a real server at this address.
    pub(crate) fn before(server: &StoreAddress) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let StoreAddress::Unix(server) = server else {
            panic!("a Unix socket")
        };
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let directory = Directory::new(&format!("false-store-{count}"));
        let listener = UnixListener::bind(directory.path().join("s")).expect("a socket");
        let state = Arc::new(RelayState {
            server: server.clone(),
            mischief: Mutex::new(Mischief::None),
            spoilt: AtomicUsize::new(0),
            flooded: AtomicUsize::new(0),
        });
        let relaying = Arc::clone(&state);
        let task = tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.expect("a connection");
                tokio::spawn(Arc::clone(&relaying).relay(client));
            }
        });
        Self {
            directory,
            state,
            task,
        }
    }

    /// Its address.
    pub(crate) fn address(&self) -> StoreAddress {
        StoreAddress::Unix(self.directory.path().join("s"))
    }

    /// Misbehaves like this from now on.
    pub(crate) fn misbehave(&self, mischief: Mischief) {
        *self.state.mischief.lock() = mischief;
        self.state.spoilt.store(0, Ordering::SeqCst);
    }

    /// The bytes of floods that were taken.
    pub(crate) fn flooded(&self) -> usize {
        self.state.flooded.load(Ordering::SeqCst)
    }

    /// The replies that were spoilt since.
    pub(crate) fn spoilt(&self) -> usize {
        self.state.spoilt.load(Ordering::SeqCst)
    }
}

impl Drop for FalseStore {
    fn drop(&mut self) {
        self.task.abort();
    }
}

// === impl RelayState ===

impl RelayState {
    /// Passes one command after another, and its reply back.
    async fn relay(self: Arc<Self>, client: UnixStream) -> Option<()> {
        let server = UnixStream::connect(&self.server).await.ok()?;
        let (mut client, mut server) = (BufReader::new(client), BufReader::new(server));
        loop {
            let command = value(&mut client).await?;
            server.write_all(&command).await.ok()?;
            let answer = value(&mut server).await?;
            let mischief = *self.mischief.lock();
            let is_spoilt = match mischief {
                Mischief::None => false,
                Mischief::Late(_) => tells_time(&command),
                _ => is_exchange(&command),
            };
            if !is_spoilt {
                client.write_all(&answer).await.ok()?;
                continue;
            }
            self.spoilt.fetch_add(1, Ordering::SeqCst);
            match mischief {
                Mischief::None => {}
                Mischief::Hang => std::future::pending().await,
                Mischief::Half => {
                    client.write_all(&answer[..answer.len() / 2]).await.ok()?;
                    std::future::pending::<()>().await;
                }
                Mischief::Error(text) => client.write_all(format!("-{text}\r\n").as_bytes()).await.ok()?,
                Mischief::Garbage => client.write_all(b"\0garbage\r\n").await.ok()?,
                Mischief::Other(text) => client.write_all(text.as_bytes()).await.ok()?,
                Mischief::Close => return None,
                Mischief::Flood => {
                    let mut piece: &[u8] = b"$2000000000\r\n";
                    loop {
                        client.write_all(piece).await.ok()?;
                        self.flooded.fetch_add(piece.len(), Ordering::SeqCst);
                        piece = &[b'x'; 16 * 1024];
                    }
                }
                Mischief::Late(seconds) => client.write_all(&set_back(answer, seconds)).await.ok()?,
            }
        }
    }
}

/// True for reads of the log, and of the server's description of itself.
fn tells_time(command: &[u8]) -> bool {
    let text = String::from_utf8_lossy(command);
    ["'XREAD'", "'INFO', section"]
        .iter()
        .any(|part| text.contains(part))
}

/// The same bytes with each time of about now that much earlier, in as many digits.
fn set_back(mut answer: Vec<u8>, seconds: u64) -> Vec<u8> {
    let epoch = std::time::UNIX_EPOCH.elapsed().expect("a clock").as_secs();
    for at in 0..answer.len().saturating_sub(9) {
        let digits = std::str::from_utf8(&answer[at..at + 10]).unwrap_or_default();
        let time: u64 = digits.parse().unwrap_or_default();
        if time.abs_diff(epoch) < 60 {
            let earlier = (time - seconds).to_string();
            answer[at..at + 10].copy_from_slice(earlier.as_bytes());
        }
    }
    answer
}

/// True for the commands of an exchange; to connect takes others.
fn is_exchange(command: &[u8]) -> bool {
    let starts =
        |name: &str| command.split(|byte| *byte == b'\n').nth(2) == Some(format!("{name}\r").as_bytes());
    starts("EVAL") || starts("SET")
}

/// The bytes of one value, with all values within.
async fn value(reader: &mut BufReader<UnixStream>) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut missing = 1_usize;
    while missing > 0 {
        missing -= 1;
        let start = bytes.len();
        reader.read_until(b'\n', &mut bytes).await.ok()?;
        let line = std::str::from_utf8(bytes.get(start..)?).ok()?.trim_end();
        let length = |line: &str| {
            line[1..]
                .parse::<i64>()
                .ok()
                .and_then(|length| usize::try_from(length).ok())
        };
        match line.chars().next()? {
            '*' => missing += length(line).unwrap_or_default(),
            '$' => {
                if let Some(length) = length(line) {
                    let start = bytes.len();
                    bytes.resize(start + length + 2, 0);
                    reader.read_exact(bytes.get_mut(start..)?).await.ok()?;
                }
            }
            _ => {}
        }
    }
    Some(bytes)
}
