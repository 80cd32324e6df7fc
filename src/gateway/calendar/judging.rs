//! The judgement of a call whose body is read: forwarded in canonical form, or refused.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;

use crate::calls::{CalendarCall, CallResponse, JudgedCall, PublicNames, Stage};
use crate::gateway::call_request::{JudgedRequest, OpenedBy};
use crate::gateway::known_reads::KnownReads;
use crate::layers::RequestContext;
use crate::layers::refused;
use crate::server::bodies::BodyBudget;
use crate::server::threads::Computing;
use crate::telemetry::{DecidedBy, FindingSums, Metrics, RefusalNote};
use calendar_edge_core::cache::forms::wants_calendar;
use calendar_edge_core::gateway::authority::PublicAddress;
use calendar_edge_core::gateway::decision::Decider;
use calendar_edge_core::gateway::refusals::DecidingBody;
use calendar_edge_judge::call::{Finding, ForwardableCall, Judgement, Outcome};
use calendar_edge_judge::contract::Operation;
use calendar_edge_judge::problem::Refusal;

/// Minimum bytes of a body that is judged off the threads that serve connections.
///
/// A body of this size takes up to a few milliseconds to judge; the way to another thread and back takes some 20
/// microseconds, which would show with the usual small ones.
const LARGE: usize = 64 * 1024;

/// Refuses calls that break a rule; logs and counts every finding.
#[derive(Debug)]
pub(in crate::gateway) struct Judging<S> {
    pub(in crate::gateway) inner: S,
    pub(in crate::gateway) decider: Arc<Decider>,
    pub(in crate::gateway) known: Arc<KnownReads>,
    /// The configured address; without one, each request names its own.
    pub(in crate::gateway) public: Option<PublicNames>,
    pub(in crate::gateway) offers_calendar: bool,
    pub(in crate::gateway) metrics: Metrics,
    pub(in crate::gateway) findings: FindingSums,
    pub(in crate::gateway) budget: BodyBudget,
    pub(in crate::gateway) computing: Computing,
}

// === impl Judging ===

impl<S> Judging<S> {
    /// The judgement of a call, or the refusal that its head causes.
    async fn judge(&self, request: JudgedRequest) -> (JudgedRequest, Result<Judgement, Refusal>) {
        if request.body.as_ref().map_or(0, Bytes::len) < LARGE {
            let judged = judge(&self.decider, &request);
            return (request, judged);
        }
        let decider = Arc::clone(&self.decider);
        let judging = move || {
            let judged = judge(&decider, &request);
            (request, judged)
        };
        Box::pin(self.computing.run(judging)).await
    }

    /// The call for the stages below. Its own body is counted instead of the one that the client sent.
    fn admit(&self, call: Arc<JudgedCall>, request: &JudgedRequest) -> CalendarCall {
        let addressed = || PublicAddress::of(None, request.received.context.addressed());
        let public = match &self.public {
            Some(configured) => Cow::Borrowed(configured),
            None => Cow::Owned(PublicNames::of(&addressed())),
        };
        let body = call.request().body.as_ref();
        let memory = body.map(|body| self.budget.count(body.len()));
        let (is_file, headers) = (
            request.opened.names_calendar_file(),
            &request.received.head.headers,
        );
        CalendarCall {
            as_calendar: wants_calendar(self.offers_calendar, &call, is_file, headers),
            ..CalendarCall::new(call, &request.received, &request.opened, &public, memory)
        }
    }

    /// Remembers a call that was judged without findings for requests with the same target.
    fn note(&self, request: &JudgedRequest, call: &Arc<JudgedCall>) {
        // A form does not come with GET: its target alone would not decide.
        if let OpenedBy::Request(opened) = &request.opened
            && let Some(target) = self.decider.sole_target(&request.received.decided_by())
        {
            self.known.note(target, opened, call);
        }
    }

