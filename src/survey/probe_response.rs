//! The response of an origin to one question, read whole.

use std::net::SocketAddr;

use http::header::LOCATION;
use http::{HeaderMap, StatusCode};
use serde_json::Value;

use calendar_edge_core::relay::without_byte_order_marks;

/// A complete response.
pub(crate) struct ProbeResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    /// The address that answered.
    pub(crate) remote: Option<SocketAddr>,
}

/// The beginning of the codes of the companion plugin.
pub(super) const GUARD: &str = "calendar_edge_";

// === impl ProbeResponse ===

impl ProbeResponse {
    /// The body as text; what is not UTF-8 is replaced.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Whether this is the index of a namespace, or the companion plugin refuses to show it.
    pub(crate) fn is_index_of(&self, namespace: &str) -> bool {
        let Some(json) = self.json() else { return false };
        let is_index = json.get("namespace").and_then(Value::as_str) == Some(namespace);
        (self.status.is_success() && is_index) || code(&json).starts_with(GUARD)
    }

    /// The values of a header that are text.
    pub(crate) fn fields(&self, name: &http::HeaderName) -> Vec<&str> {
        let fields = self.headers.get_all(name).iter();
        fields.filter_map(|value| value.to_str().ok()).collect()
    }

    /// The body, if it is JSON.
    pub(crate) fn json(&self) -> Option<Value> {
        serde_json::from_slice(without_byte_order_marks(&self.body)).ok()
    }

    /// Where a redirect leads.
    pub(crate) fn location(&self) -> Option<&str> {
        self.header(&LOCATION)
    }

    /// The first value of a header, if it is text.
    pub(crate) fn header(&self, name: &http::HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// The code of an error of the REST API.
pub(crate) fn code(json: &Value) -> String {
    let code = json.get("code").and_then(Value::as_str);
    code.unwrap_or("no code").to_owned()
}
