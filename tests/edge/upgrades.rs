//! Connections of the rest of the site that become those of another protocol.

use std::time::Duration;

use calendar_edge_core::settings::{OtherTraffic, Settings};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::support::{EVENTS, Edge, Origin};

/// What a site says that speaks the protocol it is asked for.
const SWITCH: &str = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                      Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nKeep-Alive: 5\r\n\r\n";

/// A request for the protocol.
const ASK: &str = "GET /socket?a=1 HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive, Upgrade\r\n\
                   Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
                   Sec-WebSocket-Version: 13\r\n\r\n";

/// A site that answers every head with the same bytes, and from then on sends back what it gets.
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

/// Sends back what comes, until it ends or asks for the end.
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

/// Sends bytes and reads as many.
async fn echoed(stream: &mut TcpStream, bytes: &[u8]) -> Vec<u8> {
    stream.write_all(bytes).await.expect("an open connection");
    let mut echo = vec![0; bytes.len()];
    stream.read_exact(&mut echo).await.expect("an echo");
    echo
}

async fn rest(stream: &mut TcpStream) -> Vec<u8> {
    let mut rest = Vec::new();
    // A reset is an end as well.
    let _ = stream.read_to_end(&mut rest).await;
    rest
}

#[tokio::test]
async fn bytes_pass_both_ways_after_the_switch() {
    let mut origin = Echo::answering(SWITCH).await;
    let edge = origin.edge(|_| {}).await;

    let (mut client, answer) = asking(&edge, ASK).await;

    assert!(answer.starts_with("http/1.1 101 "), "{answer}");
    for (line, is_there) in [
        ("\r\nupgrade: websocket\r\n", true),
        ("\r\nconnection: upgrade\r\n", true),
        ("\r\nsec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo=\r\n", true),
        ("keep-alive", false),
        ("content-length", false),
        ("transfer-encoding", false),
    ] {
        assert_eq!(answer.contains(line), is_there, "{line}: {answer}");
    }
    let seen = String::from_utf8(origin.next().await)
        .expect("text")
        .to_ascii_lowercase();
    for line in [
        "get /socket?a=1 http/1.1\r\n",
        "\r\nupgrade: websocket\r\n",
        "\r\nconnection: upgrade\r\n",
        "\r\nsec-websocket-version: 13\r\n",
        "\r\nx-forwarded-for: 127.0.0.1\r\n",
    ] {
        assert!(seen.contains(line), "{line}: {seen}");
    }
    // Nothing of this is HTTP, and some of it looks like a bad head.
    for bytes in [
        b"\x81\x05hello".as_slice(),
        b"\0\r\n\r\n",
        b"POST / HTTP/9\r\nA : b\r\n\r\n",
    ] {
        assert_eq!(echoed(&mut client, bytes).await, bytes);
        assert_eq!(origin.next().await, bytes);
    }
    let large = vec![7; 300_000];
    assert_eq!(echoed(&mut client, &large).await, large);
}

#[tokio::test]
async fn the_end_of_one_side_is_the_end_of_the_other() {
    let mut origin = Echo::answering(SWITCH).await;
    let edge = origin.edge(|_| {}).await;

    let (mut client, _) = asking(&edge, ASK).await;
    origin.next().await;
    client.write_all(b"close").await.expect("an open connection");
    assert_eq!(rest(&mut client).await, b"close");

    assert_eq!(
        (origin.next().await, origin.next().await),
        (b"close".to_vec(), Vec::new())
    );
    let (client, _) = asking(&edge, ASK).await;
    origin.next().await;
    drop(client);
    assert_eq!(origin.next().await, b"");
}

