//! The API that is tested: its address, and what the table expects of a call there.

use std::sync::Arc;

use anyhow::{Context as _, anyhow, ensure};
use calendar_edge::app::{CollectError, OriginRoute, check_client, read_within};
use calendar_edge_core::settings::Settings;
use calendar_edge_judge::call::credentials::Credentials;
use calendar_edge_judge::call::{Judge, Outcome, RawCall};
use calendar_edge_judge::contract::{
    EventIds, Kind, Operation, PluginVersion, PublishedIndex, TableInForce, TablesInForce,
};
use calendar_edge_judge::policy::Policy;
use calendar_edge_judge::problem::Refusal;
use calendar_edge_judge::routing::{Roots, Target};
use calendar_edge_judge::wordpress::payload::ContentHeaders;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method};
use serde_json::Value;
use tokio::sync::{Mutex, OwnedMutexGuard};
use url::Url;

use super::super::pace::Pace;
use super::super::status::Misuse;

/// Sends requests to the API, and has the table's verdict on each call.
pub(super) struct ApiUnderTest {
    /// Without a slash at the end.
    base: String,
    namespace: String,
    client: reqwest::Client,
    account: Option<HeaderValue>,
    /// The most that is read of a response, in bytes.
    most_bytes: usize,
    pace: Pace,
    /// Held while a request is under way.
    turn: Arc<Mutex<()>>,
    roots: Roots,
    judge: Judge,
    /// The table, as far as the backend publishes it.
    table: Arc<TableInForce>,
    wanted: Option<PluginVersion>,
}

/// A request to the API.
#[derive(Debug, Clone)]
pub(super) struct ApiRequest {
    pub(super) method: Method,
    /// Path and query below the namespace: `/events?page=2`.
    pub(super) target: String,
    /// A body, which is sent as JSON.
    pub(super) body: Option<String>,
    /// True if it is sent with the account.
    pub(super) with_account: bool,
}

/// A response of the API.
#[derive(Debug, Clone)]
pub(super) struct ApiResponse {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    /// Null where the body is no JSON.
    pub(super) body: Value,
    pub(super) bytes: usize,
}

/// The root that stands for the tested one while a call is judged.
const ROOT: &str = "/wp-json";

// === impl ApiUnderTest ===

impl ApiUnderTest {
    /// The API at an address, judged by the contract of a version; none: by what the backend publishes.
    pub(super) fn new(
        typed: &str,
        account: Option<HeaderValue>,
        pace: Pace,
        wanted: Option<PluginVersion>,
    ) -> anyhow::Result<Self> {
        let misuse = || Misuse("URL is that of the API, https://wp.example.org/wp-json/tribe/events/v1");
        let url: Url = typed.parse().with_context(misuse)?;
        let segments: Vec<&str> = url.path_segments().with_context(misuse)?.collect();
        let named: Vec<&str> = segments
            .into_iter()
            .filter(|segment| !segment.is_empty())
            .collect();
        let namespace = named.last_chunk::<3>().with_context(misuse)?.join("/");
        ensure!(url.query().is_none(), misuse());
        let site = Settings::for_origin(url.clone()).site();
        let route = OriginRoute::of_root(&site.origin, &site.origin.url);
        let policy = policy(&namespace);
        let mut this = Self {
            base: url.as_str().trim_end_matches('/').to_owned(),
            client: check_client(&site, &route)?,
            account,
            most_bytes: usize::try_from(site.response_bytes).unwrap_or(usize::MAX),
            pace,
            turn: Arc::default(),
            roots: Roots::new(&policy),
            judge: Judge::new(policy),
            table: TableInForce::unread(),
            wanted,
            namespace,
        };
        this.judge_by(TableInForce::unread());
        Ok(this)
    }

    fn judge_by(&mut self, table: Arc<TableInForce>) {
        self.table = TableInForce::for_clients(table, self.wanted);
        let tables = TablesInForce::new(vec![Arc::clone(&self.table)]);
        self.judge = Judge::before(policy(&self.namespace), tables);
    }

    /// The status of a read of an event that does not exist; none: that of any version.
    pub(super) fn status_of_absent(&self, kind: Kind) -> Option<u16> {
        let ids = self.table.wanted.and(self.table.event_ids)?;
        Some(match (kind, ids) {
            (Kind::Event, EventIds::Numeric) => 404,
            _ => 400,
        })
    }

    /// Judges from now on by what the backend publishes.
    pub(super) fn learn(&mut self, index: &Value) {
        if let Ok(index) = PublishedIndex::of_document(index, &self.namespace) {
            self.judge_by(Arc::new(TableInForce::over(&index)));
        }
    }

