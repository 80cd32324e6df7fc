//! The rules about the rest of the site, held: requests that pass, are only counted, or get a refusal.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use http::request::Parts as Head;

use super::Surface;
use super::metrics::SurfaceMetrics;
use crate::calls::fault;
use crate::layers::{BodilessRequest, EdgeResponse, RefusalReason, ResponseFacts, refused};
use crate::server::response::{ResponseSource, json};
use crate::telemetry::{DecidedBy, Warnings};
use calendar_edge_core::gateway::decision::Decider;
use calendar_edge_core::gateway::refusals::DecidingBody;
use calendar_edge_core::limits::rates::{Exceeded, SharedBuckets};
use calendar_edge_core::surface::{SURFACE_RULE, SeenBody, SurfaceOutcome, SurfaceRequest, SurfaceVerdict};
use calendar_edge_judge::call::Finding;
use calendar_edge_judge::routing::SiteTarget;
use calendar_edge_judge::wordpress::payload::MethodScan;

/// Holds requests to the rest of the site to their rules; clones share its counts.
#[derive(Debug, Clone)]
pub(crate) struct SurfaceGuard {
    decider: Arc<Decider>,
    buckets: SharedBuckets,
    metrics: SurfaceMetrics,
    warnings: Warnings,
}

/// The rules for a form or a call that is too large to be read whole.
#[derive(Debug)]
pub(crate) struct FormGuard {
    guard: SurfaceGuard,
    head: Head,
    /// None for a body that is no call.
    methods: Option<MethodScan>,
}

// === impl SurfaceGuard ===

impl SurfaceGuard {
    pub(crate) fn new(
        decider: &Arc<Decider>,
        buckets: &SharedBuckets,
        surface: &Surface,
        warnings: &Warnings,
    ) -> Self {
        for name in decider.surface().names() {
            surface.metrics.expect(name);
        }
        Self {
            decider: Arc::clone(decider),
            buckets: buckets.clone(),
            metrics: surface.metrics.clone(),
            warnings: warnings.clone(),
        }
    }

    /// The facts about a request that the rules need; none if there are no rules.
    pub(crate) fn request<'a>(&self, asked: &'a BodilessRequest) -> Option<SurfaceRequest<'a>> {
        self.decider.surface_request(&asked.head)
    }

    /// The response to a request that its head refuses, before its body is read.
    pub(crate) fn by_head(
        &self,
        asked: &BodilessRequest,
        request: Option<&SurfaceRequest<'_>>,
    ) -> Option<EdgeResponse> {
        let request = request?;
        let Some(verdict) = self.decider.surface().judge(request) else {
            if request.target == SiteTarget::Unclear {
                self.is_unclear();
            }
            return None;
        };
        self.respond(asked, verdict, DecidingBody::None)
    }

    /// True if rules need the calls in a body that is no form.
    pub(crate) fn reads_calls(&self, request: Option<&SurfaceRequest<'_>>) -> bool {
        request.is_some_and(|request| self.decider.surface().read_calls(request))
    }

    /// The response to a request that its body refuses.
    pub(crate) fn by_body(
        &self,
        asked: &BodilessRequest,
        request: Option<&SurfaceRequest<'_>>,
        body: &SeenBody,
    ) -> Option<EdgeResponse> {
        let request = request?;
        let found = self.decider.judge_site_body(request, body);
        if found.is_unclear {
            self.is_unclear();
        }
        let (SeenBody::Whole(read) | SeenBody::Begun(read)) = body;
        self.respond(asked, found.verdict?, DecidingBody::Read(read))
    }

    /// The rules for a body of which the rest is scanned on its way; none if there are no rules.
    pub(crate) fn on_the_way(
        &self,
        asked: &BodilessRequest,
        request: Option<&SurfaceRequest<'_>>,
        begun: &[u8],
    ) -> Option<FormGuard> {
        let methods = self.reads_calls(request).then(|| {
            let mut methods = MethodScan::default();
            methods.push(begun);
            methods
        });
        request.map(|_| FormGuard {
            guard: self.clone(),
            head: asked.head.clone(),
            methods,
        })
    }

    /// Counts a request, and refuses it unless it passes.
    fn respond(
        &self,
        asked: &BodilessRequest,
        verdict: SurfaceVerdict<'_>,
        body: DecidingBody<'_>,
    ) -> Option<EdgeResponse> {
        let exceeded = self.exceeded(asked, verdict);
        match self.take(verdict, exceeded.is_some()) {
            SurfaceOutcome::Passed | SurfaceOutcome::Reported => None,
            SurfaceOutcome::Refused => {
                asked.refused(body, reason(verdict));
                Some(closed(verdict))
            }
            SurfaceOutcome::Limited => {
                asked.refused(body, RefusalReason::moment(INSISTS));
                exceeded.map(|exceeded| fault::too_fast(&exceeded))
            }
        }
    }

    /// The budget that a request which passes uses up.
    fn exceeded(&self, asked: &BodilessRequest, verdict: SurfaceVerdict<'_>) -> Option<Exceeded> {
        let rate = verdict.rule.rate.filter(|_| !verdict.is_closed)?;
        let address = asked.context.client.address;
        let spent = self
            .buckets
            .spend_by_rule(&verdict.rule.name, &rate, address, Instant::now());
        spent.err()
    }

    /// Counts and logs the outcome of a request.
    fn take(&self, verdict: SurfaceVerdict<'_>, is_exceeded: bool) -> SurfaceOutcome {
        let (rule, outcome) = (verdict.rule, verdict.outcome(is_exceeded));
        self.metrics.took(&rule.name, outcome);
        if outcome != SurfaceOutcome::Passed {
            tracing::info!(
                rule = rule.name,
                mode = rule.mode.name(),
                action = outcome.name(),
                "a request does not pass a rule about the rest of the site"
            );
        }
        outcome
    }

    fn is_unclear(&self) {
        self.metrics.unclear();
        self.warnings.warn("surface_unclear", |count| {
            tracing::warn!(
                count,
                "a request passes because it is unclear whether a rule about the rest of the site takes it"
            );
        });
    }
}

