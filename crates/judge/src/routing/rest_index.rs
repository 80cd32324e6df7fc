//! Targets that name a REST root, whose index lists namespaces and routes, or lead below one.

use super::by_path::ByPath;
use super::locate::{MOST_PAIRS, Roots, names_a_route};
use super::root_path::trim_slashes;
use super::route::Matched;
use crate::wordpress::payload::{pair_count, parse_form};
use crate::wordpress::value::Value;

// === impl Roots ===

impl Roots {
    /// The position, in the settings, of the root that a target names; none for every other target. `path` and
    /// `query` must be exactly as they were sent.
    pub fn index_of(&self, path: &str, query: &str) -> Option<usize> {
        let query = query.as_bytes();
        if pair_count(query) > MOST_PAIRS {
            return None;
        }
        let route = parse_form(query).get("rest_route").cloned();
        match (ByPath::of(path.as_bytes(), &self.paths, &self.routes), route) {
            (
                ByPath::Route {
                    root,
                    is_root: true,
                    matched: Matched::Site,
                },
                None,
            ) => Some(root),
            (
                ByPath::Route {
                    root, is_root: true, ..
                }
                | ByPath::Site { root: Some(root) },
                Some(Value::String(route)),
            ) => is_index(&route).then_some(root),
            _ => None,
        }
    }

    /// Returns true if a target names a REST root or leads below one, into whichever namespace: by its path or by a
    /// `rest_route`. `path` and `query` must be exactly as they were sent.
    pub fn is_rest(&self, path: &str, query: &str) -> bool {
        let by_path = ByPath::of(path.as_bytes(), &self.paths, &self.routes);
        matches!(by_path, ByPath::Route { .. }) || names_a_route(query.as_bytes())
    }
}

/// WordPress ignores an empty route, and drops slashes at the end of others.
fn is_index(route: &[u8]) -> bool {
    !route.is_empty() && trim_slashes(route).is_empty()
}

#[cfg(test)]
mod tests {
    use crate::policy::{Policy, ServedRoot};
    use crate::routing::Roots;

    #[test]
    fn a_root_is_named_by_path_or_by_route() {
        let roots = Roots::new(&Policy {
            roots: vec![ServedRoot::default(), ServedRoot::at("/de/wp-json")],
            ..Policy::default()
        });
        for (path, query, expected) in [
            ("/wp-json", "", Some(0)),
            ("/wp-json/", "_fields=namespaces", Some(0)),
            ("/index.php/wp-json", "", Some(0)),
            ("/de/wp-json/", "", Some(1)),
            ("/", "rest_route=/", Some(0)),
            ("/de/", "rest%5Froute=%2F", Some(1)),
            ("/wp-json/", "rest_route=/", Some(0)),
            ("/", "", None),
            ("/", "rest_route=", None),
            ("/wp-json/", "rest_route=/wp/v2", None),
            ("/wp-json/wp/v2", "rest_route=/", None),
            ("/wp-json/wp/v2", "", None),
            ("/wp-json/calendar/events/v1", "", None),
            ("/wp-json.php", "", None),
            ("/fr/wp-json", "", None),
        ] {
            assert_eq!(roots.index_of(path, query), expected, "{path}?{query}");
        }
    }

    #[test]
    fn pages_do_not_lead_below_a_root() {
        let roots = Roots::new(&Policy::default());
        for (path, query, expected) in [
            ("/wp-json", "", true),
            ("/wp-json/club/events/v1/events", "", true),
            ("/index.php/wp-json/wp/v2/posts", "", true),
            ("/about", "rest%5Froute=/club/events/v1/events", true),
            ("/about", "p=rest", false),
            ("/", "", false),
        ] {
            assert_eq!(roots.is_rest(path, query), expected, "{path}?{query}");
        }
    }
}
