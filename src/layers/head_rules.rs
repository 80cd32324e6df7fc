//! The rules about heads, as a check before the gateway.

use super::arrived_request::ArrivedRequest;
use super::gate::HeadCheck;
use super::noted::NamedHost;
use crate::telemetry::{DecidedBy, RefusalNote};
use calendar_edge_core::gateway::decision::HeadRules;
use calendar_edge_core::gateway::refusals::{DecidingBody, KeptRequest};
use calendar_edge_judge::problem::Refusal;

impl HeadCheck for HeadRules {
    fn check<B>(&self, request: &mut ArrivedRequest<B>) -> Result<(), Refusal> {
        let host = Self::check(self, &request.head).inspect_err(|refusal| note(request, refusal))?;
        request.context.host = Some(NamedHost(host));
        Ok(())
    }
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