// === impl FormGuard ===

impl FormGuard {
    /// Returns true if a rule refuses a route that the form names.
    pub(crate) fn closes(&self, route: &[u8]) -> bool {
        let decider = &self.guard.decider;
        let request = decider.surface_request_at(&self.head, route);
        self.refuses(decider.surface().judge(&request))
    }

    /// Returns true if a rule refuses a method that the next bytes of a call name, or may name.
    pub(crate) fn closes_call(&mut self, piece: &[u8]) -> bool {
        let called = self.methods.as_mut().map(|methods| methods.push(piece));
        let Some(called) = called.filter(|called| !called.is_empty()) else {
            return false;
        };
        let decider = &self.guard.decider;
        let request = decider.site_request(&self.head);
        self.refuses(decider.surface().judge_calls(&request, &called))
    }

    fn refuses(&self, verdict: Option<SurfaceVerdict<'_>>) -> bool {
        verdict.is_some_and(|verdict| self.guard.take(verdict, false) == SurfaceOutcome::Refused)
    }
}

const INSISTS: &str = "a rule of `[[surface]]` has a `mode` of its own";

/// The rule as a finding of the request.
fn reason(verdict: SurfaceVerdict<'_>) -> RefusalReason {
    let refusal = verdict.refusal();
    let finding = Finding {
        code: refusal.code(),
        parameter: Some(verdict.rule.name.clone().into()),
        rule: SURFACE_RULE,
    };
    RefusalReason {
        findings: vec![finding],
        decided_by: DecidedBy::Rules,
        insists: INSISTS,
    }
}

/// The response of a closed route in WordPress's words, or the page of a web server.
fn closed(verdict: SurfaceVerdict<'_>) -> EdgeResponse {
    let refusal = verdict.refusal();
    let Some((status, text)) = verdict.page() else {
        return refused(&refusal);
    };
    let mut response = json(status, Bytes::from(text));
    let html = HeaderValue::from_static("text/html; charset=UTF-8");
    response.headers_mut().insert(CONTENT_TYPE, html);
    EdgeResponse {
        response,
        facts: ResponseFacts::Edge(ResponseSource::Edge { code: refusal.code() }),
    }
}
