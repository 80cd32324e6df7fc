//! Calendars above a fake stage that responds in JSON.

use std::time::Duration;

use http::header::{CONTENT_TYPE, VARY};

use super::super::caching::tests::{Below, caching, empty};
use super::*;
use crate::calls::fake_stage::{FakeStage, presented, read, settings};
use crate::telemetry::Metrics;
use calendar_edge_core::limits::rates::SharedBuckets;
use calendar_edge_core::settings::{Rate, RateLimits};

const FIRST: &str = r#"{"events":[{"id":1}],"total":2,"total_pages":2}"#;
const SECOND: &str = r#"{"events":[{"id":2}],"total":2,"total_pages":2}"#;

/// The page that a read names.
fn page(call: &CalendarCall) -> Option<&str> {
    let mut pairs = call.call.request().pairs.split('&');
    pairs.find_map(|pair| pair.strip_prefix("page="))
}

/// A list of two pages, the second with this response.
fn pages(second: (StatusCode, &'static str)) -> Arc<Below> {
    FakeStage::at_once(move |call: &CalendarCall| match page(call) {
        Some("2") => presented(second.0, second.1),
        _ => presented(StatusCode::OK, FIRST),
    })
}

fn forms(json: &Arc<Below>, limits: &RateLimits) -> Representations<Arc<Below>> {
    let (cache, metrics) = (empty(), Metrics::new());
    let json = Arc::new(Arc::clone(json));
    let pages = RepresentationPages {
        json: Arc::clone(&json),
        cache: cache.clone(),
        calendar_name: None,
        computing: Computing::new(),
        buffers: BufferBudget::new(1 << 20),
        warnings: Warnings::default(),
        budgets: Budgets::new(limits, &SharedBuckets::new(None)),
        limited: metrics.rate_limits().clone(),
    };
    Representations {
        json,
        written: caching(pages, &cache),
        offers_calendar: true,
    }
}

fn asked(as_calendar: bool) -> CalendarCall {
    CalendarCall {
        as_calendar,
        ..read(&settings(), "/events")
    }
}

fn kind(response: &CallResponse) -> &str {
    let kind = response.response.headers().get(CONTENT_TYPE);
    kind.map_or("", |kind| kind.to_str().expect("text"))
}

#[tokio::test]
async fn a_calendar_is_made_of_all_pages_in_json_and_json_of_the_one_that_is_asked_for() {
    let below = pages((StatusCode::OK, SECOND));
    let stage = forms(&below, &RateLimits::default());
    let calendar = stage.call(asked(true)).await;
    assert!(
        kind(&calendar).starts_with("text/calendar"),
        "{}",
        kind(&calendar)
    );
    let read = below.each(|call| (call.as_calendar, page(call).map(str::to_owned)));
    let second = Some("2".to_owned());
    assert_eq!(read, [(false, None), (false, second)]);
    let list = stage.call(asked(false)).await;
    assert!(kind(&list).starts_with("application/json"), "{}", kind(&list));
    assert_eq!(below.begun(), 3);
    for response in [calendar, list] {
        assert_eq!(response.response.headers()[VARY], "Accept");
    }
}

#[tokio::test]
async fn a_page_that_fails_is_the_response_to_all() {
    let below = pages((StatusCode::BAD_GATEWAY, "{}"));
    let stage = forms(&below, &RateLimits::default());
    let failed = stage.call(asked(true)).await;
    assert_eq!(
        (failed.response.status(), below.begun()),
        (StatusCode::BAD_GATEWAY, 2)
    );
    assert!(kind(&failed).starts_with("application/json"), "{}", kind(&failed));
}

#[tokio::test]
async fn a_list_that_became_shorter_is_read_anew() {
    let below = pages((StatusCode::NOT_FOUND, "{}"));
    let stage = forms(&below, &RateLimits::default());
    stage.call(asked(true)).await;
    assert_eq!(below.begun(), 2 * ATTEMPTS);
}

#[tokio::test]
async fn each_further_page_that_the_site_is_asked_for_is_charged() {
    let below = pages((StatusCode::OK, SECOND));
    let mut limits = RateLimits::default();
    limits.address.lists = Some(Rate {
        requests: 1,
        period: Duration::from_hours(1),
    });
    let stage = forms(&below, &limits);
    let first = stage.call(asked(true)).await;
    assert_eq!(first.response.status(), StatusCode::OK, "one further page");
    let second = stage.call(asked(true)).await;
    assert_eq!(second.response.status(), StatusCode::TOO_MANY_REQUESTS);
}
