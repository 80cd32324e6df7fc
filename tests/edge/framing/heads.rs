//! The form and the size of a head (T-13, T-14, T-30, T-77).

use super::{HOST, all_refused, get, scene};
use crate::support::EVENTS;

#[tokio::test]
async fn t30_refuses_lines_that_end_otherwise_than_in_crlf() {
    let cases = [
        format!("GET {EVENTS} HTTP/1.1\nHost: localhost\n\n"),
        format!("GET {EVENTS} HTTP/1.1\nHost: localhost\r\n\r\n"),
        format!("GET {EVENTS} HTTP/1.1\r\nHost: localhost\n\r\n"),
        format!("GET {EVENTS} HTTP/1.1\r\nHost: localhost\r\n\n"),
        format!("GET {EVENTS} HTTP/1.1\rHost: localhost\r\r"),
        format!("GET {EVENTS} HTTP/1.1\r\nHost: localhost\r\nX: a\rb\r\n\r\n"),
        format!("GET {EVENTS} HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n"),
        format!("GET {EVENTS} HTTP/1.1\r\nHost: localhost\r\nX: a\u{b}b\r\n\r\n"),
        format!("GET {EVENTS} HTTP/1.1\r\nHost: localhost\r\nX: a\u{7f}b\r\n\r\n"),
        format!("GET {EVENTS}\0 HTTP/1.1\r\n{HOST}\r\n"),
        format!("\nGET {EVENTS} HTTP/1.1\r\n{HOST}\r\n"),
        "\x16\x03\x01\x02\0\x01\0\x01\u{fc}\x03\x03".to_owned(),
    ];
    let cases: Vec<_> = cases
        .iter()
        .map(|bytes| (bytes.as_str(), 400, "edge_bad_line"))
        .collect();
    all_refused(&cases).await;
}

#[tokio::test]
async fn t30_refuses_request_lines_without_three_parts() {
    let cases = [
        format!("GET {EVENTS}\r\n"),
        format!("GET {EVENTS}\r\n\r\n"),
        format!("GET  {EVENTS} HTTP/1.1\r\n{HOST}\r\n"),
        format!("GET {EVENTS}  HTTP/1.1\r\n{HOST}\r\n"),
        format!("GET {EVENTS} HTTP/1.1 \r\n{HOST}\r\n"),
        format!("GET\t{EVENTS}\tHTTP/1.1\r\n{HOST}\r\n"),
        format!(" GET {EVENTS} HTTP/1.1\r\n{HOST}\r\n"),
        format!("GET {EVENTS}?a b HTTP/1.1\r\n{HOST}\r\n"),
        format!("GET {EVENTS} HTTP/1.2\r\n{HOST}\r\n"),
        format!("GET {EVENTS} HTTP/2.0\r\n{HOST}\r\n"),
        format!("GET {EVENTS} HTTP/01.1\r\n{HOST}\r\n"),
        format!("GET {EVENTS} http/1.1\r\n{HOST}\r\n"),
        format!("G\"T {EVENTS} HTTP/1.1\r\n{HOST}\r\n"),
        format!("\r\n\r\nGET {EVENTS} HTTP/1.1\r\n{HOST}\r\n"),
        format!("{} {EVENTS} HTTP/1.1\r\n{HOST}\r\n", "A".repeat(33)),
        "A".repeat(9000),
    ];
    let cases: Vec<_> = cases
        .iter()
        .map(|bytes| (bytes.as_str(), 400, "edge_bad_request_line"))
        .collect();
    all_refused(&cases).await;
}

#[tokio::test]
async fn t30_refuses_malformed_fields() {
    let cases = [
        "X : a",
        "X\t: a",
        ": a",
        "no colon",
        "X: a\r\n folded",
        "X: a\r\n\tfolded",
        "X(y): a",
        "X\u{e9}: a",
    ]
    .map(|field| format!("GET {EVENTS} HTTP/1.1\r\n{HOST}{field}\r\n\r\n"));
    let cases: Vec<_> = cases
        .iter()
        .map(|bytes| (bytes.as_str(), 400, "edge_bad_header"))
        .collect();
    all_refused(&cases).await;
}

#[tokio::test]
async fn t30_one_empty_line_before_a_request_is_passed_over() {
    let (origin, edge) = scene().await;
    let answer = edge
        .raw()
        .await
        .send(format!("\r\n{}", get(EVENTS)))
        .await
        .answer()
        .await;
    assert_eq!(answer.status, 200);
    assert_eq!(origin.seen().len(), 1);
}

