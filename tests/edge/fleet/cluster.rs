//! A cluster is a store as well: all keys of a fleet are in one slot.

use calendar_edge_core::settings::StoreAddress;

use super::super::support::{Store, closed_port};
use super::scene::{Scene, count, is_together, shown, wait};

/// One node that has all slots, and its address; none where no server is installed.
async fn node() -> Option<(Store, StoreAddress)> {
    let [port, bus] = [closed_port().port(), closed_port().port()];
    let (port, bus) = (port.to_string(), bus.to_string());
    let node = [
        "--port",
        &port,
        "--bind",
        "127.0.0.1",
        "--cluster-enabled",
        "yes",
        "--cluster-port",
        &bus,
    ];
    let store = Store::start_with(&node)?;
    store.ask(&["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]);
    wait("the cluster is whole", async || {
        store.ask(&["CLUSTER", "INFO"]).contains("cluster_state:ok")
    })
    .await;
    let address = StoreAddress::parse(&format!("redis://127.0.0.1:{port}")).expect("an address");
    Some((store, address))
}

#[tokio::test]
async fn edges_with_a_cluster_act_as_one() {
    let Some((mut store, address)) = node().await else {
        return;
    };
    let scene = Scene::start_with(3, &address, |settings| {
        settings.fleet.cluster = true;
    })
    .await;
    scene.together().await;
    for told in 0..3 {
        scene.change_and_tell(told).await;
        for edge in 0..3 {
            scene.follows(edge).await;
        }
    }
    store.kill();
    for edge in &scene.edges {
        wait("the edge notices", async || {
            shown(edge).await;
            !is_together(edge).await
        })
        .await;
    }
    store.restart();
    scene.together().await;
    scene.change_and_tell(0).await;
    scene.follows(2).await;
    for edge in &scene.edges {
        assert_eq!(count(edge, r#"edge_fleet_gaps_total{cause="boot"}"#).await, 1);
    }
}
