//! Calls of the calendar API: read, judged, forwarded, relayed.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::{Method, StatusCode};
use http_body::Body;
use http_body_util::BodyExt;
use url::Url;

use super::body::{self, BodyFault, Unwanted};
use super::entrance::{Admitted, LoginRefused};
use super::fault;
use super::forwarded::forwarded;
use super::means::Means;
use crate::authority::{PublicAddress, StrictAuthority, misdirected};
use crate::backend::{Backend, BackendKind, ForwardedHeaders, Health, Outgoing};
use crate::call::{ForwardableCall, Judgement, Outcome, RawCall};
use crate::cors::Audience;
use crate::layers::{ClientBody, RequestContext};
use crate::payload::ContentHeaders;
use crate::problem::{EdgeError, Refusal};
use crate::relay::{
    AcceptedResponse, BoxError, CallContext, ClientContext, Content, RelayRules, Script, accept, present,
};
use crate::response::{AnsweredBy, EdgeResponse, refused};
use crate::routing::CallTarget;
use crate::settings::{Limits, Mode, Profile, Settings, Timeouts};
use crate::telemetry::{FindingLabels, Traffic};

/// What queueing and judging may add to the phases that have deadlines of their own.
const SLACK: Duration = Duration::from_secs(3);

/// The way of calendar calls.
#[derive(Debug)]
pub(super) struct Calendar {
    means: Arc<Means>,
    public_url: Option<Url>,
    strict: StrictAuthority,
    limits: Limits,
    timeouts: Timeouts,
}

/// What relaying the answer to a call depends on.
struct Relaying {
    rules: Arc<RelayRules>,
    call: CallContext,
    client: ClientContext,
}

// === impl Calendar ===

impl Calendar {
    pub(super) fn new(settings: &Settings, means: Arc<Means>) -> Self {
        Self {
            means,
            public_url: settings.public_url.clone(),
            strict: StrictAuthority::new(settings),
            limits: settings.limits.clone(),
            timeouts: settings.timeouts.clone(),
        }
    }

    /// Answers a call whose body is still on its way.
    pub(super) async fn call(
        &self,
        request: &Admitted<'_>,
        body: ClientBody,
        target: &CallTarget,
    ) -> EdgeResponse {
        let &Admitted {
            head,
            context,
            profile,
            ..
        } = request;
        if profile == Profile::Strict && !self.strict.names_us(head, context.addressed()) {
            return refused(&misdirected());
        }
        match self.read(&head.method, body, profile).await {
            Ok(body) => self.judged(request, &body, target).await,
            Err(fault) => refused(&fault.refusal()),
        }
    }

    /// The body of a method that may have one; that of another is read away if it is small.
    async fn read(&self, method: &Method, body: ClientBody, profile: Profile) -> Result<Bytes, BodyFault> {
        if !method.is_safe() {
            return body::read(body, &self.limits, &self.timeouts).await;
        }
        match body::discard(body).await? {
            Unwanted::Sent if profile == Profile::Strict => Err(BodyFault::Unexpected),
            Unwanted::Sent | Unwanted::Absent => Ok(Bytes::new()),
        }
    }

    /// Answers a call that has been read.
    pub(super) async fn judged(
        &self,
        request: &Admitted<'_>,
        body: &[u8],
        target: &CallTarget,
    ) -> EdgeResponse {
        let judgement = self.means.judge.judge(&RawCall {
            method: &request.head.method,
            target,
            credentials: &request.credentials,
            content: ContentHeaders::of(&request.head.headers),
            body,
        });
        self.report(request.context, &judgement);
        match judgement.outcome {
            Outcome::Forward(call) if call.is_write() && !self.means.entrance.may_write(request) => {
                refused(&Refusal::edge(EdgeError::WriterDenied))
            }
            Outcome::Forward(call) => self.forward(request, &call).await,
            Outcome::Refuse(refusal) => refused(&refusal),
        }
    }

