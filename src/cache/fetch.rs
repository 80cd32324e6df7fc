//! The request to the site for all clients that wait for it, and the storing of its response.

use std::sync::Arc;

use parking_lot::Mutex;

use http::{HeaderValue, StatusCode};
use http_body::Body;
use http_body_util::BodyExt;

use super::collapsed_requests::Leader;
use super::store::Cache;
use crate::backend::{Backends, OwnRequests, QueueWatch};
use crate::calls::{CalendarCall, CallResponse, Stage, StoredMetadata, StoredResponse, WholeResponse};
use crate::companion::ChangeFeed;
use crate::server::Drain;
use crate::server::response::ResponseSource;
use crate::telemetry::unix_time;
use calendar_edge_core::cache::{CachePolicy, CacheableCall, LifetimeFacts, SiteZone, Storable};
use calendar_edge_core::errors;
use calendar_edge_core::unix_time::UnixTime;
use calendar_edge_judge::wordpress::value::datetime::DateTurn;

/// Sends requests to the site, and keeps the responses that may be stored.
#[derive(Debug)]
pub(crate) struct CacheFetch<S> {
    pub(crate) inner: S,
    pub(crate) cache: Arc<Cache>,
    pub(crate) policy: CachePolicy,
    pub(crate) largest_body: u64,
    pub(crate) backends: Arc<Backends>,
    pub(crate) site: OwnRequests,
    pub(crate) drain: Drain,
    pub(crate) feed: Arc<ChangeFeed>,
}

/// A call of a client that may be served from the cache.
#[derive(Debug)]
pub(super) struct KeyedCall<'c> {
    /// Everything that the response depends on.
    pub(super) key: Arc<str>,
    pub(super) call: CacheableCall<'c>,
    /// The client's condition, if it may have the response already.
    pub(super) if_none_match: Option<HeaderValue>,
}

/// The end of a query.
#[derive(Debug, Clone)]
pub(super) enum SharedOutcome {
    /// A response for all clients.
    Stored(Arc<StoredResponse>),
    /// The site failed: the same for all clients that wait.
    Failed(Arc<WholeResponse>),
    /// A response for the leader's client alone, which takes it.
    Uncacheable(Arc<Mutex<Option<CallResponse>>>),
}

/// The largest failure that is shared, in bytes.
const LARGEST_FAILURE: u64 = 64 * 1024;

// === impl CacheFetch ===

impl<S: Stage<CalendarCall, CallResponse>> CacheFetch<S> {
    /// Sends the request for all clients that wait. `older` is the response that is replaced. A request that waits in
    /// the queue ends there when all have left, unless it is to replace a response.
    pub(super) async fn fill(
        self: Arc<Self>,
        leader: Leader<SharedOutcome>,
        call: CalendarCall,
        older: Option<Arc<StoredResponse>>,
    ) {
        let watch = QueueWatch::default();
        let call = CalendarCall {
            queue: Some(watch.clone()),
            ..call
        };
        let query = self.twice(&leader, call, older.as_deref());
        let abandoned = Self::abandoned(&leader, &watch, older.as_deref());
        let result = tokio::select! {
            biased;
            result = query => result,
            () = abandoned => return,
        };
        leader.finish(result);
    }

    /// Sends it once, and once more if the first attempt fails and others wait.
    async fn twice(
        self: &Arc<Self>,
        leader: &Leader<SharedOutcome>,
        call: CalendarCall,
        older: Option<&StoredResponse>,
    ) -> SharedOutcome {
        let result = self.attempt(leader, call.clone(), older).await;
        match &result {
            SharedOutcome::Failed(failed)
                if failed.status == StatusCode::BAD_GATEWAY && leader.has_followers() =>
            {
                leader.failed_once(result);
                self.attempt(leader, call, older).await
            }
            _ => result,
        }
    }

    /// Reports to the followers that the request waits in the queue. Ends if none is left.
    async fn abandoned(leader: &Leader<SharedOutcome>, watch: &QueueWatch, older: Option<&StoredResponse>) {
        loop {
            watch.queued().await;
            leader.waits(true);
            tokio::select! {
                () = watch.left() => {}
                () = leader.abandoned(), if older.is_none() => return,
            }
            leader.waits(false);
        }
    }

