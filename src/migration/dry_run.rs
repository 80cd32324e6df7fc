//! One backend as an edge in front of it would show it, for tools that compare backends.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use http_body::Body;
use http_body_util::BodyExt;
use url::{Position, Url};

use super::callers::{Callers, CandidateWay};
use super::metrics::MigrationMetrics;
use crate::backend::{
    BackendPool, ClientError, ExchangeFailure, Forwarded, ForwardedHeaders, SharedBackends,
};
use crate::calls::{CalendarCall, CallFailure, ClientSide, Deadline, JudgedCall, Stage, fault};
use crate::telemetry::{Metrics, Warnings};
use calendar_edge_core::gateway::authority::PublicAddress;
use calendar_edge_core::gateway::circle::CircleKey;
use calendar_edge_core::migration::comparison::{ComparedResponse, OwnHosts, ReportedCall};
use calendar_edge_core::relay::cors::Audience;
use calendar_edge_core::relay::{
    AcceptedResponse, BoxError, BufferBudget, LearntRoots, OriginFailure, RelayRules, present, translate,
};
use calendar_edge_core::settings::BackendSettings;
use calendar_edge_judge::call::{ForwardableCall, ValidatedCall};
use calendar_edge_judge::contract::Operation;

/// A backend behind the way that calls of clients take.
#[derive(Debug)]
pub struct DryRun {
    way: Deadline<CandidateWay>,
    pub(crate) rules: Arc<RelayRules>,
}

/// A judged call that can be sent to any number of backends.
#[derive(Debug, Clone)]
pub struct DryRunCall {
    pub(super) call: Arc<JudgedCall>,
    pub(super) client: Arc<ClientSide>,
    /// The operation.
    pub operation: &'static Operation,
}

/// A response as the client would have seen it.
#[derive(Debug, Clone)]
pub struct DryRunResponse {
    /// The status.
    pub status: StatusCode,
    /// The headers that the edge relays.
    pub headers: HeaderMap,
    /// The whole body, with public URLs.
    pub body: Bytes,
    /// The reason why the edge would have responded instead of the backend; none: this is the backend's response.
    pub failure: Option<String>,
    /// True if the edge forwarded the call to the backend.
    pub(crate) reached_backend: bool,
    own_hosts: OwnHosts,
}

// === impl DryRun ===

impl DryRun {
    /// A backend with clients and permits of its own. If it gets identities, the site names the accounts of its
    /// callers. Its breaker never opens: each call of a comparison counts, also at a backend that fails.
    ///
    /// # Errors
    ///
    /// When TLS or a client cannot be set up.
    pub fn new(mut backend: BackendSettings, site: &BackendSettings) -> Result<Self, ClientError> {
        backend.breaker.failures = 0;
        let circle = Arc::new(CircleKey::new(None));
        let shared = SharedBackends::new(&backend, Metrics::new(), &circle, 0)?;
        let metrics = Metrics::new();
        let shared_site = SharedBackends::new(site, metrics.clone(), &circle, 0)?;
        let rules = Arc::new(rules(site));
        let policies = [backend.credentials];
        let callers = Callers::new(
            site,
            &shared_site,
            &rules,
            &metrics.register(MigrationMetrics::new),
            policies,
        );
        let backend = Arc::new(backend);
        Ok(Self::over(&BackendPool { backend, shared }, callers.as_ref()))
    }

    /// The backend at the end of a way, with its state.
    pub(crate) fn over(pool: &BackendPool, callers: Option<&Arc<Callers>>) -> Self {
        let rules = Arc::new(rules(&pool.backend));
        let way = CandidateWay::over(pool, &rules, callers);
        let way = Deadline::new(way, std::slice::from_ref(&pool.backend.timeouts));
        Self { way, rules }
    }

    /// The call as reports name it.
    pub fn reported(&self, call: &DryRunCall) -> ReportedCall {
        call.reported(&self.rules)
    }

    /// Sends a call, and reads the response to its end.
    pub async fn send(&self, call: &DryRunCall) -> DryRunResponse {
        match self.way.call(call.again()).await {
            Ok(accepted) => call.present(accepted, &self.rules).await,
            Err(failure) => DryRunResponse::failed(&failure),
        }
    }
}

// === impl DryRunCall ===

impl DryRunCall {
    /// A call of a client with these headers that reached the edge at a public address, in one of its namespaces; none
    /// without an operation.
    pub fn new(
        call: ForwardableCall,
        headers: &HeaderMap,
        public: &PublicAddress,
        namespace: Option<Arc<str>>,
    ) -> Option<Self> {
        let (operation, call) = (call.operation()?, JudgedCall::new(call));
        let context = call.client_at(public.to_string().into(), namespace);
        let forwarded = ForwardedHeaders::new(headers, Forwarded::new(None, public));
        Some(Self {
            client: Arc::new(ClientSide::absent(context, forwarded)),
            call: Arc::new(call),
            operation,
        })
    }

