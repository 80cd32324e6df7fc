//! The verdict of a rule about a request to the rest of the site.

use http::StatusCode;

use super::surface_request::SurfaceRequest;
use crate::settings::{Mode, SurfaceCallers, SurfaceRefusal, SurfaceRule};
use calendar_edge_judge::problem::{Problem, Refusal};
use calendar_edge_judge::routing::SiteTarget;

/// The rule that takes a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SurfaceVerdict<'a> {
    /// The rule.
    pub rule: &'a SurfaceRule,
    /// True if the caller does not pass.
    pub is_closed: bool,
    /// True if the request leads to a route, and not to a script or a page.
    pub is_route: bool,
}

// === impl SurfaceVerdict ===

impl<'a> SurfaceVerdict<'a> {
    /// The verdict of a rule about a request.
    pub(super) fn of(rule: &'a SurfaceRule, request: &SurfaceRequest<'_>) -> Self {
        let is_closed = match rule.callers {
            SurfaceCallers::Anybody => false,
            SurfaceCallers::Credentials => !request.has_credentials(),
            SurfaceCallers::Nobody => true,
        };
        Self {
            rule,
            is_closed,
            is_route: matches!(request.target, SiteTarget::Route(_)),
        }
    }

    /// True if the request is refused, and not only counted.
    pub fn is_refused(&self) -> bool {
        self.is_closed && self.rule.mode == Mode::Enforce
    }

    /// The response at a route.
    pub fn refusal(&self) -> Refusal {
        Refusal::plain(match self.rule.answer {
            SurfaceRefusal::Unauthorized => Problem::Forbidden,
            SurfaceRefusal::NotFound => Problem::NoRoute,
        })
    }

    /// The response at a script or a page, as HTML; none at a route.
    pub fn page(&self) -> Option<(StatusCode, String)> {
        let status = match self.rule.answer {
            SurfaceRefusal::Unauthorized => StatusCode::FORBIDDEN,
            SurfaceRefusal::NotFound => StatusCode::NOT_FOUND,
        };
        let text = format!("<!DOCTYPE html>\n<title>{status}</title>\n<h1>{status}</h1>\n");
        (!self.is_route).then_some((status, text))
    }
}

/// The verdict that refuses, or else one that would, or else the first.
pub(super) fn strictest<'a>(
    verdicts: impl Iterator<Item = SurfaceVerdict<'a>>,
) -> Option<SurfaceVerdict<'a>> {
    let strictness = |verdict: &SurfaceVerdict<'_>| (verdict.is_refused(), verdict.is_closed);
    verdicts.reduce(|first, next| {
        if strictness(&next) > strictness(&first) {
            next
        } else {
            first
        }
    })
}
