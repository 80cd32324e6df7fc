//! For unit tests of stages: a stage below the one under test, and calls and responses that pass between them.

use std::future::ready;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::Full;
use parking_lot::Mutex;

use super::{BackendResult, CalendarCall, CallResponse, JudgedCall, PublicNames, Stage};
use crate::backend::{Backends, SharedBackends};
use crate::layers::{BodilessRequest, EdgeResponse, ResponseFacts};
use crate::server::response::{ResponseSource, json};
use crate::telemetry::Metrics;
use calendar_edge_core::cache::Storable;
use calendar_edge_core::gateway::authority::PublicAddress;
use calendar_edge_core::gateway::circle::CircleKey;
use calendar_edge_core::gateway::decision::{Decider, Opening};
use calendar_edge_core::relay::cors::Audience;
use calendar_edge_core::relay::{BufferBudget, CallContext, LearntRoots, RelayRules, accept};
use calendar_edge_core::settings::{OriginNamespace, Settings};
use calendar_edge_judge::call::Outcome;

/// A stage that records its requests, and responds as the test demands.
pub(crate) struct FakeStage<Request, Response> {
    respond: Respond<Request, Response>,
    taken: Mutex<Vec<Request>>,
    ended: AtomicUsize,
}

type Respond<Request, Response> = Box<dyn Fn(&Request) -> BoxFuture<'static, Response> + Send + Sync>;

/// The client of the requests.
pub(crate) const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

/// The path of the calendar API.
pub(crate) const API: &str = "/wp-json/tribe/events/v1";

/// A body by which an event is created or changed.
pub(crate) const EVENT: &str =
    r#"{"title":"A","start_date":"2027-01-01 10:00:00","end_date":"2027-01-01 11:00:00"}"#;

// === impl FakeStage ===

impl<Request, Response: Send + 'static> FakeStage<Request, Response> {
    /// A stage that responds at once.
    pub(crate) fn at_once(respond: impl Fn(&Request) -> Response + Send + Sync + 'static) -> Arc<Self> {
        Self::later(move |request| ready(respond(request)))
    }

    /// A stage that responds at the end of a future.
    pub(crate) fn later<F>(respond: impl Fn(&Request) -> F + Send + Sync + 'static) -> Arc<Self>
    where
        F: Future<Output = Response> + Send + 'static,
    {
        Arc::new(Self {
            respond: Box::new(move |request| respond(request).boxed()),
            taken: Mutex::default(),
            ended: AtomicUsize::new(0),
        })
    }

    /// The number of requests that reached the stage.
    pub(crate) fn begun(&self) -> usize {
        self.taken.lock().len()
    }

    /// The number of requests that the stage has responded to.
    pub(crate) fn ended(&self) -> usize {
        self.ended.load(Ordering::Relaxed)
    }

    /// The property of each request that reached the stage, in order.
    pub(crate) fn each<T>(&self, property: impl Fn(&Request) -> T) -> Vec<T> {
        self.taken.lock().iter().map(property).collect()
    }
}

impl<Request, Response> Stage<Request, Response> for FakeStage<Request, Response>
where
    Request: Send + 'static,
    Response: Send + 'static,
{
    async fn call(&self, request: Request) -> Response {
        let response = (self.respond)(&request);
        self.taken.lock().push(request);
        let response = response.await;
        self.ended.fetch_add(1, Ordering::Relaxed);
        response
    }
}

/// The settings of an edge before a site that has named its calendar.
pub(crate) fn settings() -> Settings {
    let mut settings = Settings::for_origin("http://wp.example/wp-json".parse().expect("a URL"));
    settings.public_url = Some("https://events.example".parse().expect("a URL"));
    settings.origin.namespace = OriginNamespace::set("tribe/events/v1");
    // Else arguments wait for the table of the site.
    settings.origin.read_index = false;
    settings
}

/// A request to the calendar API; writes have credentials and a body of JSON.
pub(crate) fn request(method: &str, path: &str) -> BodilessRequest {
    let request = Request::builder().method(method).uri(format!("{API}{path}"));
    let mut request = request.body(()).expect("a request");
    if !request.method().is_safe() {
        let headers = request.headers_mut();
        headers.insert(AUTHORIZATION, HeaderValue::from_static("Basic YW5uYTpzZWNyZXQ="));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    BodilessRequest::from_client(request, CLIENT)
}

/// The judged call of such a request; a write has this body.
pub(crate) fn call(settings: &Settings, method: &str, path: &str, body: &str) -> CalendarCall {
    let asked = request(method, path);
    let head = asked.decided_by();
    let decider = Decider::new(settings);
    let Opening::Call(opened) = decider.open(&head) else {
        panic!("{method} {path} is no call");
    };
    let readable = opened.next().expect("a head that is not refused");
    let body = if asked.head.method.is_safe() { "" } else { body };
    let judgement = decider.judge(&head, &opened, readable, Some(body.as_bytes()));
    let Outcome::Forward(call) = judgement.outcome else {
        panic!("{method} {path} is refused: {:?}", judgement.findings);
    };
    let public = settings.public_url.as_ref().and_then(PublicAddress::from_url);
    let public = PublicNames::of(&public.expect("a public address"));
    CalendarCall::new(Arc::new(JudgedCall::new(*call)), &asked, &opened, &public, None)
}

/// An anonymous read.
pub(crate) fn read(settings: &Settings, path: &str) -> CalendarCall {
    call(settings, "GET", path, "")
}

/// A response of the backend to a call, checked and whole.
#[expect(
    clippy::result_large_err,
    reason = "stages return the same result from a future"
)]
pub(crate) fn responded(call: &CalendarCall, status: StatusCode, body: &str) -> BackendResult {
    let rules = rules(&settings());
    let response = Response::builder()
        .status(status)
        .header(CONTENT_TYPE, "application/json; charset=UTF-8");
    let response = response.body(Full::new(Bytes::copy_from_slice(body.as_bytes())));
    let context = CallContext::of_call(&call.call, API);
    let accepted = accept(response.expect("a response"), &context, &rules);
    let accepted = accepted.now_or_never().expect("a whole body")?;
    Ok(accepted.whole().expect("a body that fits the buffer"))
}

/// A response that the stages above presenting get, for everybody.
pub(crate) fn presented(status: StatusCode, body: &'static str) -> CallResponse {
    let response = EdgeResponse {
        response: json(status, Bytes::from_static(body.as_bytes())),
        facts: ResponseFacts::Calendar {
            by: ResponseSource::Backend,
            audience: Audience::Public,
            codings: None,
        },
    };
    let storable = if status == StatusCode::OK {
        Storable::Yes
    } else {
        Storable::Failure
    };
    CallResponse {
        storable,
        ..response.into()
    }
}

/// The rules by which responses of the site are checked and presented.
pub(crate) fn rules(settings: &Settings) -> RelayRules {
    let site = settings.site();
    RelayRules::new(&site, &LearntRoots::default(), &BufferBudget::new(1 << 20))
}

/// The backends of these settings, to which nothing is connected.
pub(crate) fn backends(settings: &Settings) -> Arc<Backends> {
    let (site, circle) = (settings.site(), Arc::new(CircleKey::new(None)));
    let shared = SharedBackends::new(&site, Metrics::new(), &circle, 0);
    Arc::new(Backends::new(&site, &shared.expect("clients")))
}
