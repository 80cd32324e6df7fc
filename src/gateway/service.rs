//! The innermost service: finds out where a request leads, and sends it on its way.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::request::Parts as Head;
use tower::Service;

use super::calls::{AskedCall, CallBody, CallRequest, request_head};
use super::discovery::Discovery;
use super::site::{Passage, Site};
use super::stage::Stage;
use super::{Parts, calendar};
use crate::companion::{Orders, Sender};
use crate::decision::{Decider, OpenedCall, Opening};
use crate::layers::{EdgeRequest, RequestContext};
use crate::response::{EdgeResponse, preflight, refused};
use crate::settings::Settings;
use crate::shared::Shared;

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

/// Both ways: through the calendar's stages, and to the rest of the site.
struct BothWays<C> {
    decider: Arc<Decider>,
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
    async fn respond(&self, request: EdgeRequest) -> EdgeResponse {
        let EdgeRequest { head, body, context } = request;
        if self.orders.are_given_by(&head) {
            return self.orders.take(&head, body, Sender::Remote).await;
        }
        match self.decider.open(&request_head(&head, &context)) {
            Opening::Preflight => preflight(),
            Opening::RestIndex(root) => self.discovery.answer(root, &context),
            Opening::Ambiguous(refusal) => refused(&refusal),
            Opening::Call(opened) => self.call(head, context, *opened, CallBody::Incoming(body)).await,
            Opening::Site => self.site.stream(&head, &context, body).await,
            Opening::SiteForm(scan) => match self.site.pass_form(&head, &context, body, scan).await {
                Passage::Answered(response) => response,
                Passage::Calendar { opened, body } => {
                    self.call(head, context, *opened, CallBody::Read(body)).await
                }
            },
        }
    }

    async fn call(
        &self,
        head: Head,
        context: RequestContext,
        opened: OpenedCall,
        body: CallBody,
    ) -> EdgeResponse {
        let request = CallRequest {
            asked: Box::new(AskedCall { head, context }),
            opened: Arc::new(opened),
            body,
        };
        self.calendar.call(request).await
    }
}
