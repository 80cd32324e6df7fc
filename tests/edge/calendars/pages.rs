//! A calendar has all pages of its list, or none.

use super::*;

#[tokio::test]
async fn a_calendar_has_all_pages() {
    let origin = Calendar::of(120).site().await;
    let edge = lasting(&origin).await;
    let answer = edge.get(FILE).await;
    assert_eq!(events_in(&answer), 120);
    assert_eq!(answer.header("x-tec-total"), Some("120"));
    assert!(answer.header("x-tec-totalpages").is_none());
    assert!(!answer.body.contains("LEFT-OUT"));
    assert_eq!(asked(&origin), 3);
    // One page where the client names it.
    assert_eq!(
        events_in(&edge.get(&format!("{FILE}?page=2&per_page=7")).await),
        7
    );
    assert_eq!(asked(&origin), 4);
}

#[tokio::test]
async fn beyond_the_bound_a_calendar_says_how_much_is_left_out() {
    let origin = Calendar::of(1200).site().await;
    let edge = lasting(&origin).await;
    let answer = edge.get(FILE).await;
    assert_eq!(events_in(&answer), 500);
    assert!(answer.body.contains("\r\nX-CALENDAR-EDGE-LEFT-OUT:700\r\n"));
    assert_eq!(answer.header("x-tec-total"), Some("1200"));
    assert_eq!(asked(&origin), 10);
}

#[tokio::test]
async fn t103_each_page_that_the_site_is_asked_for_is_charged() {
    for fresh in [Duration::from_hours(1), Duration::ZERO] {
        let origin = Calendar::of(200).site().await;
        let edge = edge(&origin, |settings| {
            settings.cache.fresh = fresh;
            settings.cache.stale_while_revalidate = Duration::ZERO;
            settings.rate_limits.address.lists = Some(Rate {
                requests: 3,
                period: Duration::from_hours(1),
            });
        })
        .await;
        let limited = edge.get(FILE).await;
        assert_eq!(
            (limited.status.as_u16(), limited.code().as_str()),
            (429, "edge_rate_limited")
        );
        assert!(limited.header("retry-after").is_some());
        for file in (1..20).map(|days| format!("{FILE}?end_date=2027-08-{days:02}")) {
            assert_eq!(edge.get(&file).await.status, 429);
        }
        assert_eq!(asked(&origin), 4, "{fresh:?}");
        let metrics = edge.admin("/metrics").await.body;
        assert!(
            metrics.contains(r#"edge_rate_limited_total{budget="address-lists"} 20"#),
            "{metrics}"
        );
    }
}

#[tokio::test]
async fn t103_a_calendar_in_memory_costs_one_request() {
    let origin = Calendar::of(120).site().await;
    let edge = edge(&origin, |settings| {
        settings.cache.fresh = Duration::from_hours(1);
        settings.rate_limits.address.lists = Some(Rate {
            requests: 5,
            period: Duration::from_hours(1),
        });
    })
    .await;
    // Three pages, and then two requests.
    for expected in [200, 200, 200, 429] {
        assert_eq!(edge.get(FILE).await.status, expected);
    }
    assert_eq!(asked(&origin), 3);
}

#[tokio::test]
async fn a_page_that_fails_fails_the_calendar() {
    let calendar = Calendar::of(120);
    let origin = Origin::answering(move |seen| {
        if seen.target.contains("page=3") {
            return Reply::json(500, r#"{"code":"x","message":"x","data":{"status":500}}"#);
        }
        calendar.answer(seen)
    })
    .await;
    let edge = lasting(&origin).await;
    let answer = edge.get(FILE).await;
    assert!(answer.status.is_server_error(), "{}", answer.status);
    assert!(!answer.body.contains("VEVENT"), "{}", answer.body);
}

#[tokio::test]
async fn a_list_that_changes_between_its_pages_is_read_again() {
    let calendar = Calendar::of(60);
    let (shared, reads) = (calendar.clone(), AtomicU64::new(0));
    let origin = Origin::answering(move |seen| {
        // The list becomes longer behind its first page, once.
        if seen.target.contains("page=2") && reads.fetch_add(1, Ordering::SeqCst) == 0 {
            shared.events.fetch_add(1, Ordering::SeqCst);
        }
        shared.answer(seen)
    })
    .await;
    let edge = edge(&origin, |settings| {
        settings.cache.fresh = Duration::ZERO;
        settings.cache.stale_while_revalidate = Duration::ZERO;
    })
    .await;
    assert_eq!(events_in(&edge.get(FILE).await), 61);
    assert_eq!(asked(&origin), 4);
}

#[tokio::test]
async fn a_list_that_never_holds_still_is_no_calendar() {
    let calendar = Calendar::of(60);
    let shared = calendar.clone();
    let origin = Origin::answering(move |seen| {
        if seen.target.contains("page=2") {
            shared.events.fetch_add(1, Ordering::SeqCst);
        }
        shared.answer(seen)
    })
    .await;
    let edge = edge(&origin, |settings| {
        settings.cache.fresh = Duration::ZERO;
        settings.cache.stale_while_revalidate = Duration::ZERO;
    })
    .await;
    let answer = edge.get(FILE).await;
    assert_eq!(
        (answer.status.as_u16(), answer.code().as_str()),
        (502, "edge_origin_failed")
    );
}

#[tokio::test]
async fn an_answer_without_events_is_no_calendar() {
    let origin = Origin::always(Reply::json(200, r#"{"records":[]}"#)).await;
    let edge = lasting(&origin).await;
    let answer = edge.get(FILE).await;
    assert_eq!(
        (answer.status.as_u16(), answer.code().as_str()),
        (502, "edge_origin_failed")
    );
    assert_eq!(edge.get(LIST).await.status, 200);
}

#[tokio::test]
async fn an_empty_list_is_an_empty_calendar() {
    let origin = Calendar::of(0).site().await;
    let edge = lasting(&origin).await;
    assert_eq!(events_in(&edge.get(FILE).await), 0);
}

#[tokio::test]
async fn a_page_that_is_streamed_is_read_up_to_its_bound() {
    // Fifty events of 30 KB are more than limits.response_buffer_bytes, and of 200 KB more than a page may have.
    let origin = Calendar::of(60).described(30_000).site().await;
    let edge = lasting(&origin).await;
    let answer = edge.get(FILE).await;
    // As many as a megabyte holds.
    assert_eq!(events_in(&answer), 28);
    assert!(answer.body.contains("\r\nX-CALENDAR-EDGE-LEFT-OUT:32\r\n"));
    let origin = Calendar::of(60).described(200_000).site().await;
    let edge = lasting(&origin).await;
    let answer = edge.get(FILE).await;
    assert_eq!(
        (answer.status.as_u16(), answer.code().as_str()),
        (502, "edge_origin_failed")
    );
    assert_eq!(edge.get(LIST).await.status, 200);
}

#[tokio::test]
async fn a_streamed_page_is_not_read_while_its_budget_is_used_up() {
    let origin = Calendar::of(60).described(30_000).site().await;
    let edge = edge(&origin, |settings| settings.limits.response_buffer_total = 0).await;
    assert_eq!(edge.get(FILE).await.code(), "edge_origin_failed");
}
