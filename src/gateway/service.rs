//! The innermost service: finds out where a request leads, and sends it on its way.

use std::convert::Infallible;
use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::request::Parts as Head;
use tower::Service;

use super::calls::{AskedCall, CallBody, CallOpening, CallRequest, request_head};
use super::stage::Stage;
use super::{Parts, calendar_stages};
use crate::companion::{Orders, Sender};
use crate::gateway::Shared;
use crate::gateway::cache::known_reads::{KnownRead, KnownReads};
use crate::gateway::site::discovery::Discovery;
use crate::gateway::site::forward::{Passage, Site};
use crate::layers::{EdgeRequest, RefusalReason, RequestContext};
use crate::server::response::{EdgeResponse, preflight, refused};
use crate::telemetry::Traffic;
use calendar_edge_core::gateway::decision::{Decider, OpenedCall, Opening, SiteFormScan};
use calendar_edge_core::gateway::refusals::DecidingBody;
use calendar_edge_core::settings::Settings;

/// The innermost service.
#[derive(Clone)]
pub(crate) struct Gateway {
    ways: Arc<dyn Ways>,
}

/// The ways through the gateway, behind one type.
trait Ways: Send + Sync {
    fn serve(self: Arc<Self>, request: EdgeRequest) -> Response;
}

type Response = Pin<Box<dyn Future<Output = Result<EdgeResponse, Infallible>> + Send>>;

/// A request for the calendar, as it is opened.
enum OpenedBy {
    /// By its head.
    Head(Box<OpenedCall>),
    /// By its body.
    Body(Box<OpenedCall>),
    /// As before.
    Known(Arc<KnownRead>),
}

/// Where a request leads. What is rare and large is behind a pointer.
enum Way {
    /// Nowhere: the edge has answered it.
    Answered(EdgeResponse),
    /// To the calendar.
    Calendar(CallRequest),
    /// To the cache, which it orders to remove answers.
    Order(Box<EdgeRequest>),
    /// To the rest of the site.
    Site(Box<EdgeRequest>),
    /// To the rest of the site, unless its body names a call of the calendar.
    SiteForm(Box<EdgeRequest>, SiteFormScan),
}

/// Both ways: through the calendar's stages, and to the rest of the site.
struct BothWays<C> {
    decider: Arc<Decider>,
    known: Arc<KnownReads>,
    calendar: C,
    site: Site,
    discovery: Discovery,
    orders: Orders,
}

// === impl Gateway ===

impl Gateway {
    /// A gateway for these settings and the state they share with earlier and later ones.
    pub(crate) fn new(settings: &Settings, shared: &Shared) -> Self {
        let parts = Parts::new(settings, shared);
        let ways = BothWays {
            calendar: calendar_stages(settings, shared, &parts),
            site: Site::new(settings, &parts),
            discovery: Discovery::new(settings, &shared.indexes.tables(settings)),
            orders: Orders::new(settings, &shared.companions),
            decider: parts.decider,
            known: parts.known,
        };
        Self { ways: Arc::new(ways) }
    }
}

impl Service<EdgeRequest> for Gateway {
    type Response = EdgeResponse;
    type Error = Infallible;
    type Future = Response;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: EdgeRequest) -> Self::Future {
        Arc::clone(&self.ways).serve(request)
    }
}

// === impl Way ===

impl Way {
    fn calendar(request: EdgeRequest, opened_by: OpenedBy) -> Self {
        let EdgeRequest { head, body, context } = request;
        let body = CallBody::Incoming(body);
        Self::Calendar(calendar_call(head, context, opened_by, body))
    }
}

// === impl BothWays ===

impl<C: Stage<CallRequest, Response = EdgeResponse>> Ways for BothWays<C> {
    /// Each way has a future of its own, which is moved when it is made: one for all would be as large as the largest.
    fn serve(self: Arc<Self>, request: EdgeRequest) -> Response {
        match self.way(request) {
            Way::Answered(response) => Box::pin(ready(Ok(response))),
            Way::Calendar(call) => Box::pin(async move { Ok(self.calendar.call(call).await) }),
            Way::Order(request) => Box::pin(async move { Ok(self.take_order(request).await) }),
            Way::Site(request) => Box::pin(async move { Ok(self.stream(request).await) }),
            Way::SiteForm(request, scan) => Box::pin(async move { Ok(self.pass_form(request, scan).await) }),
        }
    }
}

impl<C: Stage<CallRequest, Response = EdgeResponse>> BothWays<C> {
    /// Where a request leads, by its head.
    fn way(&self, request: EdgeRequest) -> Way {
        let EdgeRequest { head, context, .. } = &request;
        if self.orders.are_given_by(head) {
            return Way::Order(Box::new(request));
        }
        if let Some(known) = self.known(head, context) {
            return Way::calendar(request, OpenedBy::Known(known));
        }
        match self.decider.open(&request_head(head, context)) {
            Opening::Preflight => Way::Answered(preflight()),
            Opening::RestIndex(root) => Way::Answered(self.discovery.answer(root, context)),
            Opening::Ambiguous(refusal) => {
                context.refused(head, DecidingBody::None, RefusalReason::rules(&refusal));
                Way::Answered(refused(&refusal))
            }
            Opening::Call(opened) => Way::calendar(request, OpenedBy::Head(opened)),
            Opening::Site => Way::Site(Box::new(request)),
            Opening::SiteForm(scan) => Way::SiteForm(Box::new(request), scan),
        }
    }

    /// What was decided about the same request before.
    fn known(&self, head: &Head, context: &RequestContext) -> Option<Arc<KnownRead>> {
        let target = self.decider.sole_target(&request_head(head, context))?;
        self.known.find(target)
    }

    async fn take_order(&self, request: Box<EdgeRequest>) -> EdgeResponse {
        let EdgeRequest { head, body, .. } = *request;
        self.orders.take(&head, body, Sender::Remote).await
    }

    async fn stream(&self, request: Box<EdgeRequest>) -> EdgeResponse {
        let EdgeRequest { head, body, context } = *request;
        self.site.stream(&head, &context, body).await
    }

    async fn pass_form(&self, request: Box<EdgeRequest>, scan: SiteFormScan) -> EdgeResponse {
        let EdgeRequest { head, body, context } = *request;
        match self.site.pass_form(&head, &context, body, scan).await {
            Passage::Answered(response) => response,
            Passage::Calendar { opened, body } => {
                let call = calendar_call(head, context, OpenedBy::Body(opened), CallBody::Read(body));
                self.calendar.call(call).await
            }
        }
    }
}

/// A request for the calendar's stages.
fn calendar_call(head: Head, context: RequestContext, opened_by: OpenedBy, body: CallBody) -> CallRequest {
    let (opened, opening) = match opened_by {
        OpenedBy::Head(opened) => (Arc::from(opened), CallOpening::ByHead),
        OpenedBy::Body(opened) => (Arc::from(opened), CallOpening::ByBody),
        OpenedBy::Known(known) => (Arc::clone(known.opened()), CallOpening::Known(known)),
    };
    if let Some((operation, root)) = opened.operation() {
        context.log.about(Traffic::Operation(operation, root));
    }
    CallRequest {
        asked: Box::new(AskedCall { head, context }),
        opened,
        body,
        opening,
    }
}
