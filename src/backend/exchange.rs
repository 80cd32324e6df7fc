//! One exchange with a backend: breaker, permit, deadline, at most one retry.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http::{Response, StatusCode};
use reqwest::Client;

use super::backends::Backend;
use super::breaker_handle::BreakerGuard;
use super::bulkhead::{Bulkhead, Wish};
use super::failure::ExchangeFailure;
use super::origin_body::OriginBody;
use super::outgoing::{Again, Outgoing};
use super::permit_queue::Permit;
use super::response_head;
use super::site::PassedRequest;
use crate::server::bodies::Share;
use crate::telemetry::{RequestLog, class_label};
use calendar_edge_core::concerns::SiteFault;
use calendar_edge_core::gateway::decision::strip_hop_by_hop;

/// The kind of a request for the rest of the site, which selects its permits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SiteTraffic {
    /// Its body is known, or it has none.
    Page,
    /// One of endless pages that robots share.
    OfRobots,
    /// Its body is sent to the origin while it comes from the client.
    Upload,
}

// === impl Backend ===

impl Backend {
    /// Sends a request and returns the head of its response; the body enforces the rest of the deadline. The caller
    /// reads the body and then reports the origin's health to the guard.
    pub(crate) async fn exchange(
        &self,
        outgoing: Outgoing<'_>,
        operation: &'static str,
    ) -> Result<(Response<OriginBody>, BreakerGuard), ExchangeFailure> {
        let started = Instant::now();
        let result = self.guarded(outgoing, started).await;
        let status = result.as_ref().map(|(response, _)| response.status());
        self.count(status, operation, started);
        result
    }

    /// Sends a request for the rest of the site unchanged, with a long deadline and without a retry.
    pub(crate) async fn pass(
        &self,
        request: PassedRequest,
        traffic: SiteTraffic,
        log: &Arc<RequestLog>,
    ) -> Result<Response<OriginBody>, ExchangeFailure> {
        let started = Instant::now();
        let permits = match traffic {
            SiteTraffic::Page => &self.shared.site,
            SiteTraffic::OfRobots => &self.shared.robots,
            SiteTraffic::Upload => &self.shared.uploads,
        };
        let result = self.unguarded(request, permits, log).await;
        let status = result.as_ref().map(Response::status);
        self.count(status, "site", started);
        match status {
            Ok(status) => self
                .shared
                .metrics
                .page_ended(SiteFault::of_page(status), started.elapsed()),
            Err(failure) => {
                if let Some(fault) = failure.fault() {
                    self.shared.metrics.page_ended(Some(fault), started.elapsed());
                }
            }
        }
        result
    }

    /// Notes a response that was judged, of an exchange that took this time.
    pub(crate) fn responded(&self, status: StatusCode, took: Duration) {
        self.shared.metrics.call_ended(SiteFault::of_status(status), took);
    }

    /// Notes an exchange without a sound response, if the site is the reason.
    pub(crate) fn failed(&self, fault: Option<SiteFault>, took: Duration) {
        if fault.is_some() {
            self.shared.metrics.call_ended(fault, took);
        }
    }

    async fn guarded(
        &self,
        outgoing: Outgoing<'_>,
        started: Instant,
    ) -> Result<(Response<OriginBody>, BreakerGuard), ExchangeFailure> {
        let guard = if outgoing.is_write {
            BreakerGuard::uncounted()
        } else {
            self.shared.breaker.admit()?
        };
        match self.run(outgoing, started).await {
            Ok(response) => Ok((response, guard)),
            Err(failure) => {
                if let Some(health) = failure.health() {
                    guard.report(health);
                }
                Err(failure)
            }
        }
    }

    /// Begins an upload to the rest of the site, which gives way to others if its client is slow.
    pub(crate) fn begin_upload(&self) -> Share {
        self.shared.uploads.uploads.open()
    }

    async fn unguarded(
        &self,
        mut request: PassedRequest,
        permits: &Bulkhead,
        log: &Arc<RequestLog>,
    ) -> Result<Response<OriginBody>, ExchangeFailure> {
        let permit = acquire(permits, Wish::SITE, log).await?;
        let deadline = self.timeouts.site;
        let response = match request.exact_target {
            None => {
                let client = &self.shared.clients.pooled();
                self.attempt(client, Box::new(request.request), deadline).await
            }
            Some(target) => {
                self.shared.circle.sign(request.request.headers_mut());
                let sent = self.shared.clients.exact.execute(request.request, target);
                let failed = ExchangeFailure::from_exact;
                self.response(async { sent.await.map_err(failed) }, deadline)
                    .await
            }
        }?;
        let mut response = bounded(response, permits, permit, deadline, u64::MAX);
        // `Upgrade` and `Connection` of the origin apply to its connection, not to the client's.
        strip_hop_by_hop(response.headers_mut());
        Ok(response)
    }

