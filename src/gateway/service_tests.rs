//! Where requests lead, above fake stages of calls.

use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use http::header::{ACCESS_CONTROL_REQUEST_METHOD, CONTENT_TYPE, ORIGIN, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, Request, StatusCode};
use http_body_util::BodyExt;

use super::*;
use crate::calls::fake_stage::{API, CLIENT, FakeStage, presented, settings};
use crate::calls::{CalendarCall, CallResponse};
use crate::layers::{ClientBody, SentBody};
use crate::telemetry::Metrics;
use calendar_edge_core::settings::{OriginNamespace, OtherTraffic, Rate};

type FakeCalls = FakeStage<CallRequest, EdgeResponse>;

/// The gateway above stages of calls that respond with a status, before a site that cannot be reached.
fn gateway(
    settings: &Settings,
    status: u16,
) -> (Arc<GatewayParts<Arc<FakeCalls>>>, Arc<FakeCalls>, GatewayState) {
    let mut settings = settings.clone();
    settings.origin.url = "http://127.0.0.1:1/wp-json".parse().expect("a URL");
    settings.roots[0].origin_url = settings.origin.url.clone();
    let status = StatusCode::from_u16(status).expect("a status");
    let calendar = FakeStage::at_once(move |_: &CallRequest| presented(status, "{}").response);
    let state = GatewayState::new(&settings, 0, Metrics::new()).expect("a state");
    let plan = Plan::new(&settings, &state);
    let records = FakeStage::<CalendarCall, CallResponse>::at_once(|_| presented(StatusCode::OK, "{}"));
    let companions = &state.subjects.companions;
    let feed = FeedParts {
        companions: companions.clone(),
        records: Arc::new(RecordReads::new(Arc::new(records), &settings, &plan.decider)),
        drain: state.drain.clone(),
        buffers: state.buffers.clone(),
        walked: Mutex::default(),
        budgets: Budgets::new(&settings.rate_limits, &state.buckets),
    };
    let parts = GatewayParts {
        calendar: Arc::clone(&calendar),
        feed: FeedRoute::new(&settings, feed),
        limiter: plan.rate_limiter(),
        site: site(&plan),
        unnamed: settings
            .origin
            .awaits_namespace()
            .then(|| (settings.origin.url.clone(), state.indexes.clone())),
        discovery: Discovery::new(&settings, &state.indexes.tables(&plan.site)),
        purges: PurgeRequests::new(&plan.site, companions),
        decider: plan.decider,
        known: plan.known,
    };
    (Arc::new(parts), calendar, state)
}

