//! Limits of readers: the number that wait, in all and for one address, and the rate of their requests.

use std::time::Duration;

use calendar_edge_core::settings::{Rate, Settings};
use http::header::{ACCEPT, RETRY_AFTER};
use http::{Method, StatusCode};
use serde_json::Value;

use super::feed_site::{FEED, FeedScene, Status};
use crate::support::{Edge, Fate};

fn limited(readers: usize, readers_per_address: usize) -> impl FnOnce(&mut Settings) {
    move |settings| {
        settings.feed.readers = readers;
        settings.feed.readers_per_address = readers_per_address;
    }
}

async fn stream(edge: &Edge) -> reqwest::Response {
    let request = edge
        .request(Method::GET, FEED)
        .header(ACCEPT, "text/event-stream");
    request.send().await.expect("an answer")
}

async fn open_readers(edge: &Edge) -> Option<String> {
    edge.metric("edge_feed_readers").await
}

#[tokio::test]
async fn an_address_has_its_share_of_places_which_come_back() {
    let scene = FeedScene::with(&[], limited(10, 2)).await;
    let token = scene.token().await;
    let first = stream(&scene.edge).await;
    let _second = stream(&scene.edge).await;
    let third = stream(&scene.edge).await;
    assert_eq!(third.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!(third.headers().contains_key(RETRY_AFTER));
    // A reader that does not wait needs no place.
    assert!(scene.told(&token).await.is_empty());
    assert_eq!(open_readers(&scene.edge).await.as_deref(), Some("2"));
    drop(first);
    let mut status = StatusCode::TOO_MANY_REQUESTS;
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        status = stream(&scene.edge).await.status();
        if status == StatusCode::OK {
            break;
        }
    }
    assert_eq!(status, StatusCode::OK);
}

#[tokio::test]
async fn a_thousand_clients_that_wait_take_no_more_than_the_places() {
    let scene = FeedScene::with(&[], limited(20, 1000)).await;
    let token = scene.token().await;
    let target = format!("{FEED}?since={token}&wait=2");
    let clients = (0..1000).map(|_| {
        let request = scene.edge.request(Method::GET, &target);
        async move { request.send().await.expect("an answer").status() }
    });
    let mut statuses = Vec::new();
    let clients: Vec<_> = clients.collect();
    for part in futures_util::future::join_all(clients).await {
        statuses.push(part);
    }
    let served = statuses
        .iter()
        .filter(|status| **status == StatusCode::OK)
        .count();
    let refused = statuses
        .iter()
        .filter(|status| **status == StatusCode::SERVICE_UNAVAILABLE)
        .count();
    assert_eq!(served + refused, 1000);
    assert!((20..1000).contains(&served), "{served}");
    assert_eq!(open_readers(&scene.edge).await.as_deref(), Some("0"));
}

#[tokio::test]
async fn readers_have_the_rates_of_other_reads() {
    let scene = FeedScene::with(&[], |settings| {
        settings.rate_limits.address.items = Some(Rate {
            requests: 3,
            period: Duration::from_mins(1),
        });
    })
    .await;
    let mut statuses = Vec::new();
    for _ in 0..4 {
        statuses.push(scene.edge.get(FEED).await.status);
    }
    assert_eq!(statuses[..3], [StatusCode::OK; 3]);
    assert_eq!(statuses[3], StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn a_request_for_records_takes_a_place() {
    let scene = FeedScene::with(&["events/50"], limited(1, 1)).await;
    let token = scene.token().await;
    scene.change("events/50", Status::Published).await;
    let asking = format!("{FEED}?since={token}&include=records");
    assert_eq!(scene.edge.get(&asking).await.status, StatusCode::OK);
    let _stream = stream(&scene.edge).await;
    let refused = scene.edge.get(&asking).await;
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(scene.told(&token).await, ["changed event:50"]);
}

/// The numbers of the changes that carry a record.
async fn with_records(scene: &FeedScene, token: &str) -> Vec<Value> {
    let answer = scene.feed(&format!("since={token}&include=records")).await;
    let changes = answer["changes"].as_array().expect("a list");
    let with_record = changes.iter().filter(|change| change["record"].is_object());
    with_record.map(|change| change["id"].clone()).collect()
}

#[tokio::test]
async fn records_come_as_far_as_there_is_room() {
    for (total, expected) in [(64 << 20, vec![50, 52]), (0, vec![52])] {
        let scene = FeedScene::with(&[], |settings| {
            settings.limits.response_buffer_total = total;
        })
        .await;
        let token = scene.token().await;
        for (record, status) in [
            ("events/50", Status::Long(600)),
            ("events/51", Status::Long(600)),
            ("events/52", Status::Published),
        ] {
            scene.change(record, status).await;
        }
        assert_eq!(scene.told(&token).await.len(), 3);
        assert_eq!(with_records(&scene, &token).await, expected, "{total}");
    }
}

#[tokio::test]
async fn what_waits_for_a_slow_reader_counts_as_buffered() {
    let scene = FeedScene::of(&[]).await;
    let token = scene.token().await;
    scene.change("events/50", Status::Long(600)).await;
    assert_eq!(with_records(&scene, &token).await, [50]);
    let mut slow = scene.edge.frames().await;
    let target = format!("{FEED}?since={token}&include=records");
    assert_eq!(slow.unread("GET", &target, None).await, Fate::Answered(200));
    assert!(scene.edge.held_bytes().await > 600 << 10);
}
