//! Kept answers outlive the process, for the time in which the site is down.

use std::fs;

use super::super::support::Directory;
use super::*;

const EVENT: &str = "/wp-json/calendar/events/v1/events/56";

#[tokio::test]
async fn an_edge_that_starts_while_the_site_is_down_answers_what_was_asked_before() {
    let directory = Directory::new("kept-answers");
    let path = directory.path().join("cache");
    let origin = counting().await;
    let snapshot = |settings: &mut Settings| {
        settings.cache.snapshot = Some(path.clone());
        settings.public_url = Some("http://events.example".parse().expect("a URL"));
    };
    let before = edge(&origin, snapshot).await;
    let first = before.get(EVENT).await;
    assert!(before.drain().await == calendar_edge::app::DrainOutcome::Finished);
    assert!(!directory.path().join("cache.new").exists());

    let after = edge(&origin, snapshot).await;
    let alive = after.get(EVENT).await;
    // What changed while no edge ran is not known.
    assert!(cache_status(&alive).starts_with("fwd=stale"), "{alive:?}");
    drop(after);
    let after = edge(&origin, snapshot).await;
    origin.kill().await;
    let answer = after.get(EVENT).await;
    assert_eq!((answer.status.as_u16(), &answer.body), (200, &first.body));
    assert!(
        cache_status(&answer).ends_with("; detail=origin-failed"),
        "{answer:?}"
    );
    assert_eq!(answer.header("content-type"), first.header("content-type"));
}

#[tokio::test]
async fn answers_that_are_too_large_by_now_do_not_cost_the_others() {
    let directory = Directory::new("large-answers");
    let path = directory.path().join("cache");
    let origin = Origin::answering(|seen| {
        let length = if seen.target.ends_with("/56") { 100_000 } else { 10 };
        Reply::json(200, &format!(r#"{{"title":"{}"}}"#, "x".repeat(length)))
    })
    .await;
    let snapshot = |settings: &mut Settings| settings.cache.snapshot = Some(path.clone());
    let before = edge(&origin, snapshot).await;
    for number in 55..58 {
        before.get(&format!("{API}/events/{number}")).await;
    }
    before.drain().await;
    let after = edge(&origin, |settings| {
        snapshot(settings);
        settings.cache.memory = 1024 * 1024;
    })
    .await;
    assert_eq!(after.admin("/cache").await.json()["entries"], 2);
}

#[tokio::test]
async fn a_broken_file_is_left_alone() {
    let directory = Directory::new("broken-answers");
    let path = directory.path().join("cache");
    let origin = counting().await;
    let snapshot = |settings: &mut Settings| settings.cache.snapshot = Some(path.clone());
    let before = edge(&origin, snapshot).await;
    before.get(EVENT).await;
    before.drain().await;
    let good = fs::read(&path).expect("a snapshot");
    for place in (0..good.len()).step_by(5) {
        let mut bytes = good.clone();
        bytes[place] ^= 1;
        assert_broken(&path, &bytes, &origin).await;
        if place % 35 == 0 {
            assert_broken(&path, &good[..place], &origin).await;
        }
    }
}

async fn assert_broken(path: &std::path::Path, bytes: &[u8], origin: &Origin) {
    fs::write(path, bytes).expect("a file");
    let edge = edge(origin, |settings| settings.cache.snapshot = Some(path.to_owned())).await;
    assert_eq!(
        edge.admin("/cache").await.json()["entries"],
        0,
        "{} bytes",
        bytes.len()
    );
}
