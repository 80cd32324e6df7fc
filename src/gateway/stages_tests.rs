//! The order of the stages, above a fake stage: what would go wrong if two of them changed places.

use std::future::ready;
use std::time::Duration;

use http::header::ACCEPT;
use http::{HeaderValue, StatusCode};
use tokio::time::{Instant, sleep, timeout};

use super::*;
use crate::calls::CallRoute;
use crate::calls::fake_backend::FakeBackend;
use crate::calls::fake_stage::{EVENT, FakeStage, call, presented, request, responded, settings};
use crate::layers::SentBody;
use crate::telemetry::Metrics;
use calendar_edge_core::companion::mark::CHANGES;
use calendar_edge_core::settings::{
    CandidateSettings, CutoverRule, MarkKey, OperationPattern, OperationSettings, PatchPolicy, Percentage,
    Rate, ShadowRule,
};
use calendar_edge_judge::contract::table;

// === above what responds to judged calls ===

#[tokio::test]
async fn a_flood_costs_no_body_and_no_judgement() {
    let mut settings = settings();
    settings.rate_limits.address.writes = Some(Rate {
        requests: 1,
        period: Duration::from_hours(1),
    });
    let below = FakeStage::at_once(|_: &CalendarCall| presented(StatusCode::OK, "{}"));
    let state = GatewayState::new(&settings, 0, Metrics::new()).expect("a state");
    let plan = Plan::new(&settings, &state);
    let stages = calendar_stages(&plan, Arc::clone(&below));
    for (status, begun) in [(StatusCode::OK, 1), (StatusCode::TOO_MANY_REQUESTS, 1)] {
        let (body, sent) = SentBody::of(EVENT).await;
        let received = request("POST", "/events");
        let log = received.context.log.clone();
        let response = stages.call(CallRequest::of(&plan.decider, received, body)).await;
        assert_eq!((response.status(), below.begun()), (status, begun));
        let is_served = status == StatusCode::OK;
        assert_eq!(
            (sent.bytes_read() > 0, log.verdict().is_some()),
            (is_served, is_served)
        );
    }
}

#[tokio::test]
async fn all_pages_of_a_calendar_come_from_one_backend() {
    const PAGE: &str = r#"{"events":[{"id":1}],"total":2,"total_pages":2}"#;
    let mut settings = settings();
    settings.forms.calendar = true;
    let nowhere = "http://127.0.0.1:1/wp-json".parse().expect("a URL");
    settings
        .backends
        .push(CandidateSettings::at("next".to_owned(), nowhere));
    settings.cutover.push(CutoverRule {
        name: "all".to_owned(),
        backend: "next".to_owned(),
        operations: vec![OperationPattern::parse("events.list").expect("an operation")],
        fallback: true,
        ..CutoverRule::default()
    });
    let is_site = |call: &CalendarCall| matches!(call.route, CallRoute::Primary);
    let is_second = |call: &CalendarCall| call.call.request().pairs.contains("page=2");
    let below = FakeStage::at_once(
        move |call: &CalendarCall| match (is_site(call), is_second(call)) {
            (false, true) => presented(StatusCode::BAD_GATEWAY, "{}"),
            _ => presented(StatusCode::OK, PAGE),
        },
    );
    let state = GatewayState::new(&settings, 0, Metrics::new()).expect("a state");
    let plan = Plan::new(&settings, &state);
    let mut received = request("GET", "/events");
    received
        .head
        .headers
        .insert(ACCEPT, HeaderValue::from_static("text/calendar"));
    let call = CallRequest::of(&plan.decider, received, SentBody::of("").await.0);
    let response = calendar_stages(&plan, Arc::clone(&below)).call(call).await;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(
        below.each(|call| (is_site(call), is_second(call))),
        [(false, false), (false, true), (true, false), (true, true)]
    );
}

// === above backends ===

type FakeBackends = FakeStage<CalendarCall, BackendResult>;

/// The stages of settings that merge, above a backend that takes a time for each exchange.
fn stages_above(
    time: Duration,
) -> (
    impl Stage<CalendarCall, CallResponse>,
    Arc<FakeBackends>,
    GatewayState,
) {
    const RECORD: &str = r#"{"id":56,"status":"publish","modified_utc":"2026-11-20 08:39:45"}"#;
    let below = FakeStage::later(move |call: &CalendarCall| {
        let result = responded(call, StatusCode::OK, RECORD);
        async move {
            sleep(time).await;
            result
        }
    });
    let settings = merging();
    let state = GatewayState::new(&settings, 0, Metrics::new()).expect("a state");
    let stages = serving_stages(&Plan::new(&settings, &state), Arc::clone(&below));
    (stages, below, state)
}

fn merging() -> Settings {
    let mut settings = settings();
    let merging = OperationSettings {
        patch: PatchPolicy::Merge,
        ..OperationSettings::default()
    };
    let id = table().named("events.update").expect("an operation").id;
    settings.operations.insert(id, merging);
    settings
}

fn write(method: &str) -> CalendarCall {
    call(&merging(), method, "/events/56", EVENT)
}

/// The times that stored responses were removed.
fn removals(state: &GatewayState) -> u64 {
    state.subjects.cache.generation()
}

