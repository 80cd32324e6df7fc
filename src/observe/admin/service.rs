//! The endpoints of the admin listener.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use arc_swap::ArcSwap;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body::Body;
use hyper::service::Service;
use serde::Serialize;
use serde_json::Value;

use super::access::Access;
use super::explained::{self, ExplainedRefusal};
use super::page::{BrowserPage, OPERATORS_PAGE, REFERENCE_PAGE};
use super::pages::Pages;
use super::program_context::ProgramContext;
use super::readiness::Readiness;
use super::ready::{ReadyDocument, ReadyQuestion};
use super::status::{EdgeFacts, Readings, StatusDocument};
use crate::cache::Cache;
use crate::companion::{CompanionService, Sender};
use crate::fleet::Fleet;
use crate::migration::Migration;
use crate::server::bodies::BodyBudget;
use crate::server::response::{BoxError, EdgeBody, PlainResponse, json, refused, whole};
use crate::server::{ReceivedRequest, RequestFraming};
use crate::telemetry::{BufferKind, FindingSums, Metrics, Refusals, unix_time};
use calendar_edge_core::companion::mark::SEAL;
use calendar_edge_core::errors::EdgeError;
use calendar_edge_core::relay::BufferBudget;
use calendar_edge_core::settings::AdminToken;
use calendar_edge_judge::problem::Refusal;

/// The media type of `/metrics`: the text format of `OpenMetrics`.
const METRICS_TYPE: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// The media type of the runbook.
const MARKDOWN_TYPE: HeaderValue = HeaderValue::from_static("text/markdown; charset=utf-8");

/// What operators do about each alert.
const RUNBOOK: &str = include_str!("../../../docs/guides/runbook.md");

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
    /// What the program has set up around the edge.
    pub(crate) program_context: ProgramContext,
    /// Whether the edge is ready.
    pub(crate) readiness: Readiness,
    /// What depends on the settings only.
    pub(crate) pages: Arc<ArcSwap<Pages>>,
    /// Requests to remove answers.
    pub(crate) companion_service: Arc<ArcSwap<CompanionService>>,
    /// Everything that is counted.
    pub(crate) metrics: Metrics,
    /// What was counted in the last minutes.
    pub(crate) readings: Readings,
    /// The kept responses.
    pub(crate) cache: Cache,
    /// The other edges.
    pub(crate) fleet: Fleet,
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

    /// Keeps what is counted in the last minutes, as long as it is polled.
    pub(crate) async fn take_readings(self) {
        self.0.readings.take(&self.0).await;
    }

    async fn respond<B>(self, request: Request<B>, framing: Option<RequestFraming>) -> PlainResponse
    where
        B: Body<Data = Bytes>,
        B::Error: Into<BoxError>,
    {
        if let Some(breach) = framing.as_ref().and_then(RequestFraming::of_head) {
            return refused(&breach.refusal());
        }
        let path = request.uri().path();
        if is_read(&request) && path == "/livez" {
            return json(StatusCode::OK, Bytes::from_static(br#"{"status":"alive"}"#));
        }
        if is_read(&request) && path == "/readyz" {
            let question = ReadyQuestion::of(request.uri().query());
            let (status, document) = ReadyDocument::answer(&self.0, question).await;
            return headed(pretty_as(status, &document), &request);
        }
        let pages = self.0.pages.load_full();
        let access = Access::of(&request, pages.token.as_ref());
        if access == Access::Probes && !needs_no_token(&request) {
            return unauthorized();
        }
        match *request.method() {
            Method::POST => self.change(request, pages.token.as_ref()).await,
            Method::GET | Method::HEAD => headed(self.answer(&request, access), &request),
            _ => refused(&Refusal::no_route()),
        }
    }

    /// Changes something for an operator.
    async fn change<B>(&self, request: Request<B>, token: Option<&AdminToken>) -> PlainResponse
    where
        B: Body<Data = Bytes>,
        B::Error: Into<BoxError>,
    {
        let sender = Access::of_change(&request, token);
        let (head, body) = request.into_parts();
        let path = head.uri.path();
        if path == "/purge" {
            let companion_service = self.0.companion_service.load_full();
            let order = companion_service.purges().take(&head, body, sender).await;
            return order.unwrap_or_else(|refusal| refused(&refusal));
        }
        match path.strip_prefix("/migration/resume/") {
            None => refused(&Refusal::no_route()),
            Some(_) if sender != Sender::Local => refused(&EdgeError::OperatorsOnly.refusal()),
            Some(rule) => self.resume(rule),
        }
    }

    fn answer<B>(&self, request: &Request<B>, access: Access) -> PlainResponse {
        match request.uri().path() {
            "/metrics" => {
                self.0.measure();
                page(METRICS_TYPE, Bytes::from(self.0.metrics.render()))
            }
            "/" => browser_page(&OPERATORS_PAGE),
            "/reference" => browser_page(&REFERENCE_PAGE),
            "/status" => pretty(&StatusDocument::of(&self.0, &self.0.pages.load().facts)),
            "/readings" => compact(&self.0.readings.to_json(&self.0)),
            "/runbook" => page(MARKDOWN_TYPE, Bytes::from_static(RUNBOOK.as_bytes())),
            "/cache" => self.cache_page(),
            "/openapi.json" => page(
                HeaderValue::from_static("application/json; charset=UTF-8"),
                self.0.pages.load().openapi.clone(),
            ),
            "/routes" => page(
                HeaderValue::from_static("text/plain; charset=utf-8"),
                self.0.pages.load().routes.clone(),
            ),
            path => match self.0.migration.page(path, request.uri().query()) {
                Some(document) => json(StatusCode::OK, document),
                None => self.guarded(path, access),
            },
        }
    }

    /// The pages about the configuration and about single requests.
    fn guarded(&self, path: &str, access: Access) -> PlainResponse {
        let id = path.strip_prefix("/refusals/");
        if id.is_none()
            && !matches!(
                path,
                "/clients" | "/config" | "/findings" | "/indexes" | "/refusals"
            )
        {
            return refused(&Refusal::no_route());
        }
        if access != Access::Whole {
            return refused(&EdgeError::AdminDenied.refusal());
        }
        match (id, path) {
            (Some(id), _) => match self.0.refusals.find(id) {
                Some(kept) => pretty(&ExplainedRefusal::new(&kept, &self.0.pages.load().reviewer)),
                None => refused(&EdgeError::UnknownRefusal.refusal()),
            },
            (None, "/clients") => compact(&explained::clients(&self.0.metrics)),
            (None, "/config") => match self.0.program_context.effective() {
                Some(effective) => pretty(&*effective),
                None => refused(&Refusal::no_route()),
            },
            (None, "/indexes") => json(StatusCode::OK, self.0.pages.load().indexes.clone()),
            (None, "/findings") => pretty(&explained::sums(&self.0.findings)),
            (None, _) => pretty(&explained::list(&self.0.refusals)),
        }
    }

    /// Resumes a rule.
    fn resume(&self, rule: &str) -> PlainResponse {
        match self.0.migration.resume(rule) {
            Some(is_resumed) => json(
                StatusCode::OK,
                Bytes::from(format!("{{\"resumed\":{is_resumed}}}")),
            ),
            None => refused(&Refusal::no_route()),
        }
    }

    fn cache_page(&self) -> PlainResponse {
        let statistics = serde_json::to_vec(&self.0.cache.statistics(unix_time()));
        json(
            StatusCode::OK,
            Bytes::from(statistics.expect("numbers and names are JSON")),
        )
    }
}

fn compact(document: &Value) -> PlainResponse {
    json(StatusCode::OK, Bytes::from(document.to_string()))
}

/// A document that people may read as well.
fn pretty(document: &impl Serialize) -> PlainResponse {
    pretty_as(StatusCode::OK, document)
}

/// The same with a status.
fn pretty_as(status: StatusCode, document: &impl Serialize) -> PlainResponse {
    let text = serde_json::to_vec_pretty(document);
    json(status, Bytes::from(text.expect("text and numbers are JSON")))
}

fn is_read<B>(request: &Request<B>) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
}

