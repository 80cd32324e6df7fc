//! Limits that several edges hold together: rates and failed logins.

use std::time::{Duration, Instant};

use calendar_edge_core::settings::{Mode, OtherTraffic, Rate, Settings, StoreAddress};
use futures_util::future::join_all;
use http::{Method, StatusCode};

use super::super::support::{Answer, EVENTS, Edge, Origin, Reply, Store};
use super::scene::{count, is_together, key, members, wait};

/// Edges that are together.
pub(super) async fn edges(
    number: usize,
    origin: &Origin,
    store: &StoreAddress,
    change: impl Fn(&mut Settings),
) -> Vec<Edge> {
    let edge = |_| async {
        let edge = Edge::builder().origin(origin).settings(|settings| {
            settings.fleet.store = vec![store.clone()];
            settings.fleet.secret = Some(key());
            settings.fleet.members = number;
        });
        edge.settings(&change).start().await
    };
    let edges = join_all((0..number).map(edge)).await;
    for edge in &edges {
        wait("all edges are together", || async {
            members(edge).await == number && is_together(edge).await
        })
        .await;
    }
    edges
}

const fn rate(requests: u32, period: Duration) -> Rate {
    Rate { requests, period }
}

async fn read(edge: &Edge) -> StatusCode {
    edge.get(&format!("{EVENTS}/56")).await.status
}

