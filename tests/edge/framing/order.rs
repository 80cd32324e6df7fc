//! Order of responses, expectations, and verdicts that do not depend on the segmentation of the bytes (T-31).

use super::{HOST, all_refused, chunked, get, post, scene};
use crate::support::{EVENTS, Edge, Gate, Origin, Reply};

#[tokio::test]
async fn t31_pipelined_requests_are_answered_in_order() {
    let (origin, edge) = scene().await;
    let mut client = edge.raw().await;
    let stream = [
        get(&format!("{EVENTS}/1")),
        chunked("10\r\n{\"title\":\"Gala\"}\r\n0\r\n\r\n"),
        get("/wp-json/wp/v2/users"),
        get(&format!("{EVENTS}/2?search=\"")),
        get(&format!("{EVENTS}/3")),
        post("Content-Length: 2\r\nContent-Length: 2\r\n", "{}"),
        get(&format!("{EVENTS}/4")),
    ]
    .concat();
    client.send(stream).await;

    for expected in [200, 200, 404, 200, 200, 400] {
        let answer = client.answer().await;
        assert_eq!(answer.status, expected, "{}", answer.body);
        let closes = answer.header("connection") == Some("close");
        assert_eq!(closes, expected == 400);
    }
    assert!(client.rest().await.is_empty());
    assert_eq!(origin.seen().len(), 4);
}

#[tokio::test]
async fn t31_a_breach_waits_for_the_answer_before_it() {
    let gate = Gate::closed();
    let origin = Origin::always(Reply::json(200, "{}").behind(&gate)).await;
    let edge = Edge::before(&origin).await;
    let mut client = edge.raw().await;
    client.send(get(EVENTS)).await;
    gate.reached_by(1).await;
    client.send("GET / HTTP/9\r\n\r\n").await;
    gate.open();

    assert_eq!(client.answer().await.status, 200);
    assert_eq!(client.answer().await.status, 400);
    assert!(client.rest().await.is_empty());
}

#[tokio::test]
async fn t31_a_refused_head_has_no_body() {
    let (origin, edge) = scene().await;
    let mut client = edge.raw().await;
    let answer = client
        .send(format!("HEAD {EVENTS} HTTP/1.1\r\n{HOST}X : a\r\n\r\n"))
        .await
        .head()
        .await;
    assert_eq!(answer.status, 400);
    assert_eq!(answer.header("connection"), Some("close"));
    assert!(client.rest().await.is_empty());
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn t31_refuses_other_expectations_unread() {
    let cases = ["200-ok", "100-continue, x", "x", "100-continue\r\nExpect: x"]
        .map(|value| post(&format!("Expect: {value}\r\nContent-Length: 2\r\n"), ""));
    let cases: Vec<_> = cases
        .iter()
        .map(|bytes| (bytes.as_str(), 417, "edge_unknown_expectation"))
        .collect();
    all_refused(&cases).await;
}

#[tokio::test]
async fn t31_no_interim_answer_precedes_a_refusal() {
    let (origin, edge) = scene().await;
    let mut client = edge.raw().await;
    let bytes = post(
        "Expect: 100-continue\r\nContent-Length: 2\r\nContent-Length: 2\r\n",
        "",
    );
    let first = client.send(bytes).await.head().await;
    assert_eq!(first.status, 400);
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn a_trickle_gets_the_verdict_of_one_write() {
    let (origin, edge) = scene().await;
    let good = format!("{}{}", get(EVENTS), chunked("2\r\n{}\r\n0\r\n\r\n"));
    let bad = format!("GET {EVENTS} HTTP/1.1\r\n{HOST}Content-Length: 1\r\nContent-Length: 1\r\n\r\n");
    let mut client = edge.raw().await;
    for byte in format!("{good}{bad}").bytes() {
        client.send([byte]).await;
    }
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(client.answer().await.status);
    }
    assert_eq!(statuses, [200, 200, 400]);
    assert!(client.rest().await.is_empty());
    assert_eq!(origin.seen().len(), 2);
}

#[tokio::test]
async fn the_admin_listener_refuses_alike() {
    let (_origin, edge) = scene().await;
    let mut client = edge.raw_admin().await;
    let answer = client
        .send("GET /livez HTTP/1.1\nHost: a\n\n")
        .await
        .answer()
        .await;
    assert_eq!(answer.status, 400);
    assert!(answer.body.contains("edge_bad_line"), "{}", answer.body);
    assert!(client.rest().await.is_empty());
}
