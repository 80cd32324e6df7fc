//! The rest of the site (`other = "forward"`): streamed through, unless a form hides a calendar call.

use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts as Head;
use http_body_util::BodyExt;
use url::Url;

use super::body::{BodyFault, BodyReader};
use super::calls::request_head;
use super::forwarded::forwarded;
use super::min_rate_body::MinRateBody;
use super::{Parts, fault};
use crate::authority::PublicAddress;
use crate::backend::{Backends, SiteOrigin};
use crate::decision::{Decider, OpenedCall};
use crate::layers::{ClientBody, RequestContext};
use crate::problem::Refusal;
use crate::relay::{OriginFailure, RelayRules, rewrite_discovery};
use crate::response::{EdgeResponse, refused};
use crate::settings::{Limits, Settings, Timeouts};
use crate::telemetry::Traffic;

/// The way of requests that are not calendar calls.
#[derive(Debug)]
pub(super) struct Site {
    decider: Arc<Decider>,
    backends: Arc<Backends>,
    rules: Arc<RelayRules>,
    origin: SiteOrigin,
    public_url: Option<Url>,
    limits: Limits,
    timeouts: Timeouts,
    bodies: BodyReader,
}

/// The outcome of a form to the site.
pub(super) enum Passage {
    /// A response, the site's or the edge's.
    Answered(EdgeResponse),
    /// The form names a route of the calendar: it is a calendar call with this body.
    Calendar {
        /// The call that the form names.
        opened: Box<OpenedCall>,
        /// The whole body.
        body: Bytes,
    },
}

// === impl Site ===

impl Site {
    pub(super) fn new(settings: &Settings, parts: &Parts) -> Self {
        Self {
            decider: Arc::clone(&parts.decider),
            backends: Arc::clone(&parts.backends),
            rules: Arc::clone(&parts.rules),
            origin: SiteOrigin::new(settings),
            public_url: settings.public_url.clone(),
            limits: settings.limits.clone(),
            timeouts: settings.timeouts.clone(),
            bodies: parts.bodies.clone(),
        }
    }

    /// Forwards a request while its body comes.
    pub(super) async fn stream(
        &self,
        head: &Head,
        context: &RequestContext,
        body: ClientBody,
    ) -> EdgeResponse {
        let body = MinRateBody::new(body, &self.limits, &self.timeouts);
        self.forward(head, context, reqwest::Body::wrap(body)).await
    }

    /// Reads a form, and forwards it unless it is a calendar call.
    pub(super) async fn read_form(&self, head: &Head, context: &RequestContext, body: ClientBody) -> Passage {
        let body = match self.bodies.read(body).await {
            Ok(body) => body,
            Err(fault) => return Passage::Answered(fault.response()),
        };
        match self.decider.open_form(&request_head(head, context), &body) {
            Ok(Some(opened)) => Passage::Calendar {
                opened: Box::new(opened),
                body,
            },
            Ok(None) => Passage::Answered(self.forward(head, context, reqwest::Body::from(body)).await),
            Err(problem) => Passage::Answered(refused(&Refusal::plain(problem))),
        }
    }

    async fn forward(&self, head: &Head, context: &RequestContext, body: reqwest::Body) -> EdgeResponse {
        context.log.about(Traffic::Site);
        let public = PublicAddress::of(self.public_url.as_ref(), context.addressed());
        let outgoing = match self.origin.request(head, body, &forwarded(context, &public)) {
            Ok(outgoing) => outgoing,
            Err(fault) => return refused(&fault.refusal()),
        };
        match self.backends.for_site().pass(outgoing).await {
            // No tunnel was asked for (T-23), and a status beyond 599 is none (T-62).
            Ok(answer) if !(200..600).contains(&answer.status().as_u16()) => {
                fault::not_relayed(&OriginFailure::InvalidStatus(answer.status()))
            }
            Ok(answer) => {
                let mut answer = answer.map(|body| body.map_err(Into::into).boxed_unsync());
                rewrite_discovery(
                    answer.headers_mut(),
                    &self.rules.urls().map(),
                    &public.to_string(),
                );
                answer
            }
            Err(failure) => match BodyFault::behind(&failure) {
                Some(fault) => fault.response(),
                None => fault::exchange_failed(&failure),
            },
        }
    }
}
