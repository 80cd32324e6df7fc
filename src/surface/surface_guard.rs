//! The rules about the rest of the site, held: requests that pass, are only counted, or get a refusal.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use http::request::Parts as Head;

use super::metrics::SurfaceMetrics;
use crate::calls::fault;
use crate::layers::{BodilessRequest, EdgeResponse, ResponseFacts, refused};
use crate::server::response::{ResponseSource, json};
use crate::telemetry::{DecidedBy, RefusalNote, Warnings};
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
        metrics: &SurfaceMetrics,
        warnings: &Warnings,
    ) -> Self {
        for name in decider.surface.names() {
            metrics.expect(name);
        }
        Self {
            decider: Arc::clone(decider),
            buckets: buckets.clone(),
            metrics: metrics.clone(),
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
        let Some(verdict) = self.decider.surface.judge(request) else {
            if request.target == SiteTarget::Unclear {
                self.is_unclear();
            }
            return None;
        };
        self.respond(asked, verdict, DecidingBody::None)
    }

    /// True if rules need the calls in a body that is no form.
    pub(crate) fn reads_calls(&self, request: Option<&SurfaceRequest<'_>>) -> bool {
        request.is_some_and(|request| self.decider.surface.read_calls(request))
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
                asked.refused(body, RefusalNote::moment(INSISTS));
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
        self.refuses(decider.surface.judge(&request))
    }

    /// Returns true if a rule refuses a method that the next bytes of a call name, or may name.
    pub(crate) fn closes_call(&mut self, piece: &[u8]) -> bool {
        let called = self.methods.as_mut().map(|methods| methods.push(piece));
        let Some(called) = called.filter(|called| !called.is_empty()) else {
            return false;
        };
        let decider = &self.guard.decider;
        let request = decider.site_request(&self.head);
        self.refuses(decider.surface.judge_calls(&request, &called))
    }

    fn refuses(&self, verdict: Option<SurfaceVerdict<'_>>) -> bool {
        verdict.is_some_and(|verdict| self.guard.take(verdict, false) == SurfaceOutcome::Refused)
    }
}

const INSISTS: &str = "a rule of `[[surface]]` has a `mode` of its own";

