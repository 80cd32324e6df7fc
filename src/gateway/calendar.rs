//! Calls of the calendar API: read, judged, forwarded, relayed.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::{Method, StatusCode};
use http_body_util::BodyExt;
use url::Url;

use super::authority::{StrictAuthority, strange_authority, without_cookies};
use super::body::{self, BodyFault, Unwanted};
use super::entrance::LoginRefused;
use super::fault;
use super::means::Means;
use super::public_address::PublicAddress;
use crate::answer::{Answer, refused};
use crate::call::{Judgement, Outcome, RawCall, ValidatedCall};
use crate::layers::ClientBody;
use crate::problem::Refusal;
use crate::relay::{Audience, Content, RelayContext, Script, relay, sole_origin};
use crate::settings::{Limits, Mode, Profile, Settings, Timeouts};
use crate::target::Spot;
use crate::telemetry::{FindingLabels, Journal, Subject};
use crate::upstream::{Health, Outgoing, Upstream};

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
    pub(super) async fn call(&self, head: &Parts, body: ClientBody, spot: &Spot, profile: Profile) -> Answer {
        if profile == Profile::Strict && !self.strict.names_us(head) {
            return refused(&strange_authority());
        }
        match self.read(&head.method, body, profile).await {
            Ok(body) => self.judged(head, &body, spot, profile).await,
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
    pub(super) async fn judged(&self, head: &Parts, body: &[u8], spot: &Spot, profile: Profile) -> Answer {
        let head = &*match profile {
            Profile::Strict => without_cookies(head),
            Profile::Compatible => Cow::Borrowed(head),
        };
        let judgement = self.means.judge.judge(&RawCall {
            method: &head.method,
            spot,
            headers: &head.headers,
            body,
        });
        self.report(head, &judgement);
        match judgement.outcome {
            Outcome::Forward(call) if call.is_write() && !self.means.entrance.may_write(head) => {
                refused(&Refusal::edge(
                    StatusCode::FORBIDDEN,
                    "edge_writer_denied",
                    "This account may not write here.",
                ))
            }
            Outcome::Forward(call) => self.forward(head, &call).await,
            Outcome::Refuse(refusal) => refused(&refusal),
        }
    }

    /// Tells journal, metrics and log what was found.
    fn report(&self, head: &Parts, judgement: &Judgement) {
        if let (Some(operation), Some(journal)) = (judgement.operation, head.extensions.get::<Journal>()) {
            journal.about(Subject::Operation(operation));
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

    async fn forward(&self, head: &Parts, call: &ValidatedCall) -> Answer {
        let public = PublicAddress::of(self.public_url.as_ref(), head);
        let outgoing = match self
            .means
            .upstream
            .prepare(call, &head.headers, &public.forwarded(head))
        {
            Ok(outgoing) => outgoing,
            Err(fault) => return fault::not_prepared(fault),
        };
        let context = self.context(head, call, &public);
        let exchange = exchange(
            Arc::clone(&self.means.upstream),
            outgoing,
            context,
            operation(call),
        );
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

    fn context(&self, head: &Parts, call: &ValidatedCall, public: &PublicAddress) -> RelayContext {
        RelayContext {
            rules: Arc::clone(&self.means.rules),
            root: call.request().root,
            public_base: public.base().into(),
            method: head.method.clone(),
            origin: sole_origin(&head.headers).cloned(),
            audience: if call.expects_privacy() {
                Audience::OneClient
            } else {
                Audience::Everybody
            },
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
}

fn operation(call: &ValidatedCall) -> &'static str {
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
    upstream: Arc<Upstream>,
    outgoing: Outgoing,
    context: RelayContext,
    operation: &'static str,
) -> Answer {
    let (answer, watched) = match upstream.exchange(outgoing, operation).await {
        Ok(exchanged) => exchanged,
        Err(failure) => return fault::exchange_failed(&failure),
    };
    let shows_credentials = context.audience == Audience::OneClient;
    let enveloped = context.enveloped;
    match relay(answer, context).await {
        Ok(mut answer) => {
            watched.saw(Health::Alive);
            let status = match answer.status() {
                StatusCode::OK if enveloped && shows_credentials => answer.body().enveloped_status(),
                status => Some(status),
            };
            if shows_credentials && status == Some(StatusCode::UNAUTHORIZED) {
                answer.extensions_mut().insert(LoginRefused);
            }
            answer.map(|body| body.map_err(Into::into).boxed_unsync())
        }
        Err(failure) => {
            if let Some(health) = fault::health(&failure) {
                watched.saw(health);
            }
            fault::not_relayed(&failure)
        }
    }
}
