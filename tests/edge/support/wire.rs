//! An origin that sends raw bytes, pauses and endings from a list of steps.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

/// One step of a wire origin.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Sends these bytes.
    Send(Vec<u8>),
    /// Sends them one by one, this long apart.
    Drip(Vec<u8>, Duration),
    /// Sends them repeatedly until the edge disconnects.
    Flood(Vec<u8>),
    /// Sends nothing more until the edge disconnects.
    Hang,
    /// Closes the connection.
    Close,
    /// Breaks the connection.
    Reset,
}

/// A site that plays steps after each request; stopped when dropped.
#[derive(Debug)]
pub(crate) struct Wire {
    address: SocketAddr,
    log: Arc<Log>,
    task: JoinHandle<()>,
}

/// The requests and connections of a wire origin.
#[derive(Debug)]
struct Log {
    requests: Mutex<Vec<String>>,
    /// Connections so far.
    opened: watch::Sender<usize>,
    /// Closed connections.
    ended: watch::Sender<usize>,
    /// Requests that wait behind [`Step::Hang`].
    hanging: watch::Sender<usize>,
}

type Script = Arc<dyn Fn(&str, usize) -> Vec<Step> + Send + Sync>;

/// The state of a connection after a step.
enum After {
    Open,
    Ended,
}

// === impl Step ===

impl Step {
    pub(crate) fn send(bytes: impl AsRef<[u8]>) -> Self {
        Self::Send(bytes.as_ref().to_vec())
    }

    /// A valid response with this JSON.
    pub(crate) fn json(body: &str) -> Self {
        let length = body.len();
        Self::send(format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        ))
    }

    async fn play(&self, stream: &mut BufReader<TcpStream>, log: &Log) -> After {
        let played = match self {
            Self::Send(bytes) => stream.write_all(bytes).await,
            Self::Drip(bytes, pause) => drip(stream, bytes, *pause).await,
            Self::Flood(bytes) => loop {
                if let Err(error) = stream.write_all(bytes).await {
                    break Err(error);
                }
            },
            Self::Hang => {
                log.hanging.send_modify(|hanging| *hanging += 1);
                // Any result means that the edge has disconnected.
                let _ = stream.read_u8().await;
                return After::Ended;
            }
            Self::Close => {
                let _ = stream.shutdown().await;
                return After::Ended;
            }
            Self::Reset => {
                stream.get_ref().set_zero_linger().expect("a TCP socket");
                return After::Ended;
            }
        };
        if played.is_ok() { After::Open } else { After::Ended }
    }
}

async fn drip(stream: &mut BufReader<TcpStream>, bytes: &[u8], pause: Duration) -> std::io::Result<()> {
    let mut clock = tokio::time::interval(pause);
    for byte in bytes {
        clock.tick().await;
        stream.write_all(&[*byte]).await?;
    }
    Ok(())
}

// === impl Wire ===

impl Wire {
    /// Plays the steps that a script chooses by a request's head and its number, from 0.
    pub(crate) async fn playing(script: impl Fn(&str, usize) -> Vec<Step> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound listener");
        let log = Arc::new(Log {
            requests: Mutex::default(),
            opened: watch::Sender::new(0),
            ended: watch::Sender::new(0),
            hanging: watch::Sender::new(0),
        });
        let task = tokio::spawn(accept(listener, Arc::clone(&log), Arc::new(script)));
        Self { address, log, task }
    }

    /// Plays the same steps after every request.
    pub(crate) async fn always(steps: Vec<Step>) -> Self {
        Self::playing(move |_, _| steps.clone()).await
    }

    /// Scheme and authority.
    pub(crate) fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The heads of all requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.log
            .requests
            .lock()
            .expect("no test panics while holding it")
            .clone()
    }

    /// The number of connections so far.
    pub(crate) fn connections(&self) -> usize {
        *self.log.opened.borrow()
    }

    /// Waits until this number of requests hang.
    pub(crate) async fn hanging(&self, requests: usize) {
        reaches(&self.log.hanging, requests).await;
    }

    /// Waits until this number of connections are closed.
    pub(crate) async fn ended(&self, connections: usize) {
        reaches(&self.log.ended, connections).await;
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn reaches(counter: &watch::Sender<usize>, least: usize) {
    let mut counter = counter.subscribe();
    let reached = counter.wait_for(|count| *count >= least).await;
    reached.expect("the origin lives as long as its test");
}

async fn accept(listener: TcpListener, log: Arc<Log>, script: Script) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        log.opened.send_modify(|opened| *opened += 1);
        let (log, script) = (Arc::clone(&log), Arc::clone(&script));
        connections.spawn(async move {
            serve(BufReader::new(stream), &log, &script).await;
            log.ended.send_modify(|ended| *ended += 1);
        });
    }
}

async fn serve(mut stream: BufReader<TcpStream>, log: &Log, script: &Script) {
    while let Some(head) = request(&mut stream).await {
        let number = {
            let mut requests = log.requests.lock().expect("no test panics while holding it");
            requests.push(head.clone());
            requests.len() - 1
        };
        for step in script(&head, number) {
            if let After::Ended = step.play(&mut stream, log).await {
                return;
            }
        }
    }
}

/// The head of the next request, once its body has been read.
async fn request(stream: &mut BufReader<TcpStream>) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).expect("the edge writes text");
    let lower = head.to_ascii_lowercase();
    let length = lower
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().expect("a number"))];
    stream.read_exact(&mut body).await.ok()?;
    Some(head)
}
