//! The innermost service: finds out where a request leads, and sends it on its way.

use std::convert::Infallible;
use std::future::ready;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use http::request::Parts;
use parking_lot::Mutex;
use tower::Service;
use url::Url;

use super::rate_limiter::RateLimiter;
use super::record_reads::RecordReads;
use super::{Plan, calendar_stages, serving_stages};
use crate::backend::{OriginRoute, SiteIndexes};
use crate::calls::{Stage, fault};
use crate::companion::{Companions, EditorWrite, FeedParts, FeedRoute, PurgeRequests};
use crate::gateway::GatewayState;
use crate::gateway::call_request::{CallBody, CallRequest, OpenedBy};
use crate::gateway::known_reads::{KnownRead, KnownReads};
use crate::gateway::site::discovery::Discovery;
use crate::gateway::site::forward::{Passage, Site};
use crate::layers::{BodilessRequest, EdgeRequest, EdgeResponse, ResponseFacts, refused};
use crate::pages::{PageCheck, PageGuard};
use crate::server::response::{ResponseSource, preflight};
use crate::surface::SurfaceGuard;
use crate::telemetry::{RefusalNote, Traffic};
use calendar_edge_core::errors;
use calendar_edge_core::gateway::decision::{Decider, LoginDoor, Opening};
use calendar_edge_core::gateway::refusals::DecidingBody;
use calendar_edge_core::limits::rates::{Budgets, CostClass};
use calendar_edge_core::pages::is_editor;
use calendar_edge_core::relay::cors::Preflight;
use calendar_edge_core::settings::{Mode, Settings};
use calendar_edge_judge::call::credentials::Identity;

/// The response to a request, once it is there.
type ServeFuture = BoxFuture<'static, Result<EdgeResponse, Infallible>>;

/// The innermost service.
#[derive(Clone)]
pub(crate) struct Gateway {
    /// The way of a request, whatever its stages are.
    serve: Arc<dyn Fn(EdgeRequest) -> ServeFuture + Send + Sync>,
    companions: Arc<Companions>,
    /// Calendar pages wait until the site has reported a write.
    notes_writes: bool,
}

/// Both ways: through the calendar's stages, and to the rest of the site.
struct GatewayParts<C> {
    decider: Arc<Decider>,
    known: Arc<KnownReads>,
    calendar: C,
    site: Site,
    discovery: Discovery,
    purges: PurgeRequests,
    feed: FeedRoute,
    /// Charges readers of the feed.
    limiter: RateLimiter,
    /// The root of a site that has not named its calendar. The start waits for the site, see
    /// [`Edge::start`](crate::app::Edge::start): only a slow site, one that is down, and another one after a reload have not.
    unnamed: Option<(Url, SiteIndexes)>,
}

// === impl Gateway ===

impl Gateway {
    /// A gateway for these settings and the state they share with earlier and later ones.
    pub(crate) fn new(settings: &Settings, state: &GatewayState) -> Self {
        let plan = Plan::new(settings, state);
        let answering = Arc::new(serving_stages(&plan, plan.backend_selection()));
        let feed = FeedParts {
            companions: state.subjects.companions.clone(),
            records: Arc::new(RecordReads::new(Arc::clone(&answering), settings, &plan.decider)),
            drain: state.drain.clone(),
            buffers: state.buffers.clone(),
            walked: Mutex::default(),
            budgets: Budgets::new(&settings.rate_limits, &state.buckets),
        };
        let gateway = GatewayParts {
            calendar: calendar_stages(&plan, answering),
            feed: FeedRoute::new(settings, feed),
            limiter: plan.rate_limiter(),
            site: site(&plan),
            unnamed: settings
                .origin
                .awaits_namespace()
                .then(|| (settings.origin.url.clone(), state.indexes.clone())),
            discovery: Discovery::new(settings, &state.indexes.tables(&plan.site)),
            purges: PurgeRequests::new(&plan.site, &state.subjects.companions),
            decider: plan.decider,
            known: plan.known,
        };
        let gateway = Arc::new(gateway);
        Self {
            serve: Arc::new(move |request| Arc::clone(&gateway).serve(request)),
            companions: state.subjects.companions.clone(),
            notes_writes: settings.calendar_pages.mode != Mode::Off,
        }
    }
}

impl Service<EdgeRequest> for Gateway {
    type Response = EdgeResponse;
    type Error = Infallible;
    type Future = ServeFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: EdgeRequest) -> Self::Future {
        let is_write = self.notes_writes && may_edit(&request.head);
        let response = (self.serve)(request);
        if !is_write {
            return response;
        }
        let write = EditorWrite(self.companions.clone());
        Box::pin(async move {
            let response = response.await;
            drop(write);
            response
        })
    }
}

/// Returns true if a request may change what pages show. A call to `xmlrpc.php` has its credentials in its body.
fn may_edit(head: &Parts) -> bool {
    is_editor(head) || LoginDoor::of(head) == Some(LoginDoor::XmlRpc)
}

// === impl GatewayParts ===

