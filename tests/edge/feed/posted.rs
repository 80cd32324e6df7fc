//! Webhooks: signed, batched, retried, from a position that outlives the edge.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use calendar_edge_core::settings::{MarkKey, Settings, WebhookSettings};
use calendar_edge_judge::contract::Kind;
use ring::hmac;
use serde_json::Value;

use super::feed_site::{FeedScene, Status, keeping, next, told};
use crate::support::{Directory, Origin, Reply, Seen};

/// Deliveries that a receiver has taken.
const TAKEN: &str = r#"edge_webhook_deliveries_total{receiver="127.0.0.1",outcome="taken"}"#;

const SECRET: &[u8] = b"the secret of one receiver, 32 by";

fn posting(receiver: &Origin, path: &str) -> WebhookSettings {
    let url = format!("{}{path}", receiver.base()).parse().expect("a URL");
    WebhookSettings {
        secret: MarkKey::new(SECRET).ok(),
        batch: Duration::from_millis(200),
        timeout: Duration::from_millis(500),
        url,
        ..WebhookSettings::default()
    }
}

fn with(webhooks: Vec<WebhookSettings>) -> impl FnOnce(&mut Settings) {
    move |settings| settings.webhooks = webhooks
}

/// Waits until a receiver has so many requests, and takes them.
async fn received(receiver: &Origin, least: usize) -> Vec<Seen> {
    let begun = Instant::now();
    while receiver.seen().len() < least {
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", receiver.seen());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    receiver.take_seen()
}

fn body(seen: &Seen) -> Value {
    serde_json::from_slice(&seen.body).expect("JSON")
}

/// Verifies a request as a receiver does, without the code of the edge.
fn is_signed(seen: &Seen, secret: &[u8]) -> bool {
    let header = |name: &str| seen.header(name).expect("a header").to_owned();
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
    let mut signed = format!("{}.{}.", header("webhook-id"), header("webhook-timestamp")).into_bytes();
    signed.extend_from_slice(&seen.body);
    let signature = STANDARD.decode(header("webhook-signature").trim_start_matches("v1,"));
    hmac::verify(&key, &signed, &signature.expect("base64")).is_ok()
}

#[tokio::test]
async fn a_burst_is_one_signed_request() {
    let receiver = Origin::always(Reply::json(200, "{}")).await;
    let venues = Origin::always(Reply::json(204, "")).await;
    let only_venues = WebhookSettings {
        kinds: vec![Kind::Venue],
        ..posting(&venues, "/")
    };
    let webhooks = vec![posting(&receiver, "/hook?a=b"), only_venues];
    let scene = FeedScene::with(&["events/50", "events/51"], with(webhooks)).await;
    // A receiver that knows nothing yet reads all once.
    let first = received(&receiver, 1).await;
    assert_eq!(body(&first[0])["complete"], false);
    received(&venues, 1).await;
    scene.read_all().await;
    for _ in 0..5 {
        scene.change("events/50", Status::Published).await;
    }
    scene.change("events/51", Status::Trashed).await;
    let posted = received(&receiver, 1).await;
    assert_eq!(posted[0].target, "/hook?a=b");
    assert!(is_signed(&posted[0], SECRET) && !is_signed(&posted[0], b"another"));
    let mut told_so_far: Vec<String> = posted.iter().flat_map(|seen| told(&body(seen))).collect();
    while !told_so_far.contains(&"gone event:51".to_owned()) {
        let more = received(&receiver, 1).await;
        told_so_far.extend(more.iter().flat_map(|seen| told(&body(seen))));
    }
    assert!(told_so_far.len() < 6, "{told_so_far:?}");
    assert_eq!(
        posted[0].header("webhook-id"),
        Some(next(&body(&posted[0])).as_str())
    );
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(venues.seen().is_empty(), "no venue has changed");
    let taken = scene.edge.metric(TAKEN).await;
    assert!(taken.expect("a counter").parse::<u64>().expect("a number") >= 3);
}

#[tokio::test]
async fn receivers_of_one_address_are_told_their_kinds() {
    let receiver = Origin::always(Reply::json(200, "{}")).await;
    let of = |kind| WebhookSettings {
        kinds: vec![kind],
        ..posting(&receiver, "/")
    };
    let webhooks = vec![of(Kind::Event), of(Kind::Venue)];
    let scene = FeedScene::with(&["events/50", "venues/7"], with(webhooks)).await;
    received(&receiver, 2).await;
    for (record, expected) in [("events/50", "changed event:50"), ("venues/7", "changed venue:7")] {
        scene.change(record, Status::Published).await;
        let posted = received(&receiver, 1).await;
        assert_eq!(told(&body(&posted[0])), [expected]);
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(receiver.seen().is_empty(), "nothing else has changed");
}

#[tokio::test]
async fn what_is_not_taken_is_posted_again() {
    let attempts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&attempts);
    let elsewhere = Origin::always(Reply::json(200, "{}")).await;
    let target = elsewhere.base();
    let receiver = Origin::answering(move |_| match counted.fetch_add(1, Ordering::SeqCst) {
        0 => Reply::json(500, "{}"),
        1 => Reply::json(302, "{}").header("location", &target),
        2 => Reply::json(200, "{}").after(Duration::from_secs(3)),
        _ => Reply::json(202, "{}"),
    })
    .await;
    let scene = FeedScene::with(&["events/50"], with(vec![posting(&receiver, "/")])).await;
    let posted = received(&receiver, 4).await;
    let ids: Vec<_> = posted.iter().map(|seen| seen.header("webhook-id")).collect();
    assert!(ids.iter().all(|id| *id == ids[0]), "each attempt has the same id");
    assert!(elsewhere.seen().is_empty(), "redirects are not followed");
    scene.change("events/50", Status::Published).await;
    let posted = received(&receiver, 1).await;
    assert_eq!(told(&body(&posted[0])), ["changed event:50"]);
    let failed = scene
        .edge
        .metric(r#"edge_webhook_deliveries_total{receiver="127.0.0.1",outcome="failed"}"#)
        .await;
    assert_eq!(failed.as_deref(), Some("3"));
}

#[tokio::test]
async fn a_receiver_that_asks_for_no_pause_gets_pauses() {
    let receiver = Origin::always(Reply::json(503, "{}").header("retry-after", "0")).await;
    let _scene = FeedScene::with(&[], with(vec![posting(&receiver, "/")])).await;
    received(&receiver, 1).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(receiver.seen().len() < 5, "{}", receiver.seen().len());
}

#[tokio::test]
async fn a_receiver_that_was_away_is_told_what_it_missed_after_a_restart() {
    let directory = Directory::new("webhook-kept");
    let receiver = Origin::always(Reply::json(200, "{}")).await;
    let webhook = posting(&receiver, "/");
    let settings = |webhook: WebhookSettings| {
        let keeping = keeping(directory.path());
        move |settings: &mut Settings| {
            keeping(settings);
            settings.webhooks = vec![webhook];
        }
    };
    let scene = FeedScene::with(&["events/50", "events/51"], settings(webhook.clone())).await;
    received(&receiver, 1).await;
    // Its position is kept once the edge has the receiver's response.
    let begun = Instant::now();
    while scene.edge.metric(TAKEN).await.is_none_or(|taken| taken == "0") {
        assert!(begun.elapsed() < Duration::from_secs(20), "the response was lost");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let scene = scene
        .restarted(settings(webhook), |_| drop(receiver.take_seen()))
        .await;
    scene.change("events/51", Status::Published).await;
    let posted = received(&receiver, 1).await;
    assert_eq!(told(&body(&posted[0])), ["changed event:51"]);
    assert_eq!(body(&posted[0])["complete"], true, "its position is known");
}
