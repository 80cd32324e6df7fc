//! The preflight request that a browser sends before a page's own request.

use http::{HeaderMap, HeaderValue, Method, header};

/// A preflight: OPTIONS with one `Origin` and `Access-Control-Request-Method`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preflight {
    pub(super) origin: HeaderValue,
    method: HeaderValue,
}

// === impl Preflight ===

impl Preflight {
    /// Reads a request as a preflight; `None` for any other request.
    pub fn of(method: &Method, request: &HeaderMap) -> Option<Self> {
        if method != Method::OPTIONS {
            return None;
        }
        Some(Self {
            origin: sole_origin(request)?.clone(),
            method: request.get(header::ACCESS_CONTROL_REQUEST_METHOD)?.clone(),
        })
    }

    /// Returns true if the page wants to send a request that changes nothing.
    pub(super) fn is_for_read(&self) -> bool {
        [b"GET".as_slice(), b"HEAD", b"OPTIONS"].contains(&self.method.as_bytes())
    }
}

/// The only `Origin` of a request; `None` if there are two, because either may be forged.
pub fn sole_origin(request: &HeaderMap) -> Option<&HeaderValue> {
    let mut origins = request.get_all(header::ORIGIN).iter();
    origins.next().filter(|_| origins.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_options_requests_are_not_preflights() {
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
