//! The rest of the site (`other = "forward"`): streamed through, forms scanned on the way for hidden calendar calls.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_LENGTH, UPGRADE};
use http::request::Parts as Head;
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use http_body::Body as _;
use http_body_util::BodyExt;
use url::Url;

use super::min_rate_body::MinRateBody;
use super::scanned_body::{FormStart, ScannedBody};
use super::upgrade;
use super::upload_body::UploadBody;
use crate::backend::{
    Backends, ExchangeFailure, OriginBody, SiteOrigin, SiteTraffic, Upgrade, strip_hop_by_hop,
};
use crate::gateway::body::{BodyFault, BodyReader};
use crate::gateway::calls::request_head;
use crate::gateway::forwarded::forwarded;
use crate::gateway::{Parts, fault};
use crate::layers::{ClientBody, RefusalReason, RequestContext};
use crate::server::Tunnel;
use crate::server::response::{EdgeResponse, refused};
use crate::telemetry::{Traffic, Warnings};
use calendar_edge_core::companion::mark::{BEGUN, CHANGES};
use calendar_edge_core::gateway::authority::PublicAddress;
use calendar_edge_core::gateway::decision::{Decider, OpenedCall, SiteFormScan};
use calendar_edge_core::gateway::refusals::DecidingBody;
use calendar_edge_core::problem::Refusal;
use calendar_edge_core::relay::{OriginFailure, RelayRules, publish_site_headers};
use calendar_edge_core::settings::{Limits, Settings, Timeouts};

/// The way of requests that are not calendar calls.
#[derive(Debug)]
pub(in crate::gateway) struct Site {
    decider: Arc<Decider>,
    backends: Arc<Backends>,
    rules: Arc<RelayRules>,
    origin: SiteOrigin,
    public_url: Option<Url>,
    limits: Limits,
    timeouts: Timeouts,
    /// The most upgraded connections; 0: upgrades are not forwarded.
    upgrades: usize,
    bodies: BodyReader,
    warnings: Warnings,
}

/// The outcome of a form to the site.
pub(in crate::gateway) enum Passage {
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
    pub(in crate::gateway) fn new(settings: &Settings, parts: &Parts) -> Self {
        Self {
            decider: Arc::clone(&parts.decider),
            backends: Arc::clone(&parts.backends),
            rules: Arc::clone(&parts.rules),
            origin: SiteOrigin::new(settings),
            public_url: settings.public_url.clone(),
            limits: settings.limits.clone(),
            timeouts: settings.timeouts.clone(),
            upgrades: settings.origin.upgrades,
            bodies: parts.bodies.clone(),
            warnings: parts.warnings.clone(),
        }
    }

    /// Forwards a request while its body comes.
    pub(in crate::gateway) async fn stream(
        &self,
        head: &Head,
        context: &RequestContext,
        body: ClientBody,
    ) -> EdgeResponse {
        let asked = upgrade::asked_for(head).filter(|_| self.upgrades > 0 && body.is_end_stream());
        if let Some(protocol) = asked {
            return self.upgrade(head, context, protocol).await;
        }
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
    pub(in crate::gateway) async fn pass_form(
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
            Err(problem) => {
                let refusal = Refusal::plain(problem);
                context.refused(head, DecidingBody::Read(&form), RefusalReason::rules(&refusal));
                Passage::Answered(refused(&refusal))
            }
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
        let mut timer = context.log.exchange();
        timer.asks(outgoing.method(), outgoing.url());
        let answer = self
            .backends
            .for_site()
            .pass(outgoing, traffic, &context.log)
            .await;
        timer.ended(
            answer
                .as_ref()
                .map(Response::status)
                .map_err(ExchangeFailure::kind),
        );
        drop(timer);
        match answer {
            Ok(answer) => self.answered(answer, &public),
            Err(failure) => match BodyFault::behind(&failure) {
                Some(fault) => fault.response(),
                None => fault::exchange_failed(&failure, &self.warnings),
            },
        }
    }

    /// Forwards a request for another protocol. If the site switches, the client's connection is joined to its own.
    async fn upgrade(&self, head: &Head, context: &RequestContext, protocol: &HeaderValue) -> EdgeResponse {
        context.log.about(Traffic::Site);
        let public = PublicAddress::of(self.public_url.as_ref(), context.addressed());
        let nothing = reqwest::Body::from("");
        let outgoing = match self.origin.request(head, nothing, &forwarded(context, &public)) {
            Ok(outgoing) => outgoing,
            Err(fault) => return refused(&fault.refusal()),
        };
        let mut timer = context.log.exchange();
        timer.asks(outgoing.method(), outgoing.url());
        let answer = self
            .backends
            .for_site()
            .upgrade(outgoing, protocol, &context.log)
            .await;
        timer.ended(
            answer
                .as_ref()
                .map(Upgrade::status)
                .map_err(ExchangeFailure::kind),
        );
        drop(timer);
        match answer {
            Ok(Upgrade::Answered(answer)) => self.answered(answer, &public),
            Ok(Upgrade::Switched { headers, .. }) if !upgrade::is_granted(&headers, protocol) => {
                fault::not_relayed(
                    &OriginFailure::InvalidStatus(StatusCode::SWITCHING_PROTOCOLS),
                    &self.warnings,
                )
            }
            Ok(Upgrade::Switched {
                headers,
                stream,
                permit,
            }) => {
                let tunnel = Tunnel::new(stream, permit, self.timeouts.upgraded_idle);
                switching(headers, protocol, tunnel)
            }
            Err(failure) => fault::exchange_failed(&failure, &self.warnings),
        }
    }

    /// The site's response for a client at a public address.
    fn answered(&self, answer: Response<OriginBody>, public: &PublicAddress) -> EdgeResponse {
        // No tunnel was asked for (T-23), and a status beyond 599 is none (T-62).
        if !(200..600).contains(&answer.status().as_u16()) {
            return fault::not_relayed(&OriginFailure::InvalidStatus(answer.status()), &self.warnings);
        }
        let mut answer = answer.map(|body| body.map_err(Into::into).boxed_unsync());
        // Between the companion plugin and the edge.
        for name in [CHANGES, BEGUN] {
            answer.headers_mut().remove(name);
        }
        publish_site_headers(answer.headers_mut(), self.rules.urls(), &public.to_string());
        answer
    }
}

/// The 101 for the client, whose connection takes the tunnel.
fn switching(mut headers: HeaderMap, protocol: &HeaderValue, tunnel: Tunnel) -> EdgeResponse {
    strip_hop_by_hop(&mut headers);
    // A switch has no body, so nothing may speak of one.
    headers.remove(CONTENT_LENGTH);
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(UPGRADE, protocol.clone());
    let mut answer = EdgeResponse::default();
    *answer.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    *answer.headers_mut() = headers;
    answer.extensions_mut().insert(tunnel);
    answer
}
