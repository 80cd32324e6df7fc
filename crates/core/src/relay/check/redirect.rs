//! Redirects of the origin: those that a client can follow through the edge, and the reasons for all others.

use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use url::{Position, Url, form_urlencoded};

use super::call_context::CallContext;
use crate::relay::failure::{Detour, OriginFailure, shortened};
use crate::relay::origin_urls::OriginUrls;
use crate::relay::rewrite::PublicAddresses;
use crate::settings::OtherTraffic;
use calendar_edge_judge::contract::global::{Treatment, global};
use calendar_edge_judge::contract::table;

/// The header in which WordPress and its plugins name the code that redirects.
const X_REDIRECT_BY: HeaderName = HeaderName::from_static("x-redirect-by");

/// A redirect whose target was compared with the requested address.
struct Redirect<'a> {
    call: &'a CallContext,
    urls: &'a OriginUrls,
    asked: Url,
    target: Url,
}

/// The headers of a redirect that leads a read to another address of the calendar at this origin; its `Location` is
/// spelt as the edge dials it. `None` for every other response.
///
/// The client follows it, so the edge judges the new address like every other one. An address that the edge would
/// forward as the requested one again is no such redirect.
pub(super) fn redirect_within(
    status: StatusCode,
    headers: &HeaderMap,
    call: &CallContext,
    urls: &OriginUrls,
) -> Option<HeaderMap> {
    let leads_reads = matches!(status.as_u16(), 301 | 302 | 307 | 308);
    if !leads_reads || !matches!(call.method, Method::GET | Method::HEAD) {
        return None;
    }
    let redirect = Redirect::read(headers, call, urls)?;
    let (root, route) = redirect.route(&redirect.target)?;
    if redirect.leads_back() {
        return None;
    }
    let dialled = urls.dialled(root)?;
    let location = format!("{}{route}", dialled.as_str().trim_end_matches('/'));
    let mut headers = headers.clone();
    headers.insert(header::LOCATION, HeaderValue::try_from(location).ok()?);
    Some(headers)
}

/// The failure for every other redirect.
pub(super) fn redirect(
    status: StatusCode,
    headers: &HeaderMap,
    call: &CallContext,
    urls: &OriginUrls,
) -> OriginFailure {
    let location = headers
        .get(header::LOCATION)
        .and_then(|value| value.to_str().ok());
    let read = Redirect::read(headers, call, urls);
    OriginFailure::Redirect {
        status,
        location: location.map(|target| shortened(target.split(['?', '#']).next().unwrap_or(target))),
        by: headers
            .get(X_REDIRECT_BY)
            .map(|name| shortened(&String::from_utf8_lossy(name.as_bytes()))),
        detour: read.map_or(Detour::Nowhere, |redirect| redirect.detour()),
    }
}

// === impl Redirect ===

impl<'a> Redirect<'a> {
    fn read(headers: &HeaderMap, call: &'a CallContext, urls: &'a OriginUrls) -> Option<Self> {
        let mut locations = headers.get_all(header::LOCATION).iter();
        let (Some(location), None) = (locations.next(), locations.next()) else {
            return None;
        };
        let asked = urls.dialled(call.root)?.join(&call.target).ok()?;
        let mut target = asked.join(location.to_str().ok()?).ok()?;
        target.set_fragment(None);
        let is_web = matches!(target.scheme(), "http" | "https");
        let is_plain = target.username().is_empty() && target.password().is_none();
        (is_web && is_plain).then_some(Self {
            call,
            urls,
            asked,
            target,
        })
    }

    /// The root of a URL of the calendar, and the route below it with the query.
    fn route(&self, url: &Url) -> Option<(usize, String)> {
        let map = self.urls.map();
        let mut addresses = PublicAddresses::new(&map, "", self.call.root, OtherTraffic::Refuse);
        for authority in self.urls.further("") {
            addresses.also(authority);
        }
        addresses.route_of_calendar(url.as_str())
    }

