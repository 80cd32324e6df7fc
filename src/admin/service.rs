//! The endpoints of the admin listener.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use arc_swap::ArcSwap;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, ORIGIN};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body::Body;
use serde::Serialize;
use tower::Service;

use super::access::is_local;
use super::explained::{self, ExplainedRefusal};
use super::page::{BrowserPage, OPERATORS_PAGE, REFERENCE_PAGE};
use super::pages::Pages;
use super::readiness::Readiness;
use super::status::{EdgeFacts, StatusDocument};
use crate::bodies::BodyBudget;
use crate::cache::Cache;
use crate::companion::{Correspondence, Sender};
use crate::comparison::DifferenceClass;
use crate::migration::Migration;
use crate::problem::{EdgeError, Refusal};
use crate::relay::BufferBudget;
use crate::response::{BoxError, EdgeBody, EdgeResponse, json, refused, whole};
use crate::server::{Peer, RequestFraming};
use crate::telemetry::{BufferKind, FindingSums, Metrics, Refusals, since_1970};

/// The media type of `/metrics`: the text format of `OpenMetrics`.
const METRICS_TYPE: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// The media type of the pages for people.
const HTML_TYPE: HeaderValue = HeaderValue::from_static("text/html; charset=utf-8");

/// The service of the admin listener.
#[derive(Debug, Clone)]
pub(crate) struct Admin(Arc<AdminParts>);

/// What the admin listener shows.
#[derive(Debug)]
pub(crate) struct AdminParts {
    /// What stays as it is from the start on.
    pub(crate) facts: EdgeFacts,
    /// Whether the edge is ready.
    pub(crate) readiness: Readiness,
    /// What depends on the settings only.
    pub(crate) pages: Arc<ArcSwap<Pages>>,
    /// Orders to remove answers.
    pub(crate) correspondence: Arc<ArcSwap<Correspondence>>,
    /// Everything that is counted.
    pub(crate) metrics: Metrics,
    /// The kept answers.
    pub(crate) cache: Cache,
    /// The last refusals.
    pub(crate) refusals: Refusals,
    /// The rules that requests broke.
    pub(crate) findings: FindingSums,
    /// What comparisons of backends found.
    pub(crate) migration: Migration,
    /// The memory of request bodies.
    pub(crate) bodies: BodyBudget,
    /// The memory of responses for slow clients.
    pub(crate) buffers: BufferBudget,
}

// === impl AdminParts ===

impl AdminParts {
    /// Notes in the metrics what is only known when somebody asks.
    fn measure(&self) {
        self.cache.measure();
        let memory = self.metrics.memory();
        let (used, limit) = self.bodies.usage();
        memory.hold(BufferKind::Requests, used, limit);
        let (used, limit) = self.buffers.usage();
        memory.hold(BufferKind::Responses, used, limit);
    }
}

// === impl Admin ===

impl Admin {
    pub(crate) fn new(parts: AdminParts) -> Self {
        Self(Arc::new(parts))
    }

    async fn respond<B>(self, request: Request<B>) -> EdgeResponse
    where
        B: Body<Data = Bytes>,
        B::Error: Into<BoxError>,
    {
        let framing = request.extensions().get::<RequestFraming>();
        if let Some(breach) = framing.and_then(RequestFraming::of_head) {
            return refused(&breach.refusal());
        }
        if *request.method() == Method::POST
            && let Some(rule) = request.uri().path().strip_prefix("/migration/resume/")
        {
            return self.resume(rule, &request);
        }
        if *request.method() == Method::POST && request.uri().path() == "/purge" {
            let sender = sender(&request);
            let (head, body) = request.into_parts();
            let correspondence = self.0.correspondence.load_full();
            return correspondence.orders().take(&head, body, sender).await;
        }
        self.answer(&request)
    }

