//! An origin that closes kept connections at the worst moment: when the next request has arrived (T-69).

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::write;
use crate::support::{Answer, EVENTS, Edge};

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
