//! Where a canonical request goes: a root's URL and a path below it, written with the origin's namespace.

use url::Url;

use crate::call::CanonicalRequest;
use crate::value::write_escaped;

/// One REST root at the origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RootAddress {
    base: Url,
    /// The name of the calendar API at the origin.
    namespace: String,
    routing: Routing,
}

/// How the origin's permalinks spell a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Routing {
    /// `https://h/wp-json` + path.
    Path,
    /// Plain permalinks, `https://h/?rest_route=/`: the path goes into the query.
    Query,
}

/// Why no URL can be built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AddressFault {
    /// The request names a root that is not configured.
    #[error("the root of a call is not configured")]
    UnknownRoot,
    /// A URL reader would make another path of it, for example by resolving dot segments.
    #[error("the outgoing URL would change its meaning")]
    NotPlain,
}

// === impl RootAddress ===

impl RootAddress {
    /// Takes a root's URL and the origin's namespace as they are configured.
    pub(super) fn new(url: &Url, namespace: &str) -> Self {
        let mut base = url.clone();
        let routing = if url.query_pairs().any(|(name, _)| name == "rest_route") {
            Routing::Query
        } else {
            Routing::Path
        };
        base.set_query(None);
        base.set_fragment(None);
        Self {
            base,
            namespace: namespace.to_owned(),
            routing,
        }
    }

    /// The URL of a call below this root.
    pub(super) fn url_of(&self, call: &CanonicalRequest) -> Result<Url, AddressFault> {
        let (path, query) = (call.path(&self.namespace), call.query(&self.namespace));
        match self.routing {
            Routing::Path => {
                let root = self.base.path().trim_end_matches('/');
                plain(&self.base, &format!("{root}{path}"), query.as_deref())
            }
            Routing::Query => {
                let rest = query;
                let mut query = format!("rest_route={}", in_query(&path));
                if let Some(rest) = rest {
                    query.push('&');
                    query.push_str(&rest);
                }
                plain(&self.base, self.base.path(), Some(&query))
            }
        }
    }
}

/// The base's origin with this path and query, if a URL reader leaves both as they are.
pub(super) fn plain(base: &Url, path: &str, query: Option<&str>) -> Result<Url, AddressFault> {
    let mut url = base.clone();
    url.set_path(path);
    url.set_query(query);
    url.set_fragment(None);
    let unchanged = url.path() == path && url.query() == query;
    unchanged.then_some(url).ok_or(AddressFault::NotPlain)
}

/// A path as a query value: what is percent-encoded in it stays so after one decoding.
fn in_query(path: &str) -> String {
    let mut value = String::with_capacity(path.len());
    for segment in path.split_inclusive('/') {
        let (name, slash) = match segment.strip_suffix('/') {
            Some(name) => (name, "/"),
            None => (segment, ""),
        };
        write_escaped(name.as_bytes(), &mut value);
        value.push_str(slash);
    }
    value
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;
    use crate::call::{CanonicalQuery, CanonicalRoute};
    use crate::contract::{Kind, Route};

    fn url_of(root: &str, route: CanonicalRoute, query: Option<&str>) -> Result<String, AddressFault> {
        let call = CanonicalRequest {
            root: 0,
            method: Method::GET,
            route,
            query: CanonicalQuery::new(None, query.unwrap_or_default().to_owned()),
            body: None,
            nonce: None,
        };
        let root = RootAddress::new(&Url::parse(root).unwrap(), "tribe/events/v1");
        root.url_of(&call).map(String::from)
    }

    #[test]
    fn joins_root_path_and_query() {
        let events = || CanonicalRoute::new(Route::Collection(Kind::Event), None);
        let event = CanonicalRoute::new(Route::Item(Kind::Event), Some(b"0056"));
        let slug = CanonicalRoute::new(Route::BySlug(Kind::Event), Some("müller+x".as_bytes()));
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
            (
                "https://h.example/?rest_route=/",
                slug,
                Some("page=2"),
                "https://h.example/?rest_route=/tribe/events/v1/events/by-slug/m%25C3%25BCller%2Bx&page=2",
            ),
            (
                "https://h.example/index.php?rest_route=/",
                events(),
                None,
                "https://h.example/index.php?rest_route=/tribe/events/v1/events",
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
