//! An origin that records requests and responds from a script.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{HeaderMap, Method, Request};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

use super::ports::{Port, closed_port};
use super::reply::Reply;

/// A request as received by the origin.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) method: Method,
    /// Path and query, exactly as they were sent.
    pub(crate) target: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// A site on port 0, stopped when dropped.
#[derive(Debug)]
pub(crate) struct Origin {
    address: SocketAddr,
    /// Outlives [`Self::kill`], so that no other test gets the address.
    port: Option<Port>,
    seen: Arc<Mutex<Vec<Seen>>>,
    connections: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

type Script = Arc<dyn Fn(&Seen) -> Reply + Send + Sync>;

// === impl Seen ===

impl Seen {
    /// The one value of a header; panics on two.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let value = values.next()?.to_str().expect("a header of text");
        assert!(values.next().is_none(), "{name} came twice");
        Some(value)
    }
}

// === impl Origin ===

impl Origin {
    /// Responds to every request from a script, over HTTP/1.1 or HTTP/2.
    pub(crate) async fn answering(script: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        Self::answering_with(move |seen, _| script(seen)).await
    }

    /// The same by a script that knows the origin's scheme and authority.
    pub(crate) async fn answering_with(
        script: impl Fn(&Seen, &str) -> Reply + Send + Sync + 'static,
    ) -> Self {
        Self::at(SocketAddr::from(([127, 0, 0, 1], 0)), script).await
    }

    /// The same at a given free address.
    pub(crate) async fn at(
        address: SocketAddr,
        script: impl Fn(&Seen, &str) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let port = Port::bound(address);
        let address = port.address();
        let listener = TcpListener::bind(address).await.expect("a port of ours");
        let base = format!("http://{address}");
        let seen = Arc::default();
        let connections = Arc::default();
        let script: Script = Arc::new(move |seen| script(seen, &base));
        let task = tokio::spawn(accept(
            listener,
            Arc::clone(&seen),
            Arc::clone(&connections),
            script,
        ));
        Self {
            address,
            port: Some(port),
            seen,
            connections,
            task,
        }
    }

    /// Ends it with all of its connections. Its address is free for [`Self::at`] only.
    pub(crate) async fn kill(mut self) -> SocketAddr {
        self.port.take().map(Port::close);
        self.task.abort();
        while !self.task.is_finished() {
            tokio::task::yield_now().await;
        }
        self.address
    }

    /// Responds to every request with the same reply.
    pub(crate) async fn always(reply: Reply) -> Self {
        Self::answering(move |_| reply.clone()).await
    }

    /// Reads a head, sends these bytes whatever they are, and closes.
    pub(crate) async fn sending(bytes: &'static [u8]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound listener");
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(send_raw(stream, bytes));
            }
        });
        Self {
            address,
            port: None,
            seen: Arc::default(),
            connections: Arc::default(),
            task,
        }
    }

    /// An address without a listener, which no other test gets.
    pub(crate) fn down() -> Self {
        Self {
            address: closed_port(),
            port: None,
            seen: Arc::default(),
            connections: Arc::default(),
            task: tokio::spawn(std::future::ready(())),
        }
    }

    /// Scheme and authority.
    pub(crate) fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The number of connections so far.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Every request so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("no test panics while holding it").clone()
    }

    /// Every request since the last call.
    pub(crate) fn take_seen(&self) -> Vec<Seen> {
        std::mem::take(&mut *self.seen.lock().expect("no test panics while holding it"))
    }

    /// The only request so far.
    pub(crate) fn only(&self) -> Seen {
        let mut seen = self.seen();
        assert_eq!(seen.len(), 1, "{seen:?}");
        seen.remove(0)
    }
}

impl Drop for Origin {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(
    listener: TcpListener,
    seen: Arc<Mutex<Vec<Seen>>>,
    connections: Arc<AtomicUsize>,
    script: Script,
) {
    // They end with this task.
    let mut tasks = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        connections.fetch_add(1, Ordering::SeqCst);
        let seen = Arc::clone(&seen);
        let script = Arc::clone(&script);
        let service = service_fn(move |request| serve(request, Arc::clone(&seen), Arc::clone(&script)));
        tasks.spawn(async move {
            // Many tests disconnect the client.
            let _ = auto::Builder::new(TokioExecutor::new())
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

async fn serve(
    request: Request<Incoming>,
    seen: Arc<Mutex<Vec<Seen>>>,
    script: Script,
) -> Result<http::Response<http_body_util::Full<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    let this = Seen {
        method: head.method,
        target: head
            .uri
            .path_and_query()
            .map(ToString::to_string)
            .unwrap_or_default(),
        headers: head.headers,
        body: body
            .collect()
            .await
            .map(http_body_util::Collected::to_bytes)
            .unwrap_or_default(),
    };
    let reply = script(&this);
    seen.lock().expect("no test panics while holding it").push(this);
    Ok(reply.play().await)
}

async fn send_raw(mut stream: TcpStream, bytes: &'static [u8]) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    // The edge may have disconnected already, as it may.
    let _ = stream.write_all(bytes).await;
    let _ = stream.shutdown().await;
}
