//! The rest of the site (`other = "forward"`): streamed through, forms scanned on the way for hidden calendar calls.

use std::sync::Arc;

use bytes::Bytes;
use http::Response;
use http_body::{Body as _, SizeHint};
use http_body_util::BodyExt;
use url::Url;

use super::logins::SiteEnd;
use super::min_rate_body::MinRateBody;
use super::scanned_body::{ScannedBody, begin, read_start};
use crate::gateway::rate_limiter::RateLimiter;
use crate::surface::SurfaceGuard;

use super::upload_body::UploadBody;
use crate::backend::{Backends, OriginBody, OriginRoute, SiteTraffic, site_request};
use crate::calls::{PublicNames, fault};
use crate::gateway::body::{BodyReader, behind, not_taken};
use crate::layers::{BodilessRequest, ClientBody, EdgeResponse, refused};
use crate::pages::{PageGuard, PageResponse};
use crate::telemetry::{ExchangeTimer, RefusalNote, Traffic, Warnings};
use calendar_edge_core::companion::mark::{BEGUN, CHANGES};
use calendar_edge_core::errors;
use calendar_edge_core::gateway::authority::PublicAddress;
use calendar_edge_core::gateway::decision::{Decider, OpenedCall, SecondCall, SiteFormScan, offered_upgrade};
use calendar_edge_core::gateway::refusals::DecidingBody;
use calendar_edge_core::limits::rates::{Login, RateLimitStatus};
use calendar_edge_core::pages::FormReading;
use calendar_edge_core::relay::{OriginFailure, RelayRules, publish_site_headers};
use calendar_edge_core::settings::{Limits, Timeouts};
use calendar_edge_core::surface::{SeenBody, SurfaceRequest};
use calendar_edge_judge::problem::Refusal;

/// The way of requests that are not calendar calls.
#[derive(Debug)]
pub(in crate::gateway) struct Site {
    pub(in crate::gateway) decider: Arc<Decider>,
    pub(in crate::gateway) backends: Arc<Backends>,
    pub(in crate::gateway) rules: Arc<RelayRules>,
    pub(in crate::gateway) origin: OriginRoute,
    pub(in crate::gateway) public_url: Option<Url>,
    pub(in crate::gateway) limits: Limits,
    pub(in crate::gateway) timeouts: Timeouts,
    pub(in crate::gateway) bodies: BodyReader,
    pub(in crate::gateway) logins: RateLimiter,
    pub(in crate::gateway) surface: SurfaceGuard,
    pub(in crate::gateway) pages: PageGuard,
    pub(in crate::gateway) warnings: Warnings,
}

/// The outcome of a request to the site.
pub(in crate::gateway) enum Passage {
    /// A response, the site's or the edge's.
    Response(EdgeResponse),
    /// The form names a route of the calendar: it is a calendar call with this body.
    Calendar {
        /// The call that the form names.
        opened: Box<OpenedCall>,
        /// The whole body.
        body: Bytes,
    },
}

// === impl Passage ===

impl Passage {
    /// The same, where a response shows the remaining budgets.
    fn with_budgets(mut self, charged: &RateLimitStatus) -> Self {
        if let Self::Response(answer) = &mut self {
            charged.write(answer.response.headers_mut());
        }
        self
    }
}

// === impl Site ===

impl Site {
    /// Forwards a request while its body comes. A form passes unless it may lead to the calendar; a small one is read
    /// whole, and judged if it is a calendar call.
    pub(in crate::gateway) async fn pass(
        &self,
        received: &BodilessRequest,
        body: ClientBody,
        scan: Option<SiteFormScan>,
    ) -> Passage {
        let request = self.surface.request(received);
        let request = request.as_ref();
        let call = request.and_then(|request| self.decider.second_call(&received.head, request));
        let charged = match self.charge_second(received, call, DecidingBody::None) {
            Ok(charged) => charged,
            Err(refused) => return Passage::Response(*refused),
        };
        let passage = match (self.surface.by_head(received, request), scan) {
            (Some(refused), _) => Passage::Response(refused),
            (None, None) => self.stream(received, request, body).await,
            // Behind a pointer: few requests have a form.
            (None, Some(scan)) => Box::pin(self.pass_form(received, request, (body, scan))).await,
        };
        passage.with_budgets(&charged)
    }

