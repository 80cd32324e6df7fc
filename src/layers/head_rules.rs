//! The rules about heads, as a layer before the gateway.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::Either;
use tower::layer::layer_fn;
use tower::{Layer, Service};

use super::arrived_request::ArrivedRequest;
use super::noted::NamedHost;
use super::response::{EdgeResponse, refused};
use crate::server::RequestFraming;
use crate::telemetry::{DecidedBy, RefusalNote};
use calendar_edge_core::gateway::decision::HeadRules;
use calendar_edge_core::gateway::refusals::{DecidingBody, KeptRequest};
use calendar_edge_judge::problem::Refusal;

/// Lets a request pass if the rules accept its head.
#[derive(Debug, Clone)]
pub(super) struct HeadGate<S> {
    rules: Arc<HeadRules>,
    inner: S,
}

/// Puts the rules before a service.
pub(super) fn head_gate<S>(rules: HeadRules) -> impl Layer<S, Service = HeadGate<S>> {
    let rules = Arc::new(rules);
    layer_fn(move |inner| HeadGate {
        rules: Arc::clone(&rules),
        inner,
    })
}

// === impl HeadGate ===

impl<S, B> Service<Box<ArrivedRequest<B>>> for HeadGate<S>
where
    S: Service<Box<ArrivedRequest<B>>, Response = EdgeResponse, Error = Infallible>,
{
    type Response = EdgeResponse;
    type Error = Infallible;
    type Future = Either<S::Future, Ready<Result<EdgeResponse, Infallible>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Box<ArrivedRequest<B>>) -> Self::Future {
        match check(&self.rules, &mut request) {
            Ok(()) => Either::Left(self.inner.call(request)),
            Err(refusal) => Either::Right(ready(Ok(refused(&refusal)))),
        }
    }
}

/// Notes the host for the layers below; or returns the refusal of the head.
fn check<B>(rules: &HeadRules, request: &mut ArrivedRequest<B>) -> Result<(), Refusal> {
    // A request that stands for a head which the connection's inspector refused: the rules have nothing to judge in it, and
    // there is nothing to note.
    if let Some(breach) = request.framing.as_ref().and_then(RequestFraming::of_head) {
        return Err(breach.refusal());
    }
    let host = rules
        .check(&request.head)
        .inspect_err(|refusal| note(request, refusal))?;
    request.context.host = Some(NamedHost(host));
    Ok(())
}

/// Notes why a head is refused.
fn note<B>(request: &ArrivedRequest<B>, refusal: &Refusal) {
    let Some(log) = &request.context.log else {
        return;
    };
    log.refused(|| RefusalNote {
        request: KeptRequest::keep(&request.head, DecidingBody::None),
        findings: Vec::new(),
        decided_by: DecidedBy::Rules,
        insists: refusal.problem().held_in_every_mode(),
    });
}