    /// True if the edge would forward a request for the target as the same request again: parts that it does not
    /// forward make no difference.
    fn leads_back(&self) -> bool {
        let [asked, target] = [&self.asked, &self.target].map(|url| self.route(url));
        let path = |route: &str| {
            route
                .split('?')
                .next()
                .unwrap_or(route)
                .trim_end_matches('/')
                .to_owned()
        };
        let is_same_route = match (asked, target) {
            (Some(asked), Some(target)) => asked.0 == target.0 && path(&asked.1) == path(&target.1),
            _ => false,
        };
        let asked: Vec<_> =
            form_urlencoded::parse(self.asked.query().unwrap_or_default().as_bytes()).collect();
        let mut counted = asked.clone();
        let mut wanted: Vec<_> = form_urlencoded::parse(self.target.query().unwrap_or_default().as_bytes())
            .filter(|(name, _)| is_forwarded(name) || asked.iter().any(|(known, _)| known == name))
            .collect();
        counted.sort();
        wanted.sort();
        is_same_route && counted == wanted
    }

    fn detour(&self) -> Detour {
        let below = self
            .urls
            .dialled(self.call.root)
            .map(|root| root.path().trim_end_matches('/'));
        let route = below
            .and_then(|root| self.asked.path().strip_prefix(root))
            .unwrap_or_default();
        let is_elsewhere = self.target.origin() != self.asked.origin();
        let path = self.target.path();
        if let Some(root) = path
            .trim_end_matches('/')
            .strip_suffix(route)
            .filter(|_| is_elsewhere && !route.is_empty())
        {
            let site = &self.target[..Position::BeforePath];
            return Detour::Moved {
                root: shortened(&format!("{site}{root}")),
                host: shortened(&self.target[Position::BeforeHost..Position::AfterPort]),
                setting: self.urls.setting_of(self.call.root),
            };
        }
        if self.leads_back() {
            return Detour::Back;
        }
        if self.route(&self.target).is_some() {
            return Detour::Within;
        }
        if path.to_ascii_lowercase().contains("login") {
            return Detour::Login;
        }
        Detour::Away
    }
}

