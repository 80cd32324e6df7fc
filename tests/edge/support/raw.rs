//! A client that sends bytes as they are given.

use std::net::{IpAddr, SocketAddr};

use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpSocket, TcpStream};

/// A connection that sends raw bytes.
#[derive(Debug)]
pub(crate) struct RawClient {
    stream: BufReader<TcpStream>,
}

/// An HTTP/1.1 response, read by its Content-Length or to the end.
#[derive(Debug)]
pub(crate) struct RawAnswer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

/// A request for this target, over HTTP/1.1 and with nothing but a host.
pub(crate) fn raw_get(target: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n")
}

// === impl RawClient ===

impl RawClient {
    /// Connects to an address.
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.expect("the edge listens");
        Self {
            stream: BufReader::new(stream),
        }
    }

    /// Connects from another address of this machine.
    pub(crate) async fn connect_from(source: IpAddr, address: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket
            .bind(SocketAddr::new(source, 0))
            .expect("an address of the loopback network");
        let stream = socket.connect(address).await.expect("the edge listens");
        Self {
            stream: BufReader::new(stream),
        }
    }

    /// Sends bytes; a connection that the edge has closed is not an error.
    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        let _ = self.stream.write_all(bytes.as_ref()).await;
        self
    }

    /// Sends a block repeatedly until the edge closes the connection; returns the number of blocks.
    pub(crate) async fn send_until_closed(&mut self, block: &[u8], most: usize) -> usize {
        for sent in 0..most {
            if self.stream.write_all(block).await.is_err() {
                return sent;
            }
        }
        most
    }

    /// Reads one response to a request other than HEAD; interim responses are skipped.
    pub(crate) async fn answer(&mut self) -> RawAnswer {
        let mut answer = self.head().await;
        while answer.status < 200 {
            answer = self.head().await;
        }
        let length = answer.header("content-length").map(str::parse::<usize>);
        let mut body = Vec::new();
        match length {
            Some(length) => {
                body.resize(length.expect("a number"), 0);
                self.stream.read_exact(&mut body).await.expect("a whole body");
            }
            None => drop(self.stream.read_to_end(&mut body).await.expect("a body")),
        }
        answer.body = String::from_utf8(body).expect("text");
        answer
    }

    /// Reads only the head of a response.
    pub(crate) async fn head(&mut self) -> RawAnswer {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(self.stream.read_u8().await.expect("a whole head"));
        }
        let head = String::from_utf8(head).expect("a head of text");
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .expect("a status");
        RawAnswer {
            status,
            head,
            body: String::new(),
        }
    }

    /// Everything up to the end of the connection.
    pub(crate) async fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        // A reset is an end as well.
        let _ = self.stream.read_to_end(&mut rest).await;
        rest
    }
}

// === impl RawAnswer ===

impl RawAnswer {
    /// The first value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}
