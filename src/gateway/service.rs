//! The innermost service: finds out where a request leads, and sends it on its way.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::request::Parts as Head;
use tower::Service;

use super::calls::{AskedCall, CallBody, CallOpening, CallRequest, request_head};
use super::discovery::Discovery;
use super::known_reads::{KnownRead, KnownReads};
use super::site::{Passage, Site};
use super::stage::Stage;
use super::{Parts, calendar};
use crate::companion::{Orders, Sender};
use crate::decision::{Decider, OpenedCall, Opening};
use crate::evidence::DecidingBody;
use crate::layers::{EdgeRequest, RefusalReason, RequestContext};
use crate::response::{EdgeResponse, preflight, refused};
use crate::settings::Settings;
use crate::shared::Shared;
use crate::telemetry::Traffic;

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
            calendar: calendar(settings, shared, &parts),
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

// === impl BothWays ===

impl<C: Stage<CallRequest, Response = EdgeResponse>> Ways for BothWays<C> {
    fn serve(self: Arc<Self>, request: EdgeRequest) -> Response {
        Box::pin(async move { Ok(self.respond(request).await) })
    }
}

impl<C: Stage<CallRequest, Response = EdgeResponse>> BothWays<C> {
    /// What most requests do not need is behind pointers: this future is moved when it is made.
    async fn respond(&self, request: EdgeRequest) -> EdgeResponse {
        let EdgeRequest { head, body, context } = request;
        if self.orders.are_given_by(&head) {
            return Box::pin(self.orders.take(&head, body, Sender::Remote)).await;
        }
        if let Some(known) = self.known(&head, &context) {
            let body = CallBody::Incoming(body);
            return self.call(head, context, OpenedBy::Known(known), body).await;
        }
        match self.decider.open(&request_head(&head, &context)) {
            Opening::Preflight => preflight(),
            Opening::RestIndex(root) => self.discovery.answer(root, &context),
            Opening::Ambiguous(refusal) => {
                context.refused(&head, DecidingBody::None, RefusalReason::rules(&refusal));
                refused(&refusal)
            }
            Opening::Call(opened) => {
                self.call(head, context, OpenedBy::Head(opened), CallBody::Incoming(body))
                    .await
            }
            Opening::Site => Box::pin(self.site.stream(&head, &context, body)).await,
            Opening::SiteForm(scan) => match Box::pin(self.site.pass_form(&head, &context, body, scan)).await
            {
                Passage::Answered(response) => response,
                Passage::Calendar { opened, body } => {
                    self.call(head, context, OpenedBy::Body(opened), CallBody::Read(body))
                        .await
                }
            },
        }
    }

    /// What was decided about the same request before.
    fn known(&self, head: &Head, context: &RequestContext) -> Option<Arc<KnownRead>> {
        let target = self.decider.sole_target(&request_head(head, context))?;
        self.known.find(target)
    }

    async fn call(
        &self,
        head: Head,
        context: RequestContext,
        opened_by: OpenedBy,
        body: CallBody,
    ) -> EdgeResponse {
        let (opened, opening) = match opened_by {
            OpenedBy::Head(opened) => (Arc::from(opened), CallOpening::ByHead),
            OpenedBy::Body(opened) => (Arc::from(opened), CallOpening::ByBody),
            OpenedBy::Known(known) => (Arc::clone(known.opened()), CallOpening::Known(known)),
        };
        if let Some((operation, root)) = opened.operation() {
            context.log.about(Traffic::Operation(operation, root));
        }
        let request = CallRequest {
            asked: Box::new(AskedCall { head, context }),
            opened,
            body,
            opening,
        };
        self.calendar.call(request).await
    }
}