    /// False for an argument that the backend's version of the API does not have.
    pub(super) fn has_argument(&self, operation: &Operation, name: &str) -> bool {
        let mut absent = self.table.operation(operation).unjudged(operation);
        absent.all(|argument| argument.name != name)
    }

    /// The response to a request, or the reason why there is none.
    pub(super) async fn send(&self, request: &ApiRequest) -> anyhow::Result<ApiResponse> {
        self.pace.turn().await;
        let _turn = self.turn.lock().await;
        let url = format!("{}{}", self.base, request.target);
        let mut sent = self.client.request(request.method.clone(), url);
        if let Some(body) = &request.body {
            sent = sent.header(CONTENT_TYPE, "application/json").body(body.clone());
        }
        if let Some(account) = self.account.as_ref().filter(|_| request.with_account) {
            sent = sent.header(AUTHORIZATION, account.clone());
        }
        let answer = sent.send().await?;
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        // As far as an edge would relay it.
        let body = read_within(reqwest::Body::from(answer), self.most_bytes).await;
        let body = body.map_err(|error| match error {
            CollectError::Body(error) => anyhow!(error),
            _ => anyhow!("the body is larger than {} bytes", self.most_bytes),
        })?;
        Ok(ApiResponse {
            status,
            headers,
            body: serde_json::from_slice(&body).unwrap_or_default(),
            bytes: body.len(),
        })
    }

    /// Waits for an interrupt, then for the end of the request under way. None begins while the guard is held.
    pub(super) fn interrupted(&self) -> impl Future<Output = OwnedMutexGuard<()>> + use<> {
        let turn = Arc::clone(&self.turn);
        async move {
            // Without a handler, the signal ends the program.
            let _ = tokio::signal::ctrl_c().await;
            turn.lock_owned().await
        }
    }

    /// The table's verdict on a call without credentials: WordPress admits it, or refuses it in these words; none where
    /// its records or its plugins decide.
    pub(super) fn verdict(&self, request: &ApiRequest) -> Option<Result<(), Refusal>> {
        let (path, query) = match request.target.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (request.target.as_str(), None),
        };
        let path = format!("{ROOT}/{}{path}", self.namespace);
        let Target::Calendar(target) = self.roots.locate(&request.method, &path, query) else {
            return None;
        };
        let mut headers = HeaderMap::new();
        if request.body.is_some() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        let credentials = Credentials::default();
        let call = RawCall {
            method: &request.method,
            target: &target,
            credentials: &credentials,
            content: ContentHeaders::of(&headers),
            body: request.body.as_deref().unwrap_or_default().as_bytes(),
        };
        match self.judge.judge(&call).outcome {
            Outcome::Refuse(refusal) => Some(Err(refusal)),
            Outcome::Forward(call) => {
                let is_admitted = call.operation().is_some() && call.deferred().is_empty();
                is_admitted.then_some(Ok(()))
            }
        }
    }
}

/// Serves the namespace of the API at one root.
fn policy(namespace: &str) -> Policy {
    Policy {
        namespaces: vec![namespace.to_owned()],
        origin_namespace: namespace.to_owned(),
        ..Policy::default()
    }
}

// === impl ApiRequest ===

impl ApiRequest {
    /// A read of what the path and the query name.
    pub(super) fn get(target: impl Into<String>) -> Self {
        Self::of(Method::GET, target)
    }

    /// A request without a body.
    pub(super) fn of(method: Method, target: impl Into<String>) -> Self {
        Self {
            method,
            target: target.into(),
            body: None,
            with_account: false,
        }
    }

    /// The same with a body.
    pub(super) fn with_body(self, body: impl Into<String>) -> Self {
        Self {
            body: Some(body.into()),
            ..self
        }
    }

    /// The same with the account.
    pub(super) fn with_account(self) -> Self {
        Self {
            with_account: true,
            ..self
        }
    }
}

impl std::fmt::Display for ApiRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.method, self.target)?;
        match &self.body {
            Some(body) => write!(f, " {body}"),
            None => Ok(()),
        }
    }
}

// === impl ApiResponse ===

impl ApiResponse {
    /// The code of an error.
    pub(super) fn code(&self) -> Option<&str> {
        self.body["code"].as_str()
    }

    /// Status and code in words: `400 rest_invalid_param`.
    pub(super) fn described(&self) -> String {
        match (self.code(), self.body["message"].as_str()) {
            (Some(code), Some(message)) => format!("{} {code}: {message}", self.status),
            (Some(code), None) => format!("{} {code}", self.status),
            (None, _) if self.body.is_null() => {
                format!("{}, {} bytes that are no JSON", self.status, self.bytes)
            }
            (None, _) => self.status.to_string(),
        }
    }

    /// A header as a number.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.headers.get(name)?.to_str().ok()?.parse().ok()
    }
}
