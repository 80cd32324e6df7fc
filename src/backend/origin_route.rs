//! The way of requests to an origin: the URL they carry, the `Host` header and the address that is dialled.

use http::HeaderValue;
use http::header::{AUTHORIZATION, HOST};
use url::{Host, Position, Url};

use super::address::{AddressFault, plain};
use calendar_edge_core::settings::{
    BackendSettings, BasicAuth, DialAddress, OriginHost, OriginSettings, OtherTraffic,
};
use calendar_edge_judge::call::CanonicalRequest;

/// The way to one REST root, or to the rest of the site.
///
/// `origin.host` and `origin.connect` apply to every root at the scheme, host and port of `origin.url`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OriginRoute {
    /// The URL that paths are appended to; over plain HTTP its host is the one that is dialled.
    pub(super) base: Url,
    /// The `Host` header, where it differs from the host of the URL.
    pub(super) host: Option<HeaderValue>,
    /// The host that a client prints for this URL; none over TLS, where the connection may use HTTP/2.
    printed_host: Option<HeaderValue>,
    /// The address that the host of the URL stands for, where it is not the host's own.
    pub(super) dial: Option<DialAddress>,
    /// The credentials that the web server of the site demands.
    basic_auth: Option<BasicAuth>,
}

// === impl OriginRoute ===

impl OriginRoute {
    /// The way to a REST root.
    pub fn of_root(origin: &OriginSettings, url: &Url) -> Self {
        Self::with(origin, url, None)
    }

    /// The way to the rest of the site. The `Host` header names the public host, because WordPress redirects a page
    /// that is requested under another host than its own. The name in the certificate stays the origin's, unless
    /// `origin.host` is set.
    pub fn of_site(site: &BackendSettings) -> Self {
        let public = site.public_url.as_ref().and_then(OriginHost::of);
        let public = public.filter(|_| site.other == OtherTraffic::Forward);
        Self::with(&site.origin, &site.origin.url, public)
    }

    /// The URL of a path below this one, with a query.
    pub(super) fn url_below(&self, path: &str, query: Option<&str>) -> Result<Url, AddressFault> {
        let root = self.base.path().trim_end_matches('/');
        plain(&self.base, &[root, path].concat(), query)
    }

    /// The URL of a call below this root, which has this namespace.
    pub(super) fn url_of(&self, call: &CanonicalRequest, namespace: &str) -> Result<Url, AddressFault> {
        let query = call.query(namespace);
        self.url_below(call.path(namespace).as_str(), query.as_deref())
    }

    /// The edge's own request for a path and query of the site, with these headers beside those of the way.
    ///
    /// # Errors
    ///
    /// When the URL would change its meaning.
    pub fn get(&self, target: &str, mut headers: http::HeaderMap) -> Result<reqwest::Request, AddressFault> {
        let (path, query) = target
            .split_once('?')
            .map_or((target, None), |(path, query)| (path, Some(query)));
        self.write_to(&mut headers);
        let mut request = reqwest::Request::new(http::Method::GET, plain(&self.base, path, query)?);
        *request.headers_mut() = headers;
        Ok(request)
    }

    /// Names the host in the headers of a request, and adds the credentials that the site demands where the request has
    /// none. The host of the URL is written once, which the client would print for each request.
    pub fn write_to(&self, headers: &mut http::HeaderMap) {
        if let Some(host) = self.host.as_ref().or(self.printed_host.as_ref()) {
            headers.insert(HOST, host.clone());
        }
        if let Some(basic_auth) = &self.basic_auth {
            let own = headers.entry(AUTHORIZATION);
            own.or_insert_with(|| basic_auth.header().clone());
        }
    }

    fn with(origin: &OriginSettings, url: &Url, public: Option<OriginHost>) -> Self {
        let own = OriginHost::of(url).zip(DialAddress::of(url));
        let (Some((own, address)), true) = (own, url.origin() == origin.url.origin()) else {
            return Self {
                printed_host: printed_host(url),
                base: url.clone(),
                host: None,
                dial: None,
                basic_auth: None,
            };
        };
        let dialled = origin.connect.clone().unwrap_or(address);
        let tls = origin.host.clone().unwrap_or_else(|| own.clone());
        let header = origin.host.clone().or(public).unwrap_or(own);
        Self {
            basic_auth: origin.basic_auth.clone(),
            ..Self::between(url, &header, &tls, dialled)
        }
    }

    /// The way that names one host in the `Host` header, and one in SNI and in the certificate.
    fn between(url: &Url, header: &OriginHost, tls: &OriginHost, dialled: DialAddress) -> Self {
        let (base, dial) = if url.scheme() == "https" && matches!(tls.host, Host::Domain(_)) {
            // Without a port in the URL the client takes the one of the dialled address.
            (at(url, &tls.host, None), Some(dialled))
        } else {
            (at(url, &dialled.host, Some(dialled.port)), None)
        };
        let own = DialAddress::of(&base);
        let dial = dial.filter(|dialled| own.as_ref() != Some(dialled));
        Self {
            host: host_header(&base, header),
            printed_host: printed_host(&base),
            base,
            dial,
            basic_auth: None,
        }
    }
}

/// The `Host` header that a client prints for this URL over HTTP/1.1.
fn printed_host(base: &Url) -> Option<HeaderValue> {
    let authority = &base[Position::BeforeHost..Position::AfterPort];
    let is_plain = base.scheme() == "http";
    is_plain.then(|| HeaderValue::from_str(authority).ok()).flatten()
}

/// The URL at another host and port.
fn at(url: &Url, host: &Host, port: Option<u16>) -> Url {
    let mut moved = url.clone();
    // Neither fails: both belong to a URL of this kind.
    let _ = moved.set_host(Some(&host.to_string()));
    let _ = moved.set_port(port);
    moved
}