/// True if the edge forwards a parameter of this name on some operation.
fn is_forwarded(name: &str) -> bool {
    let name = name.split('[').next().unwrap_or(name).as_bytes();
    let is_global = global(name).is_some_and(|global| {
        matches!(
            global.treatment,
            Treatment::Forward | Treatment::ForwardInPlace | Treatment::ForwardFromQuery
        )
    });
    let mut operations = table().operations().iter();
    is_global || operations.any(|operation| operation.argument(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relay::{Content, LearntRoots};
    use crate::settings::{OriginNamespace, Settings};

    const ROOT: &str = "http://wp.example.org/wp-json";
    const EVENTS: &str = "/wp-json/tribe/events/v1/events";

    fn urls() -> OriginUrls {
        let mut settings = Settings::for_origin(ROOT.parse().unwrap());
        settings.origin.namespace = OriginNamespace::set("tribe/events/v1");
        settings.public_url = Some("https://events.example.org".parse().unwrap());
        let mut german = settings.roots[0].clone();
        german.path = "/de/wp-json".to_owned();
        german.origin_url = "http://wp.example.org/de/wp-json".parse().unwrap();
        settings.roots.push(german);
        OriginUrls::new(&settings.site(), &LearntRoots::default())
    }

    fn call(method: Method, query: &str) -> CallContext {
        CallContext {
            root: 0,
            method,
            content: Content::Records,
            operation: None,
            may_be_script: false,
            enveloped: false,
            may_change_language: true,
            target: format!("{EVENTS}{query}").into(),
        }
    }

    fn head(locations: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for location in locations {
            headers.append(header::LOCATION, location.parse().unwrap());
        }
        headers
    }

    /// The address that a client of `?lang=en&page=2` is led to.
    fn within(status: u16, method: Method, location: &str) -> Option<String> {
        let status = StatusCode::from_u16(status).unwrap();
        let call = call(method, "?lang=en&page=2");
        let headers = redirect_within(status, &head(&[location]), &call, &urls())?;
        Some(headers[header::LOCATION].to_str().unwrap().to_owned())
    }

    fn detour(location: &str, method: Method) -> Detour {
        let call = call(method, "?lang=en&page=2");
        match redirect(StatusCode::FOUND, &head(&[location]), &call, &urls()) {
            OriginFailure::Redirect { detour, .. } => detour,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn a_read_may_be_led_to_another_address_of_the_calendar() {
        for (location, led_to) in [
            (
                "http://wp.example.org/wp-json/tribe/events/v1/events?page=2",
                "/wp-json/tribe/events/v1/events?page=2",
            ),
            (
                "https://WP.example.org:443/wp-json/tribe/events/v1/events",
                "/wp-json/tribe/events/v1/events",
            ),
            (
                "/wp-json/tribe/events/v1/events/7#x",
                "/wp-json/tribe/events/v1/events/7",
            ),
            ("?page=2", "/wp-json/tribe/events/v1/events?page=2"),
            (
                "?lang=de&page=2",
                "/wp-json/tribe/events/v1/events?lang=de&page=2",
            ),
            (
                "/de/wp-json/tribe/events/v1/events?page=2",
                "/de/wp-json/tribe/events/v1/events?page=2",
            ),
            (
                "https://events.example.org/wp-json/tribe/events/v1/events?page=2",
                "/wp-json/tribe/events/v1/events?page=2",
            ),
        ] {
            for status in [301, 302, 307, 308] {
                let expected = Some(format!("http://wp.example.org{led_to}"));
                assert_eq!(within(status, Method::GET, location), expected, "{location}");
                assert_eq!(within(status, Method::HEAD, location), expected, "{location}");
            }
            for (status, method) in [
                (302, Method::POST),
                (302, Method::DELETE),
                (300, Method::GET),
                (303, Method::GET),
            ] {
                assert_eq!(within(status, method, location), None, "{status} {location}");
            }
        }
    }

    #[test]
    fn a_redirect_elsewhere_or_back_is_not_passed_on() {
        for location in [
            "https://elsewhere.example/wp-json/tribe/events/v1/events?page=2",
            "http://wp.example.org:8080/wp-json/tribe/events/v1/events?page=2",
            "http://user@wp.example.org/wp-json/tribe/events/v1/events?page=2",
            "ftp://wp.example.org/wp-json/tribe/events/v1/events?page=2",
            "/wp-json/wp/v2/posts",
            "/wp-json/tribe/events/v10/events",
            "/wp-login.php?redirect_to=/wp-json/tribe/events/v1/events",
            "/wp-json/tribe/events/v1/../../../wp-login.php",
            "/fr/wp-json/tribe/events/v1/events?page=2",
            "",
            // The same call again, as the edge forwards it.
            "https://wp.example.org/wp-json/tribe/events/v1/events?lang=en&page=2",
            "/wp-json/tribe/events/v1/events/?page=2&lang=%65n&nocache=1",
        ] {
            assert_eq!(within(302, Method::GET, location), None, "{location}");
        }
        let two = head(&["?page=2", "?page=3"]);
        let call = call(Method::GET, "");
        assert_eq!(redirect_within(StatusCode::FOUND, &two, &call, &urls()), None);
        assert_eq!(
            redirect_within(StatusCode::FOUND, &head(&[]), &call, &urls()),
            None
        );
    }

    #[test]
    fn the_reason_is_in_the_target() {
        let moved = |root: &str, host: &str| Detour::Moved {
            root: root.to_owned(),
            host: host.to_owned(),
            setting: "origin.url".to_owned(),
        };
        let same = "/wp-json/tribe/events/v1/events/?lang=en";
        for (location, expected) in [
            (
                format!("https://wp.example.org{same}"),
                moved("https://wp.example.org/wp-json", "wp.example.org"),
            ),
            (
                format!("http://www.example.org:81{same}"),
                moved("http://www.example.org:81/wp-json", "www.example.org:81"),
            ),
            (
                "https://www.example.org/blog/wp-json/tribe/events/v1/events".to_owned(),
                moved("https://www.example.org/blog/wp-json", "www.example.org"),
            ),
            (format!("{same}&page=2"), Detour::Back),
            ("https://sso.example/Login?to=/wp-json".to_owned(), Detour::Login),
            ("/wp-login.php".to_owned(), Detour::Login),
            ("https://www.example.org/".to_owned(), Detour::Away),
            ("/".to_owned(), Detour::Away),
            ("ftp://h/".to_owned(), Detour::Nowhere),
        ] {
            assert_eq!(detour(&location, Method::GET), expected, "{location}");
        }
        assert_eq!(detour("?page=2", Method::POST), Detour::Within);
    }

    #[test]
    fn no_query_gets_into_the_log() {
        let call = call(Method::GET, "");
        let failure = redirect(StatusCode::FOUND, &head(&["/login?secret=1"]), &call, &urls());
        assert!(!failure.to_string().contains("secret"));
    }
}