    /// Charges a call to the second API like one to the calendar. The response is to one that exceeds a budget, or
    /// whose credentials cannot be read.
    fn charge_second(
        &self,
        received: &BodilessRequest,
        call: Option<SecondCall>,
        body: DecidingBody<'_>,
    ) -> Result<RateLimitStatus, Box<EdgeResponse>> {
        let Some(call) = call else {
            return Ok(RateLimitStatus::default());
        };
        let charged = self.logins.charge_only(received, &call.identity, call.cost);
        let charged = charged.map_err(|exceeded| Box::new(self.logins.refuse(received, &exceeded)))?;
        match call.refusal {
            None => Ok(charged),
            Some(refusal) => {
                received.refused(body, RefusalNote::rules(&refusal));
                Err(Box::new(refused(&refusal)))
            }
        }
    }

    async fn stream(
        &self,
        received: &BodilessRequest,
        request: Option<&SurfaceRequest<'_>>,
        body: ClientBody,
    ) -> Passage {
        if offered_upgrade(&received.head).is_some() && body.is_end_stream() {
            return Passage::Response(refused(&errors::NO_UPGRADE.refusal()));
        }
        if self.surface.reads_calls(request) {
            return Passage::Response(self.pass_call(received, request, body).await);
        }
        let has_body = !body.is_end_stream();
        match self.pages.respond(received, has_body).await {
            // A body goes on as it comes.
            Some(PageResponse::OfRobots) if has_body => {}
            Some(answer) => return self.take_page(received, answer).await,
            None => {}
        }
        let answer = self.stream_whole(received, body);
        Passage::Response(self.logins.guard_login(received, None, answer).await)
    }

    async fn take_page(&self, received: &BodilessRequest, answer: PageResponse) -> Passage {
        let nothing = reqwest::Body::from("");
        match answer {
            PageResponse::Own(response) => {
                received.context.log.about(Traffic::Site);
                Passage::Response(response)
            }
            PageResponse::OfRobots => {
                let end = self.forward(received, nothing, SiteTraffic::OfRobots).await;
                Passage::Response(end.0)
            }
        }
    }

    /// Forwards a call to `xmlrpc.php` once its beginning is read.
    async fn pass_call(
        &self,
        received: &BodilessRequest,
        request: Option<&SurfaceRequest<'_>>,
        body: ClientBody,
    ) -> EdgeResponse {
        let size = body.size_hint();
        let body = MinRateBody::new(body, &self.limits, &self.timeouts);
        match begin(body, &self.bodies).await {
            Ok((call, None)) => {
                let seen = SeenBody::Whole(call.clone());
                if let Some(refused) = self.surface.by_body(received, request, &seen) {
                    return refused;
                }
                let whole = reqwest::Body::from(call);
                let answer = self.forward(received, whole, SiteTraffic::Page);
                self.logins.guard_login(received, None, answer).await
            }
            Ok((begun, Some(rest))) => {
                self.pass_begun(received, request, None, (begun, rest, size))
                    .await
            }
            Err(fault) => not_taken(&fault),
        }
    }

    /// Forwards a body of which the beginning was read, while the rest comes; a form is scanned.
    async fn pass_begun(
        &self,
        received: &BodilessRequest,
        request: Option<&SurfaceRequest<'_>>,
        form: Option<SiteFormScan>,
        (begun, rest, size): (Bytes, MinRateBody, SizeHint),
    ) -> EdgeResponse {
        let seen = SeenBody::Begun(begun.clone());
        if let Some(refused) = self.surface.by_body(received, request, &seen) {
            return refused;
        }
        if form.is_some()
            && let Some(refused) = self.pages.refuse_form(received, FormReading::Unread)
        {
            return refused;
        }
        let guard = self.surface.on_the_way(received, request, &begun);
        let hook = self.backends.site.begin_upload();
        let rest = UploadBody { body: rest, hook };
        let body = reqwest::Body::wrap(ScannedBody::new(form, guard, begun, rest, size));
        let answer = self.forward(received, body, SiteTraffic::Upload);
        self.logins.guard_login(received, None, answer).await
    }

    async fn stream_whole(&self, received: &BodilessRequest, body: ClientBody) -> SiteEnd {
        let body = MinRateBody::new(body, &self.limits, &self.timeouts);
        if body.is_end_stream() {
            let nothing = reqwest::Body::wrap(body);
            return self.forward(received, nothing, SiteTraffic::Page).await;
        }
        let hook = self.backends.site.begin_upload();
        let body = UploadBody { body, hook };
        let body = reqwest::Body::wrap(body);
        self.forward(received, body, SiteTraffic::Upload).await
    }

