//! Requests whose framing can be read in two ways never get past the edge (RFC 9112; the rules T-27 to T-31).

use crate::support::{EVENTS, Edge, Origin, RawAnswer, Reply};

const HOST: &str = "Host: localhost\r\n";
const WRITE: &str = "Host: localhost\r\nAuthorization: Basic YTpi\r\nContent-Type: application/json\r\n";

/// An edge before an origin that finds everything good.
async fn scene() -> (Origin, Edge) {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;
    (origin, edge)
}

/// Sends bytes on a new connection; the one answer refuses, the connection closes, the origin sees nothing.
async fn refused(origin: &Origin, edge: &Edge, bytes: &[u8]) -> RawAnswer {
    let shown = String::from_utf8_lossy(bytes).into_owned();
    let mut client = edge.raw().await;
    let answer = client.send(bytes).await.answer().await;
    assert!(answer.status >= 400, "{} for {shown:.200}", answer.status);
    assert_eq!(answer.header("connection"), Some("close"), "{shown:.200}");
    assert_eq!(
        answer.header("content-type"),
        Some("application/json; charset=UTF-8")
    );
    assert!(answer.header("x-request-id").is_some());
    assert!(client.rest().await.is_empty(), "{shown:.200}");
    assert_eq!(origin.seen().len(), 0, "{shown:.200}");
    answer
}

/// Each stream of bytes is refused with its status and code.
async fn all_refused(cases: &[(&str, u16, &str)]) {
    let (origin, edge) = scene().await;
    for (bytes, status, code) in cases {
        let answer = refused(&origin, &edge, bytes.as_bytes()).await;
        let expected = format!("\"code\":\"{code}\"");
        assert_eq!(answer.status, *status, "{bytes:.200} {}", answer.body);
        assert!(answer.body.contains(&expected), "{bytes:.200} {}", answer.body);
        assert!(
            answer
                .body
                .ends_with(&format!("\"data\":{{\"status\":{status}}}}}")),
            "{}",
            answer.body
        );
    }
}

/// A write with these fields and this body.
fn post(fields: &str, body: &str) -> String {
    format!("POST {EVENTS}/56 HTTP/1.1\r\n{WRITE}{fields}\r\n{body}")
}

/// A write with a chunked body.
fn chunked(body: &str) -> String {
    post("Transfer-Encoding: chunked\r\n", body)
}

fn get(target: &str) -> String {
    format!("GET {target} HTTP/1.1\r\n{HOST}\r\n")
}

#[tokio::test]
async fn t27_refuses_lengths_that_are_no_single_number() {
    let cases: Vec<String> = [
        "Content-Length: 2\r\nContent-Length: 2\r\n",
        "Content-Length: 2\r\nContent-Length: 3\r\n",
        "Content-Length: 2, 2\r\n",
        "Content-Length: +2\r\n",
        "Content-Length: -2\r\n",
        "Content-Length: 0x2\r\n",
        "Content-Length: 2a\r\n",
        "Content-Length: \"2\"\r\n",
        "Content-Length:\r\n",
        "Content-Length: 9223372036854775808\r\n",
        "Content-Length: 18446744073709551618\r\n",
    ]
    .map(|fields| post(fields, "{}"))
    .to_vec();
    let cases: Vec<_> = cases
        .iter()
        .map(|bytes| (bytes.as_str(), 400, "edge_ambiguous_length"))
        .collect();
    all_refused(&cases).await;
}

#[tokio::test]
async fn t27_refuses_a_length_beside_a_coding() {
    let body = "2\r\n{}\r\n0\r\n\r\n";
    all_refused(&[
        (
            &post("Content-Length: 12\r\nTransfer-Encoding: chunked\r\n", body),
            400,
            "edge_ambiguous_length",
        ),
        (
            &post("Transfer-Encoding: chunked\r\nContent-Length: 12\r\n", body),
            400,
            "edge_ambiguous_length",
        ),
        (
            &post("Transfer-Encoding: chunked\r\nContent-Length: 0\r\n", body),
            400,
            "edge_ambiguous_length",
        ),
    ])
    .await;
}