/// True for the empty pages that ask for the token in a browser, and for purges of the companion plugin, which prove by
/// their seal who gave them.
fn needs_no_token<B>(request: &Request<B>) -> bool {
    match request.uri().path() {
        "/" | "/reference" | "/site" => is_read(request),
        "/purge" => request.headers().contains_key(SEAL),
        _ => false,
    }
}

/// The response without its body to HEAD.
fn headed<B>(mut response: PlainResponse, request: &Request<B>) -> PlainResponse {
    if *request.method() == Method::HEAD {
        *response.body_mut() = EdgeBody::default();
    }
    response
}

fn unauthorized() -> PlainResponse {
    let mut response = refused(&EdgeError::AdminUnauthorized.refusal());
    let challenge = HeaderValue::from_static("Bearer realm=\"calendar-edge\"");
    response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    response
}

fn page(media_type: HeaderValue, text: Bytes) -> PlainResponse {
    let mut answer = Response::new(EdgeBody::default());
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, media_type);
    headers.insert(CONTENT_LENGTH, HeaderValue::from(text.len()));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    *answer.body_mut() = whole(text);
    answer
}

fn browser_page(shown: &BrowserPage) -> PlainResponse {
    let mut answer = page(HTML_TYPE, shown.text.clone());
    shown.protect(answer.headers_mut());
    answer
}

impl<B> Service<ReceivedRequest<B>> for Admin
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = PlainResponse;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<PlainResponse, Infallible>> + Send>>;

    fn call(&self, received: ReceivedRequest<B>) -> Self::Future {
        let ReceivedRequest {
            mut head,
            body,
            peer,
            framing,
            ..
        } = received;
        head.extensions.insert(peer);
        let respond = self.clone().respond(Request::from_parts(head, body), framing);
        Box::pin(async move { Ok(respond.await) })
    }
}