    /// The call for the stages that send it.
    pub(crate) fn again(&self) -> CalendarCall {
        CalendarCall::of(Arc::clone(&self.client), Arc::clone(&self.call))
    }

    /// Returns true if the call has credentials, or the password of a post.
    pub fn is_personal(&self) -> bool {
        self.client.context.audience == Audience::OneClient
    }

    /// The REST root: an index into [`BackendSettings::roots`].
    pub fn root(&self) -> usize {
        self.call.request().root
    }

    /// The copy of a valid call of this client.
    pub(crate) fn copy_of(call: &ValidatedCall, client: &ClientSide) -> Self {
        // A guard counts the copy for the client whose call it is.
        let mut absent = ClientSide::absent(client.context.clone(), client.forwarded.clone());
        absent.address = client.address;
        Self {
            call: Arc::new(JudgedCall::new(ForwardableCall::Validated(call.clone()))),
            client: Arc::new(absent),
            operation: call.operation(),
        }
    }

    /// The host of the REST root that the backend prints, the one at which it is reached, and the public one.
    fn own_hosts(&self, printed: Option<&str>, rules: &RelayRules) -> OwnHosts {
        let public_base = &self.client.context.public_base;
        let public = public_base
            .split_once("://")
            .map_or(&**public_base, |(_, host)| host);
        let printed = printed.and_then(|root| Url::parse(root).ok());
        let roots = printed.iter().chain(rules.urls.dialled(self.root()));
        OwnHosts::new(roots.map(authority).chain([public]))
    }

    /// The call as reports name it, at the public address of its root.
    pub(crate) fn reported(&self, rules: &RelayRules) -> ReportedCall {
        let root = rules.urls.map().public_root("", self.root());
        let namespace = self.client.context.namespace.as_ref();
        let namespace = namespace.filter(|_| !self.is_personal());
        let public = namespace.map(|namespace| (&*root, &**namespace));
        ReportedCall::new(self.operation, self.call.request(), public)
    }

    /// A response that a backend of these rules gave, as the client would have seen it.
    pub(crate) async fn present<B>(&self, accepted: AcceptedResponse<B>, rules: &RelayRules) -> DryRunResponse
    where
        B: Body<Data = Bytes> + Unpin,
        B::Error: Into<BoxError>,
    {
        let own_hosts = self.own_hosts(accepted.printed_root(), rules);
        let (translated, _) = translate(accepted, rules);
        let (head, body) = present(translated, &self.client.context, rules).into_parts();
        match body.collect().await {
            Ok(whole) => DryRunResponse {
                status: head.status,
                headers: head.headers,
                body: whole.to_bytes(),
                failure: None,
                reached_backend: true,
                own_hosts,
            },
            Err(failure) => {
                let failure = OriginFailure::Interrupted(Box::new(failure));
                DryRunResponse::failed(&CallFailure::Unsound(failure))
            }
        }
    }
}

// === impl DryRunResponse ===

impl DryRunResponse {
    /// The response for the comparison.
    pub fn compared(&self) -> ComparedResponse<'_> {
        ComparedResponse {
            status: self.status,
            headers: &self.headers,
            body: &self.body,
            own_hosts: &self.own_hosts,
        }
    }

    /// The edge's own response in place of the backend's.
    fn failed(failure: &CallFailure) -> Self {
        Self {
            status: fault::failed(failure, &Warnings::default()).status(),
            headers: HeaderMap::new(),
            body: Bytes::new(),
            failure: Some(failure.to_string()),
            reached_backend: reached_backend(failure),
            own_hosts: OwnHosts::default(),
        }
    }
}

fn rules(backend: &BackendSettings) -> RelayRules {
    let budget = BufferBudget::new(backend.response_buffer_total);
    RelayRules::new(backend, &LearntRoots::default(), &budget)
}

/// The host of a URL with its port.
fn authority(url: &Url) -> &str {
    &url[Position::BeforeHost..Position::AfterPort]
}

/// False if the edge did not forward the call: the breaker is open, or as many calls run as may.
const fn reached_backend(failure: &CallFailure) -> bool {
    !matches!(
        failure,
        CallFailure::NotWritten(_)
            | CallFailure::Exchange(
                ExchangeFailure::Overloaded
                    | ExchangeFailure::Unavailable { .. }
                    | ExchangeFailure::Preempted
            )
    )
}
