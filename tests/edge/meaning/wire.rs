//! A request on the wire, the client's or the edge's.

use calendar_edge_judge::call::CanonicalRequest;
use http::header::{CONTENT_TYPE, HeaderName};
use http::{HeaderMap, HeaderValue};

use crate::judging::{NAMESPACE, Request, settings};

/// The header a nonce travels in.
const NONCE: HeaderName = HeaderName::from_static("x-wp-nonce");

/// The forwarded request as the origin receives it, with the client's credentials.
pub(super) fn forwarded(canonical: &CanonicalRequest, client: &HeaderMap) -> Request {
    let root = settings().roots[canonical.root].clone();
    let mut headers = HeaderMap::new();
    for name in ["authorization", "cookie", "x-wp-nonce"] {
        for value in client.get_all(name) {
            headers.append(HeaderName::from_static(name), value.clone());
        }
    }
    if let Some(nonce) = &canonical.nonce {
        headers.insert(NONCE, nonce.clone());
    }
    if canonical.body.is_some() {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    Request {
        method: canonical.method.clone(),
        path: format!("{}{}", root.origin_url.path(), canonical.path(NAMESPACE)),
        query: canonical.query(NAMESPACE),
        headers,
        body: canonical.body.as_deref().unwrap_or_default().to_vec(),
    }
}