/// More than any deadline.
const HOUR: Duration = Duration::from_hours(1);

#[tokio::test(start_paused = true)]
async fn each_exchange_of_a_merge_has_a_deadline_of_its_own() {
    let (stages, below, _) = stages_above(merging().timeouts.origin_write);
    let response = stages.call(write("PATCH")).await.response;
    assert_eq!((response.status(), below.ended()), (StatusCode::OK, 3));
}

#[tokio::test(start_paused = true)]
async fn a_merge_whose_client_leaves_before_the_write_writes_nothing() {
    let second = Duration::from_secs(1);
    let (stages, below, _) = stages_above(second);
    assert!(timeout(second / 2, stages.call(write("PATCH"))).await.is_err());
    sleep(HOUR).await;
    assert_eq!(below.each(|call| call.call.is_write()), [false]);
}

#[tokio::test(start_paused = true)]
async fn a_client_gets_its_response_in_time_without_what_its_write_may_change_while_the_write_goes_on() {
    let (stages, below, state) = stages_above(HOUR);
    let (before, started) = (removals(&state), Instant::now());
    let response = stages.call(write("PUT")).await.response;
    assert_eq!(response.status(), StatusCode::GATEWAY_TIMEOUT);
    assert!(started.elapsed() < HOUR);
    assert_eq!((removals(&state) - before, below.ended()), (1, 0));
    sleep(HOUR).await;
    assert_eq!(below.ended(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_a_write_changes_is_removed_after_its_client_has_left() {
    let second = Duration::from_secs(1);
    let (stages, below, state) = stages_above(second);
    let before = removals(&state);
    assert!(timeout(second / 2, stages.call(write("PUT"))).await.is_err());
    assert_eq!((removals(&state) - before, below.ended()), (0, 0));
    sleep(second).await;
    assert_eq!((removals(&state) - before, below.ended()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn calls_of_one_key_share_one_exchange() {
    let (stages, below, _) = stages_above(Duration::from_secs(1));
    let read = || call(&merging(), "GET", "/events/56", "");
    let (one, two) = tokio::join!(stages.call(read()), stages.call(read()));
    assert_eq!(
        (one.response.status(), two.response.status()),
        (StatusCode::OK, StatusCode::OK)
    );
    assert_eq!(below.begun(), 1);
}

// === above real backends ===

const JSON: &str = "application/json; charset=UTF-8";

/// An event that anybody may read.
const RECORD: &str = r#"{"id":56,"status":"publish"}"#;

#[tokio::test]
async fn only_fresh_responses_are_copied_to_a_candidate() {
    let candidate = FakeBackend::responding(200, JSON, RECORD).await;
    let mut settings = settings();
    let next = CandidateSettings::at("next".to_owned(), candidate.url.clone());
    settings.backends.push(next);
    settings.shadow.push(ShadowRule {
        backend: "next".to_owned(),
        operations: vec![OperationPattern::parse("events.read").expect("an operation")],
        // Else the site gets one read of a hundred twice.
        double: Percentage::NONE,
        ..ShadowRule::default()
    });
    let below = FakeStage::later(|call: &CalendarCall| ready(responded(call, StatusCode::OK, RECORD)));
    let state = GatewayState::new(&settings, 0, Metrics::new()).expect("a state");
    let stages = serving_stages(&Plan::new(&settings, &state), Arc::clone(&below));
    for _ in 0..3 {
        let response = stages
            .call(call(&settings, "GET", "/events/56", ""))
            .await
            .response;
        assert_eq!(response.status(), StatusCode::OK);
    }
    while candidate.requests() == 0 {
        sleep(Duration::from_millis(5)).await;
    }
    // Further copies would be on their way.
    sleep(Duration::from_millis(200)).await;
    assert_eq!((below.begun(), candidate.requests()), (1, 1));
}

/// The requests that a site gets for two reads of one event, if its responses show this number of changes after
/// another response has shown 5.
async fn requests_for_two_reads(changes: u64) -> usize {
    let head = format!("{JSON}\r\nx-calendar-edge-changes: {changes}");
    let site = FakeBackend::responding(200, &head, RECORD).await;
    let mut settings = settings();
    settings.origin.url = site.url.clone();
    settings.roots[0].origin_url = site.url.clone();
    settings.origin.mark_key = MarkKey::new(b"a secret of thirty-two characters").ok();
    let state = GatewayState::new(&settings, 0, Metrics::new()).expect("a state");
    let companions = &state.subjects.companions;
    let shown = [(CHANGES, HeaderValue::from_static("5"))].into_iter().collect();
    companions.take_head(
        &site.url,
        companions.begin_exchange(&site.url),
        StatusCode::OK,
        &shown,
    );
    let plan = Plan::new(&settings, &state);
    let stages = serving_stages(&plan, plan.backend_selection().primary);
    for _ in 0..2 {
        let response = stages
            .call(call(&settings, "GET", "/events/56", ""))
            .await
            .response;
        assert_eq!(response.status(), StatusCode::OK);
    }
    site.requests()
}

#[tokio::test]
async fn an_outdated_response_of_the_site_is_not_stored() {
    assert_eq!(requests_for_two_reads(5).await, 1);
    assert_eq!(requests_for_two_reads(3).await, 2);
}
