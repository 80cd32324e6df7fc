//! The routes that a site publishes in its index.

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::call_counts::CalledDoor;
use super::route_shape::RouteShape;
use super::route_tree::RouteTree;
use calendar_edge_judge::routing::SiteTarget;

/// Maximum size of an index with all its routes, in bytes. Indexes of sites with many plugins have some megabytes.
pub const MOST_SITE_INDEX_BYTES: usize = 8 << 20;

/// Maximum number of routes that are taken of an index.
const MOST_ROUTES: usize = 4096;

/// Maximum number of namespaces that are taken of an index.
const MOST_NAMESPACES: usize = 256;

/// Maximum length of a route of a request or of a listed key, in bytes. Longer ones count as not listed.
const LONGEST_ROUTE: usize = 512;

/// The methods of the REST API.
const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/// The routes of a site.
#[derive(Debug, Clone, Default)]
pub struct ListedRoutes {
    /// Sorted, in lower case.
    namespaces: Vec<String>,
    routes: Vec<ListedRoute>,
    tree: RouteTree,
}

/// A route of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListedRoute {
    /// The pattern, `wp/v2/users/*`.
    pub(super) pattern: String,
    /// The namespace that registers it; empty for the index.
    pub(super) namespace: String,
    /// The methods, in the order of the REST API.
    pub(super) methods: Vec<&'static str>,
}

/// Why an answer is no index with routes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoRoutes {
    /// It exceeds [`MOST_SITE_INDEX_BYTES`].
    #[error("it is larger than {MOST_SITE_INDEX_BYTES} bytes")]
    TooLarge,
    /// It is no JSON, or JSON without `routes`.
    #[error("it lists no routes")]
    NotListed,
}

/// The members of an index that are read.
#[derive(Deserialize)]
struct IndexDocument {
    #[serde(default)]
    namespaces: Vec<String>,
    routes: HashMap<String, RouteDocument>,
}

#[derive(Deserialize)]
struct RouteDocument {
    #[serde(default)]
    namespace: String,
    #[serde(default)]
    methods: MethodDocument,
}

/// A list of methods; PHP writes some lists as objects.
#[derive(Deserialize)]
#[serde(untagged)]
enum MethodDocument {
    List(Vec<String>),
    Object(HashMap<String, String>),
    Other(IgnoredAny),
}

// === impl ListedRoutes ===

impl ListedRoutes {
    /// The query by which an index has no more than what is read of it.
    pub const QUERY: &'static str = "_fields=namespaces,routes";

    /// Reads the index of a REST root.
    ///
    /// # Errors
    ///
    /// When it is too large, or no such index. Routes beyond 4,096, and those with odd keys, are left out.
    pub fn read(index: &[u8]) -> Result<Self, NoRoutes> {
        if index.len() > MOST_SITE_INDEX_BYTES {
            return Err(NoRoutes::TooLarge);
        }
        let document: IndexDocument = serde_json::from_slice(index).map_err(|_| NoRoutes::NotListed)?;
        let mut listed: Vec<(String, RouteDocument)> = document.routes.into_iter().collect();
        listed.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut site = Self {
            namespaces: document
                .namespaces
                .iter()
                .map(|name| name.to_lowercase())
                .collect(),
            ..Self::default()
        };
        for (key, route) in listed.into_iter().take(MOST_ROUTES) {
            site.take(&key, &route);
        }
        let named = site.routes.iter().map(|route| route.namespace.clone());
        site.namespaces.extend(named.filter(|name| !name.is_empty()));
        site.namespaces.sort();
        site.namespaces.dedup();
        site.namespaces.truncate(MOST_NAMESPACES);
        Ok(site)
    }

    fn take(&mut self, key: &str, listed: &RouteDocument) {
        let Some(route) = RouteShape::read(key).filter(|_| key.len() <= LONGEST_ROUTE) else {
            return;
        };
        let position = self.tree.add(&route, self.routes.len());
        let methods = listed.methods.known();
        if let Some(known) = self.routes.get_mut(position) {
            let all = METHODS.into_iter();
            known.methods = all
                .filter(|method| known.methods.contains(method) || methods.contains(method))
                .collect();
            return;
        }
        let pattern = route.to_string();
        let namespace = match listed.namespace.as_str() {
            "" => first_two(&pattern),
            named => named,
        };
        self.routes.push(ListedRoute {
            namespace: namespace.to_lowercase(),
            pattern,
            methods,
        });
    }

    /// The namespaces of the site, sorted.
    pub fn namespaces(&self) -> &[String] {
        &self.namespaces
    }

    pub(super) fn routes(&self) -> &[ListedRoute] {
        &self.routes
    }

    /// The listed route, the namespace or the script that a request calls; none for a page. Without a list every route
    /// counts for its namespace.
    pub fn door<'a>(listed: Option<&'a Self>, target: &'a SiteTarget) -> Option<CalledDoor<'a>> {
        match target {
            SiteTarget::Route(route) if route.len() > LONGEST_ROUTE => Some(CalledDoor::Unclear),
            SiteTarget::Route(route) => {
                Some(listed.map_or_else(|| unlisted(route), |listed| listed.route(route)))
            }
            SiteTarget::Script(name) if name.len() <= LONGEST_ROUTE => Some(CalledDoor::Script(name)),
            SiteTarget::Script(_) | SiteTarget::Unclear => Some(CalledDoor::Unclear),
            SiteTarget::Page => None,
        }
    }

