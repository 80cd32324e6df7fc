//! The headers of a request to the rest of the site that go on to the site.

use std::net::IpAddr;

use http::header::{
    CONNECTION, COOKIE, EXPECT, HOST, HeaderName, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING,
    UPGRADE,
};
use http::{HeaderMap, HeaderValue};

use calendar_edge_judge::wordpress::payload::{METHOD_OVERRIDE, method_override, nominated};

/// Headers that apply to one connection (RFC 9110 7.6.1), and those that must not reach the origin.
///
/// CGI makes `HTTP_PROXY` of `Proxy`, by which programs find their proxy.
const DROPPED: [HeaderName; 11] = [
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
];

/// The ends of headers in which proxies state the address of the client: `X-Real-IP`, `CF-Connecting-IPv6`,
/// `X-Azure-ClientIP`, `X-Remote-Addr`.
const ADDRESSES: [&str; 5] = ["-ip", "-ipv6", "-addr", "clientip", "socketip"];

/// The beginnings of headers that state host, port, scheme or target of the client's request, for which the edge has its
/// own statement. It writes three of them itself.
const REQUEST: [&str; 15] = [
    "forwarded",
    "front-end-https",
    "wl-proxy-",
    "x-arr-",
    "x-client-",
    "x-forwarded",
    "x-host",
    "x-http-host",
    "x-original-",
    "x-proto",
    "x-real-",
    "x-remote-",
    "x-rewrite-",
    "x-scheme",
    "x-url-scheme",
];

/// The beginnings of headers by which proxies, each in its own words, state the client (country, network, certificate),
/// its request or its user. Plugins believe them. No browser and no client library sends them.
const BY_PROXY: [&str; 24] = [
    "akamai-",
    "ali-cdn-",
    "auth-user",
    "cf-",
    "cloudfront-",
    "fastly-",
    "fly-",
    "geoip-",
    "incap-",
    "remote-user",
    "ssl-client-",
    "x-akamai-",
    "x-amzn-",
    "x-appengine-",
    "x-auth-request-",
    "x-authentik-",
    "x-azure-",
    "x-envoy-",
    "x-geoip-",
    "x-goog-",
    "x-ms-client-",
    "x-ssl-",
    "x-sucuri-",
    "x-webauth-",
];

/// The beginning of headers that edge and companion plugin write.
const OWN: &str = "x-calendar-edge-";

/// Keeps what the site may read of a client at this address: no header of its connection, none that is another one to
/// CGI, none that only edge and companion plugin write, and no statement about the client that is not true, or that no
/// trusted proxy sent. `Cookie` is one field, and so is what names another method: of several fields a server takes the
/// first, the last or all.
pub fn keep_end_to_end(headers: &mut HeaderMap, client: Option<IpAddr>, is_of_trusted_proxy: bool) {
    if let Some(method) = method_override(headers).cloned() {
        headers.insert(METHOD_OVERRIDE, method);
    }
    strip_hop_by_hop(headers);
    strip(headers, |headers, name| {
        // CGI would map a name with one of these to the name of another header.
        name.contains(['_', '.'])
            || name.starts_with(OWN)
            || contradicts(headers, name, client)
            || (!is_of_trusted_proxy && begins(name, &BY_PROXY) && !is_address(name))
    });
    join_cookies(headers);
}

/// Returns true if servers differ in the method that the header names: some take the first of several fields, some
/// the last, some all; and not every one drops a field that `Connection` names.
pub(super) fn names_method_unclearly(headers: &HeaderMap) -> bool {
    headers.get_all(METHOD_OVERRIDE).iter().count() > usize::from(method_override(headers).is_some())
}