    /// Records the findings in the request's log line, in metrics and in the log.
    fn report(&self, context: &RequestContext, judgement: &Judgement) {
        let operation = operation_name(judgement.operation);
        let (verdict, action) = match &judgement.outcome {
            Outcome::Forward(call) => (verdict(call), "forwarded"),
            Outcome::Refuse(_) => ("reject", "refused"),
        };
        context.log.judged(verdict);
        let mode = judgement.mode.name();
        for finding in &judgement.findings {
            self.findings
                .count(operation, finding, action, context.id.as_str());
            self.metrics
                .requests()
                .found([operation, finding.rule, mode, action]);
            tracing::info!(
                operation,
                code = finding.code,
                parameter = finding.parameter.as_deref(),
                rule = finding.rule,
                mode,
                action,
                "a request breaks a rule"
            );
        }
    }
}

impl<S: Stage<CalendarCall, CallResponse>> Stage<JudgedRequest, CallResponse> for Judging<S> {
    async fn call(&self, request: JudgedRequest) -> CallResponse {
        if let OpenedBy::Known(known) = &request.opened {
            request.received.context.log.judged(verdict(&known.call));
            let call = self.admit(Arc::clone(&known.call), &request);
            drop(request);
            return self.inner.call(call).await;
        }
        let (request, judged) = self.judge(request).await;
        let judgement = match judged {
            Ok(judgement) => judgement,
            Err(refusal) => {
                let reason = RefusalNote::rules(&refusal);
                request.received.refused(DecidingBody::None, reason);
                return refused(&refusal).into();
            }
        };
        self.report(&request.received.context, &judgement);
        let Judgement {
            outcome,
            findings,
            operation,
            insists,
            ..
        } = judgement;
        match outcome {
            Outcome::Refuse(refusal) => {
                let reason = RefusalNote {
                    request: None,
                    findings,
                    decided_by: DecidedBy::Rules,
                    insists: insists.unwrap_or_default(),
                };
                request.received.refused(request.deciding(), reason);
                refused(&refusal).into()
            }
            Outcome::Forward(call) => {
                let call = Arc::new(JudgedCall::new(*call));
                if !findings.is_empty() {
                    return Box::pin(self.forward_reported(call, request, findings, operation)).await;
                }
                self.note(&request, &call);
                let call = self.admit(call, &request);
                drop(request);
                self.inner.call(call).await
            }
        }
    }
}

impl<S: Stage<CalendarCall, CallResponse>> Judging<S> {
    /// Forwards a call that breaks rules, and counts the site's response to it.
    async fn forward_reported(
        &self,
        call: Arc<JudgedCall>,
        request: JudgedRequest,
        findings: Vec<Finding>,
        operation: Option<&'static Operation>,
    ) -> CallResponse {
        let reason = RefusalNote {
            request: None,
            findings: findings.clone(),
            decided_by: DecidedBy::Site,
            insists: "",
        };
        request.received.refused(request.deciding(), reason);
        let log = request.received.context.log.clone();
        let call = self.admit(call, &request);
        drop(request);
        let response = self.inner.call(call).await;
        if let Some(verdict) = &response.site {
            let operation = operation_name(operation);
            for finding in &findings {
                self.findings.add_verdict(operation, finding, verdict);
            }
            if findings.iter().any(Finding::is_refused) {
                self.metrics.requests().reported(verdict.outcome());
            }
            log.set_site_verdict(verdict.clone());
        }
        response
    }
}

fn operation_name(operation: Option<&'static Operation>) -> &'static str {
    operation.map_or("none", |operation| operation.name.as_str())
}

/// The verdict of the rules on a call that is forwarded, in one word.
fn verdict(call: &ForwardableCall) -> &'static str {
    match call.waiver() {
        Some(waiver) => waiver.name(),
        None if call.deferred.is_empty() => "admit",
        None => "defer",
    }
}

