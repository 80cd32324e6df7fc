//! One exchange with the origin: a place, a deadline, at most one retry.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode};
use reqwest::Client;

use super::address::{AddressFault, RootAddress};
use super::bulkhead::{Bulkhead, Place};
use super::client::{ClientError, Clients};
use super::credentials::CredentialsFault;
use super::failure::ExchangeFailure;
use super::headers::{self, Forwarded};
use super::odd_head;
use super::origin_body::OriginBody;
use super::retry::RetryBudget;
use super::site::strip_hop_by_hop;
use super::watch::{Watch, Watched};
use crate::call::ValidatedCall;
use crate::settings::{Settings, Timeouts};
use crate::telemetry::{Exchange, Metrics, class_label};

/// Names the verb of a tunnelled DELETE.
const X_HTTP_METHOD_OVERRIDE: HeaderName = HeaderName::from_static("x-http-method-override");

/// The way to the origin.
#[derive(Debug)]
pub(crate) struct Upstream {
    clients: Clients,
    roots: Vec<RootAddress>,
    bulkhead: Arc<Bulkhead>,
    site_bulkhead: Arc<Bulkhead>,
    retries: Arc<RetryBudget>,
    watch: Watch,
    timeouts: Timeouts,
    answer_bytes: u64,
    tunnel_delete: bool,
    metrics: Metrics,
}

/// What outlives a change of settings.
#[derive(Debug)]
struct Lasting {
    clients: Clients,
    bulkhead: Arc<Bulkhead>,
    site_bulkhead: Arc<Bulkhead>,
    retries: Arc<RetryBudget>,
    watch: Watch,
}

/// How many exchanges may run, and wait, at once.
struct Places {
    calls: usize,
    waiting_calls: usize,
    site: usize,
    waiting_site: usize,
}

/// A request that is ready to go: nothing can be wrong with it any more.
#[derive(Debug)]
pub(crate) struct Outgoing {
    request: reqwest::Request,
    class: Class,
}

/// What a request does at the origin, which decides its deadline and its connection.
#[derive(Debug, Clone, Copy)]
enum Class {
    /// It changes nothing; it may be tried again and may be given up.
    Read,
    /// It may change something; it is sent once and runs to its end.
    Write,
}

