//! An origin that closes kept connections at the worst moment: when the next request has arrived (T-69).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::write;
use crate::support::{Answer, EVENTS, Edge, Origin, RawClient, Reply, raw_get};

const ANSWER: &[u8] =
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\n{}";

/// The requests that arrived on a kept connection, by their first bytes; none of them got a response.
type Lost = Arc<Mutex<Vec<u8>>>;

async fn worst_origin() -> (String, Lost) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let base = format!("http://{}", listener.local_addr().expect("a bound listener"));
    let lost = Lost::default();
    let noted = Arc::clone(&lost);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer_once(stream, Arc::clone(&noted)));
        }
    });
    (base, lost)
}

/// Responds to the first request, keeps the connection, and closes it once the second request begins.
async fn answer_once(mut stream: TcpStream, lost: Lost) {
    let mut received = Vec::new();
    while !is_whole(&received) {
        if stream.read_buf(&mut received).await.unwrap_or(0) == 0 {
            return;
        }
    }
    stream.write_all(ANSWER).await.expect("an open connection");
    if let Ok(first) = stream.read_u8().await {
        lost.lock().expect("no panic while it was held").push(first);
    }
}

/// A head, and a body that is one JSON object.
fn is_whole(received: &[u8]) -> bool {
    let is_write = received.starts_with(b"P");
    received.ends_with(if is_write { b"}" } else { b"\r\n\r\n" })
}

#[tokio::test]
async fn t69_no_write_is_lost_on_a_kept_connection() {
    let (base, lost) = worst_origin().await;
    let edge = Edge::builder().site(&base).start().await;
    for _ in 0..4 {
        // Leaves a kept connection behind.
        assert_eq!(edge.get(EVENTS).await.status, 200);
        assert_eq!(Answer::to(write(&edge)).await.status, 200);
    }
    let lost = lost.lock().unwrap();
    assert!(lost.contains(&b'G'), "reads use kept connections");
    assert!(!lost.contains(&b'P'), "writes use new ones");
}

const WRITE: &str = "POST /wp-json/calendar/events/v1/events/56 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic YTpi\r\n\
                     Content-Type: application/json\r\nContent-Length: 16\r\n\r\n{\"title\":\"Gala\"}";

/// A client whose writes may use the connections of those before, and the edge that it is connected to.
async fn reusing(base: &str) -> (RawClient, Edge) {
    let builder = Edge::builder().site(base).settings(|settings| {
        settings.origin.reuse_for_writes = Duration::from_secs(1);
        settings.breaker.failures = 0;
    });
    let edge = builder.start().await;
    (edge.raw().await, edge)
}

#[tokio::test]
async fn writes_in_a_row_share_a_connection_where_the_settings_say_so() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let (mut client, _edge) = reusing(&origin.base()).await;
    for expected in [1, 1, 1] {
        assert_eq!(client.send(WRITE).await.answer().await.status, 200);
        assert_eq!(origin.connections(), expected);
    }
    // Too old.
    tokio::time::sleep(Duration::from_millis(1200)).await;
    assert_eq!(client.send(WRITE).await.answer().await.status, 200);
    assert_eq!(origin.connections(), 2);
    // Not the connection of a read.
    let read = raw_get(EVENTS);
    assert_eq!(client.send(read).await.answer().await.status, 200);
    assert_eq!(client.send(WRITE).await.answer().await.status, 200);
    assert_eq!(origin.connections(), 3);
}

#[tokio::test]
async fn t69_a_write_on_a_closing_connection_fails_and_is_sent_once() {
    let (base, lost) = worst_origin().await;
    let (mut client, _edge) = reusing(&base).await;
    for expected in [200, 502, 200, 502] {
        assert_eq!(client.send(WRITE).await.answer().await.status, expected);
    }
    assert_eq!(*lost.lock().unwrap(), b"PP");
}