/// Sends requests to all edges for six seconds, under a rate of 20 in four seconds, and demands that they allow about
/// what one allows.
async fn allow_as_one(edges: &[Edge], is_allowed: impl AsyncFn(&Edge, u32) -> bool) {
    let (began, mut allowed, mut asked) = (Instant::now(), 0, 0_u32);
    while began.elapsed() < Duration::from_secs(6) {
        for edge in edges {
            allowed += u32::from(is_allowed(edge, asked).await);
            asked += 1;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let one_edge = (20.0 + 5.0 * began.elapsed().as_secs_f64()).min(f64::from(asked));
    let part = f64::from(allowed) / one_edge;
    assert!(
        (0.8..1.3).contains(&part),
        "{allowed} of {asked} calls are {part:.2} of what one edge allows"
    );
}

/// Guesses with passwords of their own, in turn at all edges, all at once.
async fn guesses(edges: &[Edge], number: usize) -> Vec<Answer> {
    let guess = |(index, edge): (usize, &Edge)| {
        let request = edge.request(Method::GET, &format!("{EVENTS}/56"));
        Answer::to(request.basic_auth("alice", Some(index.to_string())))
    };
    join_all(edges.iter().cycle().take(number).enumerate().map(guess)).await
}

/// A site that refuses every login.
async fn strict_origin() -> Origin {
    Origin::answering(|seen| match seen.header("authorization") {
        Some(_) => Reply::json(401, r#"{"code":"incorrect_password","message":"No."}"#),
        None => Reply::json(200, "{}"),
    })
    .await
}

fn logins(origin: &Origin) -> usize {
    let seen = origin.take_seen();
    seen.iter()
        .filter(|seen| seen.header("authorization").is_some())
        .count()
}

#[tokio::test]
async fn s2_a_client_gets_its_rate_from_all_edges_together() {
    let Some(store) = Store::start() else { return };
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edges = edges(3, &origin, &store.address(), |settings| {
        settings.rate_limits.address.items = Some(rate(20, Duration::from_secs(4)));
    })
    .await;
    allow_as_one(&edges, async |edge, _| read(edge).await == 200).await;
    assert!(count(&edges[0], "edge_fleet_settled_buckets_total").await > 0);
    let keys = store.ask(&["KEYS", "ce:*:b:*"]);
    assert_eq!(keys.lines().count(), 1, "one client: {keys}");
}

#[tokio::test]
async fn s2_robots_get_their_rate_of_calendar_pages_from_all_edges_together() {
    let Some(store) = Store::start() else { return };
    let origin = Origin::always(Reply::of_type(200, "text/html", "WordPress")).await;
    let edges = edges(2, &origin, &store.address(), |settings| {
        settings.other = OtherTraffic::Forward;
        settings.origin.mark_key = Some(key());
        settings.calendar_pages.mode = Mode::Enforce;
        // One client gets a quarter of it.
        settings.calendar_pages.robots = Some(rate(80, Duration::from_secs(4)));
    })
    .await;
    // Without facts these are the addresses that are known to have no end.
    let page = |asked| format!("/wp-json/tribe/views/v2/html?url=/events/{asked}");
    allow_as_one(&edges, async |edge, asked| {
        edge.get(&page(asked)).await.status == 200
    })
    .await;
    let mut limited = 0;
    for edge in &edges {
        limited += count(edge, "edge_calendar_pages_total{outcome=\"limited\"}").await;
    }
    assert!(limited > 100, "{limited}");
    let person = edges[0].request(Method::GET, &page(0)).header("cookie", "a=b");
    assert_eq!(Answer::to(person).await.status, 200);
}

#[tokio::test]
async fn s2_edges_alone_limit_by_themselves_and_join_without_a_backlog() {
    let Some(mut store) = Store::start() else { return };
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edges = edges(2, &origin, &store.address(), |settings| {
        settings.rate_limits.address.items = Some(rate(4, Duration::from_mins(1)));
    })
    .await;
    store.kill();
    for edge in &edges {
        wait("the edge is alone", || async { !is_together(edge).await }).await;
        for expected in [200, 200, 200, 200, 429] {
            assert_eq!(read(edge).await, expected);
        }
    }
    store.restart();
    for edge in &edges {
        wait("the edge is together", || is_together(edge)).await;
    }
    // Both have written what they allowed: two bursts, of which one is debt.
    wait("the store knows", || async {
        let keys = store.ask(&["KEYS", "ce:*:b:*"]);
        let life: i64 = store.ask(&["PTTL", &keys]).parse().unwrap_or(0);
        life > 70_000
    })
    .await;
    let life: i64 = store.ask(&["PTTL", &store.key("b:*")]).parse().expect("a life");
    assert!(life <= 120_000, "{life}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s3_failed_logins_hold_exactly_over_all_edges() {
    let Some(store) = Store::start() else { return };
    let origin = strict_origin().await;
    let edges = edges(3, &origin, &store.address(), |settings| {
        settings.rate_limits.failed_logins = Some(rate(10, Duration::from_mins(10)));
    })
    .await;
    let answers = guesses(&edges, 200).await;
    let passed = logins(&origin);
    let refused = answers.iter().filter(|answer| answer.status == 429).count();
    assert_eq!(refused, 200 - passed);
    // On a machine that is too busy, some read the store too late.
    let alone = join_all(
        edges
            .iter()
            .map(|edge| count(edge, "edge_fleet_logins_alone_total")),
    )
    .await;
    println!("{passed} of 200 guesses reached the site; charged without the store: {alone:?}");
    let most = if alone.iter().sum::<u64>() == 0 { 10 } else { 22 };
    assert!((10..=most).contains(&passed), "{passed}");
}

#[tokio::test]
async fn s3_edges_alone_divide_failed_logins() {
    let Some(mut store) = Store::start() else { return };
    let origin = strict_origin().await;
    let edges = edges(3, &origin, &store.address(), |settings| {
        settings.rate_limits.failed_logins = Some(rate(10, Duration::from_mins(10)));
    })
    .await;
    store.kill();
    for edge in &edges {
        wait("the edge is alone", || async { !is_together(edge).await }).await;
    }
    guesses(&edges, 200).await;
    let passed = logins(&origin);
    assert!((10..=12).contains(&passed), "{passed}");
}

#[tokio::test]
async fn t102_edges_share_the_logins_that_they_know() {
    let Some(store) = Store::start() else { return };
    let origin = Origin::answering(|seen| match seen.header("authorization") {
        Some("Basic YWxpY2U6cmlnaHQ=") | None => Reply::json(200, "{}"),
        Some(_) => Reply::json(401, r#"{"code":"incorrect_password","message":"No."}"#),
    })
    .await;
    let edges = edges(2, &origin, &store.address(), |settings| {
        settings.trusted_proxies = vec!["127.0.0.1/32".parse().expect("a network")];
        settings.rate_limits.failed_logins = Some(rate(2, Duration::from_mins(10)));
    })
    .await;
    let reads = |edge: &Edge, client: &'static str, password: &'static str| {
        let request = edge.request(Method::GET, &format!("{EVENTS}/56"));
        let request = request.header("x-forwarded-for", client);
        let answer = Answer::to(request.basic_auth("alice", Some(password)));
        async move { answer.await.status.as_u16() }
    };
    let [first, second] = edges.as_slice() else {
        panic!("two edges");
    };
    assert_eq!(reads(first, "192.0.2.1", "right").await, 200);
    assert_eq!(reads(first, "198.51.100.1", "a").await, 401);
    assert_eq!(reads(first, "198.51.100.2", "b").await, 401);
    wait("the other edge refuses a stranger", || async {
        reads(second, "198.51.100.3", "c").await == 429
    })
    .await;
    wait("the other edge knows the owner", || async {
        reads(second, "203.0.113.1", "right").await == 200
    })
    .await;
}

/// The buckets of budgets in the store. Those of logins that are known live for days.
fn charges(store: &Store) -> usize {
    let keys = store.ask(&["KEYS", "ce:*:b:*"]);
    let life = |key: &str| store.ask(&["PTTL", key]).parse::<u64>().unwrap_or(0);
    let is_charge = |key: &&str| (1..86_400_000).contains(&life(key));
    keys.lines().filter(is_charge).count()
}

#[tokio::test]
async fn s3_a_right_password_costs_nothing_at_any_edge() {
    let Some(store) = Store::start() else { return };
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edges = edges(2, &origin, &store.address(), |settings| {
        settings.rate_limits.failed_logins = Some(rate(2, Duration::from_mins(10)));
    })
    .await;
    for edge in edges.iter().cycle().take(40) {
        let request = edge.request(Method::GET, &format!("{EVENTS}/56"));
        let answer = Answer::to(request.basic_auth("alice", Some("right"))).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        // The store gets it in the next exchange.
        wait("the attempt is given back", || async { charges(&store) == 0 }).await;
    }
    assert_eq!(logins(&origin), 40);
}

/// The median time of a read and a login, in a second and a half.
async fn median_of_pairs(edges: &[Edge]) -> Duration {
    let (began, mut times) = (Instant::now(), Vec::new());
    while began.elapsed() < Duration::from_millis(1500) {
        for edge in edges {
            let asked = Instant::now();
            assert_eq!(read(edge).await, 200);
            let request = edge.request(Method::GET, &format!("{EVENTS}/56"));
            let answer = Answer::to(request.basic_auth("alice", Some("right"))).await;
            assert_eq!(answer.status, 200, "{}", answer.body);
            times.push(asked.elapsed());
        }
    }
    times.sort_unstable();
    times[times.len() / 2]
}

#[tokio::test]
async fn s8_no_call_fails_or_waits_for_a_store_that_hangs() {
    let Some(store) = Store::start() else { return };
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edges = edges(2, &origin, &store.address(), |settings| {
        settings.rate_limits.address.items = Some(rate(100_000, Duration::from_mins(1)));
        settings.rate_limits.failed_logins = Some(rate(100_000, Duration::from_mins(1)));
    })
    .await;
    let usual = median_of_pairs(&edges).await;
    store.pause();
    let median = median_of_pairs(&edges).await;
    println!("a pair of calls: {usual:?} with the store, {median:?} while it hangs");
    // The exchange itself waits 250 ms, and gives up after two of them; a login waits 25 ms.
    assert!(median < 3 * usual + Duration::from_millis(100), "{median:?}");
    store.resume();
    for edge in &edges {
        wait("the edge is together", || is_together(edge)).await;
    }
}