#[tokio::test]
async fn another_answer_is_relayed_and_the_connection_stays_http() {
    let answer = "HTTP/1.1 426 Upgrade Required\r\nSec-WebSocket-Version: 8\r\nContent-Length: 2\r\n\r\nno";
    let mut origin = Echo::answering(answer).await;
    let edge = origin.edge(|_| {}).await;

    let (mut client, answer) = asking(&edge, ASK).await;

    assert!(answer.starts_with("http/1.1 426 ") && answer.contains("sec-websocket-version: 8"));
    let mut body = [0; 2];
    client.read_exact(&mut body).await.expect("a body");
    assert_eq!(&body, b"no");
    origin.next().await;
    // The next request is judged, and does not reach the site.
    let call = format!("GET {EVENTS}?page=none HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    client.write_all(call.as_bytes()).await.expect("a request");
    let refused = String::from_utf8(rest(&mut client).await).expect("text");
    assert!(
        refused.starts_with("HTTP/1.1 400 ") && refused.contains("rest_invalid_param"),
        "{refused}"
    );
}

/// A proxy that takes every request for an upgrade as granted would pass what follows unseen.
#[tokio::test]
async fn nothing_that_comes_before_the_switch_passes() {
    for early in [
        "GET /wp-admin/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /half HTTP/1.1\r\n",
        "\u{81}\u{5}hello",
    ] {
        let mut origin = Echo::answering(SWITCH).await;
        let edge = origin.edge(|_| {}).await;

        let (mut client, _) = asking(&edge, &format!("{ASK}{early}")).await;

        rest(&mut client).await;
        assert!(origin.next().await.starts_with(b"GET /socket"));
        assert_eq!(origin.next().await, b"", "{early}");
    }
}

#[tokio::test]
async fn only_a_well_formed_request_for_another_protocol_is_passed_on() {
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
async fn t63_a_switch_that_was_not_asked_for_is_a_broken_answer() {
    let page = "GET /socket HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let other = SWITCH.replace("websocket", "irc").leak();
    let none = SWITCH.replace("Upgrade: websocket\r\n", "").leak();
    for (answer, request) in [(SWITCH, page), (other, ASK), (none, ASK)] {
        let origin = Echo::answering(answer).await;
        let edge = origin.edge(|_| {}).await;
        let (_client, answer) = asking(&edge, request).await;
        assert!(answer.starts_with("http/1.1 502 "), "{answer}");
    }
    let secret =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\nsecret";
    let origin = Origin::sending(secret.as_bytes()).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.other = OtherTraffic::Forward);
    let answer = edge.start().await.get("/").await;
    assert_eq!(
        (answer.status.as_u16(), answer.code().as_str()),
        (502, "edge_origin_failed")
    );
}

/// Upgraded connections last for hours: they must hold nothing that pages need.
#[tokio::test]
async fn upgraded_connections_have_permits_of_their_own() {
    let mut origin = Echo::answering(SWITCH).await;
    let edge = origin
        .edge(|settings| {
            settings.origin.upgrades = 1;
            settings.origin.site_in_flight = Some(1);
        })
        .await;
    let (mut first, _) = asking(&edge, ASK).await;
    origin.next().await;

    let (_second, answer) = asking(&edge, ASK).await;
    assert!(
        answer.starts_with("http/1.1 503 ") && answer.contains("retry-after"),
        "{answer}"
    );
    // A page takes the one permit of pages; its answer is broken, which does not matter here.
    let page = edge.get("/").await;
    assert_eq!(page.status, 502);
    origin.next().await;
    let metrics = edge.admin("/metrics").await.body;
    let held = format!(
        r#"edge_origin_permits_in_use{{backend="{}",traffic="upgraded"}} 1"#,
        origin.base
    );
    assert!(metrics.contains(&held), "{metrics}");

    assert_eq!(echoed(&mut first, b"x").await, b"x");
    drop(first);
    loop {
        let (_third, answer) = asking(&edge, ASK).await;
        if answer.starts_with("http/1.1 101 ") {
            break;
        }
    }
}

#[tokio::test]
async fn without_permits_no_upgrade_is_passed_on() {
    let mut origin = Echo::answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
    let edge = origin.edge(|settings| settings.origin.upgrades = 0).await;
    let (_client, answer) = asking(&edge, ASK).await;
    assert!(answer.starts_with("http/1.1 200 "), "{answer}");
    let seen = String::from_utf8(origin.next().await)
        .expect("text")
        .to_ascii_lowercase();
    assert!(!seen.contains("\r\nupgrade:"), "{seen}");
}

#[tokio::test]
async fn a_silent_connection_is_ended() {
    let origin = Echo::answering(SWITCH).await;
    let edge = origin
        .edge(|settings| settings.timeouts.upgraded_idle = Duration::from_millis(50))
        .await;
    let (mut client, _) = asking(&edge, ASK).await;
    assert_eq!(rest(&mut client).await, b"");
}

#[tokio::test]
async fn the_drain_waits_for_its_grace_and_ends_the_rest() {
    let origin = Echo::answering(SWITCH).await;
    let edge = origin
        .edge(|settings| settings.timeouts.drain = Duration::from_millis(300))
        .await;
    let (mut client, _) = asking(&edge, ASK).await;
    let drained = tokio::spawn(edge.drain());
    assert_eq!(echoed(&mut client, b"still here").await, b"still here");
    assert_eq!(rest(&mut client).await, b"");
    drained.await.expect("a drain");
}
