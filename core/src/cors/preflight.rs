//! The question that a browser asks before a page sends its request.

use http::{HeaderMap, HeaderValue, Method, header};

/// A preflight: OPTIONS with one `Origin` and `Access-Control-Request-Method`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preflight {
    origin: HeaderValue,
    method: HeaderValue,
}

// === impl Preflight ===

impl Preflight {
    /// The preflight that a request is; none for any other request.
    pub fn of(method: &Method, request: &HeaderMap) -> Option<Self> {
        if method != Method::OPTIONS {
            return None;
        }
        Some(Self {
            origin: sole_origin(request)?.clone(),
            method: request.get(header::ACCESS_CONTROL_REQUEST_METHOD)?.clone(),
        })
    }

    /// Where the page is from.
    pub(super) const fn origin(&self) -> &HeaderValue {
        &self.origin
    }

    /// Whether the page wants to send a request that changes nothing.
    pub(super) fn asks_to_read(&self) -> bool {
        [b"GET".as_slice(), b"HEAD", b"OPTIONS"].contains(&self.method.as_bytes())
    }
}

/// The `Origin` of a request; none where there are two, of which anybody may have set one.
pub fn sole_origin(request: &HeaderMap) -> Option<&HeaderValue> {
    let mut origins = request.get_all(header::ORIGIN).iter();
    origins.next().filter(|_| origins.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_options_requests_are_no_preflights() {
        let mut request = HeaderMap::new();
        request.insert(header::ORIGIN, HeaderValue::from_static("https://a.example"));
        assert_eq!(Preflight::of(&Method::OPTIONS, &request), None);
        request.insert(
            header::ACCESS_CONTROL_REQUEST_METHOD,
            HeaderValue::from_static("GET"),
        );
        assert_eq!(Preflight::of(&Method::GET, &request), None);
    }
}