#[tokio::test]
async fn t13_refuses_targets_that_are_no_path() {
    let cases = [
        "*",
        "localhost:80",
        "wp-json",
        "?rest_route=/",
        "http://user@localhost/wp-json",
        "ftp://localhost/wp-json",
        "http:///wp-json",
        "/wp-json#fragment",
        "/wp-json?a#fragment",
        "/wp-json\tb",
    ]
    .map(get);
    let mut cases: Vec<_> = cases
        .iter()
        .map(|bytes| (bytes.as_str(), 400, "edge_bad_target"))
        .collect();
    let connect = [
        "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "CONNECT / HTTP/1.1\r\n\r\n",
    ];
    cases.extend(connect.map(|bytes| (bytes, 400, "edge_bad_target")));
    all_refused(&cases).await;
}

#[tokio::test]
async fn t13_judges_the_path_of_an_absolute_target() {
    let (origin, edge) = scene().await;
    let target = format!("http://other.example{EVENTS}?per_page=2");
    let answer = edge.raw().await.send(get(&target)).await.answer().await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(origin.only().target, "/wp-json/tribe/events/v1/events?per_page=2");
}

#[tokio::test]
async fn t14_methods_that_are_tokens_reach_the_router() {
    let (origin, edge) = scene().await;
    for method in ["BREW", "get", "M-SEARCH", "T~'!"] {
        let mut client = edge.raw().await;
        let answer = client
            .send(format!("{method} {EVENTS} HTTP/1.1\r\n{HOST}\r\n"))
            .await
            .answer()
            .await;
        assert_eq!(answer.status, 404, "{method}");
        assert!(answer.body.contains("rest_no_route"), "{}", answer.body);
    }
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn bytes_that_php_takes_and_the_library_does_not_are_escaped() {
    let (origin, edge) = scene().await;
    for (query, expected) in [
        (&b"search=\"jam\""[..], "search=%22jam%22"),
        (b"search=<a>`", "search=%3Ca%3E%60"),
        (b"search={a}|^\\", "search=%7Ba%7D%7C%5E%5C"),
        ("search=caf\u{e9}".as_bytes(), "search=caf%C3%A9"),
    ] {
        let bytes = [
            format!("GET {EVENTS}?").as_bytes(),
            query,
            b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        ]
        .concat();
        let answer = edge.raw().await.send(bytes).await.answer().await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let target = origin.take_seen().remove(0).target;
        assert_eq!(target, format!("/wp-json/tribe/events/v1/events?{expected}"));
    }
}

#[tokio::test]
async fn t77_oversized_heads_are_refused_at_the_limit() {
    let long = "a".repeat(64 * 1024);
    all_refused(&[
        (&format!("GET {EVENTS}?{long}"), 414, "edge_target_too_long"),
        (
            &format!("GET {EVENTS} HTTP/1.1\r\nX: {long}"),
            431,
            "edge_headers_too_large",
        ),
        (
            &format!("GET {EVENTS} HTTP/1.1\r\n{long}"),
            431,
            "edge_headers_too_large",
        ),
        (
            &format!("GET {EVENTS} HTTP/1.1\r\n{}", "X: y\r\n".repeat(101)),
            431,
            "edge_headers_too_large",
        ),
        (
            &format!(
                "GET {EVENTS} HTTP/1.1\r\n{}",
                format!("X: {}\r\n", "a".repeat(10_000)).repeat(4)
            ),
            431,
            "edge_headers_too_large",
        ),
    ])
    .await;
}

#[tokio::test]
async fn t77_the_rest_of_an_oversized_request_is_not_read_for_long() {
    let (origin, edge) = scene().await;
    let mut client = edge.raw().await;
    let answer = client
        .send(format!("GET {EVENTS}?{}", "a".repeat(9000)))
        .await
        .answer()
        .await;
    assert_eq!(answer.status, 414);
    // Far more than the edge reads and the sockets buffer: the connection ends with a reset before the last byte.
    let sent = client.send_until_closed(&vec![b'a'; 64 * 1024], 1024).await;
    assert!(sent < 1024, "{sent} of 1024 blocks");
    assert!(origin.seen().is_empty());
}
