//! Responses that are too large (T-64) or compressed (T-65).

use super::{assert_failed, edge, troubled};
use crate::support::{EVENTS, Step, raw_get};

const KIB: usize = 1024;

fn chunk(bytes: usize) -> Vec<u8> {
    format!("{bytes:x}\r\n{}\r\n", "1".repeat(bytes)).into_bytes()
}

fn head(fields: &str) -> Step {
    Step::send(format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n{fields}\r\n"
    ))
}

#[tokio::test]
async fn t64_an_answer_beyond_the_limit_is_a_clean_error_while_it_is_held() {
    for (what, steps) in [
        (
            "declared",
            vec![head("Content-Length: 9999999999999\r\n"), Step::Hang],
        ),
        (
            "endless chunks",
            vec![head("Transfer-Encoding: chunked\r\n"), Step::Flood(chunk(KIB))],
        ),
        (
            "one endless chunk",
            vec![
                head("Transfer-Encoding: chunked\r\n"),
                Step::send("fffffffffff\r\n"),
                Step::Flood(vec![b'1'; KIB]),
            ],
        ),
        (
            "until the end",
            vec![head("Connection: close\r\n"), Step::Flood(vec![b'1'; KIB])],
        ),
    ] {
        let wire = troubled(steps).await;
        let edge = edge(&wire, |settings| settings.limits.response_bytes = 64 * 1024).await;
        let answer = edge.get(&format!("{EVENTS}/1")).await;
        assert_failed(&answer, 502, "edge_origin_failed", "http_response_body_size");
        wire.ended(1).await;
        assert_eq!(edge.get(EVENTS).await.status, 200, "{what}");
    }
}

#[tokio::test]
async fn t64_a_streamed_answer_beyond_the_limit_is_aborted() {
    let wire = troubled(vec![
        head("Transfer-Encoding: chunked\r\n"),
        Step::send("1\r\n[\r\n"),
        Step::Flood(chunk(KIB)),
    ])
    .await;
    let limit = 256 * KIB;
    let edge = edge(&wire, |settings| {
        settings.limits.response_buffer_bytes = 16 * KIB;
        settings.limits.response_bytes = 256 * 1024;
    })
    .await;
    let request = raw_get(&format!("{EVENTS}/1"));
    let mut client = edge.raw().await;

    assert_eq!(client.send(request).await.head().await.status, 200);
    let rest = client.rest().await;

    assert!(!rest.ends_with(b"\r\n0\r\n\r\n"));
    assert!(rest.len() < 2 * limit, "{}", rest.len());
    wire.ended(1).await;
}

#[tokio::test]
async fn t65_a_coded_answer_is_refused_unread() {
    // A decompression bomb.
    for coding in ["gzip", "deflate", "br", "x-gzip", "identity, gzip"] {
        let fields = format!("Content-Encoding: {coding}\r\nContent-Length: 20\r\n");
        let wire = troubled(vec![
            head(&fields),
            Step::send("\x1f\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
        ])
        .await;
        let edge = edge(&wire, |_| {}).await;
        let answer = edge.get(&format!("{EVENTS}/1")).await;
        assert_failed(&answer, 502, "edge_origin_failed", "http_response_content_coding");
        assert!(
            wire.requests()[0]
                .to_ascii_lowercase()
                .contains("accept-encoding: identity")
        );
    }
}