fn judge(decider: &Decider, request: &JudgedRequest) -> Result<Judgement, Refusal> {
    let call = request.opened.next().map_err(Refusal::clone)?;
    let head = request.received.decided_by();
    Ok(decider.judge(&head, &request.opened, call, request.body.as_deref()))
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::*;
    use crate::calls::fake_stage::{EVENT, FakeStage, presented, request, settings};
    use crate::gateway::call_request::CallRequest;
    use crate::gateway::{GatewayState, Plan};
    use crate::layers::SentBody;
    use crate::telemetry::SiteVerdict;
    use calendar_edge_core::settings::{Mode, Settings};

    type Below = FakeStage<CalendarCall, CallResponse>;

    /// A request that has passed the stage.
    struct Judged {
        status: StatusCode,
        below: Arc<Below>,
        context: RequestContext,
        findings: serde_json::Value,
        is_known: bool,
    }

    /// The outcome of a request before a site that responds with 400.
    async fn judged(settings: &Settings, method: &str, path: &str) -> Judged {
        let below = FakeStage::at_once(|_: &CalendarCall| CallResponse {
            site: Some(SiteVerdict::new(400, None)),
            ..presented(StatusCode::BAD_REQUEST, "{}")
        });
        let state = GatewayState::new(settings, 0, Metrics::new()).expect("a state");
        let plan = Plan::new(settings, &state);
        let judging = Judging {
            inner: Arc::clone(&below),
            decider: Arc::clone(&plan.decider),
            known: Arc::clone(&plan.known),
            public: None,
            offers_calendar: false,
            metrics: state.metrics.clone(),
            findings: state.findings.clone(),
            budget: state.bodies.clone(),
            computing: Computing::new(),
        };
        let received = request(method, path);
        let (context, target) = (received.context.clone(), received.head.uri.to_string());
        let opened = CallRequest::of(&plan.decider, received, SentBody::of("").await.0);
        let body = if method == "GET" { "" } else { EVENT };
        let request = CallRequest {
            received: opened.received,
            opened: opened.opened,
            body: Some(body.into()),
        };
        Judged {
            status: judging.call(request).await.response.status(),
            below,
            context,
            findings: state.findings.report()["findings"].clone(),
            is_known: plan.known.find(&target).is_some(),
        }
    }

    const BROKEN: &str = "/events?page=none";

    fn report() -> Settings {
        let mut settings = settings();
        settings.mode = Mode::Report;
        settings
    }

    #[tokio::test]
    async fn a_refused_call_reaches_no_stage_below() {
        let judged = judged(&settings(), "GET", BROKEN).await;
        assert_eq!(
            (judged.status, judged.below.begun()),
            (StatusCode::BAD_REQUEST, 0)
        );
        assert_eq!(judged.findings[0]["action"], "refused");
        assert_eq!(judged.context.log.verdict(), Some("reject"));
        let noted = judged.context.log.refusal().expect("a note");
        assert!(matches!(noted.decided_by, DecidedBy::Rules));
    }

    #[tokio::test]
    async fn in_report_mode_it_goes_on_unproven_and_is_noted_with_the_verdict_of_the_site() {
        let judged = judged(&report(), "GET", BROKEN).await;
        let proofs = judged.below.each(|call| call.call.validated().is_some());
        assert_eq!(proofs, [false], "neither cache nor mirror takes it");
        assert_eq!(judged.findings[0]["action"], "forwarded");
        assert_eq!(judged.findings[0]["site"]["refused"], 1, "{}", judged.findings);
        let noted = judged.context.log.refusal().expect("a note");
        assert!(matches!(noted.decided_by, DecidedBy::Site));
        assert!(judged.context.log.site_verdict().is_some());
    }

    #[tokio::test]
    async fn only_a_valid_read_is_remembered() {
        for (settings, method, path, is_known) in [
            (settings(), "GET", "/events?per_page=1", true),
            (settings(), "POST", "/events", false),
            (settings(), "GET", BROKEN, false),
            (report(), "GET", BROKEN, false),
        ] {
            let judged = judged(&settings, method, path).await;
            assert_eq!(judged.is_known, is_known, "{method} {path} {:?}", settings.mode);
        }
    }

    #[tokio::test]
    async fn a_valid_write_goes_on_with_its_canonical_body() {
        let judged = judged(&settings(), "POST", "/events").await;
        let bodies = judged.below.each(|call| call.call.request().body.clone());
        let body = bodies[0].as_deref().expect("a body");
        assert!(
            body.starts_with(br#"{"title":"A""#),
            "{}",
            String::from_utf8_lossy(body)
        );
        assert!(judged.findings.as_array().is_some_and(Vec::is_empty));
    }
}
