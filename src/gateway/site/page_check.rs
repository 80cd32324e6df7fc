//! Asks the site for a page that the edge took for empty, after its own response.

use http::header::{ACCEPT_ENCODING, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, StatusCode};

use super::calendar_pages::CalendarPages;
use super::forward::Site;
use crate::backend::{SiteTraffic, site_request};
use crate::calls::PublicNames;
use crate::layers::AskedRequest;
use crate::server::bodies::read_within;
use crate::telemetry::RequestLog;
use calendar_edge_core::gateway::authority::PublicAddress;
use calendar_edge_core::pages::shows_event;

/// The most bytes of a page that are looked at. A longer one tells nothing.
const MOST_BYTES: usize = 2 << 20;

/// How the edge names itself to the site.
const NAME: HeaderValue = HeaderValue::from_static("calendar-edge");

// === impl Site ===

impl Site {
    /// Asks the site for the same page as an anonymous reader, without anybody who waits for it.
    pub(super) fn check_page(&self, asked: &AskedRequest, pages: &CalendarPages) {
        let mut head = asked.head.clone();
        head.method = Method::GET;
        head.headers = HeaderMap::from_iter([
            (ACCEPT_ENCODING, HeaderValue::from_static("identity")),
            (USER_AGENT, NAME),
        ]);
        let public = PublicAddress::of(self.public_url.as_ref(), asked.context.addressed());
        let forwarded = PublicNames::of(&public).forwarded(&asked.context);
        let Ok(request) = site_request(&self.origin, &head, reqwest::Body::from(""), &forwarded) else {
            return;
        };
        let (backends, pages) = (self.backends.clone(), pages.clone());
        tokio::spawn(async move {
            let log = RequestLog::default();
            let response = backends.for_site().pass(request, SiteTraffic::Page, &log).await;
            let shows = match response {
                Ok(response) if is_page(response.status()) => {
                    let body = read_within(response.into_body(), MOST_BYTES).await;
                    body.ok().map(|body| shows_event(&body))
                }
                _ => None,
            };
            pages.checked(&head.uri, shows);
        });
    }
}

/// Whether WordPress itself answered, with a page or with none.
fn is_page(status: StatusCode) -> bool {
    status == StatusCode::OK || status == StatusCode::NOT_FOUND
}