    fn route<'a>(&'a self, route: &'a str) -> CalledDoor<'a> {
        let found = self.tree.find(route).and_then(|found| self.routes.get(found));
        match found {
            Some(found) => CalledDoor::Listed(&found.pattern),
            None => CalledDoor::Unlisted(self.namespace_of(route)),
        }
    }

    /// The longest namespace of the site that a route begins with, or its first two segments.
    fn namespace_of<'a>(&'a self, route: &'a str) -> &'a str {
        let is_of = |name: &&String| {
            let behind = route.strip_prefix(name.as_str());
            behind.is_some_and(|behind| behind.is_empty() || behind.starts_with('/'))
        };
        let longest = self.namespaces.iter().filter(is_of).max_by_key(|name| name.len());
        longest.map_or_else(|| first_two(route), String::as_str)
    }
}

/// A route of which no list is known.
fn unlisted(route: &str) -> CalledDoor<'_> {
    CalledDoor::Unlisted(first_two(route))
}

fn first_two(route: &str) -> &str {
    let second = route.match_indices('/').nth(1);
    second.map_or(route, |(end, _)| route.split_at(end).0)
}

// === impl MethodDocument ===

impl Default for MethodDocument {
    fn default() -> Self {
        Self::Other(IgnoredAny)
    }
}

impl MethodDocument {
    fn known(&self) -> Vec<&'static str> {
        let has = |method: &str| match self {
            Self::List(list) => list.iter().any(|listed| listed == method),
            Self::Object(object) => object.values().any(|listed| listed == method),
            Self::Other(_) => false,
        };
        METHODS.into_iter().filter(|method| has(method)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INDEX: &str = r#"{
        "name": "x", "namespaces": ["wp/v2", "tec/v2/onboarding"],
        "routes": {
            "/": {"namespace": "", "methods": ["GET"], "endpoints": [{"args": {}}]},
            "/batch/v1": {"namespace": "", "methods": ["POST"]},
            "/wp/v2/users": {"namespace": "wp/v2", "methods": ["GET", "POST"]},
            "/wp/v2/users/(?P<id>[\\d]+)": {"namespace": "wp/v2", "methods": {"0": "GET", "2": "DELETE"}},
            "/wp/v2/users/(?P<name>\\w+)": {"namespace": "wp/v2", "methods": ["POST", "PATCH", "BREW"]},
            "/odd/v1/thing": {"namespace": "odd/v1"}
        }}"#;

    fn site() -> ListedRoutes {
        ListedRoutes::read(INDEX.as_bytes()).expect("an index")
    }

    #[test]
    fn an_index_is_read() {
        let site = site();
        assert_eq!(
            site.namespaces(),
            ["batch/v1", "odd/v1", "tec/v2/onboarding", "wp/v2"]
        );
        let rows: Vec<String> = site
            .routes()
            .iter()
            .map(|route| {
                format!(
                    "{} {} {}",
                    route.namespace,
                    route.pattern,
                    route.methods.join(",")
                )
            })
            .collect();
        assert_eq!(
            rows,
            [
                "  GET",
                "batch/v1 batch/v1 POST",
                "odd/v1 odd/v1/thing ",
                "wp/v2 wp/v2/users GET,POST",
                "wp/v2 wp/v2/users/* GET,POST,PATCH,DELETE",
            ]
        );
    }

    #[test]
    fn a_request_is_counted_by_route_namespace_or_script() {
        let site = site();
        let route = |route: &str| SiteTarget::Route(route.to_owned());
        let long = "x/".repeat(300);
        for (target, expected) in [
            (route(""), Some(CalledDoor::Listed(""))),
            (route("wp/v2/users/7"), Some(CalledDoor::Listed("wp/v2/users/*"))),
            (route("wp/v2/secret"), Some(CalledDoor::Unlisted("wp/v2"))),
            (
                route("tec/v2/onboarding/x"),
                Some(CalledDoor::Unlisted("tec/v2/onboarding")),
            ),
            (route("tec/v2/other"), Some(CalledDoor::Unlisted("tec/v2"))),
            (route("one"), Some(CalledDoor::Unlisted("one"))),
            (route(&long), Some(CalledDoor::Unclear)),
            (
                SiteTarget::Script("xmlrpc.php".to_owned()),
                Some(CalledDoor::Script("xmlrpc.php")),
            ),
            (SiteTarget::Unclear, Some(CalledDoor::Unclear)),
            (SiteTarget::Page, None),
        ] {
            assert_eq!(ListedRoutes::door(Some(&site), &target), expected, "{target:?}");
        }
        let users = route("wp/v2/users");
        assert_eq!(
            ListedRoutes::door(None, &users),
            Some(CalledDoor::Unlisted("wp/v2"))
        );
    }

    #[test]
    fn other_answers_are_no_index() {
        for text in ["", "[]", "{}", r#"{"routes": []}"#, r#"{"routes": {"/": 1}}"#] {
            assert_eq!(
                ListedRoutes::read(text.as_bytes()).err(),
                Some(NoRoutes::NotListed),
                "{text}"
            );
        }
        let large = vec![b' '; MOST_SITE_INDEX_BYTES + 1];
        assert_eq!(ListedRoutes::read(&large).err(), Some(NoRoutes::TooLarge));
    }
}
