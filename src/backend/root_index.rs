//! The root index of a site: what it says about itself besides the calendar.

use bytes::Bytes;
use http::header::{ACCEPT, ACCEPT_ENCODING};
use http::{HeaderValue, Method, StatusCode};
use http_body_util::{BodyExt, Limited};
use url::Url;

use super::address::plain;
use super::backends::Backend;
use super::breaker::Health;
use super::origin_route::OriginRoute;
use super::outgoing::Outgoing;
use calendar_edge_core::settings::OriginSettings;

/// The root index of the configured site.
#[derive(Debug, Clone)]
pub(crate) struct RootIndex {
    route: OriginRoute,
}

/// The most bytes of an answer: it is asked for a few members only.
const MOST_BYTES: usize = 64 * 1024;

// === impl RootIndex ===

impl RootIndex {
    /// The index at a root.
    pub(crate) fn of(origin: &OriginSettings, root: &Url) -> Self {
        Self {
            route: OriginRoute::of_root(origin, root),
        }
    }

    /// Returns true if a backend answers, with whatever but the statuses by which a proxy says that it does not.
    pub(super) async fn is_answered(&self, backend: &Backend) -> bool {
        let Some(request) = self.request("_fields=namespaces") else {
            return false;
        };
        let Ok((response, guard)) = backend.exchange(request, "none").await else {
            return false;
        };
        let is_down = matches!(
            response.status(),
            StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT
        );
        guard.report(if is_down { Health::Outage } else { Health::Alive });
        // The rest says nothing more; read, so that the connection can be kept.
        let _ = Limited::new(response.into_body(), MOST_BYTES).collect().await;
        !is_down
    }

    /// Asks a backend for members of the index; `None` if it does not answer with a success.
    pub(crate) async fn read(&self, backend: &Backend, query: &str) -> Option<Bytes> {
        let (response, guard) = backend.exchange(self.request(query)?, "none").await.ok()?;
        guard.report(Health::Alive);
        if response.status() != StatusCode::OK {
            return None;
        }
        let body = Limited::new(response.into_body(), MOST_BYTES).collect().await;
        body.ok().map(http_body_util::Collected::to_bytes)
    }

    fn request(&self, query: &str) -> Option<Outgoing<'static>> {
        let base = self.route.base();
        let path = format!("{}/", base.path().trim_end_matches('/'));
        let url = plain(base, &path, Some(query)).ok()?;
        let mut request = reqwest::Request::new(Method::GET, url);
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        self.route.write_to(headers);
        Some(Outgoing::own_read(request))
    }
}
