//! Reads that have a stored response: served without the site, or together with other requests for the same.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::collapsed_requests::{CollapsedRequests, Progress, join};
use super::fetch::{CacheFetch, KeyedCall, SharedOutcome};
use super::served::CacheReport;
use crate::calls::{CalendarCall, CallResponse, JudgedCall, Stage, StoredResponse};
use crate::companion::Companions;
use crate::telemetry::unix_time;
use calendar_edge_core::cache::{
    Bypass, CacheOutcome, CacheableCall, ForwardedRequest, KeySpace, ReachedBy, Serving,
};
use calendar_edge_core::settings::CacheSettings;
use calendar_edge_core::unix_time::UnixTime;

/// Serves reads from the cache.
///
/// It takes judged calls: a [`CacheableCall`] can only be made of a call that passed every rule.
#[derive(Debug)]
pub(crate) struct Caching<S> {
    filling: Arc<CacheFetch<S>>,
    keys: KeySpace,
    collapsing: CollapsedRequests<SharedOutcome>,
    served: CacheReport,
    companions: Arc<Companions>,
}

/// The query of one client on its way.
struct OwnPlace {
    progress: watch::Receiver<Progress<SharedOutcome>>,
    is_leader: bool,
}

// === impl Caching ===

impl<S: Stage<CalendarCall, CallResponse>> Caching<S> {
    pub(crate) fn new(
        filling: CacheFetch<S>,
        settings: &CacheSettings,
        keys: KeySpace,
        companions: &Arc<Companions>,
    ) -> Self {
        Self {
            keys,
            collapsing: CollapsedRequests::default(),
            served: CacheReport::new(settings, &filling.cache.metrics),
            companions: companions.clone(),
            filling: Arc::new(filling),
        }
    }

    /// The stages below; behind a pointer, because hits do not need them.
    async fn inner(&self, call: CalendarCall) -> CallResponse {
        Box::pin(self.filling.inner.call(call)).await
    }

