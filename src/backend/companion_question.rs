//! Questions to the companion plugin: how many changes the site has counted.

use http::header::{ACCEPT, ACCEPT_ENCODING};
use http::{HeaderValue, Method, StatusCode};
use http_body_util::{BodyExt, Limited};
use url::Position;

use super::address::plain;
use super::backends::Backends;
use super::breaker::Health;
use super::origin_route::OriginRoute;
use super::outgoing::Outgoing;
use crate::telemetry::unix_time;
use calendar_edge_core::companion::mark::{MARK, ShownChanges};
use calendar_edge_core::settings::{BackendSettings, MarkKey};

/// The questions to one root, signed like a call.
#[derive(Debug)]
pub(crate) struct CompanionQuestion {
    root: usize,
    route: OriginRoute,
    key: MarkKey,
}

/// Where the companion plugin answers below a root.
const CHANGES_PATH: &str = "/calendar-edge/v1/changes";

/// The most bytes of an answer that are read, so that its connection can be kept.
const MOST_BYTES: usize = 4096;

// === impl CompanionQuestion ===

impl CompanionQuestion {
    /// The questions to a root; none without a secret, or for a root that is not configured.
    pub(crate) fn new(site: &BackendSettings, root: usize) -> Option<Self> {
        let url = &site.roots.get(root)?.origin_url;
        Some(Self {
            root,
            route: OriginRoute::of_root(&site.origin, url),
            key: site.origin.mark_key.clone()?,
        })
    }

    /// Asks for the changes; none if there is no answer with a number.
    pub(crate) async fn ask_changes(&self, backends: &Backends) -> Option<ShownChanges> {
        let now = unix_time().as_secs();
        let backend = backends.for_root(self.root);
        let (response, guard) = backend.exchange(self.request(now)?, "none").await.ok()?;
        guard.report(Health::Alive);
        let changes = (response.status() == StatusCode::OK)
            .then(|| ShownChanges::of(response.headers()))
            .flatten();
        // The rest says the same.
        let _ = Limited::new(response.into_body(), MOST_BYTES).collect().await;
        changes
    }

    fn request(&self, now: u64) -> Option<Outgoing<'static>> {
        let base = self.route.base();
        let path = format!("{}{CHANGES_PATH}", base.path().trim_end_matches('/'));
        // A query of its own keeps caches in between from answering.
        let url = plain(base, &path, Some(&format!("t={now}"))).ok()?;
        let target = &url[Position::BeforePath..Position::AfterQuery];
        let mark = self.key.mark(&Method::GET, target, b"", now);
        let mut request = reqwest::Request::new(Method::GET, url);
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        headers.insert(MARK, mark);
        self.route.write_to(headers);
        Some(Outgoing::own_read(request))
    }
}
