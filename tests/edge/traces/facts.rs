//! Spans have the facts of the log, and their places in the trace are those that others receive.

use std::collections::BTreeSet;
use std::time::Duration;

use calendar_edge_core::settings::{
    CandidateSettings, OperationPattern, OperationSettings, OtherTraffic, PatchPolicy, Percentage, ShadowRule,
};
use calendar_edge_judge::contract::table;
use http::Method;
use serde_json::{Value, json};

use super::collector::{Collector, Export, SeenSpan, hex};
use super::{PARENT, TRACE, site, to, traced, traceparent};
use crate::support::{Answer, Directory, EVENTS, Edge, Origin, Program, Reply, Step, Wire};

/// The span of the one request that a test is about, and those of its exchanges.
fn parts(spans: Vec<SeenSpan>) -> (SeenSpan, Vec<SeenSpan>) {
    let (mut servers, clients): (Vec<_>, Vec<_>) = spans.into_iter().partition(SeenSpan::is_server);
    assert_eq!(servers.len(), 1, "{servers:?}");
    (servers.remove(0), clients)
}

/// A time in milliseconds, with three decimals.
fn milliseconds(value: &Value) -> f64 {
    value.as_f64().expect("milliseconds")
}

#[tokio::test]
async fn a_read_is_a_span_within_that_of_its_client_and_the_exchange_one_within_it() {
    let (origin, collector) = (site().await, Collector::taking_all().await);
    let edge = traced(&origin, &collector).await;
    let read = edge.request(Method::GET, &format!("{EVENTS}?search=hidden"));
    let read = read.header("traceparent", traceparent("01"));
    let answer = Answer::to(read.header("tracestate", "a=1")).await;
    assert_eq!(answer.status, 200);

    let (server, clients) = parts(collector.spans_of(2).await);
    let [client] = &clients[..] else {
        panic!("{clients:?}")
    };
    assert_eq!(server.span.name, "GET /events");
    assert_eq!(hex(&server.span.trace_id), TRACE);
    assert_eq!(hex(&server.span.parent_span_id), PARENT);
    // Recorded; it is known whether the parent is elsewhere; for the first one it is.
    assert_eq!((server.span.flags, client.span.flags), (0x301, 0x101));
    for span in [&server, client] {
        assert_eq!(span.span.trace_state, "a=1");
        assert_eq!(span.span.status, None, "{span:?}");
        assert!(!format!("{span:?}").contains("hidden"), "{span:?}");
    }
    assert_eq!(client.span.trace_id, server.span.trace_id);
    assert_eq!(client.span.parent_span_id, server.span.span_id);
    // The site's own work is within the exchange.
    assert_eq!(
        origin.only().header("traceparent"),
        Some(client.traceparent().as_str())
    );

    assert!(server.span.start_time_unix_nano <= client.span.start_time_unix_nano);
    assert!(client.span.end_time_unix_nano <= server.span.end_time_unix_nano);
    let asked = milliseconds(&client.told("edge.queue_ms")) + milliseconds(&client.told("edge.backend_ms"));
    assert!((asked - client.duration()).abs() < 0.0025, "{client:?}");
    for time in ["edge.queue_ms", "edge.backend_ms"] {
        assert_eq!(client.told(time), server.told(time));
    }
    let base = origin.base();
    let port: u16 = base.rsplit_once(':').unwrap().1.parse().unwrap();
    for (name, expected) in [
        ("http.request.method", json!("GET")),
        ("server.address", json!("127.0.0.1")),
        ("server.port", json!(port)),
        (
            "url.full",
            json!(format!("{base}/wp-json/tribe/events/v1/events")),
        ),
        ("url.template", json!("/events")),
        ("http.response.status_code", json!(200)),
        ("edge.operation", json!("events.list")),
    ] {
        assert_eq!(client.told(name), expected, "{name}");
    }
}