    fn answer<B>(&self, request: &Request<B>) -> EdgeResponse {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return refused(&Refusal::no_route());
        }
        let mut answer = match request.uri().path() {
            "/livez" => json(StatusCode::OK, Bytes::from_static(br#"{"status":"alive"}"#)),
            "/readyz" => self.readyz(),
            "/metrics" => {
                self.0.measure();
                page(METRICS_TYPE, Bytes::from(self.0.metrics.render()))
            }
            "/" => browser_page(&OPERATORS_PAGE),
            "/reference" => browser_page(&REFERENCE_PAGE),
            "/status" => pretty(&StatusDocument::of(&self.0, &self.0.pages.load().facts)),
            "/cache" => self.cache_page(),
            "/migration" => json(
                StatusCode::OK,
                Bytes::from(self.0.migration.to_json().to_string()),
            ),
            "/openapi.json" => page(
                HeaderValue::from_static("application/json; charset=UTF-8"),
                self.0.pages.load().openapi.clone(),
            ),
            "/routes" => page(
                HeaderValue::from_static("text/plain; charset=utf-8"),
                self.0.pages.load().routes.clone(),
            ),
            path => match path.strip_prefix("/migration/report") {
                Some(rest) => self.report(rest, request.uri().query()),
                None => self.guarded(path, request),
            },
        };
        if *request.method() == Method::HEAD {
            *answer.body_mut() = EdgeBody::default();
        }
        answer
    }

    /// The pages about single requests, for this machine only.
    fn guarded<B>(&self, path: &str, request: &Request<B>) -> EdgeResponse {
        let id = path.strip_prefix("/refusals/");
        if id.is_none() && !matches!(path, "/findings" | "/refusals") {
            return refused(&Refusal::no_route());
        }
        if !is_local(request) {
            return refused(&Refusal::edge(EdgeError::AdminDenied));
        }
        match id {
            None if path == "/findings" => pretty(&explained::sums(&self.0.findings)),
            None => pretty(&explained::list(&self.0.refusals)),
            Some(id) => match self.0.refusals.find(id) {
                Some(kept) => pretty(&ExplainedRefusal::new(&kept, &self.0.pages.load().reviewer)),
                None => refused(&Refusal::edge(EdgeError::UnknownRefusal)),
            },
        }
    }

    /// Resumes a rule for an operator on this machine.
    fn resume<B>(&self, rule: &str, request: &Request<B>) -> EdgeResponse {
        // A page in a browser on this machine can send requests here as well, and says so.
        if sender(request) != Sender::Local || request.headers().contains_key(ORIGIN) {
            return refused(&Refusal::edge(EdgeError::OperatorsOnly));
        }
        match self.0.migration.resume(rule) {
            Some(is_resumed) => json(
                StatusCode::OK,
                Bytes::from(format!("{{\"resumed\":{is_resumed}}}")),
            ),
            None => refused(&Refusal::no_route()),
        }
    }

    /// The report of the backend whose name follows a slash, or else of the only one.
    fn report(&self, rest: &str, query: Option<&str>) -> EdgeResponse {
        let class = query.and_then(|query| query.strip_prefix("accept="));
        let accepted = class.and_then(|class| class.parse().ok());
        let accepted = accepted.unwrap_or(DifferenceClass::Representation);
        let name = rest.strip_prefix('/');
        let report = if name.is_none() && !rest.is_empty() {
            None
        } else {
            self.0.migration.report(name, accepted)
        };
        match report {
            Some(report) => json(StatusCode::OK, Bytes::from(report.to_string())),
            None => refused(&Refusal::no_route()),
        }
    }

    fn cache_page(&self) -> EdgeResponse {
        let statistics = serde_json::to_vec(&self.0.cache.statistics(since_1970()));
        json(
            StatusCode::OK,
            Bytes::from(statistics.expect("numbers and names are JSON")),
        )
    }

    fn readyz(&self) -> EdgeResponse {
        if self.0.readiness.is_ready() {
            return json(StatusCode::OK, Bytes::from_static(br#"{"status":"ready"}"#));
        }
        json(
            StatusCode::SERVICE_UNAVAILABLE,
            Bytes::from_static(br#"{"status":"draining"}"#),
        )
    }
}

/// A document that people may read as well.
fn pretty(document: &impl Serialize) -> EdgeResponse {
    let text = serde_json::to_vec_pretty(document);
    json(
        StatusCode::OK,
        Bytes::from(text.expect("text and numbers are JSON")),
    )
}

fn page(media_type: HeaderValue, text: Bytes) -> EdgeResponse {
    let mut answer = Response::new(EdgeBody::default());
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, media_type);
    headers.insert(CONTENT_LENGTH, HeaderValue::from(text.len()));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    *answer.body_mut() = whole(text);
    answer
}

fn browser_page(shown: &BrowserPage) -> EdgeResponse {
    let mut answer = page(HTML_TYPE, shown.text.clone());
    shown.protect(answer.headers_mut());
    answer
}

/// A Unix socket is on this machine as well.
fn sender<B>(request: &Request<B>) -> Sender {
    let peer = request.extensions().get::<Peer>();
    let is_local = peer.is_some_and(|peer| peer.address().is_none_or(|address| address.is_loopback()));
    if is_local { Sender::Local } else { Sender::Remote }
}

impl<B> Service<Request<B>> for Admin
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = EdgeResponse;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<EdgeResponse, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let respond = self.clone().respond(request);
        Box::pin(async move { Ok(respond.await) })
    }
}