#[tokio::test]
async fn t28_refuses_codings_other_than_chunked() {
    let body = "2\r\n{}\r\n0\r\n\r\n";
    let of = |fields: &str| post(fields, body);
    all_refused(&[
        (
            &of("Transfer-Encoding: gzip, chunked\r\n"),
            501,
            "edge_unknown_transfer_coding",
        ),
        (
            &of("Transfer-Encoding: identity\r\n"),
            501,
            "edge_unknown_transfer_coding",
        ),
        (
            &of("Transfer-Encoding: xchunked\r\n"),
            501,
            "edge_unknown_transfer_coding",
        ),
        (
            &of("Transfer-Encoding: chunked, identity\r\n"),
            501,
            "edge_unknown_transfer_coding",
        ),
        (
            &of("Transfer-Encoding: chunked, chunked\r\n"),
            400,
            "edge_ambiguous_length",
        ),
        (
            &of("Transfer-Encoding: chunked;q=1\r\n"),
            400,
            "edge_ambiguous_length",
        ),
        (&of("Transfer-Encoding:\r\n"), 400, "edge_ambiguous_length"),
        (&of("Transfer-Encoding: \u{b}chunked\r\n"), 400, "edge_bad_line"),
        (
            &of("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
            400,
            "edge_ambiguous_length",
        ),
        (
            &of("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"),
            400,
            "edge_ambiguous_length",
        ),
        (&of("Transfer_Encoding: chunked\r\n"), 400, "edge_bad_header"),
        (
            &of("Content-Length: 2\r\nContent_Length: 3\r\n"),
            400,
            "edge_bad_header",
        ),
        (&of("Transfer-Encoding : chunked\r\n"), 400, "edge_bad_header"),
        (&of(" Transfer-Encoding: chunked\r\n"), 400, "edge_bad_header"),
        (
            &format!("POST {EVENTS}/56 HTTP/1.0\r\n{WRITE}Transfer-Encoding: chunked\r\n\r\n{body}"),
            400,
            "edge_ambiguous_length",
        ),
    ])
    .await;
}

#[tokio::test]
async fn t28_accepts_chunked_in_any_case() {
    let (origin, edge) = scene().await;
    for coding in ["chunked", "Chunked", "CHUNKED"] {
        let bytes = post(
            &format!("Transfer-Encoding: {coding}\r\n"),
            "8\r\n{\"title\"\r\n8;x=y\r\n:\"Gala\"}\r\n0\r\nX-Trailer: dropped\r\n\r\n",
        );
        let answer = edge.raw().await.send(bytes).await.answer().await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let seen = origin.take_seen().remove(0);
        assert_eq!(seen.body, r#"{"title":"Gala"}"#);
        assert!(seen.headers.get("x-trailer").is_none());
    }
}

#[tokio::test]
async fn t29_refuses_what_is_no_chunk() {
    let long_extension = format!("2;{}\r\n{{}}\r\n0\r\n\r\n", "a".repeat(257));
    let many_trailers = format!("2\r\n{{}}\r\n0\r\n{}\r\n", "A: b\r\n".repeat(17));
    let cases: Vec<String> = [
        "+2\r\n{}\r\n0\r\n\r\n",
        "0x2\r\n{}\r\n0\r\n\r\n",
        " 2\r\n{}\r\n0\r\n\r\n",
        "2 \r\n{}\r\n0\r\n\r\n",
        "2_\r\n{}\r\n0\r\n\r\n",
        "\r\n{}\r\n0\r\n\r\n",
        "00000000000000002\r\n{}\r\n0\r\n\r\n",
        "ffffffffffffffff\r\n{}\r\n0\r\n\r\n",
        "2\n{}\r\n0\r\n\r\n",
        "2\r{}\r\n0\r\n\r\n",
        "2\r\n{}\n0\r\n\r\n",
        "2\r\n{}0\r\n\r\n",
        "2\r\n{}xx0\r\n\r\n",
        "2;a\nb\r\n{}\r\n0\r\n\r\n",
        "2;a\rb\r\n{}\r\n0\r\n\r\n",
        "2;a\0\r\n{}\r\n0\r\n\r\n",
        "2\r\n{}\r\n-0\r\n\r\n",
        "2\r\n{}\r\n0\r\nno colon\r\n\r\n",
        "2\r\n{}\r\n0\r\nA : b\r\n\r\n",
        &long_extension,
        &many_trailers,
    ]
    .map(chunked)
    .to_vec();
    let cases: Vec<_> = cases
        .iter()
        .map(|bytes| (bytes.as_str(), 400, "edge_bad_chunk"))
        .collect();
    all_refused(&cases).await;
    all_refused(&[
        (&chunked("2\r\n{}\r\n0\r\n\n"), 400, "edge_bad_line"),
        (&chunked("2\r\n{}\r\n0\r\nA: b\n\r\n"), 400, "edge_bad_line"),
    ])
    .await;
}

#[tokio::test]
async fn t29_refuses_broken_chunks_where_no_body_is_wanted() {
    let bytes =
        format!("GET {EVENTS} HTTP/1.1\r\n{HOST}Transfer-Encoding: chunked\r\n\r\n2\n{{}}\r\n0\r\n\r\n");
    all_refused(&[(&bytes, 400, "edge_bad_chunk")]).await;
}

#[tokio::test]
async fn t29_a_site_upload_with_broken_chunks_is_never_complete() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let builder = Edge::builder().origin(&origin);
    let edge = builder
        .settings(|settings| settings.other = calendar_edge::config::OtherTraffic::Forward)
        .start()
        .await;
    let mut client = edge.raw().await;

    let answer = client
        .send(format!(
            "PUT /upload HTTP/1.1\r\n{HOST}Content-Type: image/png\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n5\nhello\r\n"
        ))
        .await
        .answer()
        .await;

    assert_eq!(answer.status, 400, "{}", answer.body);
    assert_eq!(answer.header("connection"), Some("close"));
    assert!(client.rest().await.is_empty());
    assert!(origin.seen().iter().all(|seen| seen.body.is_empty()));
}

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
    let gate = crate::support::Gate::closed();
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
    let (_, edge) = scene().await;
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
