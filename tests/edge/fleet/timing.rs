//! The time until all edges have removed what one was ordered to, as printed numbers: a busy machine proves nothing
//! about times.

use std::time::{Duration, Instant};

use super::super::support::Store;
use super::scene::Scene;

const ROUNDS: usize = 60;
const EDGES: usize = 3;

/// Returns the time at this part of sorted times.
fn at(times: &[Duration], part: usize, of: usize) -> Duration {
    times[(times.len() * part / of).min(times.len() - 1)]
}

#[tokio::test]
async fn removal_reaches_all_edges() {
    let Some(store) = Store::start() else { return };
    let scene = Scene::start(EDGES, &store.address()).await;
    scene.together().await;
    let mut times = Vec::new();
    for round in 0..ROUNDS {
        let told = round % EDGES;
        let others = [(told + 1) % EDGES, (told + 2) % EDGES];
        // At any time between two exchanges, which each round sets anew.
        let pause = u64::try_from(round * 61 % 100).expect("a small number");
        tokio::time::sleep(Duration::from_millis(150 + pause)).await;
        // All have received the last change, and store what they show.
        for edge in 0..EDGES {
            scene.shown(edge).await;
        }
        let began = Instant::now();
        let (_, first, second) = tokio::join!(
            scene.change_and_tell(told),
            follows(&scene, others[0], began),
            follows(&scene, others[1], began),
        );
        times.extend([first, second]);
    }
    times.sort_unstable();
    println!(
        "removal on {EDGES} edges, {} times: p50 {:?}, p99 {:?}, most {:?}",
        times.len(),
        at(&times, 50, 100),
        at(&times, 99, 100),
        at(&times, 1, 1)
    );
    assert_eq!(times.len(), ROUNDS * (EDGES - 1));
    let before = exchanges(&scene).await;
    let began = Instant::now();
    tokio::time::sleep(Duration::from_secs(2)).await;
    let rate = (exchanges(&scene).await - before) / began.elapsed().as_secs_f64();
    println!("{rate:.1} exchanges of an edge a second, by an interval of 100 ms");
    assert!(rate < 12.0, "{rate}");
}

/// The time from the order to the first response of an edge that shows the change.
async fn follows(scene: &Scene, edge: usize, began: Instant) -> Duration {
    scene.follows(edge).await;
    began.elapsed()
}

/// The exchanges of the first edge so far.
async fn exchanges(scene: &Scene) -> f64 {
    let count = scene.edges[0].metric("edge_fleet_exchange_seconds_count").await;
    count.expect("a series").parse().expect("a number")
}
