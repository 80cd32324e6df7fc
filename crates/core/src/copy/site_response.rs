//! The response of a copy with the headers of the site.

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE, LINK};
use http::{HeaderName, HeaderValue, Response};

use super::record_copy::{CopyResponse, RecordCopy};

/// The headers that WordPress sends with each response of its REST API to everybody.
const OF_ALL: [(HeaderName, &str); 6] = [
    (CONTENT_TYPE, "application/json; charset=UTF-8"),
    (HeaderName::from_static("x-robots-tag"), "noindex"),
    (http::header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (
        http::header::ACCESS_CONTROL_EXPOSE_HEADERS,
        "X-WP-Total, X-WP-TotalPages, Link",
    ),
    (
        http::header::ACCESS_CONTROL_ALLOW_HEADERS,
        "Authorization, X-WP-Nonce, Content-Disposition, Content-MD5, Content-Type",
    ),
    (ALLOW, "GET"),
];

/// The headers of a list with the numbers of all records and all pages.
const TOTAL: HeaderName = HeaderName::from_static("x-tec-total");
const TOTAL_PAGES: HeaderName = HeaderName::from_static("x-tec-totalpages");

/// The namespace at the end of the address that the site tells.
const NAMESPACE: &str = "tribe/events/v1/";

// === impl RecordCopy ===

impl RecordCopy {
    /// The response as the site would send it.
    pub fn sent(&self, response: CopyResponse) -> Response<Bytes> {
        let mut sent = Response::new(response.body);
        *sent.status_mut() = response.status;
        let headers = sent.headers_mut();
        for (name, value) in OF_ALL {
            headers.insert(name, HeaderValue::from_static(value));
        }
        if let Some((total, pages)) = response.totals {
            headers.insert(TOTAL, total.into());
            headers.insert(TOTAL_PAGES, pages.into());
        }
        let root = self.site.rest.strip_suffix(NAMESPACE).unwrap_or(&self.site.rest);
        if let Ok(link) = HeaderValue::try_from(format!("<{root}>; rel=\"https://api.w.org/\"")) {
            headers.insert(LINK, link);
        }
        sent
    }
}