/// The `Host` header for this host, where it differs from that of the URL.
fn host_header(base: &Url, named: &OriginHost) -> Option<HeaderValue> {
    let named = OriginHost::of(&at(base, &named.host, named.port))?;
    let is_said = OriginHost::of(base).is_some_and(|said| said == named);
    (!is_said)
        .then(|| HeaderValue::try_from(named.to_string()).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;
    use calendar_edge_core::settings::Settings;
    use calendar_edge_judge::call::CanonicalRoute;
    use calendar_edge_judge::contract::{Kind, Route};

    /// URL, `Host` header and dialled address of calls and of the rest of the site.
    fn routes(url: &str, change: impl FnOnce(&mut Settings)) -> [(String, String, String); 2] {
        let mut settings = Settings::for_origin(url.parse().unwrap());
        settings.other = OtherTraffic::Forward;
        change(&mut settings);
        let call = OriginRoute::of_root(&settings.origin, &settings.origin.url);
        [call, OriginRoute::of_site(&settings.site())].map(|route| {
            let host = route.host.as_ref().map(|host| host.to_str().unwrap().to_owned());
            let dial = route.dial.as_ref().map(ToString::to_string);
            (
                route.base.to_string(),
                host.unwrap_or_default(),
                dial.unwrap_or_default(),
            )
        })
    }

    fn route(base: &str, host: &str, dial: &str) -> (String, String, String) {
        (base.to_owned(), host.to_owned(), dial.to_owned())
    }

    fn host(text: &str) -> OriginHost {
        OriginHost::parse(text).expect("a host")
    }

    fn connect(text: &str) -> DialAddress {
        DialAddress::parse(text).expect("an address")
    }

    #[test]
    fn without_settings_the_url_says_everything() {
        for url in ["http://h.example:8080/wp-json", "https://h.example/wp-json"] {
            let expected = route(url, "", "");
            assert_eq!(routes(url, |_| {}), [expected.clone(), expected]);
        }
    }

    #[test]
    fn plain_http_dials_the_url_and_names_the_host_in_the_header() {
        let found = routes("http://h.example/wp-json", |settings| {
            settings.origin.connect = Some(connect("10.0.0.5:8080"));
        });
        let expected = route("http://10.0.0.5:8080/wp-json", "h.example", "");
        assert_eq!(found, [expected.clone(), expected]);
        let found = routes("http://10.0.0.5:8080/wp-json", |settings| {
            settings.origin.host = Some(host("h.example:80"));
        });
        let expected = route("http://10.0.0.5:8080/wp-json", "h.example", "");
        assert_eq!(found, [expected.clone(), expected]);
    }

    #[test]
    fn https_names_the_host_in_the_url_and_dials_the_address() {
        let found = routes("https://h.example:8443/wp-json", |settings| {
            settings.origin.connect = Some(connect("10.0.0.5:443"));
        });
        let expected = route("https://h.example/wp-json", "h.example:8443", "10.0.0.5:443");
        assert_eq!(found, [expected.clone(), expected]);
        let found = routes("https://10.0.0.5/wp-json", |settings| {
            settings.origin.host = Some(host("h.example"));
        });
        let expected = route("https://h.example/wp-json", "", "10.0.0.5:443");
        assert_eq!(found, [expected.clone(), expected]);
    }

    #[test]
    fn pages_are_asked_for_under_the_public_host() {
        let public = |settings: &mut Settings| {
            settings.public_url = Some("https://events.example".parse().unwrap());
        };
        let url = "http://10.0.0.5:8080/wp-json";
        let expected = [route(url, "", ""), route(url, "events.example", "")];
        assert_eq!(routes(url, public), expected);
        let url = "https://wp.internal/wp-json";
        let expected = [route(url, "", ""), route(url, "events.example", "")];
        assert_eq!(routes(url, public), expected);
    }

    #[test]
    fn roots_elsewhere_go_their_own_way() {
        let mut settings = Settings::for_origin("http://a.example/wp-json".parse().unwrap());
        settings.origin.connect = Some(connect("10.0.0.5:80"));
        settings.origin.host = Some(host("h.example"));
        let elsewhere: Url = "http://b.example/wp-json".parse().unwrap();
        let route = OriginRoute::of_root(&settings.origin, &elsewhere);
        assert_eq!((&route.base, &route.host), (&elsewhere, &None));
    }

    fn url_of(root: &str, route: CanonicalRoute, query: Option<&str>) -> Result<String, AddressFault> {
        let call = CanonicalRequest {
            root: 0,
            method: Method::GET,
            route,
            namespace_argument: None,
            pairs: query.unwrap_or_default().to_owned(),
            body: None,
            nonce: None,
        };
        let settings = Settings::for_origin(root.parse().unwrap());
        let route = OriginRoute::of_root(&settings.origin, &settings.origin.url);
        route.url_of(&call, "tribe/events/v1").map(String::from)
    }

    #[test]
    fn joins_root_path_and_query() {
        let events = || CanonicalRoute::new(Route::Collection(Kind::Event), None);
        let event = CanonicalRoute::new(Route::Item(Kind::Event), Some(b"0056"));
        for (root, route, query, expected) in [
            (
                "https://h.example/wp-json",
                event,
                None,
                "https://h.example/wp-json/tribe/events/v1/events/56",
            ),
            (
                "http://h.example:8080/de/wp-json",
                events(),
                Some("page=2&tags[]=3"),
                "http://h.example:8080/de/wp-json/tribe/events/v1/events?page=2&tags[]=3",
            ),
        ] {
            assert_eq!(url_of(root, route, query).as_deref(), Ok(expected));
        }
    }
}
