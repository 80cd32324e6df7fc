//! The request that the edge writes itself, before it is addressed to an origin.

use bytes::Bytes;
use http::{HeaderValue, Method};

use super::canonical_route::CanonicalRoute;
use crate::wordpress::value::{Value, write_query};

/// A request for an origin. It contains no byte of the client that was not judged.
///
/// It does not name an origin. A backend writes path and query with its own namespace.
#[derive(Debug, Clone, PartialEq)]
pub struct CanonicalRequest {
    /// The root that the call came in on, as an index into the configured roots.
    pub root: usize,
    /// The method, after PUT and PATCH became POST.
    pub method: Method,
    /// The route with the record it addresses.
    pub route: CanonicalRoute,
    /// The name of the argument that names the API's namespace, if it was sent. Each origin has its own name for that
    /// namespace.
    pub namespace_argument: Option<&'static str>,
    /// All other pairs of the query, encoded: declared arguments in table order, then undeclared ones.
    pub pairs: String,
    /// A JSON body; none on reads and deletes.
    pub body: Option<Bytes>,
    /// The nonce that came as a parameter; it replaces an `X-WP-Nonce` header of the client.
    pub nonce: Option<HeaderValue>,
}

// === impl CanonicalRequest ===

impl CanonicalRequest {
    /// The path below the REST root of an origin with this namespace: `/tribe/events/v1/events/56`.
    pub fn path(&self, namespace: &str) -> String {
        self.route.path(namespace)
    }

    /// The query for an origin with this namespace, which comes first, as in the table; without the question mark, and
    /// `None` if it is empty.
    pub fn query(&self, namespace: &str) -> Option<String> {
        let mut text = String::new();
        if let Some(name) = self.namespace_argument {
            write_query(name, &Value::text(namespace), &mut text);
        }
        if !text.is_empty() && !self.pairs.is_empty() {
            text.push('&');
        }
        text.push_str(&self.pairs);
        (!text.is_empty()).then_some(text)
    }

    /// The names of all pairs but the namespace's, each up to its first bracket.
    pub fn query_names(&self) -> impl Iterator<Item = &str> {
        let pairs = self.pairs.split('&').filter(|pair| !pair.is_empty());
        pairs.map(|pair| pair.split(['=', '[', '%']).next().unwrap_or(pair))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Route;

    #[test]
    fn the_namespace_is_written_for_an_origin() {
        let query = |namespace, pairs: &str| {
            let request = CanonicalRequest {
                root: 0,
                method: Method::GET,
                route: CanonicalRoute::new(Route::Index, None),
                namespace_argument: namespace,
                pairs: pairs.to_owned(),
                body: None,
                nonce: None,
            };
            request.query("a/v1")
        };
        assert_eq!(query(None, ""), None);
        assert_eq!(query(None, "page=2").as_deref(), Some("page=2"));
        assert_eq!(query(Some("namespace"), "").as_deref(), Some("namespace=a/v1"));
        assert_eq!(
            query(Some("namespace"), "context=view").as_deref(),
            Some("namespace=a/v1&context=view")
        );
    }
}