    fn query<'c>(&self, cacheable: CacheableCall<'c>, call: &CalendarCall) -> KeyedCall<'c> {
        let reached = ReachedBy {
            public_base: &call.client.context.public_base,
            namespace: call.client.context.namespace.as_deref(),
        };
        let candidate = call.route.candidate();
        let keys = candidate.map_or(&self.keys, |candidate| &candidate.keys);
        let key = || Arc::from(keys.key(cacheable, reached));
        KeyedCall {
            key: if call.as_calendar {
                Arc::from(keys.key_of_calendar(cacheable, reached))
            } else if !keys.by_public_base && candidate.is_none() {
                call.call.key(key)
            } else {
                key()
            },
            call: cacheable,
            if_none_match: call.client.if_none_match.clone(),
        }
    }

    async fn respond(&self, query: KeyedCall<'_>, call: CalendarCall) -> CallResponse {
        let now = unix_time();
        match self.filling.cache.find(&query.key, now) {
            Some((stored, Serving::Fresh(left))) => {
                let hit = self.served.stored(&stored, &query, CacheOutcome::Hit(left), now);
                hit.showing(stored)
            }
            Some((stored, Serving::Behind(stale))) => {
                drop(self.join(&query, &call, Some(&stored)));
                let stale = CacheOutcome::Stale(stale);
                self.served.stored(&stored, &query, stale, now).showing(stored)
            }
            older => Box::pin(self.request(query, call, older.map(|(stored, _)| stored))).await,
        }
    }

    /// Requests the response from the site, or waits for a leader that does. `older` is a response that may be served
    /// if the site fails.
    async fn request(
        &self,
        query: KeyedCall<'_>,
        call: CalendarCall,
        older: Option<Arc<StoredResponse>>,
    ) -> CallResponse {
        let mut waiting = self.join(&query, &call, older.as_ref());
        // The site's response of now is better than a failed backend's of before.
        let falls_back = call.may_fall_back();
        let collapsed = !waiting.is_leader;
        let asked = |stored: Option<Duration>| {
            let asked = ForwardedRequest {
                collapsed,
                stored_for: stored,
            };
            match older {
                Some(_) => CacheOutcome::Revalidated(asked),
                None => CacheOutcome::Miss(asked),
            }
        };
        if let Some((older, stale)) = self.while_busy(older.as_ref())
            && waiting.is_queued().await
            && self.filling.cache.holds(older)
        {
            let busy = self
                .served
                .stored(older, &query, CacheOutcome::Busy(stale), unix_time());
            return busy.showing(Arc::clone(older));
        }
        match waiting.end().await {
            Some(SharedOutcome::Stored(stored)) => {
                let now = unix_time();
                // A response that a change overtook on its way is not stored.
                let left = self.filling.cache.holds(&stored).then(|| self.left(&stored, now));
                self.served
                    .stored(&stored, &query, asked(left), now)
                    .showing(stored)
            }
            Some(SharedOutcome::Failed(failed)) => {
                // The store of the fleet may have had one.
                let found = || self.filling.cache.find(&query.key, unix_time());
                let older = older.clone().or_else(|| found().map(|(stored, _)| stored));
                match self.on_error(older.as_ref().filter(|_| !falls_back), &query) {
                    Some(response) => response,
                    None => self.served.plain(&failed, &query, asked(None)),
                }
            }
            Some(SharedOutcome::Uncacheable(response)) if !collapsed => {
                // The lock ends before the site gets the call.
                let own = response.lock().take();
                match own {
                    Some(response) => self.served.fresh(response, query.operation(), asked(None)),
                    None => self.request_alone(call, &query).await,
                }
            }
            // Another client's response, or none: this client's call goes to the site by itself.
            Some(SharedOutcome::Uncacheable(_)) | None => self.request_alone(call, &query).await,
        }
    }

    async fn request_alone(&self, call: CalendarCall, query: &KeyedCall<'_>) -> CallResponse {
        let asked = ForwardedRequest {
            collapsed: false,
            stored_for: None,
        };
        let response = Box::pin(self.filling.fetch(call)).await;
        self.served
            .fresh(response, query.operation(), CacheOutcome::Miss(asked))
    }

    /// Takes a role for the query, and sends it to the site as its leader.
    fn join(
        &self,
        query: &KeyedCall<'_>,
        call: &CalendarCall,
        older: Option<&Arc<StoredResponse>>,
    ) -> OwnPlace {
        let (progress, leader) = join(&self.collapsing, &query.key, self.filling.cache.generation());
        let is_leader = leader.is_some();
        if let Some(leader) = leader {
            let filling = Arc::clone(&self.filling);
            let by_get = query.call.for_every_client();
            let call = by_get.map_or_else(
                || call.clone(),
                |get| call.with_call(Arc::new(JudgedCall::new(get))),
            );
            self.filling
                .drain
                .spawn(filling.fill(leader, call, older.cloned()));
        }
        OwnPlace { progress, is_leader }
    }

    /// An older response in place of a failure, if there is one that nothing has removed meanwhile.
    fn on_error(&self, older: Option<&Arc<StoredResponse>>, query: &KeyedCall<'_>) -> Option<CallResponse> {
        let older = older.filter(|older| self.filling.cache.holds(older))?;
        let now = unix_time();
        let stale = match self.filling.cache.serving(older, now) {
            Serving::Fresh(_) => Duration::ZERO,
            Serving::Behind(stale) | Serving::OnError(stale) => stale,
            Serving::Expired => return None,
        };
        let on_error = self
            .served
            .stored(older, query, CacheOutcome::OnError(stale), now);
        Some(on_error.showing(Arc::clone(older)))
    }

    /// An older response that may be served while the query waits, and for how long it is stale.
    fn while_busy<'k>(
        &self,
        older: Option<&'k Arc<StoredResponse>>,
    ) -> Option<(&'k Arc<StoredResponse>, Duration)> {
        let now = unix_time();
        let older = older.filter(|older| older.fill.filled.may_be_stale(now))?;
        match self.filling.cache.serving(older, now) {
            Serving::Behind(stale) | Serving::OnError(stale) => Some((older, stale)),
            Serving::Fresh(_) | Serving::Expired => None,
        }
    }

    fn left(&self, stored: &StoredResponse, now: UnixTime) -> Duration {
        match self.filling.cache.serving(stored, now) {
            Serving::Fresh(left) => left,
            Serving::Behind(_) | Serving::OnError(_) | Serving::Expired => Duration::ZERO,
        }
    }
}

impl<S: Stage<CalendarCall, CallResponse>> Stage<CalendarCall, CallResponse> for Caching<S> {
    async fn call(&self, call: CalendarCall) -> CallResponse {
        self.companions.called();
        let judged = Arc::clone(&call.call);
        match self.filling.policy.judge(&judged) {
            Some(Ok(cacheable)) => self.respond(self.query(cacheable, &call), call).await,
            // Such operations have no cache that a header could name.
            None | Some(Err(Bypass::Disabled | Bypass::SwitchedOff)) => self.inner(call).await,
            Some(Err(bypass)) => {
                let response = self.inner(call).await;
                self.served
                    .fresh(response, judged.operation_name(), CacheOutcome::Bypass(bypass))
            }
        }
    }
}

// === impl OwnPlace ===

impl OwnPlace {
    /// The end of the query for this client; none if its leader has gone.
    ///
    /// The leader gets the first failure, the others the second: one failure does not fail them all, and a site that
    /// fails does not get one request for each.
    async fn end(&mut self) -> Option<SharedOutcome> {
        let is_leader = self.is_leader;
        let has_ended = |progress: &Progress<_>| progress.outcome(is_leader).is_some();
        let progress = self.progress.wait_for(has_ended).await.ok()?;
        progress.outcome(is_leader).cloned()
    }

    /// Waits until the query has ended, or waits itself for a permit of the site: then it returns true.
    async fn is_queued(&mut self) -> bool {
        let is_leader = self.is_leader;
        let has_come = |progress: &Progress<_>| {
            matches!(progress, Progress::Queued) || progress.outcome(is_leader).is_some()
        };
        let progress = self.progress.wait_for(has_come).await;
        matches!(progress.as_deref(), Ok(Progress::Queued))
    }
}

#[cfg(test)]
#[path = "caching_tests.rs"]
pub(super) mod tests;
