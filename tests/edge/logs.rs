//! Log lines describe requests without their contents.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use calendar_edge::telemetry::log_lines;
use calendar_edge_core::settings::{LogFormat, LogSettings, OtherTraffic};
use http::Method;
use serde_json::Value;
use tracing_subscriber::fmt::writer::BoxMakeWriter;

use crate::support::{Answer, EVENTS, Edge, Gate, Origin, Reply, raw_get};

#[derive(Debug, Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .lock()
            .expect("no test panics while holding it")
            .extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Lines {
    /// Collects the log lines of this thread; each test has its own thread.
    pub(crate) async fn collect() -> (Self, tracing::subscriber::DefaultGuard) {
        let lines = Self::default();
        let writer = lines.clone();
        let settings = LogSettings {
            filter: "calendar_edge=debug".to_owned(),
            ..LogSettings::default()
        };
        let writer = BoxMakeWriter::new(move || writer.clone());
        let subscriber = log_lines(&settings, writer).expect("a filter");
        let guard = tracing::subscriber::set_default(subscriber);
        lines.warm_up().await;
        (lines, guard)
    }

    /// Makes the edge log until a line arrives.
    ///
    /// A place in the code that another thread reaches for the first time while this one subscribes may miss the
    /// subscriber, until the places are enumerated again.
    async fn warm_up(&self) {
        let edge = Edge::before(&Origin::down()).await;
        for attempt in 0.. {
            tracing::callsite::rebuild_interest_cache();
            edge.get(EVENTS).await;
            if !self.access().is_empty() && self.text().contains("the exchange with the backend failed") {
                break;
            }
            assert!(attempt < 1000, "nothing is heard of the edge's log");
        }
        // Its last line is written by then.
        edge.drain().await;
        self.0.lock().expect("no test panics while holding it").clear();
    }

    pub(crate) fn text(&self) -> String {
        let bytes = self.0.lock().expect("no test panics while holding it").clone();
        String::from_utf8(bytes).expect("text")
    }

    /// The lines of the access log.
    fn access(&self) -> Vec<Value> {
        let lines = self.text();
        lines
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON on each line"))
            .filter(|line| line["target"] == "calendar_edge::access")
            .collect()
    }

    pub(crate) async fn access_lines(&self, count: usize) -> Vec<Value> {
        while self.access().len() < count {
            tokio::task::yield_now().await;
        }
        self.access()
    }
}

