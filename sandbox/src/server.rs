//! The socket: HTTP/1.1 with keep-alive on a loopback address, until it is stopped or dropped.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use url::Url;

use super::account;
use super::address::Address;
use super::clock::Clock;
use super::examples;
use super::planted::Planted;
use super::rest_error::RestError;
use super::site::Site;

/// Bytes of a request body that are read.
const BODY_BYTES: usize = 1024 * 1024;

/// Connections at once; more wait in the socket's queue.
const CONNECTIONS: usize = 256;

/// How long a client may take for a request's head, and for its body.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long to wait when the system has no file handles left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A running sandbox; dropping it closes its socket and its connections.
#[derive(Debug)]
pub struct Sandbox {
    socket: SocketAddr,
    rest_root: Url,
    closing: CancellationToken,
    tasks: TaskTracker,
}

// === impl Sandbox ===

impl Sandbox {
    /// Starts a sandbox with the sample calendar on an address; port 0 takes a free one.
    ///
    /// # Errors
    /// When the address can't be listened on.
    pub async fn start(address: SocketAddr) -> io::Result<Self> {
        Self::start_at(address, Clock::System).await
    }

    /// As [`Sandbox::start`], with the given clock.
    ///
    /// # Errors
    /// When the address can't be listened on.
    pub async fn start_at(address: SocketAddr, clock: Clock) -> io::Result<Self> {
        Self::launch(address, clock, Planted::Nothing, None).await
    }

    /// As [`Sandbox::start`], with something planted in its responses.
    ///
    /// # Errors
    /// When the address can't be listened on.
    pub async fn start_planted(address: SocketAddr, planted: Planted) -> io::Result<Self> {
        Self::launch(address, Clock::System, planted, None).await
    }

    /// As [`Sandbox::start_planted`], with the addresses of this sandbox in its responses: a second calendar that
    /// replaces it.
    ///
    /// # Errors
    /// When the address can't be listened on.
    pub async fn start_second(&self, address: SocketAddr, planted: Planted) -> io::Result<Self> {
        Self::launch(address, Clock::System, planted, Some(self.socket)).await
    }

    async fn launch(
        address: SocketAddr,
        clock: Clock,
        planted: Planted,
        printed: Option<SocketAddr>,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let socket = listener.local_addr()?;
        let rest_root = Url::parse(&Address::new(socket).rest_root()).map_err(io::Error::other)?;
        let address = Address::new(printed.unwrap_or(socket));
        let site = Arc::new(Site::new(address, rest_root.clone(), clock, planted));
        let sandbox = Self {
            socket,
            rest_root,
            closing: CancellationToken::new(),
            tasks: TaskTracker::new(),
        };
        let accepting = accept(listener, site, sandbox.closing.clone(), sandbox.tasks.clone());
        sandbox.tasks.spawn(accepting);
        Ok(sandbox)
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

    /// The login name of the administrator.
    pub fn username(&self) -> &'static str {
        account::ACCOUNTS[0].name
    }

    /// The application password of every account, for Basic authentication. Not a secret.
    pub fn password(&self) -> &'static str {
        account::PASSWORD
    }

    /// `curl` lines to try, for a calendar published at this root: `http://127.0.0.1:8787/wp-json`.
    pub fn try_lines(&self, public_root: &str) -> String {
        examples::lines(public_root)
    }

    /// Closes the socket and all connections, and waits until they are gone.
    pub async fn stop(self) {
        self.closing.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.closing.cancel();
        self.tasks.close();
    }
}

async fn accept(listener: TcpListener, site: Arc<Site>, closing: CancellationToken, tasks: TaskTracker) {
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
        let (site, closing) = (Arc::clone(&site), closing.clone());
        tasks.spawn(async move {
            tokio::select! {
                () = closing.cancelled() => {}
                () = converse(stream, site) => {}
            }
            drop(seat);
        });
    }
}

/// Serves one connection; a client that breaks off is nobody's fault.
async fn converse(stream: TcpStream, site: Arc<Site>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let site = Arc::clone(&site);
        async move { Ok::<_, Infallible>(respond(&site, request).await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
    let _ = http.serve_connection(TokioIo::new(stream), service).await;
}

async fn respond(site: &Site, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let (parts, body) = request.into_parts();
    let collected = tokio::time::timeout(PATIENCE, Limited::new(body, BODY_BYTES).collect()).await;
    let encoded = match collected {
        Ok(Ok(body)) => site.respond(&parts, &body.to_bytes()),
        // Too large, too slow or broken off: in the last two cases nobody listens any more.
        Ok(Err(_)) | Err(_) => site.refuse(&parts, RestError::TooLarge),
    };
    let mut response = Response::new(Full::new(encoded.body));
    *response.status_mut() = encoded.status;
    *response.headers_mut() = encoded.headers;
    response
}
