//! The judgement of a call whose body is read: forwarded in canonical form, or refused.

use std::sync::Arc;

use bytes::Bytes;
use url::Url;

use super::calls::{CalendarCall, CallRequest, CallResponse};
use super::stage::Stage;
use crate::authority::PublicAddress;
use crate::call::{Judgement, Outcome};
use crate::decision::Decider;
use crate::layers::RequestContext;
use crate::response::refused;
use crate::settings::{Mode, Settings};
use crate::shared::Shared;
use crate::telemetry::{FindingLabels, Metrics, Traffic};

/// Answers calls that break a rule; logs and counts every finding.
#[derive(Debug)]
pub(super) struct Judging<S> {
    inner: S,
    decider: Arc<Decider>,
    public_url: Option<Url>,
    metrics: Metrics,
}

// === impl Judging ===

impl<S> Judging<S> {
    pub(super) fn new(inner: S, decider: &Arc<Decider>, settings: &Settings, shared: &Shared) -> Self {
        Self {
            inner,
            decider: Arc::clone(decider),
            public_url: settings.public_url.clone(),
            metrics: shared.metrics.clone(),
        }
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

impl<S> Stage<CallRequest<Bytes>> for Judging<S>
where
    S: Stage<CalendarCall, Response = CallResponse>,
{
    type Response = CallResponse;

    async fn call(&self, request: CallRequest<Bytes>) -> CallResponse {
        let head = request.decided_by();
        let judgement = match request.opened.next() {
            Ok(call) => self.decider.judge(&head, &request.opened, call, &request.body),
            Err(refusal) => return refused(refusal).into(),
        };
        self.report(&request.context, &judgement);
        match judgement.outcome {
            Outcome::Refuse(refusal) => refused(&refusal).into(),
            Outcome::Forward(call) => {
                let public = PublicAddress::of(self.public_url.as_ref(), request.context.addressed());
                self.inner.call(CalendarCall::new(call, &request, &public)).await
            }
        }
    }
}

const fn mode_label(mode: Mode) -> &'static str {
    match mode {
        Mode::Enforce => "enforce",
        Mode::Report => "report",
        Mode::Off => "off",
    }
}