impl<C: Stage<CallRequest, EdgeResponse>> GatewayParts<C> {
    /// Finds out by the head where a request leads. Each way has a future of its own, which is moved when it is made:
    /// one for all would be as large as the largest.
    fn serve(self: Arc<Self>, request: EdgeRequest) -> ServeFuture {
        if self.purges.are_given_by(&request.head) {
            return Box::pin(async move { Ok(self.take_order(request).await) });
        }
        if self.is_preflight(&request) {
            return at_once(preflighted());
        }
        if self.feed.is_for_feed(&request.head) {
            // Without its body, which is of no use there.
            let (received, _) = request.split();
            return Box::pin(async move { Ok(self.read_feed(&received).await) });
        }
        if let Some((root, indexes)) = &self.unnamed
            && self.decider.depends_on_namespace(&request.decided_by())
        {
            let failure = indexes.name.missing(root);
            return at_once(fault::exchange_failed(&failure, &self.site.warnings));
        }
        if let Some(known) = self.known(&request) {
            return self.call(request, OpenedBy::Known(known));
        }
        match self.decider.open(&request.decided_by()) {
            Opening::Preflight => at_once(preflighted()),
            Opening::RestIndex(root) => at_once(self.discovery.index(root, &request.context)),
            Opening::OpenApi(root) => {
                let (received, _) = request.split();
                Box::pin(async move {
                    let document = || ready(self.discovery.openapi(root, &received.context));
                    Ok(self.charged(&received, document).await)
                })
            }
            Opening::Ambiguous(refusal) => {
                request.refused(DecidingBody::None, RefusalNote::rules(&refusal));
                at_once(refused(&refusal))
            }
            Opening::Call(opened) => self.call(request, OpenedBy::Request(Arc::from(opened))),
            Opening::Site(scan) => Box::pin(async move {
                let (received, body) = request.split();
                let passage = self.site.pass(&received, body, scan).await;
                Ok(self.pass(received, passage).await)
            }),
        }
    }

    fn call(self: Arc<Self>, request: EdgeRequest, opened: OpenedBy) -> ServeFuture {
        let (received, body) = request.split();
        let call = calendar_call(received, opened, CallBody::Incoming(body));
        Box::pin(async move { Ok(self.respond(call).await) })
    }

    /// The calendar's response, without a body if the client names HEAD beside a write.
    async fn respond(&self, call: CallRequest) -> EdgeResponse {
        let names_head = call.names_head();
        let response = self.calendar.call(call).await;
        if names_head {
            return response.without_body();
        }
        response
    }

    /// The decision about the same request before.
    fn known<B>(&self, request: &EdgeRequest<B>) -> Option<Arc<KnownRead>> {
        self.known.find(self.decider.sole_target(&request.decided_by())?)
    }

    async fn take_order(&self, request: EdgeRequest) -> EdgeResponse {
        let EdgeRequest { head, body, .. } = request;
        match self.purges.take(&head, body, false).await {
            Ok(taken) => EdgeResponse::unchanged(taken),
            Err(refusal) => refused(&refusal),
        }
    }

    /// Responds to a reader of the feed.
    async fn read_feed(&self, received: &BodilessRequest) -> EdgeResponse {
        if !self.feed.is_enabled {
            return refused(&errors::FEED_OFF.refusal());
        }
        self.charged(received, || self.feed.respond(received)).await
    }

    /// Charges a reader of one of the edge's own documents, and responds. Credentials do not matter here.
    async fn charged<F: Future<Output = EdgeResponse>>(
        &self,
        received: &BodilessRequest,
        answer: impl FnOnce() -> F,
    ) -> EdgeResponse {
        let nobody = Identity::default();
        match self.limiter.charge(received, &nobody, CostClass::Item).await {
            Ok(charged) => {
                let mut response = answer().await;
                charged.status.write(response.headers_mut());
                response
            }
            Err(exceeded) => self.limiter.refuse(received, &exceeded),
        }
    }

    /// True if a browser requests permission for a page to use a route of the edge's own.
    fn is_preflight(&self, request: &EdgeRequest) -> bool {
        let is_for_page = self.feed.part(request.head.uri.path()).is_some();
        is_for_page && Preflight::of(&request.head.method, &request.head.headers).is_some()
    }

    async fn pass(&self, received: BodilessRequest, passage: Passage) -> EdgeResponse {
        match passage {
            Passage::Response(answer) => answer,
            Passage::Calendar { opened, body } => {
                let call = calendar_call(
                    received,
                    OpenedBy::Request(Arc::from(opened)),
                    CallBody::Read(body),
                );
                self.respond(call).await
            }
        }
    }
}

fn at_once(response: EdgeResponse) -> ServeFuture {
    Box::pin(ready(Ok(response)))
}

fn preflighted() -> EdgeResponse {
    EdgeResponse {
        response: preflight(),
        facts: ResponseFacts::Edge(ResponseSource::Preflight),
    }
}

/// The way to the rest of the site.
fn site(plan: &Plan<'_>) -> Site {
    let Plan { settings, state, .. } = plan;
    Site {
        decider: Arc::clone(&plan.decider),
        backends: Arc::clone(&plan.backends),
        rules: Arc::clone(&plan.rules),
        origin: OriginRoute::of_site(&plan.site),
        public_url: settings.public_url.clone(),
        limits: settings.limits.clone(),
        timeouts: settings.timeouts.clone(),
        bodies: plan.bodies.clone(),
        logins: plan.rate_limiter(),
        pages: PageGuard {
            pages: state.subjects.pages.clone(),
            settings: settings.calendar_pages.clone(),
            buckets: state.buckets.clone(),
            check: PageCheck {
                backends: Arc::clone(&plan.backends),
                origin: OriginRoute::of_site(&plan.site),
                public_url: settings.public_url.clone(),
            },
        },
        surface: SurfaceGuard::new(
            &plan.decider,
            &state.buckets,
            &state.subjects.surface,
            &state.warnings,
        ),
        warnings: state.warnings.clone(),
    }
}

/// A request for the calendar's stages.
fn calendar_call(received: BodilessRequest, opened: OpenedBy, body: CallBody) -> CallRequest {
    if let Some((operation, root)) = opened.operation {
        received.context.log.about(Traffic::Operation(operation, root));
    }
    if opened.method != received.head.method {
        received.context.log.takes(&opened.method);
    }
    CallRequest {
        received: Box::new(received),
        opened,
        body,
    }
}

#[cfg(test)]
#[path = "service_tests.rs"]
mod tests;
