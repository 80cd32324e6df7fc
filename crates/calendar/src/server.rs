//! The socket: HTTP/1.1 with keep-alive on a loopback address, until it is stopped or dropped.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use jiff::Timestamp;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use url::Url;

use crate::calendar::{Calendar, rest_root};

/// Bytes of a request body that are read.
const BODY_BYTES: usize = 1024 * 1024;

/// Connections at once; more wait in the socket's queue.
const CONNECTIONS: usize = 256;

/// The longest time of a client for a request's head, and for its body.
const PATIENCE: Duration = Duration::from_secs(30);

/// The pause when the system has no file handles left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A running calendar; dropping it closes its socket and its connections.
#[derive(Debug)]
pub struct CalendarServer {
    socket: SocketAddr,
    rest_root: Url,
    closing: CancellationToken,
    tasks: TaskTracker,
}

// === impl CalendarServer ===

impl CalendarServer {
    /// Starts the sample calendar in memory; port 0 takes a free one.
    ///
    /// # Errors
    /// When the address can't be listened on.
    pub async fn start(address: SocketAddr) -> io::Result<Self> {
        Self::start_sample(address, None, None).await
    }

    /// The same, with a clock that stands still, or with the addresses of another server in its responses: a second
    /// calendar that replaces that one.
    ///
    /// # Errors
    /// When the address can't be listened on.
    pub async fn start_sample(
        address: SocketAddr,
        now: Option<Timestamp>,
        printed: Option<SocketAddr>,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let printed = printed.unwrap_or(listener.local_addr()?);
        Self::serve(listener, Calendar::sample(printed, now)?)
    }

    /// Serves a calendar.
    ///
    /// # Errors
    /// When the socket has no address.
    pub fn serve(listener: TcpListener, calendar: Calendar) -> io::Result<Self> {
        let socket = listener.local_addr()?;
        let server = Self {
            socket,
            rest_root: rest_root(socket)?,
            closing: CancellationToken::new(),
            tasks: TaskTracker::new(),
        };
        let accepting = accept(
            listener,
            Arc::new(calendar),
            server.closing.clone(),
            server.tasks.clone(),
        );
        server.tasks.spawn(accepting);
        Ok(server)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.socket
    }

    /// The REST root of the site: `http://127.0.0.1:PORT/wp-json`. The calendar is below
    /// [`PLUGIN_NAMESPACE`](calendar_edge_judge::contract::PLUGIN_NAMESPACE).
    pub fn rest_root(&self) -> &Url {
        &self.rest_root
    }

    /// Closes the socket and all connections, and waits until they are gone.
    pub async fn stop(self) {
        self.closing.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

impl Drop for CalendarServer {
    fn drop(&mut self) {
        self.closing.cancel();
        self.tasks.close();
    }
}

async fn accept(
    listener: TcpListener,
    calendar: Arc<Calendar>,
    closing: CancellationToken,
    tasks: TaskTracker,
) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(seat) = Arc::clone(&room).acquire_owned().await else {
            return;
        };
        let accepted = tokio::select! {
            () = closing.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let (calendar, closing) = (Arc::clone(&calendar), closing.clone());
        tasks.spawn(async move {
            tokio::select! {
                () = closing.cancelled() => {}
                () = converse(stream, calendar) => {}
            }
            drop(seat);
        });
    }
}

/// Serves one connection; a client that breaks off is no fault.
async fn converse(stream: TcpStream, calendar: Arc<Calendar>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let calendar = Arc::clone(&calendar);
        async move { Ok::<_, Infallible>(respond(&calendar, request).await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
    let _ = http.serve_connection(TokioIo::new(stream), service).await;
}

async fn respond(calendar: &Calendar, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let (parts, body) = request.into_parts();
    let collected = tokio::time::timeout(PATIENCE, Limited::new(body, BODY_BYTES).collect()).await;
    if let Ok(Ok(body)) = collected {
        return calendar.respond(&parts, &body.to_bytes()).map(Full::new);
    }
    // Too large, too slow or broken off: in the last two cases no client reads the response.
    let mut refused = Response::default();
    *refused.status_mut() = StatusCode::PAYLOAD_TOO_LARGE;
    refused
}
