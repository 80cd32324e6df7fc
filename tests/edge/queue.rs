//! The queue toward the site: calls that wait, that are sent away, and that leave (decision 0032).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use calendar_edge_core::settings::Settings;
use futures_util::FutureExt;
use futures_util::future::join_all;
use http::Method;
use tokio::task::JoinHandle;

use crate::support::{Answer, EVENTS, Edge, Gate, Origin, RawClient, Reply, raw_get};

const BASIC: &str = "Basic YTpi";

/// An edge with one permit toward the site.
async fn narrow(origin: &Origin, change: impl FnOnce(&mut Settings)) -> Edge {
    Edge::builder()
        .origin(origin)
        .caching()
        .settings(|settings| {
            settings.origin.max_in_flight = 1;
            settings.timeouts.origin_queue = Duration::from_secs(30);
            settings.timeouts.origin_read = Duration::from_mins(1);
            settings.timeouts.origin_write = Duration::from_mins(1);
        })
        .settings(change)
        .start()
        .await
}

async fn gated(gate: &Gate) -> Origin {
    Origin::always(Reply::json(200, r#"{"events":[]}"#).behind(gate)).await
}

/// An anonymous read of its own.
fn read(edge: &Edge, number: usize) -> JoinHandle<Answer> {
    let target = format!("{EVENTS}?search=w{number}");
    tokio::spawn(Answer::to(edge.request(Method::GET, &target)))
}

fn logged_in_read(edge: &Edge) -> JoinHandle<Answer> {
    let request = edge.request(Method::GET, EVENTS).header("authorization", BASIC);
    tokio::spawn(Answer::to(request))
}

fn write(edge: &Edge) -> JoinHandle<Answer> {
    let request = edge
        .request(Method::POST, &format!("{EVENTS}/56"))
        .header("authorization", BASIC);
    let request = request.header("content-type", "application/json");
    tokio::spawn(Answer::to(request.body(r#"{"title":"Gala"}"#)))
}

/// The calls that the site has seen; beside them, the edge requests the site's time zone.
fn asked(origin: &Origin) -> usize {
    let seen = origin.seen();
    seen.iter()
        .filter(|seen| seen.target.contains("/tribe/events/v1"))
        .count()
}

async fn series(edge: &Edge, origin: &Origin, name: &str, label: &str) -> String {
    let series = format!(
        r#"edge_origin_{name}{{backend="{}",traffic="calls"{label}}}"#,
        origin.base()
    );
    edge.metric(&series).await.expect("a series")
}

/// Waits until so many requests wait for a permit.
async fn waiting(edge: &Edge, origin: &Origin, number: usize) {
    while series(edge, origin, "waiting_requests", "").await != number.to_string() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn assert_shed(answer: &Answer) {
    assert_eq!(answer.status, 503);
    assert_eq!(answer.code(), "edge_overloaded");
    assert_eq!(answer.header("retry-after"), Some("1"));
}

/// A raw client with a request of its own.
async fn asking(edge: &Edge, target: &str) -> RawClient {
    let mut client = edge.raw().await;
    client.send(raw_get(target)).await;
    client
}

#[tokio::test]
async fn sixty_different_reads_are_answered_as_soon_as_eight_workers_can() {
    let (busy, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counted = (Arc::clone(&busy), Arc::clone(&most));
    let gate = Gate::closed();
    let reply = Reply::json(200, r#"{"events":[]}"#).behind(&gate);
    let origin = Origin::answering(move |_| {
        counted
            .1
            .fetch_max(counted.0.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        reply.clone()
    })
    .await;
    let edge = Edge::builder().origin(&origin).caching().start().await;
    let reads: Vec<_> = (0..60).map(|number| read(&edge, number)).collect();
    waiting(&edge, &origin, 52).await;
    assert_eq!(most.load(Ordering::SeqCst), 8);
    gate.open();
    for answer in join_all(reads).await {
        assert_eq!(answer.unwrap().status, 200);
    }
    assert_eq!(asked(&origin), 60);
    waiting(&edge, &origin, 0).await;
}

#[tokio::test]
async fn writes_and_logins_take_the_places_of_the_newest_reads() {
    let gate = Gate::closed();
    let origin = gated(&gate).await;
    let edge = narrow(&origin, |settings| settings.origin.pending = Some(4)).await;
    let mut reads = Vec::new();
    for number in 0..5 {
        reads.push(read(&edge, number));
        gate.reached_by(1).await;
        waiting(&edge, &origin, number).await;
    }
    assert_shed(&read(&edge, 5).await.unwrap());

    let (login, newest) = (logged_in_read(&edge), reads.pop().unwrap());
    assert_shed(&newest.await.unwrap());
    let (write, newer) = (write(&edge), reads.pop().unwrap());
    assert_shed(&newer.await.unwrap());

    gate.open();
    for served in reads.into_iter().chain([login, write]) {
        assert_eq!(served.await.unwrap().status, 200);
    }
    for (reason, number) in [("full", "1"), ("displaced", "2"), ("overload", "0")] {
        let label = format!(r#",reason="{reason}""#);
        assert_eq!(
            series(&edge, &origin, "shed_requests_total", &label).await,
            number
        );
    }
}

#[tokio::test]
async fn lasting_overload_sheds_new_anonymous_reads_only() {
    let gate = Gate::closed();
    let origin = gated(&gate).await;
    // Overload lasts after a second of waits above a second.
    let edge = narrow(&origin, |settings| {
        settings.timeouts.origin_queue = Duration::from_secs(5);
    })
    .await;
    let held = read(&edge, 0);
    gate.reached_by(1).await;
    let mut waits: Vec<_> = (1..4).map(|number| read(&edge, number)).collect();
    waiting(&edge, &origin, 3).await;
    let shed = loop {
        let mut next = read(&edge, waits.len() + 1);
        match tokio::time::timeout(Duration::from_millis(100), &mut next).await {
            Ok(answer) => break answer.unwrap(),
            Err(_) => waits.push(next),
        }
    };
    assert_shed(&shed);
    let label = r#",reason="overload""#;
    assert_eq!(series(&edge, &origin, "shed_requests_total", label).await, "1");

    let protected = [logged_in_read(&edge), write(&edge)];
    waiting(&edge, &origin, waits.len() + 2).await;
    gate.open();
    for served in protected.into_iter().chain([held]).chain(waits) {
        assert_eq!(served.await.unwrap().status, 200);
    }
    assert_eq!(read(&edge, 1000).await.unwrap().status, 200);
}

#[tokio::test]
async fn a_read_with_a_stale_answer_does_not_wait() {
    let gate = Gate::closed();
    let reply = Reply::json(200, r#"{"id":56}"#);
    let (slow, first) = (reply.clone().behind(&gate), AtomicUsize::new(0));
    let origin = Origin::answering(move |seen| {
        let is_first = seen.target.contains("/56") && first.fetch_add(1, Ordering::SeqCst) == 0;
        if is_first { reply.clone() } else { slow.clone() }
    })
    .await;
    let edge = narrow(&origin, |settings| {
        settings.origin.pending = Some(2);
        settings.cache.fresh = Duration::from_millis(1);
        settings.cache.stale_while_revalidate = Duration::ZERO;
    })
    .await;
    let event = format!("{EVENTS}/56");
    assert_eq!(edge.get(&event).await.status, 200);
    let held = read(&edge, 0);
    gate.reached_by(1).await;

    // There is a place: the request takes it, and the client does not wait for its turn.
    let behind = edge.get(&event).await;
    assert_eq!(behind.status, 200);
    let status = behind.header("cache-status").unwrap();
    assert!(status.ends_with("detail=origin-busy"), "{status}");
    waiting(&edge, &origin, 1).await;
    // Followers of the same request take no further places.
    assert_eq!(edge.get(&event).await.body, behind.body);
    waiting(&edge, &origin, 1).await;

    let other = read(&edge, 1);
    waiting(&edge, &origin, 2).await;
    let full = edge.get(&event).await;
    assert_eq!((full.status.as_u16(), full.body), (200, behind.body));
    assert_shed(&read(&edge, 2).await.unwrap());

    gate.open();
    for served in [held, other] {
        assert_eq!(served.await.unwrap().status, 200);
    }
    let of_event = origin
        .seen()
        .into_iter()
        .filter(|seen| seen.target.contains("/56"));
    assert_eq!(of_event.count(), 2, "asked once, and once behind");
}

#[tokio::test]
async fn a_full_queue_shows_what_is_kept() {
    let gate = Gate::closed();
    let reply = Reply::json(200, r#"{"id":56}"#);
    let slow = reply.clone().behind(&gate);
    let origin = Origin::answering(move |seen| {
        if seen.target.contains("/56") {
            reply.clone()
        } else {
            slow.clone()
        }
    })
    .await;
    let edge = narrow(&origin, |settings| {
        settings.origin.pending = Some(1);
        settings.cache.fresh = Duration::from_millis(1);
        settings.cache.stale_while_revalidate = Duration::ZERO;
    })
    .await;
    let event = format!("{EVENTS}/56");
    let kept = edge.get(&event).await;
    let held = read(&edge, 0);
    gate.reached_by(1).await;
    let other = read(&edge, 1);
    waiting(&edge, &origin, 1).await;
    let full = edge.get(&event).await;
    assert_eq!((full.status.as_u16(), full.body), (200, kept.body));
    gate.open();
    for served in [held, other] {
        assert_eq!(served.await.unwrap().status, 200);
    }
}

#[tokio::test]
async fn who_leaves_gives_up_the_place() {
    let gate = Gate::closed();
    let origin = gated(&gate).await;
    let edge = narrow(&origin, |settings| settings.origin.pending = Some(2)).await;
    let held = read(&edge, 0);
    gate.reached_by(1).await;
    // One request for two: it waits until the second one has left.
    let target = format!("{EVENTS}?search=same");
    let (first, second) = (asking(&edge, &target).await, asking(&edge, &target).await);
    waiting(&edge, &origin, 1).await;
    let personal = asking(&edge, &format!("{EVENTS}?password=x")).await;
    waiting(&edge, &origin, 2).await;
    drop(personal);
    waiting(&edge, &origin, 1).await;
    drop(first);
    tokio::time::sleep(Duration::from_millis(50)).await;
    waiting(&edge, &origin, 1).await;
    drop(second);
    waiting(&edge, &origin, 0).await;

    let write = write(&edge);
    waiting(&edge, &origin, 1).await;
    write.abort();
    assert!(write.await.unwrap_err().is_cancelled());
    waiting(&edge, &origin, 0).await;

    let mut next = read(&edge, 1);
    waiting(&edge, &origin, 1).await;
    assert!((&mut next).now_or_never().is_none());
    gate.open();
    for served in [held, next] {
        assert_eq!(served.await.unwrap().status, 200);
    }
    assert_eq!(asked(&origin), 2, "those who left were never sent to the site");
}

#[tokio::test]
async fn nobody_waits_longer_than_the_queue_allows() {
    let gate = Gate::closed();
    let origin = gated(&gate).await;
    let edge = narrow(&origin, |settings| {
        settings.timeouts.origin_queue = Duration::from_millis(50);
    })
    .await;
    let held = read(&edge, 0);
    gate.reached_by(1).await;
    for late in [read(&edge, 1), logged_in_read(&edge), write(&edge)] {
        assert_shed(&late.await.unwrap());
    }
    let label = r#",reason="overdue""#;
    assert_eq!(series(&edge, &origin, "shed_requests_total", label).await, "3");
    gate.open();
    assert_eq!(held.await.unwrap().status, 200);
}
