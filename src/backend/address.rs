//! Where a canonical request goes: a root's URL and a path below it, and nothing else.

use url::Url;

use crate::call::CanonicalRequest;

/// One REST root at the origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RootAddress {
    base: Url,
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
    /// Takes a root's URL as it is configured.
    pub(super) fn new(url: &Url) -> Self {
        Self { base: url.clone() }
    }

    /// The URL of a call below this root.
    pub(super) fn url_of(&self, call: &CanonicalRequest) -> Result<Url, AddressFault> {
        let root = self.base.path().trim_end_matches('/');
        plain(&self.base, &format!("{root}{}", call.path), call.query.as_deref())
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

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;

    fn url_of(root: &str, path: &str, query: Option<&str>) -> Result<String, AddressFault> {
        let call = CanonicalRequest {
            root: 0,
            method: Method::GET,
            path: path.to_owned(),
            query: query.map(str::to_owned),
            body: None,
            nonce: None,
        };
        let root = RootAddress::new(&Url::parse(root).unwrap());
        root.url_of(&call).map(String::from)
    }

    #[test]
    fn joins_root_path_and_query() {
        for (root, path, query, expected) in [
            (
                "https://h.example/wp-json",
                "/tribe/events/v1/events/56",
                None,
                "https://h.example/wp-json/tribe/events/v1/events/56",
            ),
            (
                "http://h.example:8080/de/wp-json",
                "/tribe/events/v1/events",
                Some("page=2&tags[]=3"),
                "http://h.example:8080/de/wp-json/tribe/events/v1/events?page=2&tags[]=3",
            ),
        ] {
            assert_eq!(url_of(root, path, query).as_deref(), Ok(expected));
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
            let root = "https://h.example/wp-json";
            assert_eq!(url_of(root, path, None), Err(AddressFault::NotPlain), "{path}");
        }
    }
}