#[tokio::test]
async fn two_tries_of_a_read_are_one_exchange() {
    let wire = Wire::playing(|_, number| match number {
        0 => vec![Step::Close],
        _ => vec![Step::json("{}")],
    });
    let (wire, collector) = (wire.await, Collector::taking_all().await);
    let edge = Edge::builder().site(&wire.base());
    let edge = edge.settings(|settings| to(&collector, settings)).start().await;
    assert_eq!(edge.get(EVENTS).await.status, 200);

    let (_, clients) = parts(collector.spans_of(2).await);
    let [client] = &clients[..] else {
        panic!("{clients:?}")
    };
    let requests = wire.requests();
    assert_eq!(requests.len(), 2);
    for request in requests {
        assert!(request.contains(&client.traceparent()), "{request}");
    }
}

#[tokio::test]
async fn the_source_of_spans_is_named() {
    let (origin, collector) = (site().await, Collector::taking_all().await);
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| to(&collector, settings));
    let edge = edge.start().await;
    edge.get("/elsewhere").await;
    collector.spans_of(1).await;
    let export = Export::of(&collector.requests()[0]);
    assert_eq!(export.resource["service.name"], "calendar-edge");
    assert_eq!(export.resource["service.version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(
        export.resource["service.instance.id"].as_str().map(str::len),
        Some(36)
    );
    assert_eq!(export.scope.name, "calendar-edge");
    assert_eq!(export.scope.version, env!("CARGO_PKG_VERSION"));
    let agent = concat!("calendar-edge/", env!("CARGO_PKG_VERSION"));
    assert_eq!(collector.requests()[0].header("user-agent"), Some(agent));
}

/// A read, a refusal and a hit: all the facts of their lines, and nothing else.
#[tokio::test]
async fn a_span_tells_what_the_line_in_the_log_tells() {
    let (origin, collector) = (site().await, Collector::taking_all().await);
    let directory = Directory::new("spans-and-lines");
    let config = format!(
        "listen = \"127.0.0.1:0\"\n[origin]\nurl = \"{}/wp-json\"\nread_index = false\n\
         [admin]\nlisten = \"127.0.0.1:0\"\n[traces]\nendpoint = \"{}/\"\n[cache]\nfresh = \"1h\"\n",
        origin.base(),
        collector.base()
    );
    let mut program = Program::serve(&directory.write("edge.toml", &config)).await;
    let mut spans = 0;
    for (target, source, status, more) in [
        (EVENTS.to_owned(), "backend", 200, 2),
        (format!("{EVENTS}?page=none"), "edge", 400, 1),
        (EVENTS.to_owned(), "cache", 200, 1),
    ] {
        let read = Edge::client().get(program.url(&target));
        Answer::to(read.header("user-agent", "tester/1")).await;
        let line = program.logged("request served").await;
        spans += more;
        let seen = collector.spans_of(spans).await;
        let id = line["span_id"].as_str().unwrap();
        let span = seen.iter().find(|span| hex(&span.span.span_id) == id);
        let span = span.unwrap_or_else(|| panic!("{id} is not in {seen:?}"));
        assert_eq!(hex(&span.span.trace_id), line["trace_id"].as_str().unwrap());
        assert!(span.span.parent_span_id.is_empty() && span.is_server());
        assert_eq!(
            (&line["edge.source"], &line["http.response.status_code"]),
            (&json!(source), &json!(status))
        );

        let mut told: BTreeSet<&str> = line.as_object().unwrap().keys().map(String::as_str).collect();
        for apart in ["timestamp", "level", "target", "message", "trace_id", "span_id"] {
            assert!(told.remove(apart), "{apart} is not in {line}");
        }
        let attributes: BTreeSet<&str> = span.attributes.keys().map(String::as_str).collect();
        assert_eq!(attributes, told);
        for name in told {
            assert_eq!(span.told(name), line[name], "{name}");
        }
        let duration = milliseconds(&line["edge.duration_ms"]);
        assert!((duration - span.duration()).abs() < 0.0015, "{duration} {span:?}");
    }
    // A refusal and a hit need no exchange.
    assert_eq!(
        collector.spans().iter().filter(|span| !span.is_server()).count(),
        1
    );
}

