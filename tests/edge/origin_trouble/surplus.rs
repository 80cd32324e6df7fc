//! Unsolicited bytes: none of them appears in another response (T-63).

use std::time::Duration;

use http::Method;

use super::{assert_failed, edge, troubled};
use crate::support::{Answer, EVENTS, Edge, Step, Wire};

const POISON: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n[666666]";

/// Reads lists until one could have used a poisoned connection.
async fn assert_clean(edge: &Edge, what: &str) {
    for _ in 0..5 {
        let answer = edge.get(EVENTS).await;
        assert_eq!(answer.status, 200, "{what}");
        assert!(answer.json()["number"].is_number(), "{what}: {}", answer.body);
    }
}

#[tokio::test]
async fn t63_surplus_bytes_are_not_the_next_answer() {
    let head = |status: &str, fields: &str| {
        format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{fields}\r\n")
    };
    for (what, method, first) in [
        (
            "behind a length",
            Method::GET,
            head("200 OK", "Content-Length: 2\r\n") + "{}",
        ),
        (
            "behind the last chunk",
            Method::GET,
            head("200 OK", "Transfer-Encoding: chunked\r\n") + "2\r\n{}\r\n0\r\n\r\n",
        ),
        ("behind 204", Method::GET, head("204 No Content", "")),
        ("behind 304", Method::GET, head("304 Not Modified", "")),
        (
            "behind an error",
            Method::GET,
            head("404 Not Found", "Content-Length: 14\r\n") + r#"{"code":"none"}"#,
        ),
        (
            "behind HEAD",
            Method::HEAD,
            head("200 OK", "Content-Length: 85\r\n"),
        ),
    ] {
        // In one piece, and in two.
        for pieces in [
            vec![Step::send(first.clone() + POISON)],
            vec![Step::send(&first), Step::send(POISON)],
        ] {
            let wire = troubled(pieces).await;
            let edge = edge(&wire, |_| {}).await;
            let odd = edge.request(method.clone(), &format!("{EVENTS}/1"));
            assert!(!Answer::to(odd).await.body.contains("666666"), "{what}");
            assert_clean(&edge, what).await;
        }
    }
}

#[tokio::test]
async fn t63_interim_answers_are_passed_over() {
    let interim = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n".repeat(3);
    let wire = troubled(vec![Step::send(interim), Step::json(r#"{"id":1}"#)]).await;
    let edge = edge(&wire, |_| {}).await;
    let answer = edge.get(&format!("{EVENTS}/1")).await;
    assert_eq!(
        (answer.status.as_u16(), answer.body.as_str()),
        (200, r#"{"id":1}"#)
    );
    assert_clean(&edge, "interim").await;
}

#[tokio::test]
async fn t63_a_flood_of_interim_answers_ends_in_time() {
    let wire = troubled(vec![Step::Flood(b"HTTP/1.1 102 Processing\r\n\r\n".to_vec())]).await;
    let edge = edge(&wire, |settings| {
        settings.timeouts.origin_first_byte = Duration::from_millis(300);
    })
    .await;
    let target = format!("{EVENTS}/1");
    let (answer, other) = tokio::join!(edge.get(&target), edge.get(EVENTS));
    assert_failed(&answer, 504, "edge_origin_timeout", "http_response_timeout");
    assert_eq!(other.status, 200);
    wire.ended(1).await;
    assert_clean(&edge, "flood").await;
}

#[tokio::test]
async fn t63_an_unasked_switch_of_protocols_is_no_tunnel() {
    let switch = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n";
    let wire = troubled(vec![Step::send(switch), Step::send(POISON), Step::Hang]).await;
    let edge = edge(&wire, |_| {}).await;
    let request = edge
        .request(Method::GET, &format!("{EVENTS}/1"))
        .header("connection", "upgrade")
        .header("upgrade", "websocket");
    assert_failed(
        &Answer::to(request).await,
        502,
        "edge_origin_failed",
        "http_protocol_error",
    );
    wire.ended(1).await;
    assert_clean(&edge, "switch").await;
}

#[tokio::test]
async fn t63_bytes_on_an_idle_connection_end_it() {
    let wire = Wire::always(vec![Step::json(r#"{"number":1}"#), Step::send(POISON)]).await;
    let edge = edge(&wire, |_| {}).await;
    for reads in 1..=3 {
        assert_eq!(edge.get(EVENTS).await.json()["number"], 1);
        wire.ended(reads).await;
    }
}
