//! A stored response: with its entity tag, its dependencies, and the time of its request.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use http::header::{CACHE_CONTROL, ETAG, EXPIRES, VARY};
use http::{HeaderName, HeaderValue, StatusCode};

use super::whole_response::WholeResponse;
use crate::layers::compression::{SharedBodies, StoredCodings};
use crate::server::response::PlainResponse;
use calendar_edge_core::cache::compression::forbids_change;
use calendar_edge_core::cache::{Dependencies, LifetimeFacts, entity_tag, is_known, same_text};
use calendar_edge_core::relay::BufferBudget;
use calendar_edge_core::unix_time::UnixTime;

/// A response in the cache.
#[derive(Debug)]
pub(crate) struct StoredResponse {
    pub(crate) whole: WholeResponse,
    tag: HeaderValue,
    /// True if the site forbids other codings of it; found once, because every hit reads it.
    pub(crate) is_untransformed: bool,
    /// The circumstances of its request.
    pub(crate) fill: StoredMetadata,
    /// The generation up to which nothing that it depends on was removed.
    pub(crate) checked: AtomicU64,
    /// The body and its compressed codings.
    codings: Arc<StoredCodings>,
    /// Last: dropped after the entry's own references, it sees what clients hold.
    bodies: Arc<SharedBodies>,
}

/// The circumstances of a response's request.
#[derive(Debug, Clone)]
pub(crate) struct StoredMetadata {
    /// The time of the request.
    pub(crate) filled: LifetimeFacts,
    /// The records that it depends on.
    pub(crate) dependencies: Dependencies,
    /// The generation at the time of the request.
    pub(crate) generation: u64,
}

/// The headers of a response that 304 repeats (RFC 9110 section 15.4.5).
const REPEATED: [HeaderName; 3] = [CACHE_CONTROL, EXPIRES, VARY];

/// The memory of an entry beside its key and its response, in bytes; an estimate that is meant to be too high.
const OVERHEAD: usize = 1024;

// === impl StoredResponse ===

impl StoredResponse {
    /// A response to store. It may replace an older one: a body of the same meaning keeps its bytes and so its tag,
    /// because the plugin spells e-mail addresses in another way each time.
    pub(crate) fn replacing(
        whole: WholeResponse,
        fill: StoredMetadata,
        older: Option<&Self>,
        budget: &BufferBudget,
    ) -> Self {
        let older = older.filter(|older| same_text(&older.whole.body, &whole.body));
        let (body, tag, codings, bodies) = if let Some(older) = older {
            let (body, bodies) = (older.whole.body.clone(), Arc::clone(&older.bodies));
            (body, older.tag.clone(), older.codings.clone(), bodies)
        } else {
            let bodies = SharedBodies::new(budget);
            let body = bodies.share(whole.body.clone());
            let codings = StoredCodings::new(body.clone(), bodies.of_codings());
            (body.clone(), entity_tag(&body), codings, bodies)
        };
        Self {
            is_untransformed: forbids_change(&whole.headers),
            whole: whole.with_body(body),
            tag,
            checked: AtomicU64::new(fill.generation),
            codings,
            bodies,
            fill,
        }
    }

    /// The time since the request.
    pub(crate) fn age(&self, now: UnixTime) -> Duration {
        now.saturating_since(self.fill.filled.at)
    }

    /// The response for a client, with an entity tag if the response is a success. `if_none_match` is the client's
    /// condition: it gets 304 if it has this response already.
    pub(crate) fn response(&self, if_none_match: Option<&HeaderValue>) -> PlainResponse {
        if self.whole.status != StatusCode::OK {
            return self.whole.response();
        }
        let mut response = match if_none_match {
            Some(condition) if is_known(condition, &self.tag) => self.whole.not_modified(&REPEATED),
            _ => self.whole.response(),
        };
        response.headers_mut().insert(ETAG, self.tag.clone());
        response
    }

    /// The codings of its body, if it is a success; others leave as they are.
    pub(crate) fn codings(&self) -> Option<Arc<StoredCodings>> {
        (self.whole.status == StatusCode::OK).then(|| self.codings.clone())
    }

    /// The memory of the entry with this key, in bytes.
    pub(crate) fn weight(&self, key: &str) -> u32 {
        // The codings are made later: all three together take about a third of the body.
        let codings = self.whole.body.len() / 3;
        let size = OVERHEAD + key.len() + self.whole.size() + codings + self.fill.dependencies.size();
        u32::try_from(size).unwrap_or(u32::MAX)
    }
}
