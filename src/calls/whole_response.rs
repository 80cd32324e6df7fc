//! A whole response in as little memory as it needs.

use bytes::Bytes;
use http::header::CONTENT_LENGTH;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use crate::server::response::{PlainResponse, ResponseSource, whole};

/// A whole response for all clients, which can be given to many.
#[derive(Debug)]
pub(crate) struct WholeResponse {
    pub(crate) status: StatusCode,
    /// With `Content-Length`, which is the length of the body.
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// The part that gave it.
    pub(crate) by: ResponseSource,
}

/// Fields that are added for each client.
const OTHER_FIELDS: usize = 8;

/// The memory of one header field beside its value, in bytes.
const FIELD: usize = 128;

// === impl WholeResponse ===

impl WholeResponse {
    /// Copies a response. Parts of a response are parts of larger buffers, which a reference would keep.
    pub(crate) fn copied(status: StatusCode, headers: &HeaderMap, body: &[u8], by: ResponseSource) -> Self {
        let mut copies = HeaderMap::with_capacity(headers.len() + 1);
        for (name, value) in headers {
            if let Ok(copy) = HeaderValue::from_bytes(value.as_bytes()) {
                copies.append(name.clone(), copy);
            }
        }
        let answer = Self {
            status,
            headers: copies,
            body: Bytes::new(),
            by,
        };
        answer.with_body(Bytes::copy_from_slice(body))
    }

    /// The same response with another body.
    pub(super) fn with_body(mut self, body: Bytes) -> Self {
        // Explicit, so that a response to HEAD has the length of the omitted body.
        self.headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        self.body = body;
        self
    }

    /// The response for one client.
    pub(crate) fn response(&self) -> PlainResponse {
        let mut response = PlainResponse::new(whole(self.body.clone()));
        *response.status_mut() = self.status;
        *response.headers_mut() = self.fields(|_| true);
        response
    }

    /// The response to a client that has this response already: these of its headers, and no body.
    pub(super) fn not_modified(&self, stored: &[HeaderName]) -> PlainResponse {
        let mut response = PlainResponse::default();
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.headers_mut() = self.fields(|name| stored.contains(name));
        response
    }

    /// Some of the headers, with room for those that are added for each client: a clone of the map would have none, and
    /// would be moved twice.
    fn fields(&self, are_wanted: impl Fn(&HeaderName) -> bool) -> HeaderMap {
        let mut fields = HeaderMap::with_capacity(self.headers.len() + OTHER_FIELDS);
        let wanted = self.headers.iter().filter(|(name, _)| are_wanted(name));
        for (name, value) in wanted {
            fields.append(name.clone(), value.clone());
        }
        fields
    }

    /// The memory of the response, in bytes.
    pub(super) fn size(&self) -> usize {
        let fields = self.headers.iter().map(|(_, value)| FIELD + value.len());
        self.body.len() + fields.sum::<usize>()
    }
}