    async fn attempt(
        self: &Arc<Self>,
        leader: &Leader<SharedOutcome>,
        call: CalendarCall,
        older: Option<&StoredResponse>,
    ) -> SharedOutcome {
        let at = unix_time();
        let asked = Arc::clone(&call.call);
        let is_of_backend = call.route.candidate().is_some();
        let received = self.fetch(call).await;
        if let Some(written) = received.stored {
            // Made of stored responses, it has their lifetime and their dependencies.
            if u64::try_from(written.whole.body.len()).is_ok_and(|length| length <= self.largest_body) {
                self.cache.keep(&leader.key, &written);
            }
            return SharedOutcome::Stored(written);
        }
        let storable = self.storable(&received);
        let stated = received.stated;
        let (by, is_stored) = match storable {
            // The stored response is no longer that of the site.
            Storable::No => {
                self.cache.responses().invalidate(&leader.key);
                return SharedOutcome::Uncacheable(Arc::new(Mutex::new(Some(received))));
            }
            Storable::Failure => (source(&received), false),
            Storable::Yes | Storable::Briefly => (ResponseSource::Cache, true),
        };
        let Some(answer) = whole_response(received, by).await else {
            return SharedOutcome::Uncacheable(Arc::default());
        };
        match self.policy.judge(&asked) {
            Some(Ok(cacheable)) if is_stored => {
                let filled = LifetimeFacts {
                    is_of_backend,
                    stated,
                    ..self.filled(at, storable, cacheable.turn())
                };
                let fill = StoredMetadata {
                    filled,
                    dependencies: cacheable.dependencies(answer.status, &answer.body),
                    generation: leader.generation,
                };
                if answer.status == StatusCode::OK {
                    self.feed.shown(&fill.dependencies);
                }
                let stored = StoredResponse::replacing(answer, fill, older, &self.cache.buffers);
                let stored = Arc::new(stored);
                self.cache.keep(&leader.key, &stored);
                SharedOutcome::Stored(stored)
            }
            _ => SharedOutcome::Failed(Arc::new(answer)),
        }
    }

    /// Sends the call to the site. Calls that the edge itself refuses never reached it.
    pub(super) async fn fetch(&self, call: CalendarCall) -> CallResponse {
        let received = self.inner.call(call).await;
        let code = match source(&received) {
            ResponseSource::Edge { code } => code,
            _ => "",
        };
        let unsent = [errors::OVERLOADED, errors::ORIGIN_UNAVAILABLE];
        if !unsent.iter().any(|error| error.code == code) {
            self.cache.metrics.fetched();
        }
        received
    }

    /// True if a response may be stored or shared: by the site's headers, and by its size.
    fn storable(&self, received: &CallResponse) -> Storable {
        let most = match received.storable {
            Storable::Failure => LARGEST_FAILURE,
            Storable::Yes | Storable::Briefly | Storable::No => self.largest_body,
        };
        // A body that is larger than the buffer is streamed, and has no length yet.
        let length = received.response.body().size_hint().exact();
        if length.is_some_and(|length| length <= most) {
            received.storable
        } else {
            Storable::No
        }
    }

    /// The facts that the lifetime of a response depends on; requests the site's zone if it is needed and due.
    fn filled(self: &Arc<Self>, at: UnixTime, storable: Storable, turn: DateTurn) -> LifetimeFacts {
        let clock = &self.cache.clock;
        if turn == DateTurn::Daily && clock.is_due(at) {
            let filling = Arc::clone(self);
            self.drain.spawn(async move { filling.learn_zone().await });
        }
        LifetimeFacts::new(at, storable, turn, clock.zone().as_deref())
    }

    async fn learn_zone(&self) {
        self.cache.metrics.fetched();
        let answer = self.site.index(&self.backends.site, SiteZone::QUERY).await;
        match answer.as_deref().and_then(SiteZone::of_index) {
            Some(zone) => self.cache.clock.set(zone),
            None => {
                tracing::debug!(
                    "the site does not report its time zone: days may end every quarter of an hour"
                );
            }
        }
    }
}

fn source(received: &CallResponse) -> ResponseSource {
    received.response.facts.by().unwrap_or(ResponseSource::Backend)
}

async fn whole_response(received: CallResponse, by: ResponseSource) -> Option<WholeResponse> {
    let (head, body) = received.response.response.into_parts();
    let body = body.collect().await.ok()?.to_bytes();
    Some(WholeResponse::copied(head.status, &head.headers, &body, by))
}

// === impl KeyedCall ===

impl KeyedCall<'_> {
    /// The name of the operation.
    pub(super) fn operation(&self) -> &'static str {
        self.call.call().operation().name.as_str()
    }
}
