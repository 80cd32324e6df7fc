//! Memory is bounded, for any requests of clients.

use super::*;

const MIB: u64 = 1024 * 1024;

/// A site that responds with a page of this many bytes to each request.
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

/// A page of 3 MiB, or of 100 KiB for other requests.
async fn large_and_small() -> Origin {
    Origin::answering(|seen| {
        let bytes = if seen.target.contains("large") {
            3 << 20
        } else {
            100 << 10
        };
        Reply::json(
            200,
            &format!(r#"{{"events":[],"padding":"{}"}}"#, "x".repeat(bytes)),
        )
    })
    .await
}

/// Requests small pages until one is buffered, or until one is not: a response that is streamed has no length.
async fn until(edge: &Edge, is_buffered: bool) {
    for number in 0..1000 {
        let page = edge.get(&format!("{EVENTS}?search={is_buffered}{number}")).await;
        assert_eq!(page.status, 200);
        if page.header("content-length").is_some() == is_buffered {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("no small page came as expected, buffered: {is_buffered}");
}

#[tokio::test]
async fn dropped_answers_that_clients_still_read_count_as_buffered() {
    let origin = large_and_small().await;
    let edge = edge(&origin, |settings| {
        settings.limits.response_buffer_bytes = 4 << 20;
        settings.limits.response_buffer_total = 1 << 20;
    })
    .await;
    let large = format!("{EVENTS}?search=large");
    assert_eq!(edge.get(&large).await.status, 200);
    let mut slow = edge.raw().await;
    slow.send(format!(
        "GET {large} HTTP/1.1\r\nHost: {}\r\n\r\n",
        edge.address()
    ))
    .await;
    let head = slow.head().await;
    let status = head.header("cache-status").expect("Cache-Status");
    assert!(status.contains("; hit"), "{status}");

    let page = edge.get(&format!("{EVENTS}?search=first")).await;
    assert!(
        page.header("content-length").is_some(),
        "the cache has its own bound"
    );
    assert_eq!(
        write(&edge, Method::POST, "/events/56", r#"{"title":"x"}"#)
            .await
            .status,
        200
    );
    assert_eq!(edge.get(&large).await.status, 200);
    until(&edge, false).await;

    drop(slow);
    until(&edge, true).await;
}