#[tokio::test]
async fn a_failed_exchange_is_an_error_of_both_spans() {
    let (origin, collector) = (Origin::down(), Collector::taking_all().await);
    let edge = traced(&origin, &collector).await;
    let answer = edge.get(EVENTS).await;
    assert_eq!(answer.status, 502);
    let (server, clients) = parts(collector.spans_of(2).await);
    let error = 2;
    assert_eq!(server.span.status.as_ref().unwrap().code, error);
    assert_eq!(server.told("error.type"), answer.code());
    assert_eq!(clients[0].span.status.as_ref().unwrap().code, error);
    assert_eq!(clients[0].told("error.type"), "refused");
    assert_eq!(clients[0].told("http.response.status_code"), Value::Null);
}

#[tokio::test]
async fn the_rest_of_the_site_is_traced_without_routes() {
    let (origin, collector) = (
        Origin::always(Reply::json(404, "{}")).await,
        Collector::taking_all().await,
    );
    let edge = Edge::builder().origin(&origin).settings(|settings| {
        to(&collector, settings);
        settings.other = OtherTraffic::Forward;
    });
    let edge = edge.start().await;
    edge.get("/2026/a-page/?p=hidden").await;
    let (server, clients) = parts(collector.spans_of(2).await);
    let [client] = &clients[..] else {
        panic!("{clients:?}")
    };
    assert_eq!(
        (server.span.name.as_str(), client.span.name.as_str()),
        ("GET", "GET")
    );
    assert_eq!(server.told("url.path"), "/2026/a-page/");
    // Not found: no fault of the edge, but not the response that it wanted of the site.
    assert_eq!(server.span.status, None);
    assert_eq!(client.told("error.type"), "404");
    assert_eq!(client.told("url.full"), format!("{}/2026/a-page/", origin.base()));
    assert_eq!(
        origin.only().header("traceparent"),
        Some(client.traceparent().as_str())
    );
    assert!(!format!("{server:?} {client:?}").contains("hidden"));
}