/// The rule as a finding of the request.
fn reason(verdict: SurfaceVerdict<'_>) -> RefusalNote {
    let refusal = verdict.refusal();
    let finding = Finding {
        code: refusal.code(),
        parameter: Some(verdict.rule.name.clone().into()),
        rule: SURFACE_RULE,
    };
    RefusalNote {
        request: None,
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::net::IpAddr;
    use std::time::Duration;

    use http::Request;
    use http::header::AUTHORIZATION;

    use super::*;
    use crate::telemetry::Metrics;
    use calendar_edge_core::settings::{
        Mode, OtherTraffic, Rate, Settings, SurfaceCallers, SurfacePattern, SurfaceRule,
    };

    const CLIENT: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn closed() -> SurfaceRule {
        SurfaceRule {
            name: "users".to_owned(),
            routes: vec![SurfacePattern::parse("wp/v2/users").expect("a route")],
            callers: SurfaceCallers::Credentials,
            mode: Mode::Enforce,
            ..SurfaceRule::default()
        }
    }

    /// The guard of one rule, and its counts.
    fn guard(rule: SurfaceRule) -> (SurfaceGuard, SurfaceMetrics) {
        let mut settings = Settings::for_origin("http://wp.example/wp-json".parse().expect("a URL"));
        settings.other = OtherTraffic::Forward;
        settings.surface.push(rule);
        let metrics = Metrics::new().register(SurfaceMetrics::new);
        let buckets = SharedBuckets::new(None);
        let decider = Arc::new(Decider::new(&settings));
        let guard = SurfaceGuard::new(&decider, &buckets, &metrics, &Warnings::default());
        (guard, metrics)
    }

    fn asked(method: &str, target: &str) -> BodilessRequest {
        let request = Request::builder().method(method).uri(target).body(());
        BodilessRequest::from_client(request.expect("a request"), CLIENT)
    }

    /// The status of the edge's response to a request by its head; none: the site responds.
    fn status(guard: &SurfaceGuard, asked: &BodilessRequest) -> Option<u16> {
        let response = guard.by_head(asked, guard.request(asked).as_ref());
        response.map(|response| response.status().as_u16())
    }

    /// The outcomes that were counted.
    fn counted(metrics: &SurfaceMetrics) -> BTreeMap<&'static str, u64> {
        let sums = metrics.sums().into_iter();
        let counted = sums.filter(|(_, count)| *count > 0);
        counted.map(|((_, outcome), count)| (outcome, count)).collect()
    }

    #[test]
    fn a_closed_route_is_refused_in_mode_enforce_and_counted_in_mode_report() {
        for (mode, refused, outcome) in [
            (Mode::Enforce, Some(401), Some("refused")),
            (Mode::Report, None, Some("reported")),
            (Mode::Off, None, None),
        ] {
            let (guard, metrics) = guard(SurfaceRule { mode, ..closed() });
            let users = asked("GET", "/wp-json/wp/v2/users");
            assert_eq!(status(&guard, &users), refused, "{mode:?}");
            assert_eq!(counted(&metrics).into_keys().next(), outcome, "{mode:?}");
            let log = users.context.log.refusal();
            assert_eq!(log.is_some(), refused.is_some(), "only a refusal is noted");
        }
    }

    #[test]
    fn who_may_call_a_route_passes_and_so_does_everything_beside_it() {
        let (guard, metrics) = guard(closed());
        let mut editor = asked("GET", "/wp-json/wp/v2/users");
        let headers = &mut editor.head.headers;
        headers.insert(AUTHORIZATION, HeaderValue::from_static("Basic YW5uYTpzZWNyZXQ="));
        assert_eq!(status(&guard, &editor), None);
        assert_eq!(counted(&metrics), BTreeMap::from([("passed", 1)]));
        assert_eq!(status(&guard, &asked("GET", "/wp-json/wp/v2/posts")), None);
        assert_eq!(
            counted(&metrics),
            BTreeMap::from([("passed", 1)]),
            "no rule took it"
        );
    }

    #[test]
    fn the_rate_of_a_rule_limits_those_who_pass_and_charges_nobody_else() {
        let one = Rate {
            requests: 1,
            period: Duration::from_hours(1),
        };
        let (guard, metrics) = guard(SurfaceRule {
            rate: Some(one),
            ..closed()
        });
        let users = asked("GET", "/wp-json/wp/v2/users");
        assert_eq!([(); 2].map(|()| status(&guard, &users)), [Some(401); 2]);
        let mut editor = asked("GET", "/wp-json/wp/v2/users");
        let headers = &mut editor.head.headers;
        headers.insert(AUTHORIZATION, HeaderValue::from_static("Basic YW5uYTpzZWNyZXQ="));
        assert_eq!([(); 2].map(|()| status(&guard, &editor)), [None, Some(429)]);
        let expected = BTreeMap::from([("limited", 1), ("passed", 1), ("refused", 2)]);
        assert_eq!(counted(&metrics), expected);
    }

    #[test]
    fn a_form_that_names_a_closed_route_is_refused_by_its_body() {
        let (guard, _) = guard(closed());
        let mut form = asked("POST", "/index.php");
        let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
        form.head.headers.insert(CONTENT_TYPE, kind);
        assert_eq!(status(&guard, &form), None, "its head names no route");
        for (body, refused) in [
            ("rest_route=%2Fwp%2Fv2%2Fusers", Some(401)),
            ("rest_route=%2Fwp%2Fv2%2Fposts", None),
        ] {
            let body = SeenBody::Whole(Bytes::from_static(body.as_bytes()));
            let response = guard.by_body(&form, guard.request(&form).as_ref(), &body);
            let status = response.map(|response| response.status().as_u16());
            assert_eq!(status, refused, "{body:?}");
        }
        let route = |route: &str| {
            let scan = guard.on_the_way(&form, guard.request(&form).as_ref(), b"");
            scan.is_some_and(|scan| scan.closes(route.as_bytes()))
        };
        assert!(route("/wp/v2/users") && !route("/wp/v2/posts"));
    }
}
