//! Requests with ambiguous framing are never forwarded (RFC 9112; the rules T-27 to T-31).

mod agreement;
mod bodies;
mod floods;
mod heads;
mod http2;
mod order;

use crate::support::{EVENTS, Edge, Origin, RawAnswer, Reply};

const HOST: &str = "Host: localhost\r\n";
const WRITE: &str = "Host: localhost\r\nAuthorization: Basic YTpi\r\nContent-Type: application/json\r\n";

/// An edge in front of an origin that accepts every request.
async fn scene() -> (Origin, Edge) {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;
    (origin, edge)
}

/// Sends bytes on a new connection; the only response is a refusal, the connection closes, the origin receives nothing.
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
