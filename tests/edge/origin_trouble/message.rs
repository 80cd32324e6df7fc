//! Responses that end too early (T-61), and responses that are not HTTP (T-62).

use super::{assert_failed, edge, troubled};
use crate::support::{EVENTS, Step, raw_get};

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

/// A head with these fields, and the bytes after it.
fn answer(fields: &str, body: &str) -> Step {
    Step::send(format!("{HEAD}{fields}\r\n{body}"))
}

#[tokio::test]
async fn t61_an_incomplete_answer_is_never_a_complete_one() {
    let chunked = "Transfer-Encoding: chunked\r\n";
    for (what, step, ending) in [
        ("nothing", Step::send(""), Step::Close),
        ("nothing, reset", Step::send(""), Step::Reset),
        (
            "half a head",
            Step::send("HTTP/1.1 200 OK\r\nContent-Le"),
            Step::Close,
        ),
        ("short length", answer("Content-Length: 9\r\n", "{}"), Step::Close),
        (
            "short length, reset",
            answer("Content-Length: 9\r\n", "{}"),
            Step::Reset,
        ),
        ("no last chunk", answer(chunked, "2\r\n{}\r\n"), Step::Close),
        (
            "no end of the last chunk",
            answer(chunked, "2\r\n{}\r\n0\r\n"),
            Step::Close,
        ),
        ("half a chunk", answer(chunked, "9\r\n{}"), Step::Close),
        ("chunks, reset", answer(chunked, "2\r\n{}\r\n"), Step::Reset),
        (
            "JSON cut by the end of the connection",
            answer("Connection: close\r\n", r#"{"a":"#),
            Step::Close,
        ),
    ] {
        let wire = troubled(vec![step, ending]).await;
        let edge = edge(&wire, |_| {}).await;
        let answer = edge.get(&format!("{EVENTS}/1")).await;
        assert_eq!(
            (answer.status.as_u16(), answer.code().as_str()),
            (502, "edge_origin_failed"),
            "{what}"
        );
        assert_eq!(edge.get(EVENTS).await.status, 200, "{what}");
    }
}

#[tokio::test]
async fn t61_a_streamed_answer_that_breaks_is_aborted() {
    let body = "[".to_owned() + &"1,".repeat(1 << 20);
    let length = body.len() + 100;
    for (fields, body) in [
        (format!("Content-Length: {length}\r\n"), body.clone()),
        (
            "Transfer-Encoding: chunked\r\n".to_owned(),
            format!("{:x}\r\n{body}\r\n", body.len()),
        ),
    ] {
        for ending in [Step::Close, Step::Reset] {
            let wire = troubled(vec![answer(&fields, &body), ending.clone()]).await;
            let edge = edge(&wire, |_| {}).await;
            let request = raw_get(&format!("{EVENTS}/1"));
            let mut client = edge.raw().await;

            let head = client.send(request).await.head().await;
            if head.status == 502 {
                // A reset may overtake the bytes before it while the response is still buffered.
                assert!(matches!(ending, Step::Reset));
                continue;
            }
            let rest = client.rest().await;

            assert_eq!(head.status, 200);
            if let Some(length) = head.header("content-length") {
                assert!(rest.len() < length.parse().expect("a number"));
            }
            assert!(!rest.ends_with(b"\r\n0\r\n\r\n"));
        }
    }
}

/// A valid response except for its status line.
fn begun(line: &str) -> Step {
    let fields = "Content-Type: application/json\r\nContent-Length: 2\r\n";
    Step::send(format!("{line}\r\n{fields}\r\n{{}}"))
}

/// The response becomes a 502, and the next one comes over another connection.
async fn assert_refused(what: &str, step: Step) {
    let wire = troubled(vec![step, Step::Close]).await;
    let edge = edge(&wire, |_| {}).await;
    let answer = edge.get(&format!("{EVENTS}/1")).await;
    let seen = (answer.status.as_u16(), answer.code());
    assert_eq!(seen, (502, "edge_origin_failed".to_owned()), "{what}");
    assert_eq!(edge.get(EVENTS).await.status, 200, "{what}");
    assert_eq!(wire.requests().len(), 2, "{what}");
}

#[tokio::test]
async fn t62_bad_status_lines_are_refused() {
    let long = format!("HTTP/1.1 200 {}", "a".repeat(66_000));
    for (what, step) in [
        ("noise", Step::send("\0\x01\x02 hello\r\n\r\n")),
        ("none", begun("Content-Language: de")),
        ("a status of letters", begun("HTTP/1.1 abc OK")),
        ("a status of two digits", begun("HTTP/1.1 20 OK")),
        ("a status of four digits", begun("HTTP/1.1 2000 OK")),
        ("a status below all", begun("HTTP/1.1 099 OK")),
        ("a status beyond all", begun("HTTP/1.1 600 OK")),
        ("another version", begun("HTTP/3.0 200 OK")),
        ("another protocol", begun("ICY 200 OK")),
        ("a long reason", begun(&long)),
        ("a byte order mark", begun("\u{feff}HTTP/1.1 200 OK")),
        ("a blank first", begun(" HTTP/1.1 200 OK")),
        ("a control character", begun("HTTP/1.1 200 O\x1bK")),
    ] {
        assert_refused(what, step).await;
    }
}

#[tokio::test]
async fn t62_bad_framing_is_refused() {
    let chunks = "2\r\n{}\r\n0\r\n\r\n";
    for (fields, body) in [
        ("Content-Length: 2\r\nContent-Length: 3\r\n", "{}"),
        ("Content-Length: 2\r\nContent-Length: 2\r\n", "{}"),
        ("Content-Length: 2, 2\r\n", "{}"),
        ("Content-Length: +2\r\n", "{}"),
        ("Content-Length: -2\r\n", "{}"),
        ("Content-Length: two\r\n", "{}"),
        ("Content-Length: 0x2\r\n", "{}"),
        ("Content-Length: 2;\r\n", "{}"),
        ("Content-Length: \"2\"\r\n", "{}"),
        ("Content-Length: 18446744073709551618\r\n", "{}"),
        ("Transfer-Encoding: chunked,\r\n", chunks),
        ("Transfer-Encoding: chunked;q=1\r\n", chunks),
        ("Transfer-Encoding: \"chunked\"\r\n", chunks),
        ("Transfer-Encoding:\r\n", chunks),
        ("Transfer-Encoding: chunked\r\n", "+2\r\n{}\r\n0\r\n\r\n"),
        ("Transfer-Encoding: chunked\r\n", "2\n{}\r\n0\r\n\r\n"),
        ("Transfer-Encoding: chunked\r\n", "2\r\n{}0\r\n\r\n"),
        ("Content-Length:\r\n", "{}"),
        ("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", chunks),
        ("Transfer-Encoding: gzip\r\n", "{}"),
        ("Transfer-Encoding: gzip, chunked\r\n", chunks),
        (
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            chunks,
        ),
        ("Transfer-Encoding: chunked\r\n", "z\r\n{}\r\n0\r\n\r\n"),
        ("Transfer-Encoding: chunked\r\n", "2\r\n{}xx0\r\n\r\n"),
        ("Transfer-Encoding: chunked\r\n", "fffffffffffffffff\r\n{}"),
    ] {
        assert_refused(fields, answer(fields, body)).await;
    }
}

#[tokio::test]
async fn t62_bad_fields_are_refused() {
    let many = (0..101).fold(String::new(), |many, number| many + &format!("X-{number}: 1\r\n"));
    let long = format!("X-Long: {}\r\n", "a".repeat(66_000));
    for (what, field) in [
        ("NUL in a value", "X-A: a\0b\r\n"),
        ("a bare CR", "X-A: a\rb\r\n"),
        ("folding", "X-A: a\r\n b\r\n"),
        ("no name", ": a\r\n"),
        ("no colon", "X-A a\r\n"),
        ("a blank before the colon", "X-A : a\r\n"),
        ("a name that is no token", "X(A): a\r\n"),
        ("too many", many.as_str()),
        ("too long", long.as_str()),
    ] {
        assert_refused(what, answer(&format!("Content-Length: 2\r\n{field}"), "{}")).await;
    }
}

#[tokio::test]
async fn t62_a_connection_is_not_used_on_after_odd_framing() {
    for fields in [
        "Content-Length: 2\r\nContent-Length: 2\r\n",
        "Content-Length: 2\r\nContent-Length: 3\r\n",
        "Transfer-Encoding: gzip, chunked\r\n",
    ] {
        // The origin would respond to another request.
        let wire = troubled(vec![answer(fields, "{}")]).await;
        let edge = edge(&wire, |_| {}).await;
        assert_failed(
            &edge.get(&format!("{EVENTS}/1")).await,
            502,
            "edge_origin_failed",
            "http_protocol_error",
        );
        assert_eq!(edge.get(EVENTS).await.status, 200);
        assert_eq!(wire.connections(), 2, "{fields}");
    }
}
