//! The rules about the rest of the site, as parts of the decision about a request.

use bytes::Bytes;
use http::request::Parts;

use super::decider::Decider;
use crate::surface::{BodyVerdict, SeenBody, SurfaceRequest, SurfaceVerdict};

// === impl Decider ===

impl Decider {
    /// The facts about a request to the rest of the site.
    pub fn site_request<'a>(&self, head: &'a Parts) -> SurfaceRequest<'a> {
        SurfaceRequest::of(&self.roots, head)
    }

    /// The same for these rules; none if there are no rules.
    pub fn surface_request<'a>(&self, head: &'a Parts) -> Option<SurfaceRequest<'a>> {
        (!self.surface.are_unset()).then(|| self.site_request(head))
    }

    /// The same request if its form sets this `rest_route`.
    pub fn surface_request_at<'a>(&self, head: &'a Parts, route: &[u8]) -> SurfaceRequest<'a> {
        SurfaceRequest::of(&self.roots, head).with_route(&self.roots, route)
    }

    /// The verdict about a request by its body.
    pub fn judge_site_body(&self, request: &SurfaceRequest<'_>, body: &SeenBody) -> BodyVerdict<'_> {
        self.surface.judge_body(&self.roots, request, body)
    }

    /// The rule that takes a whole request to the rest of the site; one that matches its head comes first.
    pub fn surface_verdict(&self, head: &Parts, body: &[u8]) -> Option<SurfaceVerdict<'_>> {
        let request = self.surface_request(head)?;
        let by_head = self.surface.judge(&request);
        let by_body = || {
            let body = SeenBody::Whole(Bytes::copy_from_slice(body));
            self.judge_site_body(&request, &body).verdict
        };
        by_head
            .filter(|verdict| verdict.is_closed)
            .or_else(by_body)
            .or(by_head)
    }
}