/// A request with a body that is empty but for forms.
async fn sent(method: &str, target: &str, headers: &[(http::HeaderName, &'static str)]) -> EdgeRequest {
    let headers = headers.iter().cloned();
    let headers: HeaderMap = headers
        .map(|(name, value)| (name, HeaderValue::from_static(value)))
        .collect();
    let is_form = headers.get(CONTENT_TYPE).is_some();
    let body: ClientBody = SentBody::of(if is_form { FORM } else { "" }).await.0;
    let mut request = Request::builder()
        .method(method)
        .uri(target)
        .body(body)
        .expect("a request");
    *request.headers_mut() = headers;
    EdgeRequest::from_client(request, CLIENT)
}

/// A form that names a route of the calendar.
const FORM: &str = "rest_route=%2Ftribe%2Fevents%2Fv1%2Fevents";

async fn served(gateway: &Arc<GatewayParts<Arc<FakeCalls>>>, request: EdgeRequest) -> EdgeResponse {
    let Ok(response) = Arc::clone(gateway).serve(request).await;
    response
}

fn forwarding() -> Settings {
    let mut settings = settings();
    settings.other = OtherTraffic::Forward;
    settings
}

#[tokio::test]
async fn calls_alone_lead_to_the_stages_of_calls() {
    const PREFLIGHT: [(http::HeaderName, &str); 2] = [
        (ORIGIN, "https://app.example"),
        (ACCESS_CONTROL_REQUEST_METHOD, "GET"),
    ];
    let events = &format!("{API}/events");
    for (method, target, headers, status, calls) in [
        ("GET", &**events, &[][..], 200, 1),
        ("OPTIONS", events, &PREFLIGHT, 204, 0),
        ("GET", "/wp-json/", &[], 200, 0),
        ("GET", &format!("{API}/openapi.json"), &[], 200, 0),
        ("GET", "/wp-json/calendar-edge/v1/changes", &[], 404, 0),
        ("GET", "/a-page/", &[], 200, 1),
    ] {
        let (gateway, calendar, _) = gateway(&settings(), 200);
        let response = served(&gateway, sent(method, target, headers).await).await;
        assert_eq!(response.status(), status, "{method} {target}");
        assert_eq!(calendar.begun(), calls, "{method} {target}");
    }
}

#[tokio::test]
async fn with_forwarding_the_rest_of_the_site_has_a_way_of_its_own() {
    let (gateway, calendar, _) = gateway(&forwarding(), 200);
    let page = served(&gateway, sent("GET", "/a-page/", &[]).await).await;
    assert_eq!(
        (page.status(), calendar.begun()),
        (StatusCode::BAD_GATEWAY, 0),
        "it cannot be reached"
    );
}

#[tokio::test]
async fn a_call_in_a_form_leads_to_the_stages_with_its_body() {
    let form = &[(CONTENT_TYPE, "application/x-www-form-urlencoded")];
    let (gateway, calendar, _) = gateway(&forwarding(), 200);
    let response = served(&gateway, sent("POST", "/index.php", form).await).await;
    assert_eq!(response.status(), StatusCode::OK);
    let opened = calendar.each(|call| match (&call.opened, &call.body) {
        (OpenedBy::Request(_), CallBody::Read(body)) => Some(body.clone()),
        _ => None,
    });
    assert_eq!(
        opened,
        [Some(Bytes::from_static(FORM.as_bytes()))],
        "its target is not remembered"
    );
}

#[tokio::test]
async fn until_the_site_has_named_its_calendar_requests_that_depend_on_the_name_are_to_come_again() {
    let mut settings = forwarding();
    settings.origin.namespace = OriginNamespace::Assumed;
    settings.origin.read_index = true;
    let events = format!("{API}/events");
    for (target, waits) in [
        (&*events, true),
        ("/wp-json/wp/v2/users", true),
        ("/a-page/", false),
    ] {
        let (gateway, calendar, state) = gateway(&settings, 200);
        let response = served(&gateway, sent("GET", target, &[]).await).await;
        let (is_unavailable, comes_again) = (
            response.status() == StatusCode::SERVICE_UNAVAILABLE,
            response.headers().contains_key(RETRY_AFTER),
        );
        assert_eq!((is_unavailable, comes_again), (waits, waits), "{target}");
        assert_eq!(calendar.begun(), 0, "{target}");
        let is_wanted = state.indexes.name.wanted().now_or_never().is_some();
        assert_eq!(is_wanted, waits, "{target}");
    }
}

#[tokio::test]
async fn a_write_that_names_head_gets_no_body() {
    let method = http::HeaderName::from_static("x-http-method-override");
    for (named, length) in [("HEAD", 0), ("PUT", 2)] {
        let (gateway, calendar, _) = gateway(&settings(), 200);
        let request = sent("POST", &format!("{API}/events/56"), &[(method.clone(), named)]).await;
        let response = served(&gateway, request).await.response;
        let body = response.into_body().collect().await.expect("a body").to_bytes();
        assert_eq!((body.len(), calendar.begun()), (length, 1), "{named}");
    }
}

#[tokio::test]
async fn documents_of_the_edge_are_charged_and_preflights_are_not() {
    let mut settings = settings();
    settings.rate_limits.address.items = Some(Rate {
        requests: 1,
        period: Duration::from_hours(1),
    });
    let (gateway, ..) = gateway(&settings, 200);
    let document = format!("{API}/openapi.json");
    for (method, status) in [("GET", 200), ("GET", 429)] {
        let response = served(&gateway, sent(method, &document, &[]).await).await;
        assert_eq!(response.status(), status);
    }
    let preflight = [
        (ORIGIN, "https://app.example"),
        (ACCESS_CONTROL_REQUEST_METHOD, "GET"),
    ];
    let response = served(&gateway, sent("OPTIONS", &document, &preflight).await).await;
    assert_eq!(response.status(), StatusCode::NO_CONTENT);
}
