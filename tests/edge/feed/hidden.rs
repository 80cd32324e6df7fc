//! A record that was never public is not in the feed, not even as a change; and no reader gets an empty page before it
//! is sure.

use std::time::{Duration, Instant};

use http::StatusCode;
use serde_json::{Value, json};

use super::feed_site::{FEED, FeedScene, FeedSite, Status, keeping, next, told};
use crate::support::Directory;

#[tokio::test]
async fn t104_a_record_that_never_was_public_moves_nothing() {
    let scene = FeedScene::of(&["events/50"]).await;
    let token = scene.token().await;
    scene.read_all().await;
    let reads = scene.site.reads();
    for (record, status) in [
        ("venues/60", Status::Draft),
        ("organizers/61", Status::Draft),
        ("events/62", Status::Protected),
        ("events/62", Status::Trashed),
        ("venues/60", Status::Deleted),
    ] {
        scene.change_hidden(record, status).await;
        let answer = scene.feed(&format!("since={token}")).await;
        let expected = json!({"changes": [], "next": token, "complete": true});
        assert_eq!(answer, expected, "{record}");
        assert_eq!(scene.token().await, token, "a first token tells as little");
    }
    assert_eq!(scene.site.reads(), reads, "nobody asked for them");
    // A record that stops being public is gone, by its number only.
    scene.change("events/50", Status::Protected).await;
    let answer = scene.feed(&format!("since={token}&include=records")).await;
    assert_eq!(
        (&answer["changes"], &answer["complete"]),
        (
            &json!([{"n": 16, "kind": "event", "id": 50, "what": "gone"}]),
            &json!(true)
        )
    );
    scene.change("venues/60", Status::Published).await;
    assert_eq!(scene.told(&next(&answer)).await, ["changed venue:60"]);
}

#[tokio::test]
async fn the_first_poll_after_a_restart_tells_what_happened_meanwhile() {
    let directory = Directory::new("feed-first-poll");
    let scene = FeedScene::with(&["events/50"], keeping(directory.path())).await;
    let token = scene.token().await;
    // The site counted a change.
    let scene = scene
        .restarted(keeping(directory.path()), |site| {
            site.count();
        })
        .await;
    let answer = scene.feed(&format!("since={token}")).await;
    assert_eq!((told(&answer), &answer["complete"]), (vec![], &json!(false)));
    let token = next(&answer);
    // Its database was restored.
    let scene = scene
        .restarted(keeping(directory.path()), |site| site.count_to(8))
        .await;
    let answer = scene.feed(&format!("since={token}")).await;
    assert_eq!((told(&answer), &answer["complete"]), (vec![], &json!(false)));
    let token = next(&answer);
    // Nothing happened.
    let scene = scene.restarted(keeping(directory.path()), |_| {}).await;
    assert!(scene.told(&token).await.is_empty());
    // The plugin is off.
    let scene = scene
        .restarted(keeping(directory.path()), FeedSite::forget_count)
        .await;
    let answer = scene.edge.get(&format!("{FEED}?since={token}")).await;
    assert_eq!(answer.code(), "edge_feed_unavailable");
    scene.site.count_to(8);
    assert_eq!(back(&scene, &token).await["complete"], false);
}

/// The response of the feed once the plugin is back.
async fn back(scene: &FeedScene, since: &str) -> Value {
    let begun = Instant::now();
    loop {
        let answer = scene.edge.get(&format!("{FEED}?since={since}")).await;
        if answer.status == StatusCode::OK {
            return answer.json();
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "{}", answer.body);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_site_that_does_not_say_how_far_it_is_leaves_polls_incomplete() {
    let directory = Directory::new("feed-silent");
    let scene = FeedScene::with(&["events/50"], keeping(directory.path())).await;
    let token = scene.token().await;
    let scene = scene
        .restarted(keeping(directory.path()), |site| site.be_silent(true))
        .await;
    let begun = Instant::now();
    let answer = scene.feed(&format!("since={token}")).await;
    assert_eq!((told(&answer), &answer["complete"]), (vec![], &json!(false)));
    assert!(begun.elapsed() < Duration::from_secs(5));
    let again = scene.edge.get(&format!("{FEED}?since={token}")).await;
    assert_eq!(again.status, StatusCode::OK);
    scene.site.be_silent(false);
    assert!(scene.told(&token).await.is_empty(), "nothing has changed");
}

#[tokio::test]
async fn a_plugin_that_is_off_is_noticed_while_nobody_reads_the_calendar() {
    let scene = FeedScene::of(&["events/50"]).await;
    let token = scene.token().await;
    scene.site.forget_count();
    let begun = Instant::now();
    while scene.edge.get(&format!("{FEED}?since={token}")).await.status == StatusCode::OK {
        assert!(
            begun.elapsed() < Duration::from_secs(4),
            "within `cache.reconcile`"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // Nothing was counted meanwhile.
    scene.site.count_to(10);
    assert_eq!(back(&scene, &token).await["complete"], false);
}

#[tokio::test]
async fn a_plugin_that_is_switched_off_for_a_while_leaves_a_gap() {
    let scene = FeedScene::of(&["events/50"]).await;
    let token = scene.token().await;
    let event = "/wp-json/calendar/events/v1/events/51";
    // Without the plugin nothing counts: the site responds, and shows no number.
    let silent = scene.site.clone();
    silent.set("events/51", Status::Published);
    let counted = silent.count();
    silent.forget_count();
    scene.edge.get(event).await;
    let answer = scene.edge.get(&format!("{FEED}?since={token}")).await;
    assert_eq!(answer.code(), "edge_feed_unavailable");
    silent.count_to(counted - 1);
    scene.edge.get("/wp-json/calendar/events/v1/events/52").await;
    let answer = scene.feed(&format!("since={token}")).await;
    assert_eq!(answer["complete"], false, "{answer}");
}
