//! Refusals that come while the client still sends its body are read by clients that send all of it first.

use std::process::{Command, Stdio};

use crate::support::{Answer, EVENTS, Edge, Fate, Origin, Reply};

const MIB: usize = 1 << 20;

/// The refusals, each with the fields of a head that causes it.
const REFUSALS: [(&str, u16, &str); 2] = [
    ("Authorization: Basic YTpi\r\n", 413, "edge_body_too_large"),
    ("", 401, "rest_forbidden"),
];

async fn edge(origin: &Origin) -> Edge {
    Edge::builder()
        .origin(origin)
        .settings(|settings| settings.limits.body_bytes = 1024)
        .start()
        .await
}

#[tokio::test]
async fn a_client_that_sends_all_of_its_body_first_reads_the_refusal() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin).await;
    for (fields, status, code) in REFUSALS {
        for framing in ["Content-Length: 8388608", "Transfer-Encoding: chunked"] {
            let mut client = edge.raw().await;
            client
                .send(format!(
                    "POST {EVENTS}/56 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{fields}{framing}\r\n\r\n"
                ))
                .await;
            let block = match framing {
                "Transfer-Encoding: chunked" => format!("100000\r\n{}\r\n", "a".repeat(MIB)).into_bytes(),
                _ => vec![b'a'; MIB],
            };
            let sent = client.send_until_closed(&block, 8).await;
            assert_eq!(sent, 8, "{fields}{framing}");
            let answer = client.answer().await;
            assert_eq!(answer.status, status, "{fields}{framing}: {}", answer.body);
            assert!(answer.body.contains(code), "{}", answer.body);
        }
    }
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn a_refused_client_is_not_listened_to_for_ever() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin).await;
    let mut client = edge.raw().await;
    client
        .send(format!(
            "POST {EVENTS} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999\r\n\r\n"
        ))
        .await;
    let sent = client.send_until_closed(&vec![b'a'; MIB], 500).await;
    assert!((32..100).contains(&sent), "{sent} MiB were taken");
    assert!(
        Answer::to(edge.request(http::Method::GET, EVENTS))
            .await
            .status
            .is_success()
    );
}

#[tokio::test]
async fn an_early_answer_over_http2_does_not_reset_its_stream_at_once() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin).await;
    let mut client = edge.frames().await;
    let fields = [
        (":method", "POST"),
        (":scheme", "http"),
        (":authority", "localhost"),
        (":path", "/wp-json/calendar/events/v1/%00"),
        ("content-type", "application/json"),
    ];
    let stream = client.open(&fields).await;
    assert_eq!(client.fate(stream).await, Fate::Answered(400));
    for _ in 0..3 {
        client.frame(0, 0, stream, &[b'a'; 16 * 1024]).await;
    }
    client.frame(0, 1, stream, b"a").await;
    let reset = tokio::time::timeout(std::time::Duration::from_millis(300), client.fate(stream));
    assert!(reset.await.is_err(), "the stream was reset while its client sent");
    assert_eq!(edge.get(EVENTS).await.status, 200);
}

/// Writes 8 MiB with Python's client, which reads nothing before all is sent, and prints the status.
const PYTHON: &str = r#"
import http.client, sys
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=20)
headers = {"Content-Type": "application/json"}
if sys.argv[3]:
    headers["Authorization"] = sys.argv[3]
connection.request("POST", sys.argv[2], b"a" * (8 << 20), headers)
answer = connection.getresponse()
print(answer.status, answer.read().decode())
"#;

#[tokio::test]
async fn python_reads_the_refusal() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin).await;
    for (fields, status, code) in REFUSALS {
        let port = edge.address().port().to_string();
        let authorization = fields.trim_end().strip_prefix("Authorization: ").unwrap_or("");
        let target = format!("{EVENTS}/56");
        let mut python = Command::new("python3");
        python
            .args(["-c", PYTHON, &port, &target, authorization])
            .stderr(Stdio::inherit());
        let ended = tokio::task::spawn_blocking(move || python.output()).await;
        // Where there is no Python, the test above stands for it.
        let Ok(output) = ended.expect("no panic") else {
            return;
        };
        let text = String::from_utf8(output.stdout).expect("text");
        assert!(text.starts_with(&status.to_string()), "{fields}: {text}");
        assert!(text.contains(code), "{text}");
    }
}