#[tokio::test]
async fn each_request_leaves_one_line() {
    let (lines, _guard) = Lines::collect().await;
    let origin = Origin::always(Reply::json(200, r#"{"events":[]}"#)).await;
    let edge = Edge::before(&origin).await;

    let relayed = edge.get(EVENTS).await;
    edge.get("/elsewhere").await;

    let access = lines.access_lines(2).await;
    assert_eq!(access.len(), 2);
    let [first, second] = [&access[0], &access[1]];
    assert_eq!(first["message"], "request served");
    assert_eq!(
        Some(first["request_id"].as_str().unwrap()),
        relayed.header("x-request-id")
    );
    assert_eq!(first["client.address"], "127.0.0.1");
    assert_eq!(first["http.request.method"], "GET");
    assert_eq!(first["edge.operation"], "events.list");
    assert_eq!(first["http.response.status_code"], 200);
    assert_eq!(first["edge.source"], "backend");
    assert_eq!(first["http.response.body.size"], relayed.body.len());
    assert_eq!(first["edge.complete"], true);
    assert_eq!(first["url.path"], EVENTS);
    assert_eq!(first["http.route"], "/events");
    assert_eq!(first["network.protocol.version"], "1.1");
    assert_eq!(first["edge.verdict"], "admit");
    assert_eq!(first["edge.tls"], false);
    assert_eq!(first["server.address"], edge.address().to_string());
    let time = |name: &str| first[name].as_f64().expect("milliseconds");
    let parts = time("edge.queue_ms") + time("edge.backend_ms") + time("edge.edge_ms");
    assert!(parts <= time("edge.duration_ms") + 0.01, "{first}");
    assert!(second.get("edge.backend_ms").is_none(), "{second}");
    assert_eq!(second["edge.operation"], "none");
    assert_eq!(second["edge.source"], "edge");
    assert_eq!(second["edge.code"], "rest_no_route");
}

#[tokio::test]
async fn the_clients_program_is_named() {
    let (lines, _guard) = Lines::collect().await;
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;
    let read = edge.request(Method::GET, &format!("{EVENTS}?search=hidden"));
    Answer::to(read.header("user-agent", "tester/1")).await;
    let access = lines.access_lines(1).await;
    let line = access.last().expect("a line");
    assert_eq!(line["user_agent.original"], "tester/1");
    assert_eq!(line["url.path"], EVENTS);
    assert!(!line.to_string().contains("hidden"), "{line}");
}

#[tokio::test]
async fn the_size_of_a_body_is_named() {
    let (lines, _guard) = Lines::collect().await;
    let origin = Origin::always(Reply::json(201, "{}")).await;
    let edge = Edge::before(&origin).await;
    let body = r#"{"title":"a","start_date":"2027-01-01","end_date":"2027-01-02"}"#;
    let create = edge.request(Method::POST, EVENTS).basic_auth("a", Some("b"));
    Answer::to(create.header("content-type", "application/json").body(body)).await;
    edge.get(EVENTS).await;
    let access = lines.access_lines(2).await;
    assert_eq!(access[0]["http.request.body.size"], body.len(), "{}", access[0]);
    assert!(access[1].get("http.request.body.size").is_none(), "{}", access[1]);
    let metrics = edge.admin("/metrics").await.body;
    let total = format!(
        "edge_http_request_body_bytes_total{{source=\"backend\"}} {}\n",
        body.len()
    );
    assert!(metrics.contains(&total), "{metrics}");
}

#[tokio::test]
async fn a_trace_goes_through_the_edge() {
    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    let (lines, _guard) = Lines::collect().await;
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.other = OtherTraffic::Forward)
        .start()
        .await;
    for (count, path) in [EVENTS, "/a-page"].into_iter().enumerate() {
        let request = edge
            .request(Method::GET, path)
            .header("traceparent", format!("00-{TRACE}-00f067aa0ba902b7-01"))
            .header("tracestate", "vendor=1");
        Answer::to(request).await;
        let line = lines.access_lines(count + 1).await.pop().expect("a line");
        assert_eq!(line["trace_id"], TRACE, "{path}");
        let seen = origin.take_seen().pop().expect("it was forwarded");
        let span = line["span_id"].as_str().expect("a span");
        let expected = format!("00-{TRACE}-{span}-01");
        assert_eq!(seen.header("traceparent"), Some(expected.as_str()), "{path}");
        assert_eq!(seen.header("tracestate"), Some("vendor=1"), "{path}");
    }
    edge.get(EVENTS).await;
    let seen = origin.take_seen().pop().expect("it was forwarded");
    assert!(
        seen.header("traceparent")
            .is_some_and(|parent| !parent.contains(TRACE) && parent.ends_with("-01"))
    );
}

#[tokio::test]
async fn an_outage_is_few_warnings_with_a_count() {
    let (lines, _guard) = Lines::collect().await;
    let edge = Edge::builder()
        .origin(&Origin::down())
        .settings(|settings| settings.breaker.failures = 0)
        .start()
        .await;
    for _ in 0..20 {
        assert_eq!(edge.get(EVENTS).await.status, 502);
    }
    let counted = || {
        let text = lines.text();
        let lines = text
            .lines()
            .filter(|line| line.contains("the exchange with the backend failed"));
        let counts = lines.map(|line| {
            let line: Value = serde_json::from_str(line).expect("JSON on each line");
            line["count"].as_u64().expect("a count")
        });
        counts.collect::<Vec<u64>>()
    };
    while counted().iter().sum::<u64>() < 20 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(counted().iter().sum::<u64>(), 20);
    // One for the first, one for each second that the requests took.
    assert!(counted().len() < 20, "{:?}", counted());
}

#[tokio::test]
async fn secrets_stay_out_of_the_log() {
    let (lines, _guard) = Lines::collect().await;
    let down = Edge::before(&Origin::down()).await;
    let html = Origin::always(Reply::of_type(200, "text/html", "<p>secret-page</p>")).await;
    let broken = Edge::before(&html).await;
    for edge in [&down, &broken] {
        let read = edge
            .request(Method::GET, &format!("{EVENTS}/56?password=secret-query"))
            .header("authorization", "Basic secret-header")
            .header("cookie", "wordpress_logged_in_1=secret-cookie");
        let write = edge
            .request(Method::POST, &format!("{EVENTS}?search=secret-refused"))
            .header("x-wp-nonce", "secret-nonce")
            .header("content-type", "application/json")
            .body(r#"{"title":"secret-body","start_date":[]}"#);
        Answer::to(read).await;
        Answer::to(write).await;
    }

    lines.access_lines(4).await;
    let text = lines.text();
    assert!(text.contains("the exchange with the backend failed"), "{text}");
    assert!(!text.contains("secret"), "{text}");
}

#[tokio::test]
async fn a_client_that_leaves_is_logged_as_gone_and_its_read_is_given_up() {
    let (lines, _guard) = Lines::collect().await;
    let gate = Gate::closed();
    let origin = Origin::always(Reply::json(200, "{}").behind(&gate)).await;
    let edge = Edge::before(&origin).await;
    let mut client = edge.raw().await;
    client.send(raw_get(EVENTS)).await;
    gate.reached_by(1).await;

    drop(client);

    let access = lines.access_lines(1).await;
    assert_eq!(access[0]["http.response.status_code"], 499);
    assert_eq!(access[0]["edge.source"], "client");
    assert_eq!(access[0]["edge.operation"], "events.list");
}

/// The advice in the line about a call to this origin.
async fn advice(lines: &Lines, edge: &Edge) -> String {
    lines.0.lock().expect("no test panics while holding it").clear();
    edge.get(&format!("{EVENTS}?page=2")).await;
    lines.access_lines(1).await;
    let text = lines.text();
    let mut said = text.lines().filter_map(|line| {
        let line: Value = serde_json::from_str(line).expect("JSON on each line");
        line["advice"].as_str().map(ToOwned::to_owned)
    });
    said.next().expect("a line with advice")
}

#[tokio::test]
async fn the_advice_fits_what_the_origin_answers() {
    let (lines, _guard) = Lines::collect().await;
    let html = "text/html; charset=UTF-8";
    let moved = |location| Reply::of_type(302, html, "").header("location", location);
    for (reply, names) in [
        (Reply::of_type(200, html, "<h1>Welcome</h1>"), "REST root"),
        (Reply::of_type(403, html, "<h1>Blocked</h1>"), "firewall"),
        (
            Reply::of_type(404, html, "<h1>Not found</h1>"),
            "no REST API there",
        ),
        (
            Reply::of_type(413, html, "<h1>Too large</h1>"),
            "limits.body_bytes",
        ),
        (
            Reply::of_type(414, html, "<h1>Too long</h1>"),
            "limits request lines",
        ),
        (
            Reply::of_type(431, html, "<h1>Too long</h1>"),
            "limits request headers",
        ),
        (
            Reply::of_type(502, html, "<h1>Bad gateway</h1>"),
            "check that PHP runs",
        ),
        (Reply::of_type(504, html, ""), "check that PHP runs"),
        (Reply::json(200, ""), "PHP ended"),
        (Reply::json(200, "Warning: x{}"), "display_errors"),
        (
            Reply::json(200, "{}").header("content-encoding", "br"),
            "compression",
        ),
        (
            moved("https://wp.example/wp-json/tribe/events/v1/events?page=2"),
            "set origin.url to https://wp.example/wp-json;",
        ),
        (moved("/wp-login.php"), "login"),
        (moved("/wp-json/tribe/events/v1/events/?page=2"), "to itself"),
        (moved("https://elsewhere.example/"), "exempt the API"),
    ] {
        let shown = format!("{reply:?}");
        let origin = Origin::always(reply).await;
        let edge = Edge::before(&origin).await;
        let advice = advice(&lines, &edge).await;
        assert!(advice.contains(names), "{shown}: {advice}");
        let is_about_root =
            names.contains("REST root") || names.contains("no REST API") || names.contains("origin.url");
        assert!(
            is_about_root || !advice.contains("is a REST root"),
            "{shown}: {advice}"
        );
    }
}

#[tokio::test]
async fn the_advice_fits_why_the_origin_does_not_answer() {
    let (lines, _guard) = Lines::collect().await;
    for (origin, names) in [
        (Origin::down(), "nothing listens there"),
        (Origin::sending(b"").await, "closed the connection"),
        (
            Origin::sending(b"SSH-2.0-OpenSSH_9.2\r\n").await,
            "scheme and port",
        ),
        (
            Origin::sending(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n")
                .await,
            "Content-Length",
        ),
    ] {
        let edge = Edge::before(&origin).await;
        let advice = advice(&lines, &edge).await;
        assert!(advice.contains(names), "{advice}");
    }
}

#[tokio::test]
async fn t89_hidden_characters_are_shown() {
    let (lines, _guard) = Lines::collect().await;
    let edge = Edge::before(&Origin::always(Reply::json(200, "{}")).await).await;
    let mut client = edge.raw().await;
    client
        .send(format!(
            "GET {EVENTS}/\u{202e}\u{9b}x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        ))
        .await;
    client.rest().await;
    let line = lines.access_lines(1).await.remove(0);
    let path = line["url.path"].as_str().expect("a path");
    assert!(path.contains('\u{202e}'), "{path}");
    let raw = lines.text();
    assert!(
        raw.contains(r"\u202e\u009bx") && !raw.contains(['\u{202e}', '\u{9b}']),
        "{raw}"
    );

    let text = Lines::default();
    let settings = LogSettings {
        filter: "info".to_owned(),
        format: LogFormat::Text,
    };
    let writer = text.clone();
    let written = move || writer.clone();
    let subscriber = log_lines(&settings, written).expect("a filter");
    tracing::subscriber::with_default(subscriber, || {
        tracing::info!(path = %"/a\u{202e}b", "turned \u{2066}around");
    });
    let shown = text.text();
    assert!(
        shown.contains(r"turned \u{2066}around path=/a\u{202e}b"),
        "{shown}"
    );
    assert!(shown.ends_with('\n') && shown.lines().count() == 1, "{shown}");
}
