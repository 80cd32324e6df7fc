//! For unit tests of the stages that send: a backend on the loopback that gives one response, or none.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

/// A backend that counts the requests that it gets.
pub(crate) struct FakeBackend {
    /// Its REST root.
    pub(crate) url: Url,
    requests: Arc<AtomicUsize>,
}

// === impl FakeBackend ===

impl FakeBackend {
    /// A backend that responds to everything with this status and body.
    pub(crate) async fn responding(status: u16, kind: &str, body: &str) -> Self {
        let length = body.len();
        Self::new(Some(format!(
            "HTTP/1.1 {status} -\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
        )))
        .await
    }

    /// A backend that accepts requests, and stays silent.
    pub(crate) async fn silent() -> Self {
        Self::new(None).await
    }

    async fn new(response: Option<String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let requests = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&requests);
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(serve(connection, response.clone(), Arc::clone(&count)));
            }
        });
        Self {
            url: format!("http://{address}/wp-json").parse().expect("a URL"),
            requests,
        }
    }

    /// The number of requests so far.
    pub(crate) fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }
}

async fn serve(mut connection: TcpStream, response: Option<String>, count: Arc<AtomicUsize>) {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        match connection.read_buf(&mut head).await {
            Ok(1..) => {}
            _ => return,
        }
    }
    count.fetch_add(1, Ordering::Relaxed);
    match response {
        Some(response) => _ = connection.write_all(response.as_bytes()).await,
        None => std::future::pending().await,
    }
}