/// A merged PATCH reads the record twice and writes it: three exchanges, and each is the parent of what the site does
/// in it.
#[tokio::test]
async fn each_exchange_has_a_span_of_its_own() {
    let record =
        r#"{"id":56,"title":"Tea","status":"draft","modified_utc":"2026-11-20 08:39:45","cost":"$5"}"#;
    let (origin, collector) = (
        Origin::always(Reply::json(200, record)).await,
        Collector::taking_all().await,
    );
    let edge = Edge::builder().origin(&origin).settings(|settings| {
        to(&collector, settings);
        let merge = OperationSettings {
            patch: PatchPolicy::Merge,
            ..OperationSettings::default()
        };
        let update = table().named("events.update").expect("an operation");
        settings.operations.insert(update.id, merge);
    });
    let edge = edge.start().await;
    let patch = edge.request(Method::PATCH, &format!("{EVENTS}/56"));
    let patch = patch
        .basic_auth("a", Some("b"))
        .header("content-type", "application/json");
    let answer = Answer::to(patch.body(r#"{"title":"New"}"#)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);

    let (server, mut clients) = parts(collector.spans_of(4).await);
    clients.sort_by_key(|client| client.span.start_time_unix_nano);
    let asked: Vec<_> = origin
        .seen()
        .iter()
        .map(|seen| seen.header("traceparent").unwrap().to_owned())
        .collect();
    let parents: Vec<_> = clients.iter().map(SeenSpan::traceparent).collect();
    assert_eq!(asked, parents);
    let names: Vec<_> = clients.iter().map(|client| client.span.name.as_str()).collect();
    let (read, write) = ("GET /events/{id}", "POST /events/{id}");
    assert_eq!(names, [read, read, write]);
    assert_eq!(server.span.name, "PATCH /events/{id}");
    let sum = |time: &str| {
        clients
            .iter()
            .map(|client| milliseconds(&client.told(time)))
            .sum::<f64>()
    };
    for time in ["edge.queue_ms", "edge.backend_ms"] {
        assert!(
            (sum(time) - milliseconds(&server.told(time))).abs() < 0.0045,
            "{time}"
        );
    }
    for client in &clients {
        assert_eq!(client.span.parent_span_id, server.span.span_id);
    }
}

/// A copy is no part of what the client waits for: it has no span, and names the request as its parent.
#[tokio::test]
async fn a_copy_belongs_to_the_request() {
    let (origin, next, collector) = (site().await, site().await, Collector::taking_all().await);
    let edge = Edge::builder().origin(&origin).settings(|settings| {
        to(&collector, settings);
        let url = format!("{}/wp-json", next.base()).parse().expect("a URL");
        settings
            .backends
            .push(CandidateSettings::at("next".to_owned(), url));
        settings.shadow.push(ShadowRule {
            backend: "next".to_owned(),
            operations: vec![OperationPattern::parse("events.list").expect("a pattern")],
            double: Percentage::NONE,
            ..ShadowRule::default()
        });
    });
    let edge = edge.start().await;
    edge.get(EVENTS).await;
    let (server, clients) = parts(collector.spans_of(2).await);
    assert_eq!(
        origin.only().header("traceparent"),
        Some(clients[0].traceparent().as_str())
    );
    while next.seen().is_empty() {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    assert_eq!(
        next.only().header("traceparent"),
        Some(server.traceparent().as_str())
    );
    assert!(edge.drain().await);
    assert_eq!(collector.spans().len(), 2);
}

/// A client with a stale response from the cache does not wait for the site, which gets a request in the same trace.
#[tokio::test]
async fn a_renewal_in_the_background_belongs_to_the_request_that_caused_it() {
    let (origin, collector) = (site().await, Collector::taking_all().await);
    let edge = Edge::builder().origin(&origin).caching().settings(|settings| {
        to(&collector, settings);
        settings.cache.fresh = Duration::ZERO;
    });
    let edge = edge.start().await;
    edge.get(EVENTS).await;
    collector.spans_of(2).await;
    edge.get(EVENTS).await;
    let (servers, clients): (Vec<_>, Vec<_>) = collector
        .spans_of(4)
        .await
        .into_iter()
        .partition(SeenSpan::is_server);
    let sources: Vec<_> = servers.iter().map(|server| server.told("edge.source")).collect();
    assert_eq!(sources, ["backend", "cache"]);
    for (server, client) in servers.iter().zip(&clients) {
        assert_eq!(client.span.parent_span_id, server.span.span_id);
        assert_eq!(client.span.trace_id, server.span.trace_id);
    }
    let calls = origin
        .seen()
        .into_iter()
        .filter(|seen| seen.target.contains("/events"));
    let asked: Vec<_> = calls
        .map(|seen| seen.header("traceparent").unwrap().to_owned())
        .collect();
    let parents: Vec<_> = clients.iter().map(SeenSpan::traceparent).collect();
    assert_eq!(asked, parents);
}

#[tokio::test]
async fn long_texts_of_clients_are_cut() {
    let (origin, collector) = (site().await, Collector::taking_all().await);
    let edge = Edge::builder().origin(&origin).settings(|settings| {
        to(&collector, settings);
        settings.other = OtherTraffic::Forward;
    });
    let edge = edge.start().await;
    let long = edge.request(Method::GET, &format!("/{}", "a".repeat(3000)));
    Answer::to(long.header("user-agent", "b".repeat(3000))).await;
    for span in collector.spans_of(2).await {
        for (name, value) in &span.attributes {
            assert!(value.as_str().is_none_or(|text| text.len() <= 1024), "{name}");
        }
    }
}
