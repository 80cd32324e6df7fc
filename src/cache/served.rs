//! The headers by which the cache describes to clients what it did, and its counts.

use std::sync::Arc;
use std::time::Duration;

use http::header::{AGE, CACHE_CONTROL, EXPIRES};
use http::{HeaderValue, StatusCode};

use super::fetch::KeyedCall;
use super::metrics::CacheMetrics;
use crate::calls::{CallResponse, StoredResponse, WholeResponse};
use crate::layers::compression::StoredCodings;
use crate::layers::{EdgeResponse, ResponseFacts};
use crate::server::response::{PlainResponse, ResponseSource};
use calendar_edge_core::cache::{CACHE_STATUS, CacheOutcome, StatedLife, stated_age};
use calendar_edge_core::relay::cors::Audience;
use calendar_edge_core::settings::CacheSettings;
use calendar_edge_core::unix_time::UnixTime;

/// Writes responses that passed the cache.
#[derive(Debug)]
pub(super) struct CacheReport {
    metrics: CacheMetrics,
    client_max_age: Duration,
    /// The `Cache-Control` of a response that has an entity tag.
    client_caching: HeaderValue,
    /// The same where the site forbids other codings of its response.
    untransformed: HeaderValue,
}

// === impl CacheReport ===

impl CacheReport {
    pub(super) fn new(settings: &CacheSettings, metrics: &CacheMetrics) -> Self {
        Self {
            metrics: metrics.clone(),
            client_max_age: settings.client_max_age,
            client_caching: client_caching(settings.client_max_age, ""),
            untransformed: client_caching(settings.client_max_age, ", no-transform"),
        }
    }

    /// A stored response, at a time.
    pub(super) fn stored(
        &self,
        stored: &StoredResponse,
        query: &KeyedCall<'_>,
        outcome: CacheOutcome,
        now: UnixTime,
    ) -> CallResponse {
        let mut response = stored.response(query.if_none_match.as_ref());
        let by = match outcome {
            // It was stored on its way to this client.
            CacheOutcome::Miss(asked) | CacheOutcome::Revalidated(asked) if !asked.collapsed => {
                ResponseSource::Backend
            }
            _ => stored.whole.by,
        };
        if matches!(response.status(), StatusCode::OK | StatusCode::NOT_MODIFIED) {
            let headers = response.headers_mut();
            headers.insert(CACHE_CONTROL, self.caching(stored, now));
            headers.remove(EXPIRES);
        }
        let response = for_everybody(response, by, stored.codings());
        self.with_report(response, query.operation(), outcome, stored.age(now))
    }

    /// The `Cache-Control` of a stored response: no more than the site allows.
    fn caching(&self, stored: &StoredResponse, now: UnixTime) -> HeaderValue {
        let stated = stored.fill.filled.stated;
        if self.client_max_age.is_zero() || stated == StatedLife::default() {
            let prepared = if stored.is_untransformed {
                &self.untransformed
            } else {
                &self.client_caching
            };
            return prepared.clone();
        }
        let left = stated.fresh.map(|fresh| fresh.saturating_sub(stored.age(now)));
        let max_age = left.map_or(self.client_max_age, |left| left.min(self.client_max_age));
        let mut further = String::new();
        for (is_stated, directive) in [
            (stated.must_revalidate, ", must-revalidate"),
            (stored.is_untransformed, ", no-transform"),
        ] {
            further.push_str(if is_stated { directive } else { "" });
        }
        client_caching(max_age, &further)
    }

    /// A failure that is shared.
    pub(super) fn plain(
        &self,
        answer: &WholeResponse,
        query: &KeyedCall<'_>,
        outcome: CacheOutcome,
    ) -> CallResponse {
        let response = for_everybody(answer.response(), answer.by, None);
        self.fresh(response, query.operation(), outcome)
    }

    /// A response that comes from no store, to one client alone.
    pub(super) fn fresh(
        &self,
        response: CallResponse,
        operation: &'static str,
        outcome: CacheOutcome,
    ) -> CallResponse {
        self.with_report(response, operation, outcome, Duration::ZERO)
    }

    fn with_report(
        &self,
        mut response: CallResponse,
        operation: &'static str,
        outcome: CacheOutcome,
        age: Duration,
    ) -> CallResponse {
        self.metrics.looked_up(operation, outcome);
        let headers = response.response.headers_mut();
        headers.insert(CACHE_STATUS, outcome.header());
        // A cache between the edge and the site may have kept it before (RFC 9111 section 4.2.3).
        let age = age.saturating_add(stated_age(headers));
        headers.insert(AGE, HeaderValue::from(age.as_secs()));
        response
    }
}

/// A response of the calendar for all clients.
fn for_everybody(
    response: PlainResponse,
    by: ResponseSource,
    codings: Option<Arc<StoredCodings>>,
) -> CallResponse {
    let facts = ResponseFacts::Calendar {
        by,
        audience: Audience::Public,
        codings,
    };
    EdgeResponse { response, facts }.into()
}

fn client_caching(max_age: Duration, further: &str) -> HeaderValue {
    let value = match max_age.as_secs() {
        0 => format!("no-cache{further}"),
        seconds => format!("public, max-age={seconds}{further}"),
    };
    HeaderValue::try_from(value).unwrap_or_else(|_| HeaderValue::from_static("no-cache"))
}
