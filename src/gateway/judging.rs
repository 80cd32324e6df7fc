//! The judgement of a call whose body is read: forwarded in canonical form, or refused.

use std::borrow::Cow;
use std::sync::Arc;

use super::calls::{CalendarCall, CallRequest, CallResponse, ReceivedBody};
use super::computing::Computing;
use super::forwarded::PublicNames;
use super::stage::Stage;
use crate::authority::PublicAddress;
use crate::bodies::BodyBudget;
use crate::call::{ForwardableCall, Judgement, Outcome};
use crate::decision::Decider;
use crate::layers::RequestContext;
use crate::problem::Refusal;
use crate::response::refused;
use crate::settings::{Mode, Settings};
use crate::shared::Shared;
use crate::telemetry::{FindingLabels, Metrics, Traffic};

/// Minimum bytes of a body that is judged off the threads that serve connections.
///
/// A body of this size takes up to a few milliseconds to judge; the way to another thread and back takes some 20
/// microseconds, which would show with the usual small ones.
const LARGE: usize = 64 * 1024;

/// A call that is ready to be judged.
type JudgedRequest = CallRequest<ReceivedBody>;

/// Answers calls that break a rule; logs and counts every finding.
#[derive(Debug)]
pub(super) struct Judging<S> {
    inner: S,
    decider: Arc<Decider>,
    /// The configured address; without one, each request names its own.
    public: Option<PublicNames>,
    metrics: Metrics,
    budget: BodyBudget,
    computing: Computing,
}

// === impl Judging ===

impl<S> Judging<S> {
    pub(super) fn new(inner: S, decider: &Arc<Decider>, settings: &Settings, shared: &Shared) -> Self {
        let configured = settings.public_url.as_ref().and_then(PublicAddress::from_url);
        Self {
            inner,
            decider: Arc::clone(decider),
            public: configured.as_ref().map(PublicNames::of),
            metrics: shared.metrics.clone(),
            budget: shared.bodies.clone(),
            computing: Computing::new(),
        }
    }

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
        self.computing.run(judging).await
    }

    /// The call for the stages below. Its own body is counted instead of the one that the client sent.
    fn admit(&self, call: Box<ForwardableCall>, request: &JudgedRequest) -> CalendarCall {
        let addressed = || PublicAddress::of(None, request.asked.context.addressed());
        let public = match &self.public {
            Some(configured) => Cow::Borrowed(configured),
            None => Cow::Owned(PublicNames::of(&addressed())),
        };
        let body = call.request().body.as_ref();
        let memory = body.map(|body| self.budget.count(body.len()));
        CalendarCall::new(call, request, &public, memory)
    }

    /// Records what was found in the request's log line, in metrics and in the log.
    fn report(&self, context: &RequestContext, judgement: &Judgement) {
        if let Some(operation) = judgement.operation {
            context.log.about(Traffic::Operation(operation));
        }
        let operation = judgement
            .operation
            .map_or("none", |operation| operation.name.as_str());
        let mode = mode_label(judgement.mode);
        let action = match judgement.outcome {
            Outcome::Forward(_) => "forwarded",
            Outcome::Refuse(_) => "refused",
        };
        for finding in &judgement.findings {
            self.metrics.found(&FindingLabels {
                operation,
                rule: finding.rule,
                mode,
                action,
            });
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

impl<S> Stage<JudgedRequest> for Judging<S>
where
    S: Stage<CalendarCall, Response = CallResponse>,
{
    type Response = CallResponse;

    async fn call(&self, request: JudgedRequest) -> CallResponse {
        let (request, judged) = self.judge(request).await;
        let judgement = match judged {
            Ok(judgement) => judgement,
            Err(refusal) => return refused(&refusal).into(),
        };
        self.report(&request.asked.context, &judgement);
        match judgement.outcome {
            Outcome::Refuse(refusal) => refused(&refusal).into(),
            Outcome::Forward(call) => {
                let call = self.admit(call, &request);
                drop(request);
                self.inner.call(call).await
            }
        }
    }
}

fn judge(decider: &Decider, request: &JudgedRequest) -> Result<Judgement, Refusal> {
    let call = request.opened.next().map_err(Refusal::clone)?;
    let head = request.decided_by();
    Ok(match &request.body {
        ReceivedBody::Whole(body) => decider.judge(&head, &request.opened, call, body),
        ReceivedBody::Left => decider.judge_unread(&head, call),
    })
}

const fn mode_label(mode: Mode) -> &'static str {
    match mode {
        Mode::Enforce => "enforce",
        Mode::Report => "report",
        Mode::Off => "off",
    }
}
