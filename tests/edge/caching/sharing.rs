//! There is one request for a key at a time, and no client depends on the others that wait for it.

use futures_util::future::join_all;

use super::super::support::Gate;
use super::*;

const EVENT: &str = "/wp-json/calendar/events/v1/events/56";

#[tokio::test]
async fn sixty_who_ask_the_same_are_one_question() {
    let gate = Gate::closed();
    let reply = numbered(1).behind(&gate);
    let origin = Origin::always(reply).await;
    let edge = lasting(&origin).await;
    let asking = join_all((0..60).map(|_| edge.get(EVENT)));
    let opening = async {
        gate.reached_by(1).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        gate.open();
    };
    let (answers, ()) = tokio::join!(asking, opening);
    assert_eq!(asked(&origin), 1);
    assert!(answers.iter().all(|answer| answer.status == 200));
    let alone = answers
        .iter()
        .filter(|answer| !cache_status(answer).contains("collapsed"));
    let hits = answers
        .iter()
        .filter(|answer| cache_status(answer).starts_with("hit"));
    assert_eq!(alone.count() - hits.count(), 1);
}

#[tokio::test]
async fn a_leader_who_leaves_fills_the_cache_for_the_others() {
    let gate = Gate::closed();
    let origin = Origin::always(numbered(1).behind(&gate)).await;
    let edge = lasting(&origin).await;
    let leader = tokio::time::timeout(Duration::from_millis(50), edge.get(EVENT));
    assert!(leader.await.is_err());
    gate.open();
    let follower = edge.get(EVENT).await;
    assert_eq!(follower.status, 200);
    assert_eq!(asked(&origin), 1);
}

/// A site that cuts every response off until it has seen this many requests, after a pause in which others join.
async fn failing(times: u64) -> Origin {
    let count = AtomicU64::new(0);
    Origin::answering(move |_| {
        let reply = if count.fetch_add(1, Ordering::SeqCst) < times {
            Reply::json(200, r#"{"id":56"#)
        } else {
            numbered(1)
        };
        reply.after(Duration::from_millis(200))
    })
    .await
}

#[tokio::test]
async fn one_failure_does_not_fail_them_all() {
    let origin = failing(1).await;
    let edge = lasting(&origin).await;
    let answers = join_all((0..20).map(|_| edge.get(EVENT))).await;
    let failed = answers.iter().filter(|answer| answer.status == 502).count();
    assert_eq!(failed, 1, "the leader's own");
    assert_eq!(asked(&origin), 2);
}

#[tokio::test]
async fn a_site_that_fails_is_not_asked_once_for_each() {
    let origin = failing(u64::MAX).await;
    let edge = lasting(&origin).await;
    let answers = join_all((0..20).map(|_| edge.get(EVENT))).await;
    assert!(answers.iter().all(|answer| answer.status == 502));
    assert_eq!(asked(&origin), 2);
}

#[tokio::test]
async fn an_answer_for_one_client_is_not_shared() {
    let count = AtomicU64::new(0);
    let origin = Origin::answering(move |_| {
        let number = count.fetch_add(1, Ordering::SeqCst);
        let reply = Reply::json(403, &format!(r#"{{"code":"x","message":"{number}"}}"#));
        reply.after(Duration::from_millis(100))
    })
    .await;
    let edge = lasting(&origin).await;
    let answers = join_all((0..5).map(|_| edge.get(EVENT))).await;
    let mut bodies: Vec<&str> = answers.iter().map(|answer| answer.body.as_str()).collect();
    bodies.sort_unstable();
    bodies.dedup();
    assert_eq!(bodies.len(), 5);
}
