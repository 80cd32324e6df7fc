//! Where a request's target leads: to the calendar, to the rest of the site, or nowhere.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::request::Parts;
use http::{Request, Response, StatusCode};
use tower::Service;

use super::calendar::Calendar;
use super::means::Means;
use super::site::{Passage, Site};
use crate::answer::{Answer, AnswerBody, MadeHere, refused};
use crate::layers::ClientBody;
use crate::problem::Refusal;
use crate::relay::preflight;
use crate::server::Drain;
use crate::settings::{CorsSettings, OtherTraffic, Settings};
use crate::target::Located;
use crate::telemetry::Metrics;
use crate::upstream::{ClientError, Upstream};

/// The innermost service.
#[derive(Debug, Clone)]
pub(crate) struct Gateway {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    means: Arc<Means>,
    cors: CorsSettings,
    calendar: Calendar,
    site: Option<Site>,
}

// === impl Gateway ===

impl Gateway {
    pub(crate) fn new(settings: &Settings, upstream: Upstream, drain: Drain, metrics: Metrics) -> Self {
        Self::with(settings, Means::new(settings, upstream, drain, metrics))
    }

    /// A gateway for new settings; what they leave alone lives on, connections to the origin above all.
    pub(crate) fn renewed(&self, settings: &Settings) -> Result<Self, ClientError> {
        let means = self.inner.means.renewed(settings)?;
        Ok(Self::with(settings, means))
    }

    fn with(settings: &Settings, means: Means) -> Self {
        let means = Arc::new(means);
        let site = match settings.other {
            OtherTraffic::Refuse => None,
            OtherTraffic::Forward => Some(Site::new(settings, Arc::clone(&means))),
        };
        let inner = Inner {
            calendar: Calendar::new(settings, Arc::clone(&means)),
            cors: settings.cors_rules(),
            means,
            site,
        };
        Self {
            inner: Arc::new(inner),
        }
    }
}

impl Service<Request<ClientBody>> for Gateway {
    type Response = Answer;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Answer, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<ClientBody>) -> Self::Future {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move { Ok(inner.serve(request).await) })
    }
}

// === impl Inner ===

impl Inner {
    async fn serve(&self, request: Request<ClientBody>) -> Answer {
        let (head, body) = request.into_parts();
        let located = self.means.roots.locate(head.uri.path(), head.uri.query());
        match (located, &self.site) {
            (Located::Elsewhere { .. }, Some(site)) => self.serve_site(site, &head, body).await,
            (located, _) => self.serve_calendar(&located, &head, body).await,
        }
    }

    async fn serve_site(&self, site: &Site, head: &Parts, body: ClientBody) -> Answer {
        let (spot, body) = match site.pass(head, body).await {
            Passage::Answered(answer) => return answer,
            Passage::Calendar { spot, body } => (spot, body),
        };
        let entrance = &self.means.entrance;
        let matched = spot.matched.as_ref();
        let profile = self.means.judge.profile(&head.method, matched);
        match entrance.admit(head, matched, profile) {
            Ok(standings) => {
                let answer = self.calendar.judged(head, &body, &spot, profile).await;
                entrance.leave(head, &standings, answer)
            }
            Err(answer) => *answer,
        }
    }

    async fn serve_calendar(&self, located: &Located, head: &Parts, body: ClientBody) -> Answer {
        let matched = match located {
            Located::Api(spot) => spot.matched.as_ref(),
            Located::Refused(_) | Located::Elsewhere { .. } => None,
        };
        let entrance = &self.means.entrance;
        let profile = self.means.judge.profile(&head.method, matched);
        // A preflight is a browser's own question, and free.
        let admitted = match self.preflight(head) {
            Some(answer) if !matches!(located, Located::Refused(_)) => return answer,
            _ => entrance.admit(head, matched, profile),
        };
        let standings = match admitted {
            Ok(standings) => standings,
            Err(answer) => return *answer,
        };
        let answer = match located {
            Located::Api(spot) => self.calendar.call(head, body, spot, profile).await,
            Located::Refused(problem) => refused(&Refusal::plain(problem.clone())),
            Located::Elsewhere { root } => {
                let query = head.uri.query();
                refused(&self.means.judge.refuse_elsewhere(*root, &head.method, query))
            }
        };
        entrance.leave(head, &standings, answer)
    }

    fn preflight(&self, head: &Parts) -> Option<Answer> {
        let (status, headers) = preflight(&self.cors, &head.method, &head.headers)?;
        debug_assert_eq!(status, StatusCode::NO_CONTENT);
        let mut answer = Response::new(AnswerBody::default());
        *answer.status_mut() = status;
        *answer.headers_mut() = headers;
        answer.extensions_mut().insert(MadeHere { code: "preflight" });
        Some(answer)
    }
}
