//! The judgement of a call whose body is read: forwarded in canonical form, or refused.

use std::borrow::Cow;
use std::sync::Arc;

use crate::calls::{CalendarCall, CallResponse, JudgedCall, PublicNames, Stage};
use crate::gateway::call_request::{CallRequest, OpenedBy, ReceivedBody};
use crate::gateway::known_reads::KnownReads;
use crate::layers::refused;
use crate::layers::{RefusalReason, RequestContext};
use crate::server::bodies::BodyBudget;
use crate::server::threads::Computing;
use crate::telemetry::{DecidedBy, FindingSums, Metrics};
use calendar_edge_core::cache::forms::Representation;
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

/// A call that is ready to be judged.
type JudgedRequest = CallRequest<ReceivedBody>;

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
        if request.body.len() < LARGE {
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
        let addressed = || PublicAddress::of(None, request.asked.context.addressed());
        let public = match &self.public {
            Some(configured) => Cow::Borrowed(configured),
            None => Cow::Owned(PublicNames::of(&addressed())),
        };
        let body = call.request().body.as_ref();
        let memory = body.map(|body| self.budget.count(body.len()));
        let (is_file, headers) = (
            request.opened.asks_for_calendar_file(),
            &request.asked.head.headers,
        );
        CalendarCall {
            form: Representation::chosen(self.offers_calendar, &call, is_file, headers),
            ..CalendarCall::new(call, &request.asked, &request.opened, &public, memory)
        }
    }

    /// Remembers a call that was judged without findings for requests with the same target.
    fn note(&self, request: &JudgedRequest, call: &Arc<JudgedCall>) {
        if let OpenedBy::Head(opened) = &request.opened
            && let Some(target) = self.decider.sole_target(&request.asked.decided_by())
        {
            self.known.note(target, opened, call);
        }
    }

    /// Records the findings in the request's log line, in metrics and in the log.
    fn report(&self, context: &RequestContext, judgement: &Judgement) {
        let operation = operation_name(judgement.operation);
        if let Outcome::Forward(call) = &judgement.outcome {
            context.log.judged(verdict(call));
        } else {
            context.log.judged("reject");
        }
        let mode = judgement.mode.name();
        let action = match judgement.outcome {
            Outcome::Forward(_) => "forwarded",
            Outcome::Refuse(_) => "refused",
        };
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
            request.asked.context.log.judged(verdict(&known.call));
            let call = self.admit(Arc::clone(&known.call), &request);
            drop(request);
            return self.inner.call(call).await;
        }
        let (request, judged) = self.judge(request).await;
        let judgement = match judged {
            Ok(judgement) => judgement,
            Err(refusal) => {
                let reason = RefusalReason::rules(&refusal);
                request.asked.refused(DecidingBody::None, reason);
                return refused(&refusal).into();
            }
        };
        self.report(&request.asked.context, &judgement);
        let Judgement {
            outcome,
            findings,
            operation,
            insists,
            ..
        } = judgement;
        match outcome {
            Outcome::Refuse(refusal) => {
                let reason = RefusalReason {
                    findings,
                    decided_by: DecidedBy::Rules,
                    insists: insists.unwrap_or_default(),
                };
                request.asked.refused(request.deciding(), reason);
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
        let reason = RefusalReason {
            findings: findings.clone(),
            decided_by: DecidedBy::Site,
            insists: "",
        };
        request.asked.refused(request.deciding(), reason);
        let log = request.asked.context.log.clone();
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
        None if call.deferred().is_empty() => "admit",
        None => "defer",
    }
}

fn judge(decider: &Decider, request: &JudgedRequest) -> Result<Judgement, Refusal> {
    let call = request.opened.next().map_err(Refusal::clone)?;
    let head = request.asked.decided_by();
    Ok(match &request.body {
        ReceivedBody::Whole(body) => decider.judge(&head, &request.opened, call, body),
        ReceivedBody::Left => decider.judge_unread(&head, call),
    })
}
