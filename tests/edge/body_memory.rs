//! The memory of request bodies: one budget for all, which no body keeps from the others.

use http::Method;

use crate::support::{Answer, EVENTS, Edge, Origin, RawClient, Reply};

const KIB: usize = 1024;

/// An edge with memory for a few bodies.
async fn small_edge(origin: &Origin) -> Edge {
    Edge::builder()
        .origin(origin)
        .settings(|settings| settings.limits.request_buffer_total = 256 * KIB)
        .start()
        .await
}

/// A valid body of this size.
fn body(bytes: usize) -> String {
    let title = "a".repeat(bytes - r#"{"title":""}"#.len());
    format!(r#"{{"title":"{title}"}}"#)
}

async fn write(edge: &Edge, bytes: usize) -> Answer {
    let target = format!("{EVENTS}/56");
    let request = edge
        .request(Method::POST, &target)
        .header("authorization", "Basic YTpi")
        .header("content-type", "application/json")
        .body(body(bytes));
    Answer::to(request).await
}

/// A client that announces a body of 200 KiB, sends a part, and then nothing.
async fn stalled(edge: &Edge, part: usize) -> RawClient {
    let mut client = edge.raw().await;
    client
        .send(format!(
            "POST {EVENTS}/56 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic YTpi\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            200 * KIB
        ))
        .await
        .send(&body(200 * KIB)[..part])
        .await;
    client
}

#[tokio::test]
async fn announcements_take_no_memory() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = small_edge(&origin).await;
    let mut stalled_clients = Vec::new();
    for _ in 0..20 {
        stalled_clients.push(stalled(&edge, 1).await);
    }
    assert_eq!(write(&edge, 150 * KIB).await.status, 200);
    let rest = &body(200 * KIB)[1..];
    for client in &mut stalled_clients {
        assert_eq!(client.send(rest).await.answer().await.status, 200);
    }
}

#[tokio::test]
async fn slow_clients_make_room_for_others() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = small_edge(&origin).await;
    let (mut first, mut second) = (stalled(&edge, 100 * KIB).await, stalled(&edge, 100 * KIB).await);

    for _ in 0..3 {
        assert_eq!(write(&edge, 150 * KIB).await.status, 200);
        assert_eq!(write(&edge, 10 * KIB).await.status, 200);
    }

    let (first, second) = tokio::join!(ended(&mut first), ended(&mut second));
    assert!(first || second, "nobody was given up");
}

/// True if the client was given up for others; false if it may go on.
async fn ended(client: &mut RawClient) -> bool {
    let answer = tokio::time::timeout(std::time::Duration::from_millis(200), client.answer());
    let Ok(answer) = answer.await else {
        return false;
    };
    assert_eq!(answer.status, 503);
    assert!(answer.body.contains("edge_overloaded"), "{}", answer.body);
    assert!(answer.body.contains("large requests"), "{}", answer.body);
    assert_eq!(answer.header("retry-after"), Some("1"));
    assert_eq!(answer.header("connection"), Some("close"));
    true
}

#[tokio::test]
async fn many_large_bodies_at_once_all_come_through() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = small_edge(&origin).await;
    let writes = (0..12).map(|_| write(&edge, 200 * KIB));
    for answer in futures_util::future::join_all(writes).await {
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    let expected = body(200 * KIB);
    assert!(origin.seen().iter().all(|seen| seen.body == expected));
}

#[tokio::test]
async fn a_body_of_single_bytes_is_read_like_any_other() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = small_edge(&origin).await;
    let body = body(80 * KIB);
    let chunks: String = body
        .chars()
        .fold(String::new(), |chunks, byte| chunks + &format!("1\r\n{byte}\r\n"));
    let answer = edge
        .raw()
        .await
        .send(format!(
            "POST {EVENTS}/56 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic YTpi\r\n\
             Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}0\r\n\r\n"
        ))
        .await
        .answer()
        .await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(origin.only().body, body);
}
