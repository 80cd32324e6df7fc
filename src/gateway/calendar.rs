//! Calls of the calendar API, from locating to the answer.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::request::Parts;
use http::{Method, Request};
use http_body_util::BodyExt;
use tower::Service;
use url::Url;

use super::body;
use super::fault;
use super::public_address::PublicAddress;
use super::seam::{Judge, Located, Outcome, RawCall, Roots, Spot, ValidatedCall};
use crate::answer::{Answer, refused};
use crate::config::{Limits, Settings, Timeouts};
use crate::layers::{ClientAddress, ClientBody, RequestId};
use crate::problem::Refusal;
use crate::server::Drain;
use crate::telemetry::{Journal, Subject};
use crate::upstream::{Class, Forwarded, Outgoing, Upstream};

/// The innermost service.
#[derive(Debug, Clone)]
pub(crate) struct Gateway {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    roots: Roots,
    judge: Judge,
    upstream: Arc<Upstream>,
    drain: Drain,
    public_url: Option<Url>,
    limits: Limits,
    timeouts: Timeouts,
}

// === impl Gateway ===

impl Gateway {
    pub(crate) fn new(settings: &Settings, upstream: Arc<Upstream>, drain: Drain) -> Self {
        let inner = Inner {
            roots: Roots::new(settings),
            judge: Judge::new(settings),
            upstream,
            drain,
            public_url: settings.public_url.clone(),
            limits: settings.limits.clone(),
            timeouts: settings.timeouts.clone(),
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
        let target = head.uri.path_and_query().map_or("", |target| target.as_str());
        match self.roots.locate(&head.method, target) {
            Located::Api(spot) => self.call(&head, body, &spot).await,
            Located::Other => refused(&Refusal::no_route()),
        }
    }

    async fn call(&self, head: &Parts, body: ClientBody, spot: &Spot) -> Answer {
        let body = match self.read(&head.method, body).await {
            Ok(body) => body,
            Err(fault) => return refused(&fault.refusal()),
        };
        let judgement = self.judge.judge(&RawCall {
            method: &head.method,
            spot,
            headers: &head.headers,
            body: &body,
        });
        if let (Some(operation), Some(journal)) = (judgement.operation, head.extensions.get::<Journal>()) {
            journal.about(Subject::Operation(operation));
        }
        match judgement.outcome {
            Outcome::Forward(call) => self.forward(head, &call).await,
            Outcome::Refuse(refusal) => refused(&refusal),
        }
    }

    /// The body of a method that may have one; that of another is read away if it is small.
    async fn read(&self, method: &Method, body: ClientBody) -> Result<Bytes, body::BodyFault> {
        if method.is_safe() {
            body::discard(body).await;
            return Ok(Bytes::new());
        }
        body::read(body, self.limits.body_bytes, self.timeouts.client_body).await
    }

    async fn forward(&self, head: &Parts, call: &ValidatedCall) -> Answer {
        let forwarded = self.forwarded(head);
        let prepared = self.upstream.prepare(call.request(), &head.headers, &forwarded);
        let outgoing = match prepared {
            Ok(outgoing) => outgoing,
            Err(fault) => return fault::not_prepared(fault),
        };
        let operation = head
            .extensions
            .get::<Journal>()
            .map_or("none", Journal::operation);
        let exchange = exchange(Arc::clone(&self.upstream), outgoing, operation);
        match exchange.class {
            Class::Read => exchange.future.await,
            // A client that leaves must not leave a write half done: it runs on by itself.
            Class::Write => match self.drain.spawn(exchange.future).await {
                Ok(answer) => answer,
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            },
        }
    }

    /// What the origin is told about the client.
    fn forwarded(&self, head: &Parts) -> Forwarded {
        let public = PublicAddress::of(self.public_url.as_ref(), head);
        let client = head
            .extensions
            .get::<ClientAddress>()
            .copied()
            .unwrap_or_default();
        Forwarded {
            client: client.address,
            scheme: public.scheme,
            host: public.host_value(),
            request_id: head.extensions.get::<RequestId>().map(|id| id.value().clone()),
        }
    }
}

struct PendingExchange<F> {
    class: Class,
    future: F,
}

fn exchange(
    upstream: Arc<Upstream>,
    outgoing: Outgoing,
    operation: &'static str,
) -> PendingExchange<impl Future<Output = Answer> + Send + 'static> {
    PendingExchange {
        class: outgoing.class(),
        future: async move {
            match upstream.exchange(outgoing, operation).await {
                Ok(answer) => answer.map(|body| body.map_err(Into::into).boxed_unsync()),
                Err(failure) => fault::exchange_failed(&failure),
            }
        },
    }
}
