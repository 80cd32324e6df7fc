//! A store that is away, slow or wrong: no request fails, and all is well soon after.

use super::super::support::Store;
use super::scene::{Scene, count, is_together, shown, status, wait};

async fn becomes(scene: &Scene, together: bool) {
    for edge in &scene.edges {
        wait("the edge notices", || async {
            shown(edge).await;
            is_together(edge).await == together
        })
        .await;
    }
}

#[tokio::test]
async fn a_killed_store_leaves_edges_alone_until_it_is_back() {
    let Some(mut store) = Store::start() else { return };
    let scene = Scene::start(2, &store.address()).await;
    scene.together().await;
    store.kill();
    becomes(&scene, false).await;
    // The edge that got the message acts on it, and reports that the others do not have it.
    let answer = scene.change_and_tell(0).await;
    assert_eq!(answer.json()["fleet"], "alone");
    scene.follows(0).await;
    assert_eq!(shown(&scene.edges[1]).await, 7);
    assert_eq!(scene.edges[0].metric("edge_fleet_up").await.as_deref(), Some("0"));
    assert_eq!(scene.edges[0].admin("/readyz").await.status, 200);
    store.restart();
    becomes(&scene, true).await;
    // Messages of meanwhile are sent now.
    scene.follows(1).await;
}

#[tokio::test]
async fn a_store_that_hangs_is_left_and_found_again() {
    let Some(store) = Store::start() else { return };
    let scene = Scene::start(2, &store.address()).await;
    scene.together().await;
    store.pause();
    becomes(&scene, false).await;
    let silent = r#"edge_fleet_faults_total{kind="silent"}"#;
    assert!(count(&scene.edges[0], silent).await >= 2);
    assert_eq!(scene.change_and_tell(0).await.json()["fleet"], "alone");
    store.resume();
    becomes(&scene, true).await;
    scene.follows(1).await;
}

#[tokio::test]
async fn a_store_without_memory_is_still_heard() {
    let Some(store) = Store::start() else { return };
    let scene = Scene::start(2, &store.address()).await;
    scene.together().await;
    store.ask(&["CONFIG", "SET", "maxmemory", "1mb"]);
    becomes(&scene, false).await;
    assert_eq!(scene.change_and_tell(0).await.json()["fleet"], "alone");
    assert!(count(&scene.edges[0], r#"edge_fleet_faults_total{kind="oom"}"#).await > 0);
    let fault = status(&scene.edges[0]).await["fault"].as_str().map(str::to_owned);
    assert!(fault.expect("a fault").starts_with("oom"));
    store.ask(&["CONFIG", "SET", "maxmemory", "0"]);
    becomes(&scene, true).await;
    scene.follows(1).await;
}

#[tokio::test]
async fn a_replica_is_left_until_it_is_the_primary() {
    let Some(store) = Store::start() else { return };
    let scene = Scene::start(1, &store.address()).await;
    scene.together().await;
    store.ask(&["REPLICAOF", "127.0.0.1", "1"]);
    becomes(&scene, false).await;
    let kinds = ["readonly", "masterdown"];
    let mut faults = 0;
    for kind in kinds {
        faults += count(
            &scene.edges[0],
            &format!(r#"edge_fleet_faults_total{{kind="{kind}"}}"#),
        )
        .await;
    }
    assert!(faults > 0);
    store.ask(&["REPLICAOF", "NO", "ONE"]);
    becomes(&scene, true).await;
}

#[tokio::test]
async fn a_refused_user_is_alone_and_named() {
    let Some(store) = Store::start() else { return };
    store.ask(&["ACL", "SETUSER", "edge", "on", ">wrong", "~*", "+@all"]);
    let scene = Scene::start_with(1, &store.address(), |settings| {
        settings.fleet.user = Some("edge".to_owned());
        settings.fleet.password = calendar_edge_core::settings::StorePassword::parse(b"right").ok();
    })
    .await;
    wait("the password is refused", || async {
        count(&scene.edges[0], r#"edge_fleet_faults_total{kind="auth"}"#).await > 0
    })
    .await;
    let fault = status(&scene.edges[0]).await["fault"].to_string();
    assert!(fault.contains("auth") && !fault.contains("right"), "{fault}");
    store.ask(&["ACL", "SETUSER", "edge", ">right"]);
    becomes(&scene, true).await;
    // A connection that exists is ended when its user is switched off.
    store.ask(&["ACL", "SETUSER", "edge", "off"]);
    store.ask(&["CLIENT", "KILL", "USER", "edge"]);
    becomes(&scene, false).await;
    store.ask(&["ACL", "SETUSER", "edge", "on", "resetkeys", "~other"]);
    wait("the keys are refused", || async {
        count(&scene.edges[0], r#"edge_fleet_faults_total{kind="acl"}"#).await > 0
    })
    .await;
    store.ask(&["ACL", "SETUSER", "edge", "~*"]);
    becomes(&scene, true).await;
}

#[tokio::test]
async fn an_edge_whose_settings_name_no_store_any_more_is_not_alone() {
    let Some(store) = Store::start() else { return };
    let scene = Scene::start(1, &store.address()).await;
    scene.together_with(1).await;
    let edge = &scene.edges[0];
    let mut settings = edge.settings();
    settings.fleet.store.clear();
    edge.reloader().apply(settings).expect("good settings");
    wait("the alert has nothing to compare", || async {
        edge.metric("edge_fleet_up").await.is_none()
    })
    .await;
    assert_eq!(edge.metric("edge_fleet_members").await, None);
}
