//! The addresses in the headers of pages and of everything else that is not a calendar call (`other = "forward"`).

use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::link::{api_target, links, unescaped};
use super::origin_urls::OriginUrls;
use super::refresh::refresh_url;
use super::rewrite::PublicAddresses;
use crate::settings::OtherTraffic;

/// The header in which the plugin names the address of its API, of a record or of a term (backend.md section 10).
const API_ROOT: HeaderName = HeaderName::from_static("x-tec-api-root");

/// The headers that are one URL. `X-TEC-API-ORIGIN` names the site that the API belongs to.
const URLS: [HeaderName; 5] = [
    header::LOCATION,
    header::CONTENT_LOCATION,
    API_ROOT,
    HeaderName::from_static("x-tec-api-origin"),
    HeaderName::from_static("x-pingback"),
];

/// Makes the addresses of the origin and of its REST roots public in the headers that name any: `URLS`, `Link` and
/// `Refresh`. `public_base` is the scheme and authority of the edge, without a slash behind them.
pub fn publish_site_headers(headers: &mut HeaderMap, urls: &OriginUrls, public_base: &str) {
    if !URLS
        .iter()
        .chain(&[header::LINK, header::REFRESH])
        .any(|name| headers.contains_key(name))
    {
        return;
    }
    let map = urls.map();
    let mut addresses = PublicAddresses::new(&map, public_base, 0, OtherTraffic::Forward);
    for authority in urls.further(public_base) {
        addresses.also(authority);
    }
    if let Some(root) = api_target(headers) {
        addresses.also_of_root(root);
    }
    if let Some(root) = headers.get(API_ROOT).and_then(text) {
        addresses.also_of_root(root);
    }
    for name in &URLS {
        replace(headers, name, |value| {
            addresses.public(text(value)?).map(String::into_bytes)
        });
    }
    replace(headers, &header::LINK, |value| {
        public_links(value.as_bytes(), &addresses)
    });
    replace(headers, &header::REFRESH, |value| {
        let value = std::str::from_utf8(value.as_bytes()).ok()?;
        let url = refresh_url(value)?;
        // A text that is public now has a slash, which nothing before it has.
        Some(value.replacen(url, &addresses.public(url)?, 1).into_bytes())
    });
}

fn text(value: &HeaderValue) -> Option<&str> {
    std::str::from_utf8(value.as_bytes()).ok().map(str::trim)
}

/// Replaces every field of a name for which there is a new value.
fn replace(headers: &mut HeaderMap, name: &HeaderName, public: impl Fn(&HeaderValue) -> Option<Vec<u8>>) {
    if let header::Entry::Occupied(mut fields) = headers.entry(name) {
        for field in fields.iter_mut() {
            if let Some(value) = public(field).and_then(|value| HeaderValue::from_maybe_shared(value).ok()) {
                *field = value;
            }
        }
    }
}

/// A `Link` field with public targets and anchors; `None` if none of them changes. Links behind a fault stay.
fn public_links(field: &[u8], addresses: &PublicAddresses<'_>) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut copied = 0;
    for link in links(field).0 {
        for place in [Some(link.target), link.anchor].into_iter().flatten() {
            let written = field.get(place.clone())?;
            let plain = unescaped(written);
            let public = std::str::from_utf8(&plain)
                .ok()
                .and_then(|plain| addresses.public(plain));
            if let Some(public) = public {
                out.extend_from_slice(field.get(copied..place.start)?);
                out.extend(public.bytes().flat_map(escaped));
                copied = place.end;
            }
        }
    }
    out.extend_from_slice(field.get(copied..)?);
    (copied > 0).then_some(out)
}

