//! Requests and responses of the rest of the site: forwarded unchanged, except for hop-by-hop headers.

use super::address::{AddressFault, plain};
use super::forwarded_headers::Forwarded;
use super::origin_route::OriginRoute;
use calendar_edge_core::settings::BackendSettings;
use http::header::{
    CONNECTION, COOKIE, EXPECT, HOST, HeaderName, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING,
    UPGRADE,
};
use http::request::Parts;
use http::{HeaderMap, HeaderValue};
use std::net::IpAddr;

/// Headers that apply to one connection (RFC 9110 7.6.1), and those that must not reach the origin.
///
/// CGI makes `HTTP_PROXY` of `Proxy`, by which programs find their proxy. Behind IIS, WordPress takes the target of the
/// request from the last two.
const DROPPED: [HeaderName; 13] = [
    CONNECTION,
    HOST,
    EXPECT,
    PROXY_AUTHORIZATION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy"),
    HeaderName::from_static("proxy-connection"),
    HeaderName::from_static("x-original-url"),
    HeaderName::from_static("x-rewrite-url"),
];

/// Headers in which proxies name the address of the client.
const ADDRESSES: [&str; 10] = [
    "cf-connecting-ip",
    "cf-connecting-ipv6",
    "client-ip",
    "fastly-client-ip",
    "true-client-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-proxyuser-ip",
    "x-real-ip",
    "x-sucuri-clientip",
];

/// The beginnings of headers that name address, host, port or scheme of the client's request. The edge writes three of
/// them itself.
const CLAIMS: [&str; 9] = [
    "forwarded",
    "front-end-https",
    "x-forwarded",
    "x-host",
    "x-original-forwarded",
    "x-original-host",
    "x-remote-",
    "x-scheme",
    "x-url-scheme",
];

/// The beginning of headers that edge and companion plugin write.
const OWN: &str = "x-calendar-edge-";

/// The host that serves the site.
#[derive(Debug)]
pub(crate) struct SiteOrigin {
    route: OriginRoute,
}

// === impl SiteOrigin ===

impl SiteOrigin {
    /// The host of the configured REST root, or the one that the settings name instead.
    pub(crate) fn new(site: &BackendSettings) -> Self {
        Self {
            route: OriginRoute::of_site(site),
        }
    }

    /// The same request, addressed to the origin.
    pub(crate) fn request(
        &self,
        head: &Parts,
        body: reqwest::Body,
        forwarded: &Forwarded,
    ) -> Result<reqwest::Request, AddressFault> {
        let path = spelled_out(head.uri.path(), br#""<>^`{}|\"#);
        let query = head.uri.query().map(|query| spelled_out(query, br#""<>'"#));
        let url = plain(self.route.base(), &path, query.as_deref())?;
        let mut headers = head.headers.clone();
        strip_hop_by_hop(&mut headers);
        strip_confusable(&mut headers);
        strip_own(&mut headers);
        strip_claims(&mut headers, forwarded.client);
        join_cookies(&mut headers);
        self.route.write_to(&mut headers);
        forwarded.write(&mut headers);
        let mut request = reqwest::Request::new(head.method.clone(), url);
        *request.headers_mut() = headers;
        *request.body_mut() = Some(body);
        Ok(request)
    }
}

/// Removes headers that apply to one connection, and those that `Connection` names.
pub(crate) fn strip_hop_by_hop(headers: &mut HeaderMap) {
    let nominated: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in nominated.into_iter().chain(DROPPED) {
        headers.remove(name);
    }
}

/// Joins `Cookie` fields, of which HTTP/2 may have many and HTTP/1.1 one (RFC 9113 8.2.3).
fn join_cookies(headers: &mut HeaderMap) {
    let fields: Vec<&[u8]> = headers
        .get_all(COOKIE)
        .iter()
        .map(HeaderValue::as_bytes)
        .collect();
    if fields.len() < 2 {
        return;
    }
    // Values of fields remain one when they are joined by a text.
    if let Ok(joined) = HeaderValue::from_bytes(&fields.join(&b"; "[..])) {
        headers.insert(COOKIE, joined);
    }
}

/// Removes header names that CGI would map to the name of another header.
fn strip_confusable(headers: &mut HeaderMap) {
    let confusable: Vec<HeaderName> = headers
        .keys()
        .filter(|name| name.as_str().contains(['_', '.']))
        .cloned()
        .collect();
    for name in confusable {
        headers.remove(name);
    }
}

/// Removes what only edge and companion plugin say to each other.
fn strip_own(headers: &mut HeaderMap) {
    let is_own = |name: &&HeaderName| name.as_str().starts_with(OWN);
    let own: Vec<HeaderName> = headers.keys().filter(is_own).cloned().collect();
    for name in own {
        headers.remove(name);
    }
}

/// Removes what a client claims about itself, its host or its scheme in headers that plugins and servers believe (T-97).
/// An address that is the client's may stay: a proxy in front of the edge has written it.
fn strip_claims(headers: &mut HeaderMap, client: Option<IpAddr>) {
    let is_true = |value: &HeaderValue| {
        let address = value.to_str().ok().and_then(|text| text.trim().parse().ok());
        address.is_some() && address == client
    };
    let claims: Vec<HeaderName> = headers
        .keys()
        .filter(|name| {
            let name = name.as_str();
            let is_address = ADDRESSES.contains(&name) && headers.get_all(name).iter().all(is_true);
            !is_address && (ADDRESSES.contains(&name) || CLAIMS.iter().any(|claim| name.starts_with(claim)))
        })
        .cloned()
        .collect();
    for name in claims {
        headers.remove(name);
    }
}

/// The text with these bytes and everything beyond ASCII percent-encoded, which means the same to a server.
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
    use http::Request;

    use super::*;
    use crate::telemetry::{ParentSpan, RequestLog};
    use calendar_edge_core::settings::Settings;

    fn request(target: &str) -> Result<String, AddressFault> {
        let settings = Settings::for_origin("http://h.example:8080/de/wp-json".parse().unwrap());
        let (head, ()) = Request::get(target).body(()).unwrap().into_parts();
        let forwarded = Forwarded {
            client: None,
            scheme: "http",
            host: HeaderValue::from_static("localhost"),
            request_id: None,
            log: RequestLog::default(),
            parent: ParentSpan::NextExchange,
        };
        SiteOrigin::new(&settings.site())
            .request(&head, reqwest::Body::from(""), &forwarded)
            .map(|request| request.url().to_string())
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
    fn targets_with_a_second_reading_are_refused() {
        for target in ["/x/../wp-login.php", "/./a", "/a/%2e%2E/b", "/a/.%2e"] {
            assert_eq!(request(target), Err(AddressFault::NotPlain), "{target}");
        }
    }

    #[test]
    fn hop_by_hop_headers_stay_on_their_hop() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "keep-alive, X-Once"),
            ("x-once", "1"),
            ("upgrade", "websocket"),
            ("te", "trailers"),
            ("x_forwarded_for", "1.2.3.4"),
            ("proxy", "http://evil.example"),
            ("x-calendar-edge-mark", "v1 t=1,s=00"),
            ("x-calendar-edge-purge", "v1 t=1,s=00"),
            ("x_calendar-edge_mark", "v1 t=1,s=00"),
            ("cookie", "a=b"),
            ("x-http-method-override", "PUT"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        strip_hop_by_hop(&mut headers);
        strip_confusable(&mut headers);
        strip_own(&mut headers);
        let mut names: Vec<&str> = headers.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["cookie", "x-http-method-override"]);
    }
}
