//! Requests and responses of the rest of the site: forwarded unchanged, except for hop-by-hop headers.

use super::address::{AddressFault, plain};
use super::forwarded_headers::Forwarded;
use super::origin_route::OriginRoute;
use calendar_edge_core::gateway::decision::keep_end_to_end;
use http::request::Parts;
use http::uri::PathAndQuery;

/// A request for the rest of the site.
pub(crate) struct PassedRequest {
    pub(crate) request: reqwest::Request,
    /// The client's target, if the URL has another spelling of it.
    pub(super) exact_target: Option<PathAndQuery>,
}

impl From<reqwest::Request> for PassedRequest {
    /// A request of the edge's own, which its URL holds as it is.
    fn from(request: reqwest::Request) -> Self {
        Self {
            request,
            exact_target: None,
        }
    }
}

/// The same request, addressed to the host that serves the site.
pub(crate) fn site_request(
    route: &OriginRoute,
    head: &Parts,
    body: reqwest::Body,
    forwarded: &Forwarded,
) -> Result<PassedRequest, AddressFault> {
    let path = spelled_out(head.uri.path(), br#""<>`{}\"#);
    let query = head.uri.query().map(|query| spelled_out(query, br#""<>'"#));
    let url = plain(&route.base, &path, query.as_deref())?;
    let mut headers = head.headers.clone();
    keep_end_to_end(&mut headers, forwarded.client, forwarded.is_of_trusted_proxy);
    route.write_to(&mut headers);
    forwarded.write(&mut headers);
    let mut request = reqwest::Request::new(head.method.clone(), url);
    *request.headers_mut() = headers;
    *request.body_mut() = Some(body);
    let is_exact = path == head.uri.path() && query.as_deref() == head.uri.query();
    Ok(PassedRequest {
        request,
        exact_target: head.uri.path_and_query().filter(|_| !is_exact).cloned(),
    })
}

/// The text as a URL holds it: with these bytes and everything beyond ASCII percent-encoded.
fn spelled_out(text: &str, odd: &[u8]) -> String {
    let mut plain = String::with_capacity(text.len());
    for &byte in text.as_bytes() {
        if byte.is_ascii_graphic() && !odd.contains(&byte) {
            plain.push(char::from(byte));
        } else {
            calendar_edge_judge::wordpress::value::write_escaped(&[byte], &mut plain);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use http::{HeaderValue, Request};

    use super::*;
    use calendar_edge_core::settings::Settings;

    fn request(target: &str) -> Result<String, AddressFault> {
        sent(target).map(|request| request.request.url().to_string())
    }

    fn sent(target: &str) -> Result<PassedRequest, AddressFault> {
        let settings = Settings::for_origin("http://h.example:8080/de/wp-json".parse().unwrap());
        let (head, ()) = Request::get(target).body(()).unwrap().into_parts();
        let forwarded = Forwarded {
            client: None,
            is_of_trusted_proxy: false,
            scheme: "http",
            host: HeaderValue::from_static("localhost"),
            request_id: None,
            log: Arc::default(),
        };
        let route = OriginRoute::of_site(&settings.site());
        site_request(&route, &head, reqwest::Body::from(""), &forwarded)
    }

    #[test]
    fn targets_stay_as_they_are() {
        for target in [
            "/",
            "/a//b/",
            "/a?",
            "/a?b=c&&d=%27+x?y",
            "/wp%2Djson/wp/v2/posts",
            "/a;b=c,d@e:f!$&'()*",
            "/a?[]=%zz",
        ] {
            assert_eq!(
                request(target),
                Ok(format!("http://h.example:8080{target}")),
                "{target}"
            );
        }
    }

    #[test]
    fn odd_bytes_are_spelled_out() {
        let expected = "http://h.example:8080/m%C3%BCller%7B%7D?q=%27%C3%BC".to_owned();
        assert_eq!(request("/müller{}?q='ü"), Ok(expected));
    }

    #[test]
    fn a_target_that_a_url_spells_otherwise_goes_out_as_it_is() {
        for (target, is_exact) in [("/?s=O'Reilly", false), ("/a{b}", false), ("/a?b=%27", true)] {
            let exact = sent(target).map(|request| request.exact_target);
            let expected = (!is_exact).then(|| target.parse().unwrap());
            assert_eq!(exact, Ok(expected), "{target}");
        }
    }

    #[test]
    fn targets_with_a_second_reading_are_refused() {
        for target in ["/x/../wp-login.php", "/./a", "/a/%2e%2E/b", "/a/.%2e"] {
            assert_eq!(request(target), Err(AddressFault::NotPlain), "{target}");
        }
    }
}
