//! Size limits of a request's head (414 and 431), and targets that are not a path.

use http::request::Parts;

use crate::errors;
use crate::framing::Breach;
use crate::settings::Limits;

/// The configured size that a head exceeds, or a target that is no path: CONNECT's authority form and the asterisk form.
///
/// For HTTP/1 the connection's inspector has done so before. For HTTP/2 the server admits somewhat larger heads, so
/// that the refusal can be JSON.
pub(super) fn breach(limits: &Limits, head: &Parts) -> Option<Breach> {
    let Some(target) = head.uri.path_and_query() else {
        return Some(errors::BAD_TARGET);
    };
    if target.as_str().len() > limits.target_bytes {
        return Some(errors::TARGET_TOO_LONG);
    }
    if !target.path().starts_with('/') {
        return Some(errors::BAD_TARGET);
    }
    (!headers_fit(limits, head)).then_some(errors::HEADERS_TOO_LARGE)
}

fn headers_fit(limits: &Limits, head: &Parts) -> bool {
    let mut bytes = 0_usize;
    for (name, value) in &head.headers {
        if value.len() > limits.header_bytes {
            return false;
        }
        bytes = bytes.saturating_add(name.as_str().len().saturating_add(value.len()));
    }
    head.headers.len() <= limits.headers && bytes <= limits.header_list_bytes
}

#[cfg(test)]
mod tests {
    use http::{Method, Request, StatusCode};

    use super::*;

    fn limits() -> Limits {
        Limits {
            target_bytes: 20,
            headers: 2,
            header_bytes: 8,
            header_list_bytes: 14,
            ..Limits::default()
        }
    }

    fn verdict(request: http::request::Builder) -> Option<StatusCode> {
        let (head, ()) = request.body(()).unwrap().into_parts();
        breach(&limits(), &head).map(|breach| breach.refusal().status())
    }

    #[test]
    fn judges_targets() {
        for (target, expected) in [
            ("/", None),
            ("/aaaaaaaaaaaaaaaaaaa", None),
            ("/aaaaaaaaaaaaaaaaaaaa", Some(StatusCode::URI_TOO_LONG)),
            ("/aaaaaaaaaa?aaaaaaaaa", Some(StatusCode::URI_TOO_LONG)),
            ("http://h.example/aaaaaaaaaaaaa", None),
            ("*", Some(StatusCode::BAD_REQUEST)),
        ] {
            assert_eq!(verdict(Request::get(target)), expected, "{target}");
        }
        let connect = Request::builder().method(Method::CONNECT).uri("h.example:443");
        assert_eq!(verdict(connect), Some(StatusCode::BAD_REQUEST));
    }

    #[test]
    fn judges_headers() {
        let too_large = Some(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
        for (headers, expected) in [
            (&[("a", "1"), ("b", "2")][..], None),
            (&[("a", "12345678")], None),
            (&[("a", "123456789")], too_large),
            (&[("a", "1"), ("b", "2"), ("c", "3")], too_large),
            (&[("aaaa", "1234"), ("bbb", "1234")], too_large),
        ] {
            let request = headers.iter().fold(Request::get("/"), |request, (name, value)| {
                request.header(*name, *value)
            });
            assert_eq!(verdict(request), expected, "{headers:?}");
        }
    }
}
