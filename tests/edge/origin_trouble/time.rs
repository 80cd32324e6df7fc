//! A deadline up to the last byte ends responses that hang or arrive slowly (T-60).

use std::time::{Duration, Instant};

use super::{assert_failed, edge, troubled, write};
use crate::support::{Answer, EVENTS, Step, Wire};

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n";
const CHUNKED: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
const PAUSE: Duration = Duration::from_millis(20);

fn drip(bytes: &str) -> Step {
    Step::Drip(bytes.as_bytes().to_vec(), PAUSE)
}

#[tokio::test]
async fn t60_hangs_and_drips_end_in_time() {
    let body = "[".to_owned() + &"1,".repeat(49) + "1";
    let cases = [
        ("before the head", vec![Step::Hang]),
        (
            "in the head",
            vec![Step::send("HTTP/1.1 200 OK\r\nContent-Ty"), Step::Hang],
        ),
        (
            "in the body",
            vec![Step::send(HEAD), Step::send(r#"{"a":"#), Step::Hang],
        ),
        (
            "in a chunk",
            vec![Step::send(CHUNKED), Step::send("8\r\n{\"a"), Step::Hang],
        ),
        (
            "between chunks",
            vec![Step::send(CHUNKED), Step::send("3\r\n{\"a\r\n"), Step::Hang],
        ),
        ("dripping head", vec![drip(HEAD), Step::send(&body)]),
        ("dripping body", vec![Step::send(HEAD), drip(&body)]),
        (
            "dripping chunks",
            vec![Step::send(CHUNKED), drip(&"1\r\n1\r\n".repeat(99))],
        ),
    ];
    for (place, steps) in cases {
        let wire = troubled(steps).await;
        let edge = edge(&wire, |settings| {
            settings.timeouts.origin_first_byte = Duration::from_millis(300);
            settings.timeouts.origin_read = Duration::from_millis(500);
        })
        .await;
        let started = Instant::now();
        let target = format!("{EVENTS}/1");
        let (answer, other) = tokio::join!(edge.get(&target), edge.get(EVENTS));

        assert_eq!(other.status, 200, "{place}");
        assert_failed(&answer, 504, "edge_origin_timeout", "http_response_timeout");
        assert!(started.elapsed() < Duration::from_secs(3), "{place}");
        wire.ended(1).await;
    }
}

#[tokio::test]
async fn t60_writes_have_a_deadline_of_their_own() {
    let body = "{\"id\":56}";
    let answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let wire = Wire::always(vec![drip(&answer)]).await;
    let edge = edge(&wire, |settings| {
        settings.timeouts.origin_first_byte = Duration::from_millis(100);
        settings.timeouts.origin_read = Duration::from_millis(200);
    })
    .await;
    let (read, written) = tokio::join!(edge.get(EVENTS), Answer::to(write(&edge)));
    assert_eq!((read.status.as_u16(), written.status.as_u16()), (504, 200));
    assert_eq!(written.body, body);
}

#[tokio::test]
async fn t60_a_write_that_hangs_ends_too() {
    let wire = Wire::always(vec![Step::Hang]).await;
    let edge = edge(&wire, |settings| {
        settings.timeouts.origin_write = Duration::from_millis(200);
    })
    .await;
    let answer = Answer::to(write(&edge)).await;
    assert_failed(&answer, 504, "edge_origin_timeout", "http_response_timeout");
    assert_eq!(wire.requests().len(), 1);
}
