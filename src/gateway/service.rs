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
use crate::config::{CorsSettings, OtherTraffic, Settings};
use crate::layers::ClientBody;
use crate::problem::Refusal;
use crate::relay::preflight;
use crate::server::Drain;
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
            cors: settings.cors.clone(),
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
        match (
            self.means.roots.locate(head.uri.path(), head.uri.query()),
            &self.site,
        ) {
            (Located::Api(spot), _) => match self.preflight(&head) {
                Some(answer) => answer,
                None => self.calendar.call(&head, body, &spot).await,
            },
            (Located::Refused(problem), _) => refused(&Refusal::plain(problem)),
            (Located::Elsewhere, Some(site)) => match site.pass(&head, body).await {
                Passage::Answered(answer) => answer,
                Passage::Calendar { spot, body } => self.calendar.judged(&head, &body, &spot).await,
            },
            (Located::Elsewhere, None) => self.preflight(&head).unwrap_or_else(|| {
                refused(&self.means.judge.refuse_elsewhere(&head.method, head.uri.query()))
            }),
        }
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
