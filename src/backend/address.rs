//! The URL of a path and a query at an origin, if readers of URLs leave both as they are.

use url::Url;

use calendar_edge_core::errors;
use calendar_edge_judge::problem::Refusal;

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
            Self::NotPlain => errors::AMBIGUOUS_TARGET.refusal(),
            Self::UnknownRoot => errors::INTERNAL_ERROR.refusal(),
        }
    }
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
    use super::*;

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
