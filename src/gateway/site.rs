//! The rest of the site (`other = "forward"`): streamed through, forms scanned on the way for hidden calendar calls.

use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts as Head;
use http_body::Body as _;
use http_body_util::BodyExt;
use url::Url;

use super::body::{BodyFault, BodyReader};
use super::calls::request_head;
use super::forwarded::forwarded;
use super::min_rate_body::MinRateBody;
use super::scanned_body::{FormStart, ScannedBody};
use super::upload_body::UploadBody;
use super::{Parts, fault};
use crate::authority::PublicAddress;
use crate::backend::{Backends, SiteOrigin, SiteTraffic};
use crate::decision::{Decider, OpenedCall, SiteFormScan};
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
        if body.is_end_stream() {
            let nothing = reqwest::Body::wrap(body);
            return self.forward(head, context, nothing, SiteTraffic::Page).await;
        }
        let body = UploadBody::new(body, self.backends.for_site().begin_upload());
        let body = reqwest::Body::wrap(body);
        self.forward(head, context, body, SiteTraffic::Upload).await
    }

    /// Forwards a form while it comes, unless it may lead to the calendar; a small one is read whole, and judged if
    /// it is a calendar call.
    pub(super) async fn pass_form(
        &self,
        head: &Head,
        context: &RequestContext,
        body: ClientBody,
        scan: SiteFormScan,
    ) -> Passage {
        let size = body.size_hint();
        let body = MinRateBody::new(body, &self.limits, &self.timeouts);
        match FormStart::read(body, &self.bodies).await {
            Ok(FormStart::Whole(form)) => self.pass_whole(head, context, form, scan).await,
            Ok(FormStart::Begun(begun, rest)) => {
                let rest = UploadBody::new(rest, self.backends.for_site().begin_upload());
                let form = reqwest::Body::wrap(ScannedBody::new(scan, begun, rest, size));
                Passage::Answered(self.forward(head, context, form, SiteTraffic::Upload).await)
            }
            Err(fault) => Passage::Answered(fault.response()),
        }
    }

    async fn pass_whole(
        &self,
        head: &Head,
        context: &RequestContext,
        form: Bytes,
        scan: SiteFormScan,
    ) -> Passage {
        match self
            .decider
            .open_form(&request_head(head, context), scan, form.clone())
        {
            Ok(Some(opened)) => Passage::Calendar {
                opened: Box::new(opened),
                body: form,
            },
            Ok(None) => {
                let form = reqwest::Body::from(form);
                Passage::Answered(self.forward(head, context, form, SiteTraffic::Page).await)
            }
            Err(problem) => Passage::Answered(refused(&Refusal::plain(problem))),
        }
    }

    async fn forward(
        &self,
        head: &Head,
        context: &RequestContext,
        body: reqwest::Body,
        traffic: SiteTraffic,
    ) -> EdgeResponse {
        context.log.about(Traffic::Site);
        let public = PublicAddress::of(self.public_url.as_ref(), context.addressed());
        let outgoing = match self.origin.request(head, body, &forwarded(context, &public)) {
            Ok(outgoing) => outgoing,
            Err(fault) => return refused(&fault.refusal()),
        };
        match self.backends.for_site().pass(outgoing, traffic).await {
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
