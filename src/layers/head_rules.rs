//! The rules about heads, as a check before the gateway.

use super::arrived_request::ArrivedRequest;
use super::gate::HeadCheck;
use super::noted::Noted;
use crate::telemetry::{DecidedBy, RefusalNote};
use calendar_edge_core::gateway::authority::Host;
use calendar_edge_core::gateway::decision::HeadRules;
use calendar_edge_core::gateway::refusals::{DecidingBody, KeptRequest};
use calendar_edge_judge::problem::Refusal;

/// The host that a request names; none only where HTTP/1.0 allows that.
#[derive(Debug, Clone)]
pub(super) struct NamedHost(pub(super) Option<Host>);

// === impl HeadRules ===

impl HeadCheck for HeadRules {
    type Fact = NamedHost;

    fn check<B>(&self, request: &ArrivedRequest<B>) -> Result<NamedHost, Refusal> {
        Self::check(self, &request.head).map(NamedHost)
    }

    fn found(&self, host: NamedHost, noted: &mut Noted) {
        noted.host = Some(host);
    }

    fn note<B>(&self, request: &ArrivedRequest<B>, refusal: &Refusal) {
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
}
