//! The headers in which pages of the site name the address of the API (`other = "forward"`).

use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::link::{api_link, links};
use super::rewrite::UrlMap;

/// The header in which the plugin names the address of its API: REST root and namespace
/// (backend.md section 10).
const API_ROOT: HeaderName = HeaderName::from_static("x-tec-api-root");

/// Puts the public REST root into the discovery headers of a page: `Link: …; rel="https://api.w.org/"` and
/// `X-TEC-API-ROOT`. All other headers stay, including `X-TEC-API-ORIGIN`, which names the site itself.
pub fn rewrite_discovery(headers: &mut HeaderMap, map: &UrlMap, public_base: &str) {
    if let Some(printed) = headers.get(API_ROOT).and_then(|value| value.to_str().ok())
        && let Some(public) = map.public_api_name_of(printed, public_base)
        && let Ok(value) = HeaderValue::from_str(&public)
    {
        headers.insert(API_ROOT, value);
    }
    for field in headers.get_all(header::LINK).iter().cloned().collect::<Vec<_>>() {
        if let Some(public) = public_links(&field, map, public_base) {
            replace(headers, &field, &public);
        }
    }
}

/// A `Link` field with the public root in it; `None` if it does not name a root of this origin.
fn public_links(field: &HeaderValue, map: &UrlMap, public_base: &str) -> Option<HeaderValue> {
    let mut renamed = false;
    let links: Vec<String> = links(field.to_str().ok()?)?
        .into_iter()
        .map(|link| {
            let root = link.is_api.then(|| map.public_name_of(link.target, public_base));
            let public = root.flatten().and_then(|root| api_link(&root));
            let Some(public) = public.as_ref().and_then(|value| value.to_str().ok()) else {
                return link.text.to_owned();
            };
            renamed = true;
            public.to_owned()
        })
        .collect();
    renamed.then(|| HeaderValue::from_str(&links.join(", ")).ok())?
}

fn replace(headers: &mut HeaderMap, old: &HeaderValue, new: &HeaderValue) {
    if let header::Entry::Occupied(mut fields) = headers.entry(header::LINK) {
        for field in fields.iter_mut().filter(|field| *field == old) {
            *field = new.clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;
    use crate::relay::rewrite::{OriginRoot, RootNames};

    const BASE: &str = "https://events.example.org";

    fn map(roots: &[(&str, &str)]) -> UrlMap {
        let roots: Vec<RootNames> = roots
            .iter()
            .map(|(path, dialled)| RootNames {
                public_path: (*path).to_owned(),
                dialled: OriginRoot::from_setting(&Url::parse(dialled).unwrap()),
                advertised: None,
            })
            .collect();
        UrlMap::new(&roots, "tribe/events/v1", "calendar/events/v1")
    }

    fn rewritten(name: &HeaderName, values: &[&str]) -> Vec<String> {
        let map = map(&[
            ("/wp-json", "http://10.0.0.5/wp-json"),
            ("/de/wp-json", "http://10.0.0.5/de/wp-json"),
        ]);
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(name, HeaderValue::from_str(value).unwrap());
        }
        rewrite_discovery(&mut headers, &map, BASE);
        headers
            .get_all(name)
            .iter()
            .map(|value| value.to_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn only_the_api_link_names_the_public_root() {
        let links = rewritten(
            &header::LINK,
            &[
                r#"<http://h/wp-json/>; rel="https://api.w.org/", <http://h/?p=5>; rel=shortlink"#,
                r#"<http://h/de/wp-json/>; rel="https://api.w.org/""#,
                r#"<http://h/wp-json/wp/v2/pages/2>; rel="alternate""#,
            ],
        );
        assert_eq!(
            links,
            [
                r#"<https://events.example.org/wp-json/>; rel="https://api.w.org/", <http://h/?p=5>; rel=shortlink"#,
                r#"<https://events.example.org/de/wp-json/>; rel="https://api.w.org/""#,
                r#"<http://h/wp-json/wp/v2/pages/2>; rel="alternate""#,
            ]
        );
    }

    #[test]
    fn the_plugins_header_names_root_and_namespace() {
        for (printed, public) in [
            (
                "http://h/wp-json/tribe/events/v1/",
                "https://events.example.org/wp-json/calendar/events/v1/",
            ),
            (
                "http://10.0.0.5/de/wp-json/tribe/events/v1",
                "https://events.example.org/de/wp-json/calendar/events/v1/",
            ),
            ("http://h/api/tribe/events/v1/", "http://h/api/tribe/events/v1/"),
            ("not a URL", "not a URL"),
        ] {
            assert_eq!(rewritten(&API_ROOT, &[printed]), [public], "{printed}");
        }
    }

    #[test]
    fn odd_links_stay() {
        for odd in [
            "<",
            r#"<ftp://h/wp-json/>; rel="https://api.w.org/""#,
            r#"<http://h/x/>; rel="https://api.w.org/""#,
        ] {
            assert_eq!(rewritten(&header::LINK, &[odd]), [odd]);
        }
    }
}
