//! The request the edge writes itself.

use bytes::Bytes;
use http::{HeaderValue, Method};

/// What goes to the origin: nothing in it is a client's byte that was not judged.
#[derive(Debug, Clone, PartialEq)]
pub struct CanonicalRequest {
    /// Which root the call came in on: an index into the configured roots.
    pub root: usize,
    /// The method, after PUT and PATCH became POST.
    pub method: Method,
    /// The path below the origin's REST root, beginning with a slash: `/tribe/events/v1/events/56`.
    pub path: String,
    /// The query without its question mark; never empty.
    pub query: Option<String>,
    /// A JSON body; none on reads and deletes.
    pub body: Option<Bytes>,
    /// The nonce that came as a parameter; it replaces an `X-WP-Nonce` header of the client.
    pub nonce: Option<HeaderValue>,
}