/// Why a call cannot be written as a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PrepareFault {
    /// Its credentials cannot be passed on.
    #[error(transparent)]
    Credentials(#[from] CredentialsFault),
    /// Its URL cannot be written.
    #[error(transparent)]
    Address(#[from] AddressFault),
}

fn roots(settings: &Settings) -> Vec<RootAddress> {
    let roots = settings.roots.iter();
    roots.map(|root| RootAddress::new(&root.origin_url)).collect()
}

/// How many connections to the origin the settings allow at once, for calls and for the rest of the site.
pub(crate) fn most_connections(settings: &Settings) -> usize {
    let places = Places::of(settings);
    places.calls.saturating_add(places.site)
}

// === impl Places ===

impl Places {
    fn of(settings: &Settings) -> Self {
        let origin = &settings.origin;
        Self {
            calls: origin.max_in_flight,
            waiting_calls: origin.waiting_calls(),
            site: origin.site_in_flight(),
            waiting_site: origin.waiting_site(),
        }
    }
}

// === impl Upstream ===

impl Upstream {
    pub(crate) fn new(settings: &Settings, metrics: Metrics) -> Result<Self, ClientError> {
        let places = Places::of(settings);
        let lasting = Lasting {
            clients: Clients::new(settings)?,
            bulkhead: Arc::new(Bulkhead::new(places.calls, places.waiting_calls)),
            site_bulkhead: Arc::new(Bulkhead::new(places.site, places.waiting_site)),
            retries: Arc::new(RetryBudget::new()),
            watch: Watch::new(&settings.breaker, metrics.clone()),
        };
        Ok(Self::with(settings, lasting, metrics))
    }

    /// The way under new settings; connections, queues, the retry budget and what is known of the origin's
    /// health live on where these allow it.
    ///
    /// A changed number of places begins a new count: until the exchanges of the old one have ended, both run.
    pub(crate) fn renewed(&self, settings: &Settings) -> Result<Self, ClientError> {
        let places = Places::of(settings);
        let lasting = Lasting {
            clients: self.clients.renewed(settings)?,
            bulkhead: self.bulkhead.renewed(places.calls, places.waiting_calls),
            site_bulkhead: self.site_bulkhead.renewed(places.site, places.waiting_site),
            retries: Arc::clone(&self.retries),
            watch: if roots(settings) == self.roots {
                self.watch.renewed(&settings.breaker)
            } else {
                // Another origin is not to blame for this one's failures.
                Watch::new(&settings.breaker, self.metrics.clone())
            },
        };
        Ok(Self::with(settings, lasting, self.metrics.clone()))
    }

    fn with(settings: &Settings, lasting: Lasting, metrics: Metrics) -> Self {
        Self {
            clients: lasting.clients,
            roots: roots(settings),
            bulkhead: lasting.bulkhead,
            site_bulkhead: lasting.site_bulkhead,
            retries: lasting.retries,
            watch: lasting.watch,
            timeouts: settings.timeouts.clone(),
            answer_bytes: settings.limits.response_bytes,
            tunnel_delete: settings.origin.tunnel_delete,
            metrics,
        }
    }

    /// Writes a call as a request of the edge's own.
    pub(crate) fn prepare(
        &self,
        call: &ValidatedCall,
        client: &HeaderMap,
        forwarded: &Forwarded,
    ) -> Result<Outgoing, PrepareFault> {
        let class = if call.is_write() {
            Class::Write
        } else {
            Class::Read
        };
        let call = call.request();
        let root = self.roots.get(call.root).ok_or(AddressFault::UnknownRoot)?;
        let url = root.url_of(call)?;
        let mut headers = headers::of_call(client, forwarded, call)?;
        let method = if self.tunnel_delete && call.method == Method::DELETE {
            headers.insert(X_HTTP_METHOD_OVERRIDE, HeaderValue::from_static("DELETE"));
            Method::POST
        } else {
            call.method.clone()
        };
        let mut request = reqwest::Request::new(method, url);
        *request.headers_mut() = headers;
        *request.body_mut() = call.body.clone().map(reqwest::Body::from);
        Ok(Outgoing { request, class })
    }

    /// Sends a request and waits for the head of its answer; the body carries its own deadline on. How the origin
    /// did is then for the caller to say, who reads the body.
    pub(crate) async fn exchange(
        &self,
        outgoing: Outgoing,
        operation: &'static str,
    ) -> Result<(Response<OriginBody>, Watched), ExchangeFailure> {
        let started = Instant::now();
        let result = self.watched(outgoing, started).await;
        let status = result.as_ref().map(|(answer, _)| answer.status());
        self.count(status, operation, started);
        result
    }

    async fn watched(
        &self,
        outgoing: Outgoing,
        started: Instant,
    ) -> Result<(Response<OriginBody>, Watched), ExchangeFailure> {
        let watched = match outgoing.class {
            Class::Read => self.watch.admit()?,
            Class::Write => Watched::not_at_all(),
        };
        match self.run(outgoing, started).await {
            Ok(answer) => Ok((answer, watched)),
            Err(failure) => {
                if let Some(health) = failure.health() {
                    watched.saw(health);
                }
                Err(failure)
            }
        }
    }

    fn count(&self, status: Result<StatusCode, &ExchangeFailure>, operation: &'static str, started: Instant) {
        self.metrics.exchanged(&Exchange {
            operation,
            outcome: match status {
                Ok(status) => class_label(status),
                Err(failure) => failure.label(),
            },
            duration: started.elapsed(),
        });
    }

    /// Passes a request of the site on: slowly if need be, and never twice.
    pub(crate) async fn pass(
        &self,
        request: reqwest::Request,
    ) -> Result<Response<OriginBody>, ExchangeFailure> {
        let started = Instant::now();
        let place = self.site_bulkhead.enter().await;
        let patience = self.timeouts.site;
        let result = match place {
            Some(place) => self
                .attempt(&self.clients.pooled(), request, patience)
                .await
                .map(|answer| {
                    let mut answer = Response::from(answer);
                    // Servers offer HTTP/2 in `Upgrade` and end connections at will: theirs, not the client's.
                    strip_hop_by_hop(answer.headers_mut());
                    answer
                        .map(|body| OriginBody::new(self.site_bulkhead.lend(place, body), patience, u64::MAX))
                }),
            None => Err(ExchangeFailure::Overloaded),
        };
        self.count(result.as_ref().map(Response::status), "site", started);
        result
    }

    async fn run(
        &self,
        outgoing: Outgoing,
        started: Instant,
    ) -> Result<Response<OriginBody>, ExchangeFailure> {
        let place = self.bulkhead.enter().await.ok_or(ExchangeFailure::Overloaded)?;
        let answer = match outgoing.class {
            Class::Write => {
                // A write is waited for: the origin may be fetching an image meanwhile (T-60).
                self.attempt(&self.clients.fresh, outgoing.request, self.timeouts.origin_write)
                    .await?
            }
            Class::Read => self.read(outgoing.request, started).await?,
        };
        let whole = match outgoing.class {
            Class::Read => self.timeouts.origin_read,
            Class::Write => self.timeouts.origin_write,
        };
        Ok(self.with_limits(answer, whole.saturating_sub(started.elapsed()), place))
    }

    /// Tries a read, once more on a new connection if the kept one turned out to be gone.
    async fn read(
        &self,
        request: reqwest::Request,
        started: Instant,
    ) -> Result<reqwest::Response, ExchangeFailure> {
        self.retries.deposit();
        let again = request.try_clone();
        let patience = self.timeouts.origin_first_byte;
        let first = self.attempt(&self.clients.pooled(), request, patience).await;
        match (first, again) {
            (Err(failure), Some(again)) if failure.may_be_a_stale_connection() && self.retries.withdraw() => {
                tracing::debug!("a read is tried again on a new connection");
                let left = patience.saturating_sub(started.elapsed());
                self.attempt(&self.clients.fresh, again, left).await
            }
            (first, _) => first,
        }
    }

    /// One request, one answer; after an odd one no kept connection is trusted any more.
    async fn attempt(
        &self,
        client: &Client,
        request: reqwest::Request,
        patience: Duration,
    ) -> Result<reqwest::Response, ExchangeFailure> {
        let answer = tokio::time::timeout(patience, client.execute(request))
            .await
            .map_err(|_| ExchangeFailure::FirstByteTimeout)?
            .map_err(ExchangeFailure::from_reqwest)?;
        if let Err(odd) = odd_head::check(answer.version(), answer.headers(), answer.extensions()) {
            self.clients.drop_connections();
            return Err(odd.into());
        }
        Ok(answer)
    }

    fn with_limits(
        &self,
        answer: reqwest::Response,
        patience: Duration,
        place: Place,
    ) -> Response<OriginBody> {
        Response::from(answer)
            .map(|body| OriginBody::new(self.bulkhead.lend(place, body), patience, self.answer_bytes))
    }
}
