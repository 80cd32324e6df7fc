//! Requests a page from the site that the edge takes for empty, beside the edge's own response.

use std::sync::Arc;
use std::time::Duration;

use http::header::ACCEPT_ENCODING;
use http::{HeaderMap, HeaderValue, StatusCode};
use tokio::time::sleep;
use url::Url;

use super::calendar_pages::CalendarPages;
use crate::backend::{Backends, OriginRoute, SiteTraffic, own_headers};
use crate::server::bodies::read_within;
use crate::telemetry::RequestLog;
use calendar_edge_core::pages::{CalendarPage, CheckStep, PageJudge, shows_event};

/// Sends checks to the site of one set of settings; clones share the way there.
#[derive(Debug, Clone)]
pub(crate) struct PageCheck {
    pub(crate) backends: Arc<Backends>,
    pub(crate) origin: OriginRoute,
    pub(crate) public_url: Option<Url>,
}

/// The most bytes of a page that are looked at. A longer one proves nothing.
const MOST_BYTES: usize = 2 << 20;

/// The time between an event on a page and the second look, in which the plugin's message may come.
const PAUSE: Duration = Duration::from_secs(2);

// === impl PageCheck ===

impl PageCheck {
    /// Requests a page as an anonymous reader, at the address that the edge has for it. No byte that a client wrote is
    /// in the request (T-110), and no client waits for it.
    pub(super) fn begin(&self, page: CalendarPage, judge: &PageJudge, pages: &Arc<CalendarPages>) {
        let address = judge.address(&page);
        let headers = own_headers(self.public_url.as_ref().or_else(|| judge.calendar()));
        let (check, pages) = (self.clone(), pages.clone());
        tokio::spawn(async move {
            let shows = || async { check.shows_event(address.as_deref()?, headers.clone()).await };
            while pages.checked(&page, address.as_deref(), shows().await) == CheckStep::Repeat {
                sleep(PAUSE).await;
            }
        });
    }

    /// True if the site shows an event there; none if its response proves nothing about that.
    async fn shows_event(&self, address: &str, mut headers: HeaderMap) -> Option<bool> {
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        let request = self.origin.get(address, headers).ok()?;
        let log = Arc::<RequestLog>::default();
        let response = self
            .backends
            .site
            .pass(request.into(), SiteTraffic::Page, &log)
            .await;
        let response = response.ok().filter(|response| is_page(response.status()))?;
        let body = read_within(response.into_body(), MOST_BYTES).await.ok()?;
        Some(shows_event(&body))
    }
}

/// True if WordPress itself responded, with a page or with none.
fn is_page(status: StatusCode) -> bool {
    status == StatusCode::OK || status == StatusCode::NOT_FOUND
}