    async fn pass_form(
        &self,
        received: &BodilessRequest,
        request: Option<&SurfaceRequest<'_>>,
        (body, scan): (ClientBody, SiteFormScan),
    ) -> Passage {
        let size = body.size_hint();
        let body = MinRateBody::new(body, &self.limits, &self.timeouts);
        match read_start(body, &self.bodies).await {
            Ok((form, None)) => self.pass_whole(received, request, form, scan).await,
            Ok((begun, Some(rest))) => {
                let begun = (begun, rest, size);
                Passage::Response(self.pass_begun(received, request, Some(scan), begun).await)
            }
            Err(fault) => Passage::Response(not_taken(&fault)),
        }
    }

    async fn pass_whole(
        &self,
        received: &BodilessRequest,
        request: Option<&SurfaceRequest<'_>>,
        form: Bytes,
        scan: SiteFormScan,
    ) -> Passage {
        match self.decider.open_form(&received.decided_by(), scan, form.clone()) {
            Ok(Some(opened)) => Passage::Calendar {
                opened: Box::new(opened),
                body: form,
            },
            Ok(None) => {
                let seen = SeenBody::Whole(form.clone());
                let call = request
                    .and_then(|request| self.decider.second_call_of_form(&received.head, request, &seen));
                let charged = match self.charge_second(received, call, DecidingBody::Read(&form)) {
                    Ok(charged) => charged,
                    Err(refused) => return Passage::Response(*refused),
                };
                if let Some(refused) = self.surface.by_body(received, request, &seen) {
                    return Passage::Response(refused).with_budgets(&charged);
                }
                if let Some(refused) = self.pages.refuse_form(received, FormReading::Whole(&form)) {
                    return Passage::Response(refused).with_budgets(&charged);
                }
                let whole = reqwest::Body::from(form.clone());
                let answer = self.forward(received, whole, SiteTraffic::Page);
                let answer = self.logins.guard_login(received, Some(&form), answer).await;
                Passage::Response(answer).with_budgets(&charged)
            }
            Err(problem) => {
                let refusal = Refusal::plain(problem);
                received.refused(DecidingBody::Read(&form), RefusalNote::rules(&refusal));
                Passage::Response(refused(&refusal))
            }
        }
    }

    async fn forward(
        &self,
        received: &BodilessRequest,
        body: reqwest::Body,
        traffic: SiteTraffic,
    ) -> SiteEnd {
        let BodilessRequest { head, context, .. } = received;
        context.log.about(Traffic::Site);
        let public = PublicAddress::of(self.public_url.as_ref(), context.addressed());
        let forwarded = PublicNames::of(&public).forwarded(context);
        let mut outgoing = match site_request(&self.origin, head, body, &forwarded) {
            Ok(outgoing) => outgoing,
            Err(fault) => return (refused(&fault.refusal()), Some(Login::NotRefused)),
        };
        self.logins.prepare_login(head, outgoing.request.headers_mut());
        let timer = ExchangeTimer::new(&context.log);
        let answer = self.backends.site.pass(outgoing, traffic, &context.log).await;
        drop(timer);
        match answer {
            Ok(answer) => (self.response(answer, &public), None),
            Err(failure) => {
                let response = behind(&failure);
                let response = response.unwrap_or_else(|| fault::exchange_failed(&failure, &self.warnings));
                (response, Some(failure.login()))
            }
        }
    }

    /// The site's response for a client at a public address.
    fn response(&self, answer: Response<OriginBody>, public: &PublicAddress) -> EdgeResponse {
        // No other protocol was requested (T-23), and a status beyond 599 is none (T-62).
        if !(200..600).contains(&answer.status().as_u16()) {
            return fault::not_relayed(&OriginFailure::InvalidStatus(answer.status()), &self.warnings);
        }
        let mut answer = answer.map(|body| body.map_err(Into::into).boxed_unsync());
        // Between the companion plugin and the edge.
        for name in [CHANGES, BEGUN] {
            answer.headers_mut().remove(name);
        }
        publish_site_headers(answer.headers_mut(), &self.rules.urls, &public.to_string());
        EdgeResponse::unchanged(answer)
    }
}
