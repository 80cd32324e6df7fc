//! A call to the plugin's second API: charged, and held to readable credentials, as a call to the calendar is.

use http::request::Parts;

use super::decider::Decider;
use crate::gateway::surface::SurfaceRequest;
use crate::limits::rates::CostClass;
use calendar_edge_judge::call::credentials::{Credentials, CredentialsFault, Identity};
use calendar_edge_judge::problem::Refusal;

/// What the head of a call to the second API shows.
#[derive(Debug)]
pub struct SecondCall {
    /// What it costs.
    pub cost: CostClass,
    /// Whom it is charged to.
    pub identity: Identity,
    /// Credentials that cannot be read leave open whose call it is, and with it every rule about that.
    pub refusal: Option<Refusal>,
}

// === impl Decider ===

impl Decider {
    /// The call to the second API that a head makes, which is read as this request; none for other requests to the rest of
    /// the site.
    pub fn second_call(&self, head: &Parts, request: &SurfaceRequest<'_>) -> Option<SecondCall> {
        let cost = self.surface.cost(request)?;
        let profile = self.on_head.judge.enforced_profile(None);
        let (identity, fault) = match Credentials::read(&head.headers, profile) {
            Ok(credentials) => {
                let identity = credentials.identity().clone();
                let fault = self.on_head.names.fault(&identity);
                (identity, fault)
            }
            Err(rejected) => (rejected.identity, Some(rejected.fault)),
        };
        Some(SecondCall {
            cost,
            identity,
            refusal: fault.map(CredentialsFault::refusal),
        })
    }
}
