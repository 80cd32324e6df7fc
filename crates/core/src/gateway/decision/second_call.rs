//! A call to the plugin's second API: charged, and held to readable credentials, as a call to the calendar is.

use http::request::Parts;

use super::decider::Decider;
use crate::limits::rates::CostClass;
use crate::surface::{SeenBody, SurfaceRequest};
use calendar_edge_judge::call::credentials::{Credentials, Identity};
use calendar_edge_judge::problem::{OwnError, Refusal};

/// The facts of the head of a call to the second API.
#[derive(Debug)]
pub struct SecondCall {
    /// Its cost.
    pub cost: CostClass,
    /// The identity that it is charged to.
    pub identity: Identity,
    /// Credentials that cannot be read leave open whose call it is, and with it every rule about that.
    pub refusal: Option<Refusal>,
}

// === impl Decider ===

impl Decider {
    /// The call to the second API that a head makes, which is read as this request; none for other requests to the rest of
    /// the site.
    pub fn second_call(&self, head: &Parts, request: &SurfaceRequest<'_>) -> Option<SecondCall> {
        Some(self.call_of_cost(head, self.surface.cost(request)?))
    }

    /// The call to the second API that the whole form of a request makes; none if its head makes one, and for other requests.
    pub fn second_call_of_form(
        &self,
        head: &Parts,
        request: &SurfaceRequest<'_>,
        body: &SeenBody,
    ) -> Option<SecondCall> {
        let cost = self.surface.cost_of_form(&self.roots, request, body)?;
        Some(self.call_of_cost(head, cost))
    }

    fn call_of_cost(&self, head: &Parts, cost: CostClass) -> SecondCall {
        let profile = self.on_head.judge.enforced_profile(None);
        let (identity, is_refused) = match Credentials::read(&head.headers, profile) {
            Ok(credentials) => {
                let identity = credentials.identity().clone();
                let is_refused = self.on_head.needs_names && identity.is_inexact;
                (identity, is_refused)
            }
            Err(identity) => (identity, true),
        };
        SecondCall {
            cost,
            identity,
            refusal: is_refused.then(|| OwnError::BAD_AUTHORIZATION.refusal()),
        }
    }
}
