//! Rules of `[[cutover]]` at several edges: one returns, all return.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use calendar_edge_core::settings::{CutoverRule, GuardSettings, StoreAddress};
use futures_util::future::join_all;
use serde_json::Value;

use super::super::cutover::guard::{resume, rule_of};
use super::super::cutover::{VENUES, by, cut, get_as, named, rule, share};
use super::super::support::{Directory, Edge, Origin, Reply, Store};
use super::scene::{count, is_together, key, members, wait};

/// Edges before a site and a candidate that fails on demand.
struct Movers {
    edges: Vec<Edge>,
    owner: Origin,
    next: Origin,
    fails: Arc<AtomicBool>,
    rule: CutoverRule,
    store: StoreAddress,
}

impl Movers {
    /// So many edges, which are together.
    async fn start(count: usize, store: &Store, rule: CutoverRule) -> Self {
        let fails = Arc::new(AtomicBool::new(false));
        let heard = Arc::clone(&fails);
        let next = Origin::answering(move |_| {
            if heard.load(Ordering::SeqCst) {
                Reply::json(500, r#"{"code":"x","message":"y"}"#)
            } else {
                Reply::json(200, r#"{"by":"next"}"#)
            }
        })
        .await;
        let mut this = Self {
            edges: Vec::new(),
            owner: named("owner").await,
            next,
            fails,
            rule,
            store: store.address(),
        };
        for _ in 0..count {
            this.edges.push(this.edge(None).await);
        }
        this.together().await;
        this
    }

    async fn edge(&self, state_dir: Option<PathBuf>) -> Edge {
        let edge = Edge::builder().origin(&self.owner).settings(|settings| {
            cut(settings, &self.next.base(), vec![self.rule.clone()]);
            settings.fleet.store = vec![self.store.clone()];
            settings.fleet.secret = Some(key());
            settings.state_dir = state_dir;
        });
        edge.start().await
    }

    async fn together(&self) {
        for edge in &self.edges {
            wait("all edges are together", || async {
                is_together(edge).await && members(edge).await == self.edges.len()
            })
            .await;
        }
    }

    /// Calls of so many clients at one edge.
    async fn call(&self, edge: usize, clients: std::ops::Range<usize>) {
        for client in clients {
            get_as(&self.edges[edge], client, VENUES).await;
        }
    }

    async fn are_all(&self, is_returned: bool) -> bool {
        let returned = self.edges.iter().map(is_returned_at);
        join_all(returned)
            .await
            .into_iter()
            .all(|returned| returned == is_returned)
    }
}

async fn is_returned_at(edge: &Edge) -> bool {
    !rule_of(edge).await["returned"].is_null()
}

/// A rule with the guard that operators have if they change nothing.
fn guarded() -> CutoverRule {
    CutoverRule {
        guard: Some(GuardSettings::default()),
        ..rule("venues.*")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_guard_trips_and_all_edges_return() {
    let Some(store) = Store::start() else { return };
    let fleet = Movers::start(3, &store, guarded()).await;
    let mut longest = Duration::ZERO;
    for round in 0..5 {
        let tripping = round % 3;
        fleet.fails.store(false, Ordering::SeqCst);
        for edge in 0..3 {
            fleet.call(edge, 0..2).await;
        }
        fleet.fails.store(true, Ordering::SeqCst);
        let mut client = 10 * round;
        while !is_returned_at(&fleet.edges[tripping]).await {
            fleet.call(tripping, client..client + 1).await;
            client += 1;
            assert!(
                client < 10 * round + 9,
                "{}",
                rule_of(&fleet.edges[tripping]).await
            );
        }
        let took = wait("all edges return", || fleet.are_all(true)).await;
        longest = longest.max(took);
        for edge in &fleet.edges {
            assert_eq!(by(&get_as(edge, 90, VENUES).await), "owner");
        }
        // At any edge.
        let answer = resume(&fleet.edges[(tripping + 1) % 3], &[]).await;
        assert_eq!(answer.json()["resumed"], true);
        fleet.fails.store(false, Ordering::SeqCst);
        wait("all edges take clients again", || fleet.are_all(false)).await;
    }
    println!("one guard trips: all three edges have returned after {longest:?} at most, of 5 rounds");
    let told = r#"edge_fleet_messages_total{kind="rule",direction="sent"}"#;
    let heard = r#"edge_fleet_messages_total{kind="rule",direction="received"}"#;
    assert!(count(&fleet.edges[0], told).await >= 2 && count(&fleet.edges[1], heard).await >= 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_return_survives_the_restart_of_every_edge() {
    let Some(store) = Store::start() else { return };
    let mut fleet = Movers::start(2, &store, guarded()).await;
    fleet.fails.store(true, Ordering::SeqCst);
    fleet.call(0, 0..6).await;
    wait("all edges return", || fleet.are_all(true)).await;
    for edge in fleet.edges.drain(..) {
        edge.drain().await;
    }
    for _ in 0..2 {
        let edge = fleet.edge(None).await;
        fleet.edges.push(edge);
    }
    wait("the store remembers", || fleet.are_all(true)).await;
    fleet.fails.store(false, Ordering::SeqCst);
    for edge in &fleet.edges {
        assert_eq!(by(&get_as(edge, 1, VENUES).await), "owner");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_store_the_file_remembers() {
    let Some(mut store) = Store::start() else { return };
    let directory = Directory::new("rule-file");
    let state = Some(directory.path().to_owned());
    let mut fleet = Movers::start(1, &store, guarded()).await;
    let other = fleet.edge(state.clone()).await;
    fleet.fails.store(true, Ordering::SeqCst);
    fleet.call(0, 0..6).await;
    wait("the other edge returns", || is_returned_at(&other)).await;
    let file = directory.path().join("migration.json");
    wait("the file is written", || async {
        std::fs::read_to_string(&file).is_ok_and(|text| text.contains("failed"))
    })
    .await;
    other.drain().await;
    store.kill();
    let other = fleet.edge(state).await;
    assert!(is_returned_at(&other).await);
    assert_eq!(by(&get_as(&other, 1, VENUES).await), "owner");
    // A store without memory learns it from the edges.
    store.restart();
    let joined = fleet.edge(None).await;
    fleet.edges.push(joined);
    wait("all edges return", || fleet.are_all(true)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_is_in_or_out_at_every_edge() {
    let Some(store) = Store::start() else { return };
    let fleet = Movers::start(3, &store, share("50%")).await;
    let mut moved = 0;
    for client in 0..80 {
        let asked = join_all(fleet.edges.iter().map(|edge| get_as(edge, client, VENUES))).await;
        let names: Vec<String> = asked.iter().map(by).collect();
        assert!(names.iter().all(|name| *name == names[0]), "{client}: {names:?}");
        moved += usize::from(names[0] == "next");
    }
    assert!((15..65).contains(&moved), "{moved}");
}

#[tokio::test(flavor = "multi_thread")]
async fn while_the_store_is_away_returns_hold() {
    let Some(mut store) = Store::start() else { return };
    let fleet = Movers::start(2, &store, guarded()).await;
    store.kill();
    for edge in &fleet.edges {
        wait("each edge is alone", || async { !is_together(edge).await }).await;
    }
    fleet.fails.store(true, Ordering::SeqCst);
    fleet.call(0, 0..40).await;
    assert!(is_returned_at(&fleet.edges[0]).await && !is_returned_at(&fleet.edges[1]).await);
    store.restart();
    wait("the other edge hears of it", || fleet.are_all(true)).await;
    fleet.together().await;
    assert_eq!(resume(&fleet.edges[1], &[]).await.json()["resumed"], true);
    wait("an operator resumes it for all", || fleet.are_all(false)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn guards_judge_the_sums_of_all_edges() {
    let Some(store) = Store::start() else { return };
    let fleet = Movers::start(3, &store, guarded()).await;
    for edge in 0..3 {
        fleet.call(edge, 20 * edge..20 * edge + 8).await;
    }
    // T-94: one client of all edges is one client.
    fleet.fails.store(true, Ordering::SeqCst);
    for _ in 0..4 {
        for edge in 0..3 {
            fleet.call(edge, 7..8).await;
        }
    }
    tokio::time::sleep(Duration::from_millis(2500)).await;
    assert!(fleet.are_all(false).await, "{}", rule_of(&fleet.edges[0]).await);
    // Two calls at each edge: alone, too few for each.
    for edge in 0..3 {
        let clients = 100 + 10 * edge..102 + 10 * edge;
        fleet.call(edge, clients).await;
    }
    wait("the sum is too much", || fleet.are_all(true)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_line_that_is_put_back_resumes_nothing() {
    let Some(store) = Store::start() else { return };
    let mut fleet = Movers::start(2, &store, guarded()).await;
    fleet.fails.store(true, Ordering::SeqCst);
    fleet.call(0, 0..6).await;
    wait("all edges return", || fleet.are_all(true)).await;
    resume(&fleet.edges[0], &[]).await;
    wait("all edges take clients again", || fleet.are_all(false)).await;
    let rules = store.key("rules");
    let old = store.ask(&["HGET", &rules, "moved"]);
    for edge in fleet.edges.drain(..) {
        edge.drain().await;
    }
    store.ask(&["FLUSHALL"]);
    // The next return is later by the clock, and its version is lower.
    tokio::time::sleep(Duration::from_secs(3)).await;
    for _ in 0..2 {
        let edge = fleet.edge(None).await;
        fleet.edges.push(edge);
    }
    fleet.together().await;
    fleet.call(0, 0..6).await;
    wait("all edges return", || fleet.are_all(true)).await;
    store.ask(&["HSET", &rules, "moved", &old]);
    wait("it is replaced", || async {
        assert!(fleet.are_all(true).await, "an edge has obeyed it");
        store.ask(&["HGET", &rules, "moved"]) != old
    })
    .await;
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert!(fleet.are_all(true).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forged_standing_is_replaced_and_obeyed_by_no_edge() {
    let Some(store) = Store::start() else { return };
    let fleet = Movers::start(2, &store, guarded()).await;
    wait("the store has the rule", || async {
        !store.ask(&["KEYS", "ce:*:rules"]).is_empty()
    })
    .await;
    let rules = store.key("rules");
    let genuine = store.ask(&["HGET", &rules, "moved"]);
    let forged = genuine
        .replacen("1 ", "99 ", 1)
        .replace(r#""returned":null"#, r#""returned":{"reason":"x","at":1}"#);
    store.ask(&["HSET", &rules, "moved", &forged]);
    wait("it is replaced", || async {
        store.ask(&["HGET", &rules, "moved"]) != forged
    })
    .await;
    assert!(fleet.are_all(false).await);
    let faults = r#"edge_fleet_faults_total{kind="forged"}"#;
    let counted = join_all(fleet.edges.iter().map(|edge| count(edge, faults))).await;
    assert!(counted.iter().sum::<u64>() > 0, "{counted:?}");
    let standing: Value = rule_of(&fleet.edges[0]).await;
    assert_eq!(standing["share"], "100%");
}
