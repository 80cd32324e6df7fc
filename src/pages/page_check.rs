//! Asks the site for a page that the edge takes for empty, beside the edge's own response.

use std::sync::Arc;

use http::header::ACCEPT_ENCODING;
use http::{HeaderValue, Method, StatusCode};
use url::Url;

use super::calendar_pages::CalendarPages;
use crate::backend::{Backends, OriginRoute, SiteTraffic, own_headers, site_request};
use crate::calls::PublicNames;
use crate::layers::AskedRequest;
use crate::server::bodies::read_within;
use crate::telemetry::RequestLog;
use calendar_edge_core::gateway::authority::PublicAddress;
use calendar_edge_core::pages::shows_event;

/// Asks the site of one set of settings.
#[derive(Debug)]
pub(crate) struct PageCheck {
    pub(crate) backends: Arc<Backends>,
    pub(crate) origin: OriginRoute,
    pub(crate) public_url: Option<Url>,
}

/// The most bytes of a page that are looked at. A longer one tells nothing.
const MOST_BYTES: usize = 2 << 20;

// === impl PageCheck ===

impl PageCheck {
    /// Asks for the same page as an anonymous reader. No client waits for it.
    pub(super) fn begin(&self, asked: &AskedRequest, pages: &CalendarPages) {
        let mut head = asked.head.clone();
        head.method = Method::GET;
        head.headers = own_headers(None);
        head.headers
            .insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        let public = PublicAddress::of(self.public_url.as_ref(), asked.context.addressed());
        let forwarded = PublicNames::of(&public).forwarded(&asked.context);
        let Ok(request) = site_request(&self.origin, &head, reqwest::Body::from(""), &forwarded) else {
            return pages.checked(&head.uri, None);
        };
        let (backends, pages) = (Arc::clone(&self.backends), pages.clone());
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
