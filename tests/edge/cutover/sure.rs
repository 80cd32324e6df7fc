//! The time until a guard returns the calls of a backend that fails, hangs or breaks off; and failures that do not
//! count.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use calendar_edge_core::settings::{CutMethods, CutoverRule, GuardSettings};
use http::Method;
use serde_json::Value;

use super::guard::rule_of;
use super::{VENUES, by, caching, cut, edge, get_as, named, rule};
use crate::support::{Answer, Edge, Gate, Origin, Reply};

/// A rule with the guard that operators have if they change nothing.
fn guarded() -> CutoverRule {
    CutoverRule {
        guard: Some(GuardSettings::default()),
        ..rule("venues.*")
    }
}

fn failure() -> Reply {
    Reply::json(500, r#"{"code":"x","message":"y"}"#)
}

/// A backend that fails on demand.
async fn failing(fails: &Arc<AtomicBool>) -> Origin {
    let fails = Arc::clone(fails);
    Origin::answering(move |_| {
        if fails.load(Ordering::SeqCst) {
            failure()
        } else {
            Reply::json(200, r#"{"by":"next"}"#)
        }
    })
    .await
}

async fn is_returned(edge: &Edge) -> bool {
    !rule_of(edge).await["returned"].is_null()
}

#[tokio::test]
async fn a_backend_that_always_fails_costs_a_handful_of_answers() {
    let (owner, next) = (named("owner").await, Origin::always(failure()).await);
    let edge = edge(&owner, &next, vec![guarded()]).await;
    let mut lost = 0;
    for client in 0..150 {
        lost += usize::from(get_as(&edge, client, VENUES).await.status.is_server_error());
    }
    println!("150 clients, 1 call each: {lost} lost their answer");
    assert!((2..=5).contains(&lost), "{lost}");
    assert!(is_returned(&edge).await);
}

#[tokio::test]
async fn two_clients_are_enough() {
    let (owner, next) = (named("owner").await, Origin::always(failure()).await);
    let edge = edge(&owner, &next, vec![guarded()]).await;
    let mut lost = 0;
    for call in 0..40 {
        lost += usize::from(get_as(&edge, call % 2, VENUES).await.status.is_server_error());
    }
    println!("2 clients in turn: {lost} of 40 lost");
    assert!((3..=8).contains(&lost), "{lost}");
}

#[tokio::test]
async fn a_backend_that_fails_after_a_good_time_is_returned_as_soon() {
    let fails = Arc::new(AtomicBool::new(false));
    let (owner, next) = (named("owner").await, failing(&fails).await);
    let edge = edge(&owner, &next, vec![guarded()]).await;
    for call in 0..300 {
        assert_eq!(by(&get_as(&edge, call % 60, VENUES).await), "next");
    }
    fails.store(true, Ordering::SeqCst);
    let mut lost = 0;
    for client in 0..150 {
        lost += usize::from(get_as(&edge, client, VENUES).await.status.is_server_error());
    }
    println!("after 300 good calls: {lost} of 150 lost");
    assert!((2..=6).contains(&lost), "{lost}");
}

#[tokio::test]
async fn t94_few_clients_do_not_return_the_calls_of_many() {
    let fails = Arc::new(AtomicBool::new(false));
    for failing_clients in [1, 2] {
        fails.store(false, Ordering::SeqCst);
        let (owner, next) = (named("owner").await, failing(&fails).await);
        let edge = edge(&owner, &next, vec![guarded()]).await;
        for client in 0..1_000 {
            assert_eq!(by(&get_as(&edge, client, VENUES).await), "next");
        }
        fails.store(true, Ordering::SeqCst);
        for call in 0..40 {
            get_as(&edge, call % failing_clients, VENUES).await;
        }
        let rule = rule_of(&edge).await;
        println!(
            "40 failures of {failing_clients} of 1000 clients: {}",
            rule["returned"]
        );
        assert_eq!(rule["returned"], Value::Null);
    }
}

// === responses that break off ===

#[tokio::test]
async fn answers_that_break_off_are_failures() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n[";
    let broken: &'static [u8] = Vec::leak(format!("{head}{}", "1,".repeat(100_000)).into_bytes());
    let (owner, next) = (named("owner").await, Origin::sending(broken).await);
    let base = next.base();
    let builder = Edge::builder().origin(&owner).settings(|settings| {
        settings.limits.response_buffer_bytes = 16 << 10;
        cut(settings, &base, vec![guarded()]);
    });
    let edge = builder.start().await;
    let mut lost = 0;
    for client in 0..43 {
        let request = edge.request(Method::GET, VENUES);
        let request = request.header("x-forwarded-for", format!("10.2.0.{}", client + 1));
        let answer = request.send().await.expect("a head");
        lost += usize::from(answer.bytes().await.is_err());
    }
    let rule = rule_of(&edge).await;
    println!(
        "43 calls: {lost} broke off; guard {}; returned {}",
        rule["guard"], rule["returned"]
    );
    assert!((2..=6).contains(&lost), "{lost}");
    assert_ne!(rule["returned"], Value::Null);
}

// === calls under way ===

#[tokio::test]
async fn reads_under_way_go_to_the_site_when_their_rule_returns() {
    for keeps in [false, true] {
        let (owner, gate) = (named("owner").await, Gate::closed());
        let held = gate.clone();
        let next = Origin::answering(move |seen| {
            if seen.method == Method::POST || seen.target.ends_with("/7") {
                Reply::json(200, r#"{"by":"next"}"#).behind(&held)
            } else {
                failure()
            }
        })
        .await;
        let rules = vec![CutoverRule {
            methods: CutMethods::All,
            same_store: true,
            ..guarded()
        }];
        let edge = if keeps {
            caching(&owner, &next, rules).await
        } else {
            edge(&owner, &next, rules).await
        };
        let edge = Arc::new(edge);
        let item = format!("{VENUES}/7");
        let read = {
            let (edge, item) = (Arc::clone(&edge), item.clone());
            tokio::spawn(async move { get_as(&edge, 90, &item).await })
        };
        let write = edge.request(Method::POST, VENUES).basic_auth("a", Some("b"));
        let write = write.header("content-type", "application/json");
        let write = tokio::spawn(Answer::to(write.body(r#"{"venue":"x"}"#)));
        gate.reached_by(2).await;
        for client in 0..6 {
            get_as(&edge, client, VENUES).await;
        }
        assert!(is_returned(&edge).await);
        let read = tokio::time::timeout(Duration::from_secs(5), read).await;
        let read = read.expect("it is not behind the gate").expect("no panic");
        assert_eq!(by(&read), "owner");
        assert!(!write.is_finished(), "a write is never repeated");
        gate.open();
        assert_eq!(by(&write.await.expect("no panic")), "next");
        assert_eq!(
            by(&get_as(&edge, 90, &item).await),
            "owner",
            "nothing of it was kept"
        );
        assert_eq!((writes(&owner), writes(&next)), (0, 1));
    }
}

fn writes(origin: &Origin) -> usize {
    let seen = origin.seen();
    seen.iter().filter(|seen| seen.method == Method::POST).count()
}
