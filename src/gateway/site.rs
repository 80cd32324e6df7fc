//! The rest of the site (`other = "forward"`): streamed through, unless a form hides a REST call.

use std::sync::Arc;

use http::Method;
use http::request::Parts;
use http_body_util::BodyExt;
use url::Url;

use super::body::{self, BodyFault};
use super::fault;
use super::forwarded::forwarded;
use super::means::Means;
use super::min_rate_body::MinRateBody;
use crate::authority::PublicAddress;
use crate::backend::SiteOrigin;
use crate::layers::{ClientBody, RequestContext};
use crate::payload::{
    BodyReading, ContentHeaders, PHP_VARIABLE_LIMIT, body_reading, names_rest_route, parse_form,
    parse_multipart,
};
use crate::problem::{Cause, Problem, Refusal};
use crate::relay::{OriginFailure, rewrite_discovery};
use crate::response::{EdgeResponse, refused};
use crate::routing::{CallTarget, Target};
use crate::settings::{Limits, Settings, Timeouts};
use crate::telemetry::Traffic;
use crate::value::{PhpArray, Value, write_escaped};

/// The way of everything that is no calendar call.
#[derive(Debug)]
pub(super) struct Site {
    means: Arc<Means>,
    origin: SiteOrigin,
    public_url: Option<Url>,
    limits: Limits,
    timeouts: Timeouts,
}

/// What came of a request to the site.
pub(super) enum Passage {
    /// An answer, the site's or the edge's.
    Answered(EdgeResponse),
    /// Its form names a route of the calendar: it is a calendar call with this body.
    Calendar {
        /// The place that the form names.
        target: CallTarget,
        /// The whole body.
        body: bytes::Bytes,
    },
}

/// A form whose `rest_route` is no text, or that PHP reads in a way of its own.
const UNREADABLE_ROUTE: Problem = Problem::because(Cause::UnreadableRouteInForm);

// === impl Site ===

impl Site {
    pub(super) fn new(settings: &Settings, means: Arc<Means>) -> Self {
        Self {
            origin: SiteOrigin::new(settings),
            means,
            public_url: settings.public_url.clone(),
            limits: settings.limits.clone(),
            timeouts: settings.timeouts.clone(),
        }
    }

    /// Passes a request on, or finds that it is a calendar call.
    pub(super) async fn pass(&self, head: &Parts, context: &RequestContext, body: ClientBody) -> Passage {
        if ContentHeaders::of(&head.headers).repeats_type() {
            // Servers differ in which one counts, and with it in what the body says.
            return Passage::Answered(refused(&Refusal::plain(UNREADABLE_ROUTE)));
        }
        if !may_fill_variables(head) {
            let body = MinRateBody::new(body, &self.limits, &self.timeouts);
            return Passage::Answered(self.forward(head, context, reqwest::Body::wrap(body)).await);
        }
        let body = match body::read(body, &self.limits, &self.timeouts).await {
            Ok(body) => body,
            Err(fault) => return Passage::Answered(refused(&fault.refusal())),
        };
        match self.hidden_call(head, &body) {
            Ok(Some(target)) => Passage::Calendar { target, body },
            Ok(None) => Passage::Answered(self.forward(head, context, reqwest::Body::from(body)).await),
            Err(problem) => Passage::Answered(refused(&Refusal::plain(problem))),
        }
    }

    /// The calendar route that a form names; a form beats query and path in WordPress (backend.md section 6).
    fn hidden_call(&self, head: &Parts, body: &[u8]) -> Result<Option<CallTarget>, Problem> {
        let content_type = content_type(head);
        if !names_rest_route(&head.method, content_type, body) {
            return Ok(None);
        }
        let fields = fields(&head.method, content_type, body).ok_or(UNREADABLE_ROUTE)?;
        let Some(Value::String(route)) = fields.get("rest_route") else {
            return Err(UNREADABLE_ROUTE);
        };
        // The last pair of a name counts, so that this one stands for the form's.
        let mut query = head.uri.query().unwrap_or_default().to_owned();
        query.push_str("&rest_route=");
        write_escaped(route, &mut query);
        match self
            .means
            .roots
            .locate(&head.method, head.uri.path(), Some(&query))
        {
            Target::Calendar(target) => Ok(Some(target)),
            Target::Site { .. } => Ok(None),
            Target::Invalid(problem) => Err(problem),
        }
    }

    async fn forward(&self, head: &Parts, context: &RequestContext, body: reqwest::Body) -> EdgeResponse {
        context.log.about(Traffic::Site);
        let public = PublicAddress::of(self.public_url.as_ref(), context.addressed());
        let Ok(outgoing) = self.origin.request(head, body, &forwarded(context, &public)) else {
            return refused(&fault::ambiguous_target());
        };
        match self.means.backends.for_site().pass(outgoing).await {
            // No tunnel was asked for (T-23), and a status beyond 599 is none (T-62).
            Ok(answer) if !(200..600).contains(&answer.status().as_u16()) => {
                fault::not_relayed(&OriginFailure::InvalidStatus(answer.status()))
            }
            Ok(answer) => {
                let mut answer = answer.map(|body| body.map_err(Into::into).boxed_unsync());
                rewrite_discovery(
                    answer.headers_mut(),
                    &self.means.rules.urls().map(),
                    &public.to_string(),
                );
                answer
            }
            Err(failure) => match BodyFault::behind(&failure) {
                Some(fault) => refused(&fault.refusal()),
                None => fault::exchange_failed(&failure),
            },
        }
    }
}

fn content_type(head: &Parts) -> Option<&[u8]> {
    ContentHeaders::of(&head.headers).content_type()
}

/// Whether PHP may fill its form variables, `rest_route` among them, from the body.
fn may_fill_variables(head: &Parts) -> bool {
    match body_reading(&head.method, content_type(head)) {
        BodyReading::Form | BodyReading::Multipart { .. } | BodyReading::Contradictory => {
            head.method == Method::POST
        }
        BodyReading::Json | BodyReading::Ignored => false,
    }
}

fn fields(method: &Method, content_type: Option<&[u8]>, body: &[u8]) -> Option<PhpArray> {
    match body_reading(method, content_type) {
        BodyReading::Form => Some(parse_form(body)),
        BodyReading::Multipart {
            boundary: Some(boundary),
        } => parse_multipart(body, boundary, PHP_VARIABLE_LIMIT).ok(),
        BodyReading::Multipart { boundary: None }
        | BodyReading::Json
        | BodyReading::Ignored
        | BodyReading::Contradictory => None,
    }
}
