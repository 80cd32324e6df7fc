//! The cache above a fake stage: one leader a key, and nothing kept that is not for everybody.

use http::StatusCode;
use http_body_util::BodyExt;
use tokio::time::{sleep, timeout};

use super::*;
use crate::backend::OwnRequests;
use crate::cache::Cache;
use crate::calls::fake_stage::{EVENT, FakeStage, backends, call, presented, read, settings};
use crate::calls::{CallRoute, CandidateRoute};
use crate::server::Drain;
use crate::telemetry::Metrics;
use calendar_edge_core::cache::{CACHE_STATUS, CachePolicy, Removal, RemovalCause};
use calendar_edge_core::relay::BufferBudget;

const SECOND: Duration = Duration::from_secs(1);

pub(in crate::cache) type Below = FakeStage<CalendarCall, CallResponse>;

/// A cache that is empty.
pub(in crate::cache) fn empty() -> Arc<Cache> {
    let mut settings = settings().cache;
    settings.fresh = Duration::from_hours(1);
    Arc::new(Cache::new(
        &settings,
        &Metrics::new(),
        &BufferBudget::new(1 << 20),
    ))
}

/// The stage above another, with this cache.
pub(in crate::cache) fn caching<S>(inner: S, cache: &Arc<Cache>) -> Caching<S>
where
    S: Stage<CalendarCall, CallResponse>,
{
    let settings = settings();
    let companions = Companions::none(&settings);
    let fetch = CacheFetch {
        inner,
        cache: cache.clone(),
        policy: CachePolicy::new(&settings),
        largest_body: 1 << 20,
        backends: backends(&settings),
        site: OwnRequests::new(&settings.origin, &settings.origin.url, None),
        drain: Drain::default(),
        feed: companions.feed.clone(),
    };
    Caching::new(
        fetch,
        &settings.cache,
        KeySpace::new(&settings.site()),
        &companions,
    )
}

/// A stage that takes a second for each response with this status.
fn below(status: u16) -> Arc<Below> {
    FakeStage::later(move |_: &CalendarCall| async move {
        sleep(SECOND).await;
        presented(StatusCode::from_u16(status).expect("a status"), r#"{"id":56}"#)
    })
}

fn event() -> CalendarCall {
    read(&settings(), "/events/56")
}

async fn shown(response: CallResponse) -> (u16, String, String) {
    let response = response.response.response;
    let outcome = response.headers().get(CACHE_STATUS);
    let outcome = outcome
        .map_or("", |outcome| outcome.to_str().expect("text"))
        .to_owned();
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.expect("a body").to_bytes();
    (status, String::from_utf8_lossy(&body).into_owned(), outcome)
}

#[tokio::test(start_paused = true)]
async fn one_leader_asks_for_all_with_its_key_and_later_ones_are_hits() {
    let below = below(200);
    let stage = caching(Arc::clone(&below), &empty());
    let other = read(&settings(), "/events/57");
    let (one, two, three) = tokio::join!(stage.call(event()), stage.call(event()), stage.call(other));
    assert_eq!(below.begun(), 2, "one for each key");
    for (response, is_follower) in [(one, false), (two, true), (three, false)] {
        let (status, body, outcome) = shown(response).await;
        assert_eq!((status, &*body), (200, r#"{"id":56}"#));
        assert_eq!(outcome.contains("collapsed"), is_follower, "{outcome}");
    }
    let (_, body, outcome) = shown(stage.call(event()).await).await;
    assert!(body == r#"{"id":56}"# && outcome.contains("hit"), "{outcome}");
    assert_eq!(below.begun(), 2);
}

#[tokio::test(start_paused = true)]
async fn followers_get_their_response_after_the_client_of_the_leader_has_left() {
    let below = below(200);
    let stage = caching(Arc::clone(&below), &empty());
    let leader = timeout(SECOND / 2, stage.call(event()));
    let (left, follower) = tokio::join!(leader, stage.call(event()));
    assert!(left.is_err());
    assert_eq!(shown(follower).await.0, 200);
    assert_eq!((below.begun(), below.ended()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn failures_are_not_kept_and_no_one_failure_fails_all() {
    let below = below(502);
    let stage = caching(Arc::clone(&below), &empty());
    assert_eq!(shown(stage.call(event()).await).await.0, 502);
    assert_eq!(shown(stage.call(event()).await).await.0, 502);
    assert_eq!(below.begun(), 2);
    let (leader, follower) = tokio::join!(stage.call(event()), stage.call(event()));
    assert_eq!((shown(leader).await.0, shown(follower).await.0), (502, 502));
    assert_eq!(below.begun(), 4, "the follower gets a second attempt");
}

#[tokio::test(start_paused = true)]
async fn writes_and_calls_for_one_client_pass_by() {
    let below = below(200);
    let stage = caching(Arc::clone(&below), &empty());
    for _ in 0..2 {
        let write = stage.call(call(&settings(), "PUT", "/events/56", EVENT)).await;
        assert_eq!(shown(write).await.2, "");
        let personal = stage.call(read(&settings(), "/events/56?password=secret")).await;
        assert!(shown(personal).await.2.contains("fwd=bypass"));
    }
    assert_eq!(below.begun(), 4);
}

#[tokio::test(start_paused = true)]
async fn what_a_change_overtakes_on_its_way_is_not_kept() {
    let (below, cache) = (below(200), empty());
    let stage = caching(Arc::clone(&below), &cache);
    let change = async {
        sleep(SECOND / 2).await;
        cache.begin_removal(&Removal::All, RemovalCause::Write);
    };
    let (response, ()) = tokio::join!(stage.call(event()), change);
    assert_eq!(shown(response).await.0, 200);
    stage.call(event()).await;
    assert_eq!(below.begun(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_one_backend_said_is_not_shown_to_clients_of_another() {
    let below = below(200);
    let stage = caching(Arc::clone(&below), &empty());
    let mut candidate = settings().site();
    candidate.roots[0].origin_url = "http://next.example/wp-json".parse().expect("a URL");
    let route = CandidateRoute {
        rule: 0,
        backend: "next".to_owned(),
        keys: KeySpace::new(&candidate),
        falls_back: false,
    };
    let route = CallRoute::Candidate(Arc::new(route));
    for begun in [1, 2] {
        stage.call(event()).await;
        let of_candidate = CalendarCall {
            route: route.clone(),
            ..event()
        };
        stage.call(of_candidate).await;
        assert_eq!(below.begun(), 2, "round {begun}");
    }
}
