//! Where a request's target leads: to the calendar, to the rest of the site, or nowhere.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::request::Parts;
use tower::Service;

use super::calendar::Calendar;
use super::means::Means;
use super::site::{Passage, Site};
use crate::backend::{ClientError, SharedBackends};
use crate::cors::Preflight;
use crate::layers::{ClientBody, EdgeRequest, RequestContext};
use crate::problem::Refusal;
use crate::response::{EdgeResponse, preflight, refused};
use crate::routing::Target;
use crate::server::Drain;
use crate::settings::{OtherTraffic, Settings};
use crate::telemetry::Metrics;

/// The innermost service.
#[derive(Debug, Clone)]
pub(crate) struct Gateway {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    means: Arc<Means>,
    calendar: Calendar,
    site: Option<Site>,
}

// === impl Gateway ===

impl Gateway {
    pub(crate) fn new(settings: &Settings, shared: SharedBackends, drain: Drain, metrics: Metrics) -> Self {
        Self::with(settings, Means::new(settings, shared, drain, metrics))
    }

    /// A gateway for new settings; what they leave alone lives on, connections to the origin above all.
    pub(crate) fn renewed(&self, settings: &Settings) -> Result<Self, ClientError> {
        let means = self.inner.means.renewed(settings)?;
        Ok(Self::with(settings, means))
    }

    /// Adapts what it shares with the gateways before it; called when these settings are in use.
    pub(crate) fn adapt(&self, settings: &Settings) {
        self.inner.means.adapt(settings);
    }

    fn with(settings: &Settings, means: Means) -> Self {
        let means = Arc::new(means);
        let site = match settings.other {
            OtherTraffic::Refuse => None,
            OtherTraffic::Forward => Some(Site::new(settings, Arc::clone(&means))),
        };
        let inner = Inner {
            calendar: Calendar::new(settings, Arc::clone(&means)),
            means,
            site,
        };
        Self {
            inner: Arc::new(inner),
        }
    }
}

impl Service<EdgeRequest> for Gateway {
    type Response = EdgeResponse;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<EdgeResponse, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: EdgeRequest) -> Self::Future {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move { Ok(inner.serve(request).await) })
    }
}

// === impl Inner ===

impl Inner {
    async fn serve(&self, request: EdgeRequest) -> EdgeResponse {
        let EdgeRequest { head, body, context } = request;
        let located = self
            .means
            .roots
            .locate(&head.method, head.uri.path(), head.uri.query());
        match (located, &self.site) {
            (Target::Site { .. }, Some(site)) => self.serve_site(site, &head, &context, body).await,
            (located, _) => self.serve_calendar(&located, &head, &context, body).await,
        }
    }

    async fn serve_site(
        &self,
        site: &Site,
        head: &Parts,
        context: &RequestContext,
        body: ClientBody,
    ) -> EdgeResponse {
        let (target, body) = match site.pass(head, context, body).await {
            Passage::Answered(answer) => return answer,
            Passage::Calendar { target, body } => (target, body),
        };
        let entrance = &self.means.entrance;
        let profile = self.means.judge.enforced_profile(target.operation);
        match entrance.admit(head, context, Some(&target), profile) {
            Ok(request) => {
                let answer = self.calendar.judged(&request, &body, &target).await;
                entrance.leave(request, answer)
            }
            Err(answer) => *answer,
        }
    }

    async fn serve_calendar(
        &self,
        located: &Target,
        head: &Parts,
        context: &RequestContext,
        body: ClientBody,
    ) -> EdgeResponse {
        let target = located.target();
        let entrance = &self.means.entrance;
        let operation = target.and_then(|target| target.operation);
        let profile = self.means.judge.enforced_profile(operation);
        // A preflight is a browser's own question, and free.
        let is_readable = !matches!(located, Target::Invalid(_));
        if is_readable && Preflight::of(&head.method, &head.headers).is_some() {
            return preflight();
        }
        let request = match entrance.admit(head, context, target, profile) {
            Ok(request) => request,
            Err(answer) => return *answer,
        };
        let answer = match located {
            Target::Calendar(target) => self.calendar.call(&request, body, target).await,
            Target::Invalid(problem) => refused(&Refusal::plain(problem.clone())),
            Target::Site { root } => {
                let query = head.uri.query();
                refused(&self.means.judge.refuse_elsewhere(*root, &head.method, query))
            }
        };
        entrance.leave(request, answer)
    }
}