    async fn run(
        &self,
        outgoing: Outgoing<'_>,
        started: Instant,
    ) -> Result<Response<OriginBody>, ExchangeFailure> {
        let permit = acquire(&self.shared.calls, self.wish(&outgoing), &outgoing.log).await?;
        let deadline = self.deadline(&outgoing);
        let response = if outgoing.is_write {
            // A write has one long deadline: the origin may be fetching an image meanwhile (T-60).
            self.attempt(&self.shared.clients.fresh, outgoing.request, deadline)
                .await?
        } else {
            let first_byte = outgoing.patience.unwrap_or(self.timeouts.origin_first_byte);
            self.read(outgoing.request, outgoing.again, (started, first_byte))
                .await?
        };
        let time_left = deadline.saturating_sub(started.elapsed());
        let permits = &self.shared.calls;
        Ok(bounded(response, permits, permit, time_left, self.response_bytes))
    }

    /// The longest wait of a call: half of its own time, so that the site has the other half.
    fn wish<'a>(&self, outgoing: &'a Outgoing<'_>) -> Wish<'a> {
        Wish {
            rank: outgoing.rank,
            patience: self.timeouts.origin_queue.min(self.deadline(outgoing) / 2),
            watch: outgoing.watch.as_ref(),
        }
    }

    /// The time of a whole exchange.
    const fn deadline(&self, outgoing: &Outgoing<'_>) -> Duration {
        match outgoing.patience {
            Some(patience) => patience,
            None => self.timeouts.of_call(outgoing.is_write),
        }
    }

    /// Sends a read, and retries it once on a new connection if the pooled one turns out to be closed.
    async fn read(
        &self,
        request: Box<reqwest::Request>,
        again: Again<'_>,
        (started, deadline): (Instant, Duration),
    ) -> Result<reqwest::Response, ExchangeFailure> {
        self.shared.retries.deposit();
        let first = self
            .attempt(&self.shared.clients.pooled(), request, deadline)
            .await;
        match first {
            Err(failure) if failure.may_be_a_stale_connection() && self.may_retry() => {
                let Some(again) = again.request() else {
                    return Err(failure);
                };
                let time_left = deadline.saturating_sub(started.elapsed());
                let second = self.attempt(&self.shared.clients.fresh, again, time_left).await;
                // The first one may have been carried out, whatever hindered the second.
                second.map_err(|second| {
                    if second.is_before_sending() {
                        failure
                    } else {
                        second
                    }
                })
            }
            first => first,
        }
    }

    /// Spends from the retry budget, if it allows a retry.
    fn may_retry(&self) -> bool {
        let is_paid = self.shared.retries.withdraw();
        self.shared.metrics.retried(is_paid);
        if is_paid {
            tracing::debug!(backend = self.name(), "a read is retried on a new connection");
        }
        is_paid
    }

    /// Sends one request; after a refused response head no pooled connection is reused.
    async fn attempt(
        &self,
        client: &Client,
        mut request: Box<reqwest::Request>,
        deadline: Duration,
    ) -> Result<reqwest::Response, ExchangeFailure> {
        self.shared.circle.sign(request.headers_mut());
        let sent = async {
            client
                .execute(*request)
                .await
                .map_err(ExchangeFailure::from_reqwest)
        };
        self.response(sent, deadline).await
    }

    /// The response to a request that is being sent, if its head is sound.
    async fn response(
        &self,
        sent: impl Future<Output = Result<reqwest::Response, ExchangeFailure>>,
        deadline: Duration,
    ) -> Result<reqwest::Response, ExchangeFailure> {
        let response = tokio::time::timeout(deadline, sent)
            .await
            .map_err(|_| ExchangeFailure::FirstByteTimeout)??;
        if let Err(fault) =
            response_head::check(response.version(), response.headers(), response.extensions())
        {
            self.shared.clients.drop_connections();
            return Err(fault.into());
        }
        let is_circle = self
            .shared
            .circle
            .is_refusal(response.status(), response.headers());
        self.shared.metrics.in_circle(is_circle);
        if is_circle {
            // A kept connection would lead back here also when the name leads elsewhere by now.
            self.shared.clients.drop_connections();
            return Err(ExchangeFailure::Circle);
        }
        Ok(response)
    }

    fn count(&self, status: Result<StatusCode, &ExchangeFailure>, operation: &'static str, started: Instant) {
        let outcome = status.map_or_else(ExchangeFailure::label, class_label);
        self.shared
            .exchanges
            .exchanged(operation, outcome, started.elapsed());
    }
}

/// A response whose body has so much time and so many bytes, and holds its permit.
fn bounded(
    response: reqwest::Response,
    permits: &Bulkhead,
    permit: Permit,
    time_left: Duration,
    bytes: u64,
) -> Response<OriginBody> {
    Response::from(response).map(|body| OriginBody::new(permits.revocable(permit, body), time_left, bytes))
}

async fn acquire(
    bulkhead: &Bulkhead,
    wish: Wish<'_>,
    log: &Arc<RequestLog>,
) -> Result<Permit, ExchangeFailure> {
    let started = Instant::now();
    let permit = bulkhead.acquire(wish).await;
    log.queued(started.elapsed());
    permit.ok_or(ExchangeFailure::Overloaded)
}
