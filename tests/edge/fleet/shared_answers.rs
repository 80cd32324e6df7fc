//! Responses that the store holds for edges that start while the site is down: served then, never fresh, and none that a
//! change, a stranger or another key has made wrong.

use std::time::{Duration, Instant};

use calendar_edge_core::settings::Settings;
use http::StatusCode;

use super::super::support::{Answer, Edge, Store};
use super::scene::{EVENT, Scene, count, is_together, order, shown, wait};

const OTHER: &str = "/wp-json/calendar/events/v1/events/51";

/// The most bytes of the store, in most tests.
const MOST: u64 = 1 << 20;

/// The same where the store is to be full.
const BOUND: u64 = 64 << 10;

/// The most milliseconds that a response stays there: `cache.stale_on_error` is a day.
const DAY: u64 = 86_400_000;

fn with_snapshot(settings: &mut Settings) {
    settings.fleet.snapshot = MOST;
    // Clients of a balancer reach all edges by one name.
    settings.public_url = Some("https://events.example".parse().expect("a URL"));
}

/// How often this became of a response.
async fn outcomes(edge: &Edge, outcome: &str) -> u64 {
    count(
        edge,
        &format!(r#"edge_fleet_snapshot_answers_total{{outcome="{outcome}"}}"#),
    )
    .await
}

/// One edge that has left its event in the store.
async fn left(store: &Store) -> Scene {
    let scene = Scene::start_with(1, &store.address(), with_snapshot).await;
    scene.together().await;
    leave(&scene, EVENT).await;
    scene
}

/// Lets the first edge leave a response in the store. What it has before its second connection is open is dropped.
async fn leave(scene: &Scene, target: &str) {
    let edge = &scene.edges[0];
    for _ in 0..100 {
        let (kept, dropped) = (outcomes(edge, "kept").await, outcomes(edge, "dropped").await);
        scene.change_and_tell(0).await;
        assert_eq!(edge.get(target).await.status, StatusCode::OK);
        wait("the response has an end", || async {
            outcomes(edge, "kept").await + outcomes(edge, "dropped").await > kept + dropped
        })
        .await;
        if outcomes(edge, "kept").await > kept {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("no response is left");
}

/// An edge that starts while the site is down.
async fn start_without_site(scene: &Scene, store: &Store) -> Edge {
    scene.take_down(true);
    let edge = scene.join_with(&store.address(), with_snapshot).await;
    wait("the edge is together", || is_together(&edge)).await;
    edge
}

/// What an edge answers that may have to wait until its second connection is open.
async fn recalled(edge: &Edge) -> Answer {
    wait("the store has something", || async {
        edge.get(EVENT).await.status == StatusCode::OK
    })
    .await;
    edge.get(EVENT).await
}

/// The name of the only response in the store.
fn only_name(store: &Store) -> String {
    let names = store.ask(&["HKEYS", &store.key("answers")]);
    let mut names = names.lines().filter(|name| *name != "bytes");
    let name = names.next().expect("a response").to_owned();
    assert_eq!(names.next(), None);
    name
}

/// Waits until an edge has looked in the store, and found nothing that it serves, for this reason.
async fn refuses(edge: &Edge, reason: &str) {
    wait("the edge looks in the store", || async {
        let answer = edge.get(EVENT).await;
        assert!(
            answer.status.is_server_error(),
            "{}: {}",
            answer.status,
            answer.body
        );
        outcomes(edge, reason).await > 0
    })
    .await;
    assert_eq!(outcomes(edge, "found").await, 0);
}

#[tokio::test]
async fn an_edge_that_starts_without_the_site_serves_what_another_left() {
    let Some(store) = Store::start() else { return };
    let scene = left(&store).await;
    let number = scene.shown(0).await;
    let edge = start_without_site(&scene, &store).await;
    scene.origin.take_seen();
    let answer = recalled(&edge).await;
    assert_eq!(answer.json()["title"], number.to_string());
    let status = answer.header("cache-status").expect("a status").to_owned();
    assert!(status.contains("detail=origin-failed"), "{status}");
    // It is never fresh: each request asks the site, which has the last word as soon as it answers.
    scene.origin.take_seen();
    edge.get(EVENT).await;
    assert!(!scene.origin.take_seen().is_empty());
    let number = scene.change();
    scene.take_down(false);
    wait("the site has the last word", || async {
        shown(&edge).await == number
    })
    .await;
    assert_eq!(outcomes(&edge, "found").await, 1);
}

#[tokio::test]
async fn a_removed_record_does_not_return() {
    let Some(store) = Store::start() else { return };
    let scene = left(&store).await;
    // All edges hear that it is gone, and nobody asks for it any more.
    let number = scene.empty();
    scene.tell(0, number).await;
    let edge = start_without_site(&scene, &store).await;
    refuses(&edge, "outdated").await;
}

#[tokio::test]
async fn what_an_edge_without_the_snapshot_tells_removes_everything() {
    let Some(store) = Store::start() else { return };
    let scene = left(&store).await;
    let without = scene.join(&store.address()).await;
    wait("the edge is together", || is_together(&without)).await;
    let number = scene.empty();
    let told = order(
        &without,
        &format!(r#"{{"tags":["event:50"],"changes":[{number}]}}"#),
    )
    .await;
    assert!(told.json()["fleet"].is_null(), "{}", told.body);
    let edge = start_without_site(&scene, &store).await;
    refuses(&edge, "absent").await;
}

#[tokio::test]
async fn a_record_that_the_site_no_longer_has_does_not_return() {
    let Some(store) = Store::start() else { return };
    let scene = left(&store).await;
    scene.empty();
    // No edge is told, but one asks.
    let removals = store.key("removals");
    let before = store.ask(&["HGETALL", &removals]);
    scene.edges[0].get(OTHER).await;
    let mut settings = scene.edges[0].settings();
    settings.cache.fresh_with_purge = Duration::ZERO;
    scene.edges[0].reloader().apply(settings).expect("good settings");
    wait("the site says so", || async {
        scene.edges[0].get(EVENT).await.status == StatusCode::NOT_FOUND
    })
    .await;
    let edge = start_without_site(&scene, &store).await;
    refuses(&edge, "absent").await;
    let after = store.ask(&["HGETALL", &removals]);
    assert_eq!(after.lines().count(), before.lines().count(), "nothing was told");
}

#[tokio::test]
async fn a_change_that_no_edge_was_told_of_removes_everything() {
    let Some(store) = Store::start() else { return };
    let scene = Scene::start_with(1, &store.address(), |settings| {
        settings.cache.reconcile = Duration::from_secs(2);
        with_snapshot(settings);
    })
    .await;
    scene.together().await;
    leave(&scene, EVENT).await;
    let missed = r#"edge_cache_removals_total{cause="missed"}"#;
    scene.empty();
    wait("the change is missed", || async {
        // Calls are what makes the edge ask the site for its count.
        scene.edges[0].get("/wp-json/calendar/events/v1/venues/9").await;
        count(&scene.edges[0], missed).await > 0
    })
    .await;
    wait("the store forgets", || async {
        store.ask(&["KEYS", "ce:*:answers"]).is_empty()
    })
    .await;
    let edge = start_without_site(&scene, &store).await;
    refuses(&edge, "absent").await;
}

#[tokio::test]
async fn what_a_stranger_or_another_key_has_is_not_served() {
    let Some(store) = Store::start() else { return };
    let scene = left(&store).await;
    let (answers, event) = (store.key("answers"), only_name(&store));
    // Another text under the same seal.
    let forge = "local v = redis.call('HGET', KEYS[1], ARGV[1])\n\
                 redis.call('HSET', KEYS[1], ARGV[1], (string.gsub(v, 'title', 'tilte')))";
    store.ask(&["EVAL", forge, "1", &answers, &event]);
    let edge = start_without_site(&scene, &store).await;
    refuses(&edge, "forged").await;
    assert!(count(&edge, r#"edge_fleet_faults_total{kind="forged"}"#).await > 0);
    // The seal of another key.
    scene.take_down(false);
    store.ask(&["HDEL", &answers, &event]);
    leave(&scene, OTHER).await;
    let other = only_name(&store);
    assert_ne!(other, event);
    let copy = "redis.call('HSET', KEYS[1], ARGV[1], redis.call('HGET', KEYS[1], ARGV[2]))";
    store.ask(&["EVAL", copy, "1", &answers, &event, &other]);
    let edge = start_without_site(&scene, &store).await;
    refuses(&edge, "forged").await;
    // A message that an edge without the snapshot told, or a lost table of removals, leaves nothing to go by.
    store.ask(&["DEL", &store.key("removals")]);
    let edge = start_without_site(&scene, &store).await;
    refuses(&edge, "absent").await;
}

#[tokio::test]
async fn the_store_holds_no_more_than_its_bound() {
    let Some(store) = Store::start() else { return };
    let scene = Scene::start_with(2, &store.address(), |settings| settings.fleet.snapshot = BOUND).await;
    scene.together().await;
    leave(&scene, EVENT).await;
    for number in 100..250 {
        for edge in &scene.edges {
            edge.get(&format!("/wp-json/calendar/events/v1/events/{number}"))
                .await;
        }
    }
    wait("the responses are left", || async {
        let mut done = 0;
        for edge in &scene.edges {
            done += outcomes(edge, "kept").await + outcomes(edge, "dropped").await;
        }
        done >= 300
    })
    .await;
    let sum = "local sum, names = 0, redis.call('HKEYS', KEYS[1])\n\
               for _, name in ipairs(names) do\n\
                 if name ~= 'bytes' then sum = sum + redis.call('HSTRLEN', KEYS[1], name) + 256 end\n\
               end\n\
               return sum";
    let answers = store.key("answers");
    let held: u64 = store
        .ask(&["EVAL", sum, "1", &answers])
        .parse()
        .expect("a number");
    let counted: u64 = store.ask(&["HGET", &answers, "bytes"]).parse().expect("a number");
    println!("{held} of {BOUND} bytes");
    assert_eq!(held, counted);
    assert!((BOUND / 2..=BOUND).contains(&held), "{held}");
    assert_eq!(
        store
            .ask(&["ZCARD", &store.key("order")])
            .parse::<u64>()
            .expect("a number")
            + 1,
        store.ask(&["HLEN", &answers]).parse::<u64>().expect("a number")
    );
    for key in ["answers", "order"] {
        let life: u64 = store.ask(&["PTTL", &store.key(key)]).parse().expect("a life");
        assert!(life <= DAY, "{key}: {life}");
    }
}

#[tokio::test]
async fn a_store_that_hangs_or_dies_is_as_none() {
    let Some(mut store) = Store::start() else { return };
    let scene = left(&store).await;
    let edge = start_without_site(&scene, &store).await;
    recalled(&edge).await;
    let late = start_without_site(&scene, &store).await;
    // It has asked the store, so that its second connection is open.
    wait("the store answers", || async {
        late.get(OTHER).await;
        outcomes(&late, "absent").await > 0
    })
    .await;
    store.pause();
    let began = Instant::now();
    assert!(late.get(EVENT).await.status.is_server_error());
    println!("the site's failure came after {:?}", began.elapsed());
    assert_eq!(outcomes(&late, "late").await, 1);
    store.resume();
    store.kill();
    assert!(late.get(EVENT).await.status.is_server_error());
    // What it has found is its own.
    assert_eq!(edge.get(EVENT).await.status, StatusCode::OK);
    scene.take_down(false);
    assert_eq!(late.get(EVENT).await.status, StatusCode::OK);
}

#[tokio::test]
async fn without_the_setting_nothing_is_left() {
    let Some(store) = Store::start() else { return };
    let scene = Scene::start(2, &store.address()).await;
    scene.together().await;
    scene.change_and_tell(0).await;
    scene.follows(0).await;
    scene.follows(1).await;
    for key in ["answers", "order", "removals"] {
        assert_eq!(store.ask(&["KEYS", &format!("ce:*:{key}")]), "");
    }
    scene.take_down(true);
    let edge = scene.join(&store.address()).await;
    wait("the edge is together", || is_together(&edge)).await;
    assert!(edge.get(EVENT).await.status.is_server_error());
    assert_eq!(outcomes(&edge, "absent").await, 0);
}