/// Removes headers that apply to one connection, and those that `Connection` names.
pub fn strip_hop_by_hop(headers: &mut HeaderMap) {
    let nominated: Vec<HeaderName> = nominated(headers).collect();
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

/// Removes the headers whose names are meant.
fn strip(headers: &mut HeaderMap, is_meant: impl Fn(&HeaderMap, &str) -> bool) {
    let names = headers.keys().filter(|name| is_meant(headers, name.as_str()));
    let names: Vec<HeaderName> = names.cloned().collect();
    for name in names {
        headers.remove(name);
    }
}

/// Returns true for a statement about the client, its host or its scheme beside the edge's own, which plugins and servers
/// believe (T-97). An address that is the client's may stay: a proxy in front of the edge has written it.
fn contradicts(headers: &HeaderMap, name: &str, client: Option<IpAddr>) -> bool {
    let is_true = |value: &HeaderValue| {
        let address = value.to_str().ok().and_then(|text| text.trim().parse().ok());
        address.is_some() && address == client
    };
    if is_address(name) {
        return !headers.get_all(name).iter().all(is_true);
    }
    begins(name, &REQUEST)
}

fn is_address(name: &str) -> bool {
    ADDRESSES.iter().any(|end| name.ends_with(end)) || name == "client-ip"
}

fn begins(name: &str, beginnings: &[&str]) -> bool {
    beginnings.iter().any(|beginning| name.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLIENT: &str = "198.51.100.7";

    fn kept(sent: &[(&'static str, &'static str)]) -> Vec<String> {
        let mut headers = HeaderMap::new();
        for (name, value) in sent {
            headers.append(*name, HeaderValue::from_static(value));
        }
        keep_end_to_end(&mut headers, Some(CLIENT.parse().unwrap()), false);
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
            let counted = method_override(&headers).cloned();
            keep_end_to_end(&mut headers, None, false);
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
    fn t97_statements_of_proxies_come_from_trusted_ones_only() {
        // The first column: from a trusted proxy; the second: from any other client.
        for (name, value, expected) in [
            ("cf-connecting-ip", CLIENT, [true, true]),
            ("cf-connecting-ip", "192.0.2.1", [false, false]),
            ("incap-client-ip", "192.0.2.1", [false, false]),
            ("ali-cdn-real-ip", CLIENT, [true, true]),
            ("x-azure-clientip", "192.0.2.1", [false, false]),
            ("x-azure-socketip", "192.0.2.1", [false, false]),
            ("x-remote-addr", "192.0.2.1", [false, false]),
            ("client-ip", "192.0.2.1", [false, false]),
            ("cf-ipcountry", "DE", [true, false]),
            ("cf-visitor", "{\"scheme\":\"https\"}", [true, false]),
            ("cloudfront-forwarded-proto", "https", [true, false]),
            ("cloudfront-viewer-address", "192.0.2.1:7", [true, false]),
            ("fastly-ssl", "1", [true, false]),
            ("fly-forwarded-proto", "https", [true, false]),
            ("x-azure-fdid", "a", [true, false]),
            ("x-envoy-external-address", "192.0.2.1", [true, false]),
            ("x-amzn-oidc-identity", "admin", [true, false]),
            ("x-goog-authenticated-user-email", "a@b.example", [true, false]),
            ("remote-user", "admin", [true, false]),
            ("x-auth-request-user", "admin", [true, false]),
            ("ssl-client-s-dn", "CN=admin", [true, false]),
            ("x-remote-user", "admin", [false, false]),
            ("x-http-host-override", "evil.example", [false, false]),
            ("x-original-url", "/wp-admin/", [false, false]),
            ("x-rewrite-url", "/wp-admin/", [false, false]),
            ("x-forwarded-prefix", "/a", [false, false]),
            ("x-proto", "SSL", [false, false]),
            ("x-arr-ssl", "1", [false, false]),
            // The fields that browsers, scripts and apps send.
            ("x-requested-with", "XMLHttpRequest", [true, true]),
            ("x-wp-nonce", "0123456789", [true, true]),
            ("x-http-method-override", "PUT", [true, true]),
            ("authorization", "Basic YTpi", [true, true]),
            ("x-csrf-token", "a", [true, true]),
            ("x-api-key", "a", [true, true]),
            ("x-wc-webhook-signature", "a", [true, true]),
            ("x-hub-signature-256", "a", [true, true]),
            ("stripe-signature", "a", [true, true]),
            ("sec-fetch-site", "same-origin", [true, true]),
            ("upgrade-insecure-requests", "1", [true, true]),
            ("save-data", "on", [true, true]),
            ("dnt", "1", [true, true]),
            ("origin", "https://a.example", [true, true]),
            ("cdn-loop", "cloudflare", [true, true]),
            ("via", "1.1 a", [true, true]),
        ] {
            let stays = [true, false].map(|is_of_trusted_proxy| {
                let mut headers = HeaderMap::new();
                headers.insert(name, HeaderValue::from_static(value));
                keep_end_to_end(&mut headers, Some(CLIENT.parse().unwrap()), is_of_trusted_proxy);
                headers.contains_key(name)
            });
            assert_eq!(stays, expected, "{name}: {value}");
        }
    }

    #[test]
    fn cookies_are_one_field() {
        let found = kept(&[("cookie", "a=b"), ("cookie", "c=d")]);
        assert_eq!(found, ["cookie: a=b; c=d"]);
    }
}
