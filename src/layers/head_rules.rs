//! The rules about heads, as a check before the gateway.

use http::request::Parts;

use super::gate::HeadCheck;
use super::noted::Noted;
use crate::authority::Host;
use crate::decision::HeadRules;
use crate::evidence::{DecidingBody, RefusedRequest};
use crate::problem::Refusal;
use crate::telemetry::{DecidedBy, RefusalNote};

/// The host that a request names; none only where HTTP/1.0 allows that.
#[derive(Debug, Clone)]
pub(super) struct NamedHost(pub(super) Option<Host>);

// === impl HeadRules ===

impl HeadCheck for HeadRules {
    type Fact = NamedHost;

    fn check(&self, head: &Parts) -> Result<NamedHost, Refusal> {
        Self::check(self, head).map(NamedHost)
    }

    fn found(&self, host: NamedHost, head: &mut Parts) {
        Noted::on(&mut head.extensions).host = Some(host);
    }

    fn note(&self, head: &Parts, refusal: &Refusal) {
        let extensions = &head.extensions;
        let noted = extensions.get::<Noted>();
        let Some((log, client)) = noted.and_then(|noted| noted.log.as_ref().zip(noted.client)) else {
            return;
        };
        let arrived = client.arrived(extensions.get().copied().unwrap_or_default());
        log.refused(|| RefusalNote {
            request: RefusedRequest::keep(head, arrived, DecidingBody::None),
            findings: Vec::new(),
            decided_by: DecidedBy::Rules,
            insists: refusal.problem().held_in_every_mode(),
        });
    }
}
