//! Memory is bounded, whatever clients ask for.

use super::*;

const MIB: u64 = 1024 * 1024;

/// A site that answers with a page of this many bytes to each question.
async fn pages(bytes: usize) -> Origin {
    Origin::answering(move |_| {
        let padding = "x".repeat(bytes);
        Reply::json(200, &format!(r#"{{"events":[],"padding":"{padding}"}}"#))
    })
    .await
}

#[tokio::test]
async fn one_off_questions_stay_within_the_bound_and_do_not_push_out_what_is_asked_often() {
    let origin = pages(16 * 1024).await;
    let edge = edge(&origin, |settings| settings.cache.memory = MIB).await;
    for _ in 0..50 {
        edge.get(EVENTS).await;
    }
    for number in 0..400 {
        edge.get(&format!("{EVENTS}?search={number}")).await;
        if number % 20 == 0 {
            edge.get(EVENTS).await;
        }
    }
    let page = edge.admin("/cache").await.json();
    let bytes = page["bytes"].as_u64().expect("a number");
    assert!((MIB / 2..=MIB).contains(&bytes), "{page}");
    assert_eq!(
        cache_status(&edge.get(EVENTS).await).split(';').next(),
        Some("hit")
    );
    let evicted = edge
        .metric("edge_cache_evictions_total")
        .await
        .expect("a counter");
    assert!(evicted.parse::<u32>().expect("a number") > 300, "{evicted}");
}

#[tokio::test]
async fn an_answer_that_would_push_out_many_is_not_kept() {
    let origin = pages(80 * 1024).await;
    let edge = edge(&origin, |settings| settings.cache.memory = MIB).await;
    for _ in 0..2 {
        assert_eq!(cache_status(&edge.get(EVENTS).await), "fwd=uri-miss");
    }
    assert_eq!(edge.admin("/cache").await.json()["entries"], 0);
}

#[tokio::test]
async fn a_reload_changes_the_bound_and_switches_off() {
    let origin = pages(16 * 1024).await;
    let edge = lasting(&origin).await;
    for number in 0..100 {
        edge.get(&format!("{EVENTS}?search={number}")).await;
    }
    let mut settings = edge.settings();
    settings.cache.memory = MIB;
    edge.reloader().apply(settings.clone()).expect("good settings");
    let page = edge.admin("/cache").await.json();
    assert!(
        (1..=MIB).contains(&page["bytes"].as_u64().expect("a number")),
        "{page}"
    );
    settings.cache.enabled = false;
    edge.reloader().apply(settings).expect("good settings");
    assert_eq!(edge.admin("/cache").await.json()["entries"], 0);
    assert_eq!(edge.get(EVENTS).await.header("cache-status"), None);
}
