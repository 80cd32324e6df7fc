//! Requests for another protocol: the edge forwards HTTP only.

use calendar_edge_core::settings::{OtherTraffic, Settings};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::support::{EVENTS, Edge, Origin, Reply};

/// The response of a site that uses the requested protocol.
const SWITCH: &str = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                      Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nKeep-Alive: 5\r\n\r\n";

/// A request for the protocol.
const ASK: &str = "GET /socket?a=1 HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive, Upgrade\r\n\
                   Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
                   Sec-WebSocket-Version: 13\r\n\r\n";

/// A site that responds to every head with the same bytes, and from then on sends back what it gets.
struct Echo {
    base: String,
    /// Heads, then everything else, piece by piece; nothing: a connection ended.
    seen: UnboundedReceiver<Vec<u8>>,
}

impl Echo {
    async fn answering(answer: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let base = format!("http://{}", listener.local_addr().expect("a bound listener"));
        let (sender, seen) = unbounded_channel();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let sender = sender.clone();
                tokio::spawn(async move {
                    let head = head(&mut stream).await;
                    let _ = sender.send(head);
                    let _ = stream.write_all(answer.as_bytes()).await;
                    echo(&mut stream, &sender).await;
                    let _ = sender.send(Vec::new());
                });
            }
        });
        Self { base, seen }
    }

    async fn edge(&self, change: impl FnOnce(&mut Settings)) -> Edge {
        let builder = Edge::builder().site(&self.base);
        let builder = builder.settings(|settings| {
            settings.other = OtherTraffic::Forward;
            change(settings);
        });
        builder.start().await
    }

    async fn next(&mut self) -> Vec<u8> {
        self.seen
            .recv()
            .await
            .expect("the origin lives as long as its test")
    }
}

/// Sends back what comes, until it ends or the end is requested.
async fn echo(stream: &mut TcpStream, seen: &UnboundedSender<Vec<u8>>) {
    let mut piece = [0; 1024];
    while let Ok(count @ 1..) = stream.read(&mut piece).await {
        let _ = seen.send(piece[..count].to_vec());
        let _ = stream.write_all(&piece[..count]).await;
        if piece[..count].ends_with(b"close") {
            return;
        }
    }
}

/// Bytes up to an empty line.
async fn head(stream: &mut TcpStream) -> Vec<u8> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => break,
        }
    }
    head
}

async fn connect(edge: &Edge) -> TcpStream {
    TcpStream::connect(edge.address())
        .await
        .expect("the edge listens")
}

/// A connection after this request, and the head of the response in lower case.
async fn asking(edge: &Edge, request: &str) -> (TcpStream, String) {
    let mut stream = connect(edge).await;
    stream.write_all(request.as_bytes()).await.expect("a request");
    let head = head(&mut stream).await;
    (
        stream,
        String::from_utf8(head).expect("text").to_ascii_lowercase(),
    )
}

#[tokio::test]
async fn what_asks_for_no_other_protocol_is_forwarded_without_the_upgrade() {
    let mut origin =
        Echo::answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").await;
    let edge = origin.edge(|_| {}).await;
    for request in [
        ASK.replace("websocket\r\n", "h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"),
        ASK.replace("websocket\r\n", "websocket, h2c\r\n"),
        ASK.replace("websocket\r\n", "websocket\r\nUpgrade: h2c\r\n"),
        ASK.replace("websocket\r\n", "TLS/1.0\r\n"),
        ASK.replace("keep-alive, Upgrade", "keep-alive"),
        ASK.replace("GET", "POST")
            .replace("\r\n\r\n", "\r\nContent-Length: 0\r\n\r\n"),
        ASK.replace("\r\n\r\n", "\r\nContent-Length: 1\r\n\r\nx"),
        ASK.replace("HTTP/1.1", "HTTP/1.0"),
    ] {
        let (_client, answer) = asking(&edge, &request).await;

        assert!(answer.contains(" 200 "), "{request}: {answer}");
        let seen = String::from_utf8(origin.next().await)
            .expect("text")
            .to_ascii_lowercase();
        assert!(!seen.contains("\r\nupgrade:"), "{seen}");
        while !origin.next().await.is_empty() {}
    }
}

#[tokio::test]
async fn a_call_of_the_calendar_is_never_upgraded() {
    let mut origin = Echo::answering(SWITCH).await;
    let edge = origin.edge(|_| {}).await;
    for target in [
        EVENTS,
        "/?rest_route=/calendar/events/v1/events",
        "/wp-json/calendar/events/v1/events/7",
    ] {
        let (_client, answer) = asking(&edge, &ASK.replace("/socket?a=1", target)).await;

        assert!(answer.starts_with("http/1.1 502 "), "{target}: {answer}");
        let seen = String::from_utf8(origin.next().await)
            .expect("text")
            .to_ascii_lowercase();
        assert!(
            !seen.contains("\r\nupgrade:") && !seen.contains("sec-websocket"),
            "{seen}"
        );
        while !origin.next().await.is_empty() {}
    }
}

#[tokio::test]
async fn a_request_for_another_protocol_is_refused_and_never_reaches_the_site() {
    let origin = Origin::answering(|_| Reply::json(200, "{}")).await;
    let edge = Edge::builder().site(&origin.base());
    let edge = edge.settings(|settings| settings.other = OtherTraffic::Forward);
    let edge = edge.start().await;
    let (mut client, answer) = asking(&edge, ASK).await;
    assert!(answer.starts_with("http/1.1 501 "), "{answer}");
    let mut body = [0; 48];
    client.read_exact(&mut body).await.expect("a body");
    let body = String::from_utf8_lossy(&body).into_owned();
    assert!(body.contains("edge_no_upgrade"), "{body}");
    assert!(origin.take_seen().iter().all(|seen| seen.target != "/socket?a=1"));
}
