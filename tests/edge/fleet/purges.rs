//! Messages: all edges do what one is ordered to.

use std::time::Duration;

use calendar_edge_core::settings::FleetSettings;
use http::{Method, StatusCode};

use super::super::support::{Answer, Edge, Store};
use super::scene::{EVENT, Scene, count, is_together, members, order, shown, status, wait};

#[tokio::test]
async fn what_one_edge_is_told_all_remove() {
    let Some(store) = Store::start() else { return };
    let scene = Scene::start(3, &store.address()).await;
    scene.together().await;
    for round in 0..5 {
        let told = round % 3;
        let answer = scene.change_and_tell(told).await;
        assert!(answer.json()["fleet"].is_null(), "{}", answer.body);
        for edge in 0..3 {
            scene.follows(edge).await;
        }
    }
    let heard = r#"edge_fleet_messages_total{kind="purge",direction="received"}"#;
    let told = r#"edge_fleet_messages_total{kind="purge",direction="sent"}"#;
    let mut sums = [0, 0];
    for edge in &scene.edges {
        sums[0] += count(edge, told).await;
        sums[1] += count(edge, heard).await;
        assert_eq!(
            count(edge, r#"edge_cache_removals_total{cause="missed"}"#).await,
            0
        );
        assert_eq!(
            count(edge, r#"edge_cache_removals_total{cause="fleet_gap"}"#).await,
            0
        );
    }
    assert_eq!(sums, [5, 10]);
}

#[tokio::test]
async fn a_write_through_one_edge_is_read_through_another() {
    let Some(store) = Store::start() else { return };
    let scene = Scene::start(2, &store.address()).await;
    scene.together().await;
    scene.change();
    let write = scene.edges[0]
        .request(Method::POST, EVENT)
        .basic_auth("editor", Some("password"))
        .header("content-type", "application/json")
        .body(r#"{"title":"new"}"#);
    let answer = Answer::to(write).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    scene.follows(1).await;
    // Each write is sent once, though two stages see its end.
    let told = r#"edge_fleet_messages_total{kind="purge",direction="sent"}"#;
    assert_eq!(count(&scene.edges[0], told).await, 1);
    assert_eq!(
        count(&scene.edges[1], r#"edge_cache_removals_total{cause="write"}"#).await,
        1
    );
}

#[tokio::test]
async fn one_edge_asks_the_site_for_all() {
    let Some(store) = Store::start() else { return };
    let scene = Scene::start_with(3, &store.address(), |settings| {
        settings.cache.reconcile = Duration::from_secs(2);
    })
    .await;
    scene.together().await;
    scene.questions();
    let began = tokio::time::Instant::now();
    while began.elapsed() < Duration::from_secs(6) {
        for edge in 0..3 {
            scene.shown(edge).await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // Alone each would send one a second.
    let (questions, seconds) = (scene.questions() as u64, began.elapsed().as_secs());
    assert!(
        (3..=seconds * 3 / 2).contains(&questions),
        "{questions} questions in {seconds} s"
    );
    let mut heard = 0;
    for edge in &scene.edges {
        heard += count(
            edge,
            r#"edge_fleet_messages_total{kind="seen",direction="received"}"#,
        )
        .await;
        assert_eq!(
            count(edge, r#"edge_cache_removals_total{cause="missed"}"#).await,
            0
        );
    }
    assert!(heard >= 6, "{heard}");
}

#[tokio::test]
async fn a_change_that_no_edge_was_told_is_found_by_one_for_all() {
    let Some(store) = Store::start() else { return };
    let scene = Scene::start_with(2, &store.address(), |settings| {
        settings.cache.reconcile = Duration::from_secs(2);
    })
    .await;
    scene.together().await;
    scene.change();
    scene.follows(0).await;
    scene.follows(1).await;
}

#[tokio::test]
async fn members_come_and_go() {
    let Some(store) = Store::start() else { return };
    let scene = Scene::start(1, &store.address()).await;
    let other = scene.join(&store.address()).await;
    wait("both edges see each other", || async {
        members(&scene.edges[0]).await == 2 && members(&other).await == 2
    })
    .await;
    let document = status(&other).await;
    assert_eq!(
        (&document["versions"], &document["configurations"]),
        (&1.into(), &1.into())
    );
    assert_eq!(other.metric("edge_fleet_members").await.as_deref(), Some("2"));
    other.drain().await;
    // An edge that ends leaves the table.
    wait("the other edge is gone", || async {
        members(&scene.edges[0]).await == 1
    })
    .await;
}

#[tokio::test]
async fn edges_with_another_secret_or_another_configuration_are_noticed() {
    let Some(store) = Store::start() else { return };
    let scene = Scene::start(1, &store.address()).await;
    let other = Scene::start_with(1, &store.address(), |settings| {
        settings.fleet.secret = Some(
            calendar_edge_core::settings::MarkKey::new(b"another secret with 32 characters")
                .expect("a secret"),
        );
    })
    .await;
    let third = Scene::start_with(1, &store.address(), |settings| {
        settings.origin.max_in_flight = 3;
    })
    .await;
    wait("two configurations", || async {
        status(&scene.edges[0]).await["configurations"] == 2
    })
    .await;
    // A message of a stranger has no effect.
    other.change_and_tell(0).await;
    third.together_with(2).await;
    let heard = r#"edge_fleet_messages_total{kind="purge",direction="received"}"#;
    assert_eq!(count(&scene.edges[0], heard).await, 0);
    assert!(is_together(&scene.edges[0]).await);
}

#[tokio::test]
async fn without_a_store_there_is_no_fleet() {
    let Some(store) = Store::start() else { return };
    let scene = Scene::start_with(1, &store.address(), |settings| {
        settings.fleet = FleetSettings::default();
    })
    .await;
    let answer = scene.change_and_tell(0).await;
    assert!(answer.json()["fleet"].is_null(), "{}", answer.body);
    assert!(status(&scene.edges[0]).await.is_null());
    assert_eq!(store.ask(&["DBSIZE"]), "0");
    let heard: &Edge = &scene.edges[0];
    assert_eq!(shown(heard).await, 8);
    assert!(order(heard, r#"{"all":true}"#).await.json()["removed"].is_u64());
}
