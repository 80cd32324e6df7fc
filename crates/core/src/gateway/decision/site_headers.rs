//! The headers of a request to the rest of the site that go on to the site.

use std::net::IpAddr;

use http::header::{
    CONNECTION, COOKIE, EXPECT, HOST, HeaderName, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING,
    UPGRADE,
};
use http::{HeaderMap, HeaderValue};

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

/// The header in which a client asks WordPress to take another method.
const OVERRIDE: &str = "x-http-method-override";

/// Keeps what the site may read of a client at this address: no header of its connection, none that is another one to
/// CGI, none that only edge and companion plugin write, and no claim about the client that is not true. `Cookie` is one
/// field, and so is what names another method: of several fields a server takes the first, the last or all.
pub fn keep_end_to_end(headers: &mut HeaderMap, client: Option<IpAddr>) {
    if let Some(method) = overriding(headers).cloned() {
        headers.insert(OVERRIDE, method);
    }
    strip_hop_by_hop(headers);
    strip(headers, |headers, name| {
        // CGI would map a name with one of these to the name of another header.
        name.contains(['_', '.']) || name.starts_with(OWN) || is_claim(headers, name, client)
    });
    join_cookies(headers);
}

/// The field that asks for another method, if it goes on to the site (T-101).
pub(in crate::gateway) fn overriding(headers: &HeaderMap) -> Option<&HeaderValue> {
    let named = headers.get_all(OVERRIDE).iter().next_back()?;
    nominated(headers).all(|name| name != OVERRIDE).then_some(named)
}

/// Removes headers that apply to one connection, and those that `Connection` names.
pub fn strip_hop_by_hop(headers: &mut HeaderMap) {
    let nominated: Vec<HeaderName> = nominated(headers).collect();
    for name in nominated.into_iter().chain(DROPPED) {
        headers.remove(name);
    }
}

/// The headers that `Connection` names.
fn nominated(headers: &HeaderMap) -> impl Iterator<Item = HeaderName> {
    let fields = headers.get_all(CONNECTION).iter();
    let fields = fields.filter_map(|value| value.to_str().ok());
    fields
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
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

/// Removes the headers whose names are meant.
fn strip(headers: &mut HeaderMap, is_meant: impl Fn(&HeaderMap, &str) -> bool) {
    let names = headers.keys().filter(|name| is_meant(headers, name.as_str()));
    let names: Vec<HeaderName> = names.cloned().collect();
    for name in names {
        headers.remove(name);
    }
}

/// Returns true for what a client claims about itself, its host or its scheme in headers that plugins and servers believe
/// (T-97). An address that is the client's may stay: a proxy in front of the edge has written it.
fn is_claim(headers: &HeaderMap, name: &str, client: Option<IpAddr>) -> bool {
    let is_true = |value: &HeaderValue| {
        let address = value.to_str().ok().and_then(|text| text.trim().parse().ok());
        address.is_some() && address == client
    };
    if ADDRESSES.contains(&name) {
        return !headers.get_all(name).iter().all(is_true);
    }
    CLAIMS.iter().any(|claim| name.starts_with(claim))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(sent: &[(&'static str, &'static str)]) -> Vec<String> {
        let mut headers = HeaderMap::new();
        for (name, value) in sent {
            headers.append(*name, HeaderValue::from_static(value));
        }
        keep_end_to_end(&mut headers, Some("198.51.100.7".parse().unwrap()));
        let line =
            |(name, value): (&HeaderName, &HeaderValue)| format!("{name}: {}", value.to_str().unwrap());
        let mut lines: Vec<String> = headers.iter().map(line).collect();
        lines.sort_unstable();
        lines
    }

    #[test]
    fn hop_by_hop_headers_stay_on_their_hop() {
        let found = kept(&[
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
        ]);
        assert_eq!(found, ["cookie: a=b", "x-http-method-override: PUT"]);
    }

    #[test]
    fn t101_the_method_that_goes_on_is_the_one_that_counts() {
        let method = "x-http-method-override";
        for (fields, expected) in [
            (&[(method, "GET"), (method, "OPTIONS")][..], Some("OPTIONS")),
            (
                &[
                    (method, "OPTIONS"),
                    ("connection", "close, X-HTTP-Method-Override"),
                ],
                None,
            ),
            (&[("x_http_method-override", "OPTIONS")], None),
            (&[("x.http.method.override", "OPTIONS")], None),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in fields {
                headers.append(*name, HeaderValue::from_static(value));
            }
            let counted = overriding(&headers).cloned();
            keep_end_to_end(&mut headers, None);
            let sent: Vec<_> = headers.values().collect();
            assert_eq!(sent, counted.iter().collect::<Vec<_>>(), "{fields:?}");
            assert_eq!(counted.as_ref().and_then(|value| value.to_str().ok()), expected);
        }
    }

    #[test]
    fn t97_only_what_is_true_of_the_client_goes_on() {
        let found = kept(&[
            ("cf-connecting-ip", "198.51.100.7"),
            ("x-real-ip", "127.0.0.1"),
            ("x-forwarded-port", "443"),
            ("forwarded", "for=198.51.100.7"),
            ("x-original-url", "/wp-admin/"),
            ("x-remote-user", "admin"),
            ("accept", "text/html"),
        ]);
        assert_eq!(found, ["accept: text/html", "cf-connecting-ip: 198.51.100.7"]);
    }

    #[test]
    fn cookies_are_one_field() {
        let found = kept(&[("cookie", "a=b"), ("cookie", "c=d")]);
        assert_eq!(found, ["cookie: a=b; c=d"]);
    }
}
