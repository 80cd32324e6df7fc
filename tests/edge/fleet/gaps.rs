//! Lost history: everything is removed once, whatever the store forgets.

use std::time::Duration;

use super::super::support::{Edge, Store};
use super::scene::{Scene, count, is_together, shown, wait};

const BOOT: &str = r#"edge_fleet_gaps_total{cause="boot"}"#;
const NUMBER: &str = r#"edge_fleet_gaps_total{cause="number"}"#;
const SERVER: &str = r#"edge_fleet_gaps_total{cause="server"}"#;
const JOIN: &str = r#"edge_fleet_gaps_total{cause="join"}"#;

/// Waits until a loss is counted: an edge that is alone may get a change from the site before that.
async fn noticed(edge: &Edge, series: &str) {
    wait("the loss is noticed", || async { count(edge, series).await == 1 }).await;
}

#[tokio::test]
async fn a_store_that_forgot_its_memory_removes_everything_once() {
    let Some(store) = Store::start() else { return };
    let scene = Scene::start(2, &store.address()).await;
    scene.together().await;
    store.ask(&["FLUSHALL"]);
    // Sent by an edge that has not noticed the loss yet.
    scene.change_and_tell(0).await;
    scene.follows(1).await;
    for edge in &scene.edges {
        noticed(edge, BOOT).await;
        assert!(is_together(edge).await);
    }
    scene.change_and_tell(1).await;
    scene.follows(0).await;
    for edge in &scene.edges {
        assert_eq!(count(edge, BOOT).await, 1);
        assert_eq!(count(edge, NUMBER).await, 0);
    }
}

#[tokio::test]
async fn messages_that_are_gone_before_they_are_heard_count_as_everything() {
    let Some(store) = Store::start() else { return };
    let scene = Scene::start(2, &store.address()).await;
    scene.together().await;
    scene.change_and_tell(0).await;
    scene.follows(1).await;
    // The counter shows that a message is missing.
    scene.change();
    store.ask(&["INCR", &store.key("n")]);
    scene.follows(0).await;
    scene.follows(1).await;
    for edge in &scene.edges {
        noticed(edge, NUMBER).await;
        noticed(edge, r#"edge_cache_removals_total{cause="fleet_gap"}"#).await;
    }
    // The log is gone, and nothing was sent since.
    store.ask(&["DEL", &store.key("log")]);
    scene.change_and_tell(1).await;
    scene.follows(0).await;
    assert_eq!(count(&scene.edges[0], NUMBER).await, 1);
}

#[tokio::test]
async fn a_server_that_starts_again_is_another_one() {
    // It keeps its memory, but a copy of another server would as well, without the last messages.
    let kept = ["--appendonly", "yes", "--appendfsync", "always"];
    let Some(mut store) = Store::start_with(&kept) else {
        return;
    };
    let scene = Scene::start(1, &store.address()).await;
    scene.together().await;
    store.kill();
    scene.change();
    store.restart();
    scene.follows(0).await;
    let edge = &scene.edges[0];
    noticed(edge, SERVER).await;
    assert_eq!(count(edge, BOOT).await, 0);
}

#[tokio::test]
async fn an_edge_that_served_before_it_reached_the_store_removes_what_it_kept() {
    let Some(mut store) = Store::start() else { return };
    store.kill();
    let scene = Scene::start(1, &store.address()).await;
    scene.change();
    assert_eq!(shown(&scene.edges[0]).await, 7);
    store.restart();
    scene.follows(0).await;
    noticed(&scene.edges[0], JOIN).await;
}

#[tokio::test]
async fn what_cannot_be_read_counts_as_everything_or_is_refused() {
    let Some(store) = Store::start() else { return };
    let scene = Scene::start(1, &store.address()).await;
    scene.together().await;
    let edge = &scene.edges[0];
    let boot = store.key("boot");
    let (number, log) = (boot.replace(":boot", ":n"), boot.replace(":boot", ":log"));
    let boot = store.ask(&["GET", &boot]);
    // A forged entry with the right number does nothing.
    store.ask(&["SET", &number, "1"]);
    let forged = [
        "XADD", &log, "*", "b", &boot, "n", "1", "e", "x", "k", "purge", "m", "{}", "s", "x",
    ];
    store.ask(&forged);
    tokio::time::sleep(Duration::from_millis(300)).await;
    // The counter may have been read between the two commands.
    let gaps = count(edge, NUMBER).await;
    wait("the seal is refused", || async {
        gaps > 0 || count(edge, r#"edge_fleet_faults_total{kind="forged"}"#).await == 1
    })
    .await;
    // Garbage has no number.
    store.ask(&["XADD", &log, "*", "\u{fffd}", "x"]);
    wait("garbage is a gap", || async {
        count(edge, BOOT).await + count(edge, NUMBER).await > gaps
    })
    .await;
    wait("the edge goes on", || async { is_together(edge).await }).await;
    // A key of another type.
    store.ask(&["DEL", &log]);
    store.ask(&["SET", &log, "x"]);
    wait("the type is noticed", || async {
        count(edge, r#"edge_fleet_faults_total{kind="type"}"#).await > 0
    })
    .await;
    assert_eq!(shown(edge).await, 7);
    store.ask(&["DEL", &log]);
    wait("the edge is back", || async { is_together(edge).await }).await;
}
