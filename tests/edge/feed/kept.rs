//! The log, tokens, and the knowledge of records outlive a restart of the edge.

use serde_json::json;

use super::feed_site::{FEED, FeedScene, FeedSite, Status, keeping, next, told};
use crate::support::Directory;

#[tokio::test]
async fn the_log_outlives_the_edge() {
    let directory = Directory::new("feed-kept");
    let scene = FeedScene::with(&["events/50", "events/51"], keeping(directory.path())).await;
    let token = scene.token().await;
    scene.read_all().await;
    scene.change("events/50", Status::Published).await;
    assert_eq!(scene.told(&token).await, ["changed event:50"]);
    let scene = scene.restarted(keeping(directory.path()), |_| {}).await;
    assert_eq!(scene.told(&token).await, ["changed event:50"]);
    // It knows that this one was shown before the restart.
    scene.change("events/51", Status::Trashed).await;
    assert_eq!(scene.told(&token).await, ["changed event:50", "gone event:51"]);
}

#[tokio::test]
async fn what_happened_while_the_edge_was_away_is_a_gap() {
    let directory = Directory::new("feed-away");
    let scene = FeedScene::with(&["events/50"], keeping(directory.path())).await;
    let token = scene.token().await;
    let count = |site: &FeedSite| {
        site.count();
    };
    let scene = scene.restarted(keeping(directory.path()), count).await;
    // Its number shows that with the first request to the site.
    let mut answer = json!(null);
    for _ in 0..20 {
        answer = scene
            .edge
            .get(&format!("{FEED}?since={token}&wait=1"))
            .await
            .json();
        if answer["complete"] == false {
            break;
        }
    }
    assert_eq!((told(&answer), &answer["complete"]), (vec![], &json!(false)));
    assert_ne!(next(&answer), token);
}

#[tokio::test]
async fn without_a_directory_tokens_hold_until_something_changes() {
    let scene = FeedScene::of(&["events/50"]).await;
    let token = scene.token().await;
    let scene = scene.restarted(|_| {}, |_| {}).await;
    assert!(scene.told(&token).await.is_empty());
    scene.change("events/50", Status::Published).await;
    assert_eq!(scene.told(&token).await, ["changed event:50"]);
}

#[tokio::test]
async fn a_broken_file_is_a_log_that_begins_anew() {
    let directory = Directory::new("feed-broken");
    directory.write("feed.json", "{\"id\":");
    let scene = FeedScene::with(&["events/50"], keeping(directory.path())).await;
    let token = scene.token().await;
    scene.change("events/50", Status::Published).await;
    assert_eq!(scene.told(&token).await, ["changed event:50"]);
}