    /// Tells request_log, metrics and log what was found.
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
            self.means.metrics.found(&FindingLabels {
                operation,
                rule: finding.rule,
                mode,
                action,
            });
            tracing::info!(
                operation,
                code = finding.code,
                parameter = finding.parameter,
                rule = finding.rule,
                mode,
                action,
                "a request breaks a rule"
            );
        }
    }

    async fn forward(&self, request: &Admitted<'_>, call: &ForwardableCall) -> EdgeResponse {
        let &Admitted { head, context, .. } = request;
        let public = PublicAddress::of(self.public_url.as_ref(), context.addressed());
        let forwarded = ForwardedHeaders::new(&head.headers, forwarded(context, &public));
        let backend = self.means.backends.for_call(call);
        let outgoing = match backend.write(call, &forwarded) {
            Ok(outgoing) => outgoing,
            Err(fault) => return fault::not_prepared(fault),
        };
        let relaying = Relaying {
            rules: Arc::clone(&self.means.rules),
            call: call_context(head, call),
            client: client_context(call, &public),
        };
        let exchange = exchange(Arc::clone(backend), outgoing, relaying, operation(call));
        let answer = async {
            if !call.is_write() {
                return exchange.await;
            }
            // A client that leaves must not leave a write half done: it runs on by itself.
            match self.means.drain.spawn(exchange).await {
                Ok(answer) => answer,
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            }
        };
        // Every phase of the exchange has its deadline; this one holds even if one of those is wrong.
        let limit = self.timeouts.origin_read.max(self.timeouts.origin_write) + SLACK;
        tokio::time::timeout(limit, answer)
            .await
            .unwrap_or_else(|_| fault::overdue())
    }
}

fn call_context(head: &Parts, call: &ForwardableCall) -> CallContext {
    CallContext {
        root: call.request().root,
        method: head.method.clone(),
        content: match call.operation() {
            Some(operation) => Content::of(operation.id, &head.method),
            None => Content::Description,
        },
        script: if call.expects_javascript() {
            Script::Admitted
        } else {
            Script::Refused
        },
        enveloped: call.expects_envelope(),
    }
}

fn client_context(call: &ForwardableCall, public: &PublicAddress) -> ClientContext {
    ClientContext {
        public_base: public.to_string().into(),
        audience: if call.expects_privacy() {
            Audience::OneClient
        } else {
            Audience::Everybody
        },
    }
}

fn operation(call: &ForwardableCall) -> &'static str {
    call.operation()
        .map_or("none", |operation| operation.name.as_str())
}

const fn mode_label(mode: Mode) -> &'static str {
    match mode {
        Mode::Enforce => "enforce",
        Mode::Report => "report",
        Mode::Off => "off",
    }
}

/// Sends a request and relays its answer; owns everything, so that it can run on without its client.
async fn exchange(
    backend: Arc<Backend>,
    outgoing: Outgoing,
    relaying: Relaying,
    operation: &'static str,
) -> EdgeResponse {
    let (response, guard) = match backend.exchange(outgoing, operation).await {
        Ok(exchanged) => exchanged,
        Err(failure) => return fault::exchange_failed(&failure),
    };
    let checked = match backend.kind() {
        BackendKind::WordPress => accept(response, &relaying.call, &relaying.rules).await,
    };
    match checked {
        Ok(accepted) => {
            guard.report(Health::Alive);
            relaying.present(accepted)
        }
        Err(failure) => {
            if let Some(health) = fault::health(&failure) {
                guard.report(health);
            }
            fault::not_relayed(&failure)
        }
    }
}

// === impl Relaying ===

impl Relaying {
    fn present<B>(&self, accepted: AcceptedResponse<B>) -> EdgeResponse
    where
        B: Body<Data = Bytes> + Send + Unpin + 'static,
        B::Error: Into<BoxError>,
    {
        let audience = self.client.audience;
        let refuses_login =
            audience == Audience::OneClient && accepted.effective_status() == Some(StatusCode::UNAUTHORIZED);
        let mut answer = present(accepted, &self.client, &self.rules);
        let extensions = answer.extensions_mut();
        extensions.insert(AnsweredBy::Backend);
        extensions.insert(audience);
        if refuses_login {
            extensions.insert(LoginRefused);
        }
        answer.map(|body| body.map_err(Into::into).boxed_unsync())
    }
}
