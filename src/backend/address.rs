//! The URL of a canonical request: a root's URL and a path below it, written with the origin's namespace.

use http::header::HOST;
use http::{HeaderMap, HeaderValue};
use url::{Position, Url};

use super::origin_route::OriginRoute;
use calendar_edge_core::errors::EdgeError;
use calendar_edge_judge::call::CanonicalRequest;
use calendar_edge_judge::problem::Refusal;

/// One REST root at the origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RootAddress {
    route: OriginRoute,
    /// The name of the calendar API at the origin.
    namespace: String,
    /// The `Host` header over plain HTTP, which the client would otherwise print for each request.
    host: Option<HeaderValue>,
}

/// The reason why a URL cannot be built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AddressFault {
    /// The request names a root that is not configured.
    #[error("the root of a call is not configured")]
    UnknownRoot,
    /// A URL parser would change the path, for example by resolving dot segments.
    #[error("the outgoing URL would change its meaning")]
    NotPlain,
}

// === impl AddressFault ===

impl AddressFault {
    /// The refusal of a call that cannot be addressed.
    pub fn refusal(self) -> Refusal {
        match self {
            Self::NotPlain => EdgeError::AmbiguousTarget.refusal(),
            Self::UnknownRoot => EdgeError::InternalError.refusal(),
        }
    }
}

// === impl RootAddress ===

impl RootAddress {
    /// Takes the way to a root and the origin's namespace as it is configured.
    pub(super) fn new(route: OriginRoute, namespace: &str) -> Self {
        Self {
            host: printed_host(route.base()),
            route,
            namespace: namespace.to_owned(),
        }
    }

    /// The URL of a call below this root.
    pub(super) fn url_of(&self, call: &CanonicalRequest) -> Result<Url, AddressFault> {
        let base = self.route.base();
        let root = base.path().trim_end_matches('/');
        let (path, query) = (call.path(&self.namespace), call.query(&self.namespace));
        plain(base, &[root, path.as_str()].concat(), query.as_deref())
    }

    /// Names the host of this root in the headers of a call, and shows the credentials that it asks for.
    pub(super) fn write_to(&self, headers: &mut HeaderMap) {
        if let Some(host) = &self.host {
            headers.insert(HOST, host.clone());
        }
        self.route.write_to(headers);
    }
}

/// The `Host` header that a client prints for this URL. Over TLS the connection may speak HTTP/2, which has none.
fn printed_host(base: &Url) -> Option<HeaderValue> {
    let authority = &base[Position::BeforeHost..Position::AfterPort];
    let is_plain = base.scheme() == "http";
    is_plain.then(|| HeaderValue::from_str(authority).ok()).flatten()
}

/// The base's origin with this path and query, if a URL parser leaves both unchanged.
pub(super) fn plain(base: &Url, path: &str, query: Option<&str>) -> Result<Url, AddressFault> {
    let mut url = base.clone();
    url.set_path(path);
    url.set_query(query);
    url.set_fragment(None);
    let unchanged = url.path() == path && url.query() == query;
    unchanged.then_some(url).ok_or(AddressFault::NotPlain)
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;
    use calendar_edge_core::settings::Settings;
    use calendar_edge_judge::call::{CanonicalQuery, CanonicalRoute};
    use calendar_edge_judge::contract::{Kind, Route};

    fn url_of(root: &str, route: CanonicalRoute, query: Option<&str>) -> Result<String, AddressFault> {
        let call = CanonicalRequest {
            root: 0,
            method: Method::GET,
            route,
            query: CanonicalQuery::new(None, query.unwrap_or_default().to_owned()),
            body: None,
            nonce: None,
        };
        let settings = Settings::for_origin(root.parse().unwrap());
        let route = OriginRoute::of_root(&settings.origin, &settings.origin.url);
        let root = RootAddress::new(route, "tribe/events/v1");
        root.url_of(&call).map(String::from)
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

    #[test]
    fn refuses_what_a_url_reader_would_change() {
        for path in [
            "/tribe/events/v1/events/by-slug/..",
            "/tribe/events/v1/events/by-slug/%2e%2E",
            "/tribe/../../wp-login.php",
            "/a b",
            "/a?b",
            "/a#b",
            "/a\\b",
        ] {
            let base = Url::parse("https://h.example/wp-json").unwrap();
            let path = format!("/wp-json{path}");
            assert_eq!(plain(&base, &path, None), Err(AddressFault::NotPlain), "{path}");
        }
    }
}