/// A byte of a URL as a quoted string writes it.
fn escaped(byte: u8) -> impl Iterator<Item = u8> {
    let escape = matches!(byte, b'"' | b'\\').then_some(b'\\');
    escape.into_iter().chain([byte])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relay::LearntRoots;
    use crate::settings::{DialAddress, OriginHost, OriginNamespace, Settings};

    const BASE: &str = "https://events.example.org";

    fn settings() -> Settings {
        let mut settings = Settings::for_origin("http://10.0.0.5/wp-json".parse().unwrap());
        settings.origin.namespace = OriginNamespace::set("tribe/events/v1");
        settings.other = OtherTraffic::Forward;
        let mut german = settings.roots[0].clone();
        german.path = "/de/wp-json".to_owned();
        german.origin_url = "http://10.0.0.5/de/wp-json".parse().unwrap();
        settings.roots.push(german);
        settings
    }

    /// The fields of one response, as they reach a client.
    fn published(settings: &Settings, fields: &[(&'static str, &str)]) -> Vec<String> {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        publish_site_headers(
            &mut headers,
            &OriginUrls::new(&settings.site(), &LearntRoots::default()),
            BASE,
        );
        let values = headers.values();
        values
            .map(|value| String::from_utf8(value.as_bytes().to_vec()).unwrap())
            .collect()
    }

    #[test]
    fn a_page_names_the_edge_whatever_the_site_calls_itself() {
        for site in [
            "http://10.0.0.5",
            "https://wp.example.net:8443",
            "http://events.example.org",
            BASE,
        ] {
            let link = format!(
                "<{site}/wp-json/>; rel=\"https://api.w.org/\", <{site}/?p=5>; rel=shortlink; \
                 title=\"<{site}/>; ü\"; anchor=\"{site}/a\", <https://s.w.org>; rel=dns-prefetch"
            );
            let api = format!("{site}/wp-json/tribe/events/v1/events/50");
            let pingback = format!("{site}/xmlrpc.php");
            let refresh = format!("5; URL='{site}/new'");
            let found = published(
                &settings(),
                &[
                    ("link", &link),
                    ("x-tec-api-root", &api),
                    ("x-tec-api-origin", site),
                    ("x-pingback", &pingback),
                    ("refresh", &refresh),
                ],
            );
            let expected_link = format!(
                "<{BASE}/wp-json/>; rel=\"https://api.w.org/\", <{BASE}/?p=5>; rel=shortlink; \
                 title=\"<{site}/>; ü\"; anchor=\"{BASE}/a\", <https://s.w.org>; rel=dns-prefetch"
            );
            let expected = [
                expected_link,
                format!("{BASE}/wp-json/calendar/events/v1/events/50"),
                BASE.to_owned(),
                format!("{BASE}/xmlrpc.php"),
                format!("5; URL='{BASE}/new'"),
            ];
            assert_eq!(found, expected, "{site}");
        }
    }

    #[test]
    fn every_root_and_route_becomes_public() {
        for (printed, public) in [
            (
                "http://h/wp-json/tribe/events/v1/",
                "/wp-json/calendar/events/v1/",
            ),
            (
                "http://h/wp-json/tribe/events/v1/events/50",
                "/wp-json/calendar/events/v1/events/50",
            ),
            (
                "http://h/wp-json/tribe/events/v1/categories/7?x=1",
                "/wp-json/calendar/events/v1/categories/7?x=1",
            ),
            (
                "http://10.0.0.5/de/wp-json/tribe/events/v1",
                "/de/wp-json/calendar/events/v1",
            ),
        ] {
            let found = published(&settings(), &[("x-tec-api-root", printed)]);
            assert_eq!(found, [format!("{BASE}{public}")], "{printed}");
        }
        for printed in ["http://h/api/tribe/events/v1/", "not a URL", ""] {
            assert_eq!(published(&settings(), &[("x-tec-api-root", printed)]), [printed]);
        }
    }

    #[test]
    fn redirects_lead_to_the_edge_and_nowhere_else_changes() {
        let mut named = settings();
        named.origin.host = OriginHost::parse("wp.internal");
        named.origin.connect = DialAddress::parse("10.0.0.9:8080");
        for (printed, public) in [
            ("http://10.0.0.5/new", format!("{BASE}/new")),
            (
                "https://wp.internal/new?x=http://wp.internal/",
                format!("{BASE}/new?x=http://wp.internal/"),
            ),
            ("http://wp.internal:80/new", format!("{BASE}/new")),
            ("http://events.example.org:8080/new/", format!("{BASE}/new/")),
            (
                "http://events.example.org:8443/new/",
                "http://events.example.org:8443/new/".to_owned(),
            ),
            ("/new", "/new".to_owned()),
            ("new", "new".to_owned()),
            (
                "https://elsewhere.example/",
                "https://elsewhere.example/".to_owned(),
            ),
            ("http://10.0.0.50/new", "http://10.0.0.50/new".to_owned()),
        ] {
            assert_eq!(published(&named, &[("location", printed)]), [public], "{printed}");
        }
    }

    #[test]
    fn links_behind_a_fault_stay() {
        let field = "<http://10.0.0.5/a>; rel=next, <http://10.0.0.5/b>; title=\"";
        let found = published(&settings(), &[("link", field)]);
        assert_eq!(
            found,
            [format!("<{BASE}/a>; rel=next, <http://10.0.0.5/b>; title=\"")]
        );
    }

    #[test]
    fn odd_bytes_do_not_hide_a_link() {
        let mut headers = HeaderMap::new();
        let field = b"<http://10.0.0.5/a>; title=\"\xfc\"; anchor=\"http:\\/\\/10.0.0.5/\\\"b\"";
        headers.insert(header::LINK, HeaderValue::from_bytes(field).unwrap());
        publish_site_headers(
            &mut headers,
            &OriginUrls::new(&settings().site(), &LearntRoots::default()),
            BASE,
        );
        let expected = [
            b"<https://events.example.org/a>; title=\"\xfc\"; anchor=\"".as_slice(),
            b"https://events.example.org/\\\"b\"",
        ];
        assert_eq!(headers[header::LINK].as_bytes(), expected.concat());
    }
}
