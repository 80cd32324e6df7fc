//! The length of a body: Content-Length, Transfer-Encoding and chunks (T-27 to T-29).

use super::{HOST, WRITE, all_refused, chunked, post, scene};
use crate::support::{EVENTS, Edge, Origin, Reply};

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
        .settings(|settings| settings.other = calendar_edge_core::settings::OtherTraffic::Forward)
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
