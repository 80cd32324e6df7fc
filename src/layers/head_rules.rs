//! The rules about heads, as a check before the gateway.

use super::arrived_request::ArrivedRequest;
use super::noted::NamedHost;
use crate::server::RequestFraming;
use crate::telemetry::RefusalNote;
use calendar_edge_core::gateway::decision::HeadRules;
use calendar_edge_core::gateway::refusals::{DecidingBody, KeptRequest};
use calendar_edge_judge::problem::Refusal;

/// Notes the host for the layers below; or refuses the head.
pub(super) fn check<B>(
    rules: &HeadRules,
    mut request: Box<ArrivedRequest<B>>,
) -> Result<Box<ArrivedRequest<B>>, Refusal> {
    // A request that stands for a head which the connection's inspector refused: the rules have nothing to judge in it,
    // and there is nothing to note.
    if let Some(breach) = request.framing.as_ref().and_then(RequestFraming::of_head) {
        return Err(breach.refusal());
    }
    let host = rules.check(&request.head);
    let host = host.inspect_err(|refusal| note(&request, refusal))?;
    request.context.host = Some(NamedHost(host));
    Ok(request)
}

/// Notes why a head is refused.
fn note<B>(request: &ArrivedRequest<B>, refusal: &Refusal) {
    let Some(log) = &request.context.log else {
        return;
    };
    log.refused(|| RefusalNote {
        request: KeptRequest::keep(&request.head, DecidingBody::None),
        ..RefusalNote::rules(refusal)
    });
}
