//! A server that misbehaves by script: at any reply, clients are served, and the edge is alone and back in time.

use super::super::support::{FalseStore, Mischief, Store};
use super::scene::{Scene, count, is_together, shown, status, wait};

/// The server's behaviour, and a kind of fault that is counted for it.
const CASES: [(Mischief, &str); 16] = [
    (Mischief::Hang, "silent"),
    (Mischief::Half, "silent"),
    (Mischief::Close, "io"),
    (Mischief::Garbage, "io"),
    (
        Mischief::Error("READONLY You can't write against a read only replica."),
        "readonly",
    ),
    (
        Mischief::Error("OOM command not allowed when used memory > 'maxmemory'."),
        "oom",
    ),
    (
        Mischief::Error("LOADING Redis is loading the dataset in memory"),
        "loading",
    ),
    (Mischief::Error("NOSCRIPT No matching script."), "command"),
    (Mischief::Error("MOVED 3999 127.0.0.1:6381"), "cluster"),
    (Mischief::Error("CLUSTERDOWN The cluster is down"), "cluster"),
    (
        Mischief::Error("WRONGPASS invalid username-password pair"),
        "auth",
    ),
    (Mischief::Error("NOAUTH Authentication required."), "auth"),
    (
        Mischief::Error("NOREPLICAS Not enough good replicas to write."),
        "noreplicas",
    ),
    (
        Mischief::Error("MASTERDOWN Link with MASTER is down"),
        "masterdown",
    ),
    (Mischief::Other("+OK\r\n"), "protocol"),
    (Mischief::Other("*1\r\n$-1\r\n"), "protocol"),
];

#[tokio::test]
async fn no_answer_of_a_server_fails_a_request() {
    let Some(store) = Store::start() else { return };
    let relay = FalseStore::before(&store.address());
    let scene = Scene::start(1, &relay.address()).await;
    scene.together().await;
    let edge = &scene.edges[0];
    for (mischief, kind) in CASES {
        let series = format!(r#"edge_fleet_faults_total{{kind="{kind}"}}"#);
        let before = count(edge, &series).await;
        relay.misbehave(mischief);
        let took = wait(&format!("{mischief:?} is noticed"), || async {
            shown(edge).await;
            !is_together(edge).await
        })
        .await;
        let fault = status(edge).await["fault"].to_string();
        println!("{mischief:?}: alone after {took:?}: {fault}");
        assert!(relay.spoilt() > 0);
        assert!(count(edge, &series).await > before, "{mischief:?} is {kind}");
        let told = scene.change_and_tell(0).await;
        assert_eq!(told.json()["fleet"], "alone", "{mischief:?}");
        relay.misbehave(Mischief::None);
        let took = wait(&format!("{mischief:?} is over"), || async {
            is_together(edge).await
        })
        .await;
        println!("{mischief:?}: together after {took:?}");
    }
}

/// T-105: no more is read than the replies of an exchange may have, one connection after another.
#[tokio::test]
async fn t105_a_reply_without_an_end_is_read_up_to_its_bound() {
    let Some(store) = Store::start() else { return };
    let relay = FalseStore::before(&store.address());
    let scene = Scene::start(1, &relay.address()).await;
    scene.together().await;
    let edge = &scene.edges[0];
    relay.misbehave(Mischief::Flood);
    wait("the flood is noticed", || async { !is_together(edge).await }).await;
    // A connection holds what its bound allows, and what the sockets in between take.
    let connections = relay.spoilt();
    assert!(connections > 0);
    assert!(
        relay.flooded() <= connections * (10 << 20),
        "{} bytes over {connections}",
        relay.flooded()
    );
    relay.misbehave(Mischief::None);
    wait("the flood is over", || async { is_together(edge).await }).await;
}
