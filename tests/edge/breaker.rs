//! Reads are not sent to an origin that fails, and are sent again soon after it recovers (T-70 to T-72).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::Method;
use tokio::time::timeout;

use crate::support::{Answer, EVENTS, Edge, Gate, Origin, Reply, german_root};

const FAILURES: usize = 3;

async fn edge(origin: &Origin) -> Edge {
    let builder = Edge::builder().origin(origin).settings(|settings| {
        settings.breaker.failures = FAILURES;
        settings.breaker.probe_interval = Duration::from_millis(100);
        settings.timeouts.origin_first_byte = Duration::from_millis(100);
    });
    builder.start().await
}

fn write(edge: &Edge) -> reqwest::RequestBuilder {
    edge.request(Method::POST, &format!("{EVENTS}/56"))
        .header("authorization", "Basic YTpi")
        .header("content-type", "application/json")
        .body(r#"{"title":"Gala"}"#)
}

/// Reads until a response has this status.
async fn read_until(edge: &Edge, status: u16) -> Answer {
    loop {
        let answer = edge.get(EVENTS).await;
        if answer.status == status {
            return answer;
        }
    }
}

/// The state of the breaker before an origin, by scheme and authority.
async fn breaker_state(edge: &Edge, base: &str) -> String {
    let series = format!(r#"edge_origin_breaker_state{{backend="{base}"}}"#);
    edge.metric(&series).await.expect("a gauge")
}

#[tokio::test]
async fn t70_service_is_back_within_five_seconds() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.breaker.failures = FAILURES)
        .start()
        .await;
    assert_eq!(edge.get(EVENTS).await.status, 200);

    let address = origin.kill().await;
    let refused = timeout(Duration::from_secs(3), read_until(&edge, 503)).await;
    let _origin = Origin::at(address, |_, _| Reply::json(200, "{}")).await;
    let served = timeout(Duration::from_secs(5), read_until(&edge, 200)).await;

    assert!(refused.is_ok());
    assert!(served.is_ok());
}

#[tokio::test]
async fn t72_a_dead_origin_leaves_the_others_alone() {
    let dead = Origin::down().base();
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| {
            settings.roots.push(german_root(&dead));
            settings.breaker.failures = FAILURES;
            settings.breaker.probe_interval = Duration::from_mins(1);
        })
        .start()
        .await;

    for attempt in 0..10 {
        let expected = if attempt < FAILURES { 502 } else { 503 };
        assert_eq!(edge.get(&format!("/de{EVENTS}")).await.status, expected);
    }

    for _ in 0..10 {
        assert_eq!(edge.get(EVENTS).await.status, 200);
    }
    assert_eq!(breaker_state(&edge, &dead).await, "2");
    assert_eq!(breaker_state(&edge, &origin.base()).await, "0");
}

#[tokio::test]
async fn t71_full_service_is_back_after_hangs() {
    let gate = Gate::closed();
    let hangs = Arc::new(AtomicBool::new(true));
    let script = {
        let (gate, hangs) = (gate.clone(), Arc::clone(&hangs));
        move |_: &_| {
            let reply = Reply::json(200, "{}");
            if hangs.load(Ordering::Relaxed) {
                reply.behind(&gate)
            } else {
                reply
            }
        }
    };
    let origin = Origin::answering(script).await;
    let edge = edge(&origin).await;
    let url = edge.url(EVENTS);
    let client = Edge::client();
    let crowd: Vec<_> = (0..100)
        .map(|_| tokio::spawn(Answer::to(client.get(&url))))
        .collect();
    for answer in crowd {
        let answer = answer.await.expect("an answer");
        assert!([503, 504].contains(&answer.status.as_u16()), "{}", answer.body);
    }

    hangs.store(false, Ordering::Relaxed);
    timeout(Duration::from_secs(15), read_until(&edge, 200))
        .await
        .expect("service");

    for _ in 0..20 {
        assert_eq!(edge.get(EVENTS).await.status, 200);
    }
    gate.open();
}

#[tokio::test]
async fn t72_reads_get_503_at_once_and_writes_pass() {
    let page = "<p>Briefly unavailable for scheduled maintenance. Check back in a minute.</p>";
    let origin = Origin::always(Reply::of_type(503, "text/html", page)).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| {
            settings.breaker.failures = FAILURES;
            settings.breaker.probe_interval = Duration::from_mins(1);
        })
        .start()
        .await;
    assert_eq!(breaker_state(&edge, &origin.base()).await, "0");
    for _ in 0..FAILURES {
        assert_eq!(edge.get(EVENTS).await.code(), "edge_origin_failed");
    }
    origin.take_seen();

    let read = edge.get(EVENTS).await;
    let refused = edge.get(&format!("{EVENTS}?per_page=0")).await;
    let write = Answer::to(write(&edge)).await;

    assert_eq!(
        (read.status.as_u16(), read.code().as_str()),
        (503, "edge_origin_unavailable")
    );
    assert_eq!(read.header("retry-after"), Some("60"));
    assert_eq!(read.header("cache-control"), Some("no-store"));
    assert_eq!(
        read.header("proxy-status"),
        Some("calendar-edge; error=destination_unavailable")
    );
    assert_eq!(refused.status, 400);
    assert_eq!(write.code(), "edge_origin_failed");
    assert_eq!(origin.only().method, Method::POST);
    assert_eq!(breaker_state(&edge, &origin.base()).await, "2");
}

#[tokio::test]
async fn t72_what_clients_can_cause_does_not_open_it() {
    let fatal = r#"{"code":"internal_server_error","message":"x","data":{"status":500}}"#;
    for reply in [
        Reply::json(500, r#"{"code":"empty_content","message":"Empty.","data":null}"#),
        Reply::json(
            404,
            r#"{"code":"rest_no_route","message":"No.","data":{"status":404}}"#,
        ),
        Reply::json(500, fatal),
        Reply::of_type(
            500,
            "text/html",
            "There has been a critical error on this website",
        ),
        Reply::of_type(200, "text/html", "<p>Hello</p>"),
        Reply::json(200, "{"),
        Reply::json(200, ""),
    ] {
        let origin = Origin::always(reply).await;
        let edge = edge(&origin).await;
        for _ in 0..=FAILURES {
            edge.get(EVENTS).await;
        }
        assert_eq!(origin.seen().len(), FAILURES + 1);
    }
}
