//! Finds the meaning of a request target from path, query and method.

use std::sync::Arc;

use super::by_path::ByPath;
use super::call_target::{RawTarget, Target};
use super::guard::Guard;
use super::root_path::RootPath;
use super::route::{Matched, ServedRoutes};
use crate::policy::{OtherTraffic, Policy};
use crate::problem::{OwnError, Problem};
use crate::wordpress::payload::{SentMethod, escapes, named_routes, pair_count, parse_form};
use crate::wordpress::value::{PhpArray, Value};

/// Maximum number of pairs in a query (400).
pub(super) const MOST_PAIRS: usize = 500;

/// The public REST roots and namespaces.
#[derive(Debug, Clone)]
pub struct Roots {
    /// Longest home path first, so that `/de` is tried before the root of the site.
    pub(super) paths: Vec<RootPath>,
    pub(super) routes: ServedRoutes,
    keeps_spelling: bool,
    guard: Guard,
    /// Only where the rest of the site is forwarded does the guard matter.
    other: OtherTraffic,
}

/// The meaning of a `rest_route`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// A route in the calendar's namespace.
    Calendar,
    /// One that another server could read so.
    Doubtful,
    /// Another route, or none.
    Elsewhere,
}

// === impl Roots ===

impl Roots {
    /// The roots and namespaces of a policy.
    pub fn new(policy: &Policy) -> Self {
        let mut paths: Vec<RootPath> = policy
            .roots
            .iter()
            .enumerate()
            .map(|(index, root)| RootPath::new(index, &root.path))
            .collect();
        paths.sort_by_key(|root| std::cmp::Reverse(root.home.len()));
        Self {
            paths,
            routes: ServedRoutes::new(policy),
            keeps_spelling: policy.is_strict_anywhere(),
            guard: Guard::new(policy),
            other: policy.other,
        }
    }

    /// The meaning of a `rest_route` in a form.
    pub fn named(&self, route: &[u8]) -> Named {
        match self.routes.find(route) {
            Matched::Route(_) | Matched::Unknown => Named::Calendar,
            Matched::Site if self.guard.doubts(route) => Named::Doubtful,
            Matched::Site => Named::Elsewhere,
        }
    }

    /// Finds the meaning of a target. `path` and `query` must be exactly as they were sent.
    pub fn locate<'a>(&self, sent: impl Into<SentMethod<'a>>, path: &str, query: Option<&str>) -> Target {
        let query = query.unwrap_or_default();
        match self.read(sent.into(), path.as_bytes(), query.as_bytes()) {
            Target::Calendar(mut target) => {
                target.spelling = self.keeps_spelling.then(|| {
                    Box::new(RawTarget {
                        path: path.to_owned(),
                        query: query.to_owned(),
                    })
                });
                Target::Calendar(target)
            }
            site @ Target::Site { .. } if self.other == OtherTraffic::Forward => {
                let problem = self.guard.problem(path.as_bytes(), query.as_bytes());
                problem.map_or(site, Target::Invalid)
            }
            other => other,
        }
    }

    fn read(&self, sent: SentMethod<'_>, path: &[u8], query: &[u8]) -> Target {
        let by_path = ByPath::of(path, &self.paths, &self.routes);
        if by_path.is_elsewhere() && !names_a_route(query) {
            return by_path.elsewhere();
        }
        if let Some(problem) = unreadable(path) {
            return Target::Invalid(problem);
        }
        if pair_count(query) > MOST_PAIRS {
            return Target::Invalid(Problem::Own(OwnError::TOO_MANY_PARAMETERS));
        }
        self.by_query(by_path, sent, Arc::new(parse_form(query)))
    }

    /// Combines path and query. In WordPress a `rest_route` takes precedence over the path. The edge
    /// therefore accepts it only if it repeats the path, or if the path is not a REST path.
    fn by_query(&self, by_path: ByPath, sent: SentMethod<'_>, query: Arc<PhpArray>) -> Target {
        let Some(value) = query.get("rest_route") else {
            return match by_path {
                ByPath::Route { root, matched, .. } if matched != Matched::Site => {
                    Target::of_route(root, matched, sent, query)
                }
                other => other.elsewhere(),
            };
        };
        let Value::String(text) = value else {
            return Target::Invalid(CONTRADICTION);
        };
        let named = self.routes.find(text);
        match by_path {
            ByPath::Route {
                root,
                matched,
                is_root: false,
            } if matched != Matched::Site => {
                if named != matched || matched == Matched::Unknown {
                    return Target::Invalid(CONTRADICTION);
                }
                Target::of_route(root, matched, sent, query)
            }
            ByPath::Route { is_root: false, .. } if named != Matched::Site => Target::Invalid(CONTRADICTION),
            ByPath::Route { root, .. } | ByPath::Site { root: Some(root) } if named != Matched::Site => {
                Target::of_route(root, named, sent, query)
            }
            ByPath::Route { .. } | ByPath::Site { .. } => by_path.elsewhere(),
        }
    }
}

const CONTRADICTION: Problem = Problem::Own(OwnError::ROUTE_CONTRADICTION);

/// The problem of a broken percent-escape or an encoded NUL: the web server refuses both.
fn unreadable(path: &[u8]) -> Option<Problem> {
    let broken = escapes(path).any(|escape| matches!(escape, None | Some(0)));
    broken.then_some(Problem::Own(OwnError::UNREADABLE_PATH))
}

/// Returns true if a query contains a `rest_route` in any spelling. For most queries a glance decides.
pub(super) fn names_a_route(query: &[u8]) -> bool {
    let may = query.windows(4).any(|window| window == b"rest") || query.contains(&b'%');
    may && named_routes(query).next().is_some()
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;
    use crate::contract::{Kind, Route};
    use crate::policy::ServedRoot;

    fn roots() -> Roots {
        Roots::new(&Policy {
            namespaces: vec!["tribe/events/v1".to_owned(), "calendar/events/v1".to_owned()],
            origin_namespace: "calendar/events/v1".to_owned(),
            roots: vec![ServedRoot::default(), ServedRoot::at("/de/wp-json")],
            ..Policy::default()
        })
    }

    fn place(path: &str, query: Option<&str>) -> Option<(usize, Option<Route>)> {
        match roots().locate(&Method::GET, path, query) {
            Target::Calendar(target) => Some((target.root, target.matched.map(|found| found.route))),
            Target::Site { .. } | Target::Invalid(_) => None,
        }
    }

    #[test]
    fn finds_the_root_and_the_route() {
        let events = Some(Route::Collection(Kind::Event));
        let cases = [
            ("/wp-json/tribe/events/v1/events", None, Some((0, events))),
            ("//wp-json/tribe/events/v1/events/", None, Some((0, events))),
            ("/de/wp-json/tribe/events/v1/events", None, Some((1, events))),
            ("/de//wp-json/tribe/events/v1/events", None, Some((1, events))),
            (
                "/index.php/wp-json/tribe/events/v1/%65vents",
                None,
                Some((0, events)),
            ),
            ("/wp%2Djson/tribe/events/v1/%65vents%0A", None, Some((0, events))),
            ("/wp-json/tribe/events/v1/%65vents", None, Some((0, None))),
            ("/wp-json/tribe/events/v1/events.php", None, Some((0, None))),
            ("/", Some("rest_route=/tribe/events/v1/events"), Some((0, events))),
            (
                "/de",
                Some("rest%5Froute=%2Ftribe%2Fevents%2Fv1%2Fevents%0A"),
                Some((1, events)),
            ),
            (
                "/favicon.ico",
                Some("rest.route=/tribe/events/v1/events"),
                Some((0, events)),
            ),
            (
                "/wp-json",
                Some("rest_route=/tribe/events/v1/events"),
                Some((0, events)),
            ),
            (
                "/wp-json/tribe/events/v1/events",
                Some("rest_route=/Tribe/events/v1/events/"),
                Some((0, events)),
            ),
            ("/wp-login.php", Some("rest_route=/tribe/events/v1/events"), None),
            ("/DE/wp-json/tribe/events/v1/events", None, None),
            ("/dewp-json/tribe/events/v1/events", None, None),
            ("/fr/wp-json/tribe/events/v1/events", None, None),
            ("/WP-JSON/tribe/events/v1/events", None, None),
            ("/x/../wp-json/tribe/events/v1/events", None, None),
            ("/wp-json//tribe/events/v1/events", None, None),
            ("/wp-json/wp/v2/users", None, None),
        ];
        for (path, query, expected) in cases {
            assert_eq!(place(path, query), expected, "{path} {query:?}");
        }
    }

    #[test]
    fn escapes_percent_signs_again_after_index_php() {
        let slug = |path: &str| match roots().locate(&Method::GET, path, None) {
            Target::Calendar(target) => target.matched.and_then(|found| found.parameter),
            Target::Site { .. } | Target::Invalid(_) => None,
        };
        let path = "/wp-json/tribe/events/v1/events/by-slug/a%2541";
        assert_eq!(slug(path), Some(b"a%2541".to_vec()));
        assert_eq!(slug(&format!("/index.php{path}%3Fb")), Some(b"a%2541".to_vec()));
    }

    #[test]
    fn refuses_a_route_that_contradicts_the_path() {
        let cases = [
            ("/wp-json/tribe/events/v1/events", "rest_route=/wp/v2/users"),
            (
                "/wp-json/tribe/events/v1/events",
                "%20rest_route=/tribe/events/v1/venues",
            ),
            ("/wp-json/tribe/events/v1/events", "rest_route="),
            ("/", "rest_route[]=/tribe/events/v1/events"),
            ("/wp-json/wp/v2/posts", "rest_route=/tribe/events/v1/events"),
        ];
        for (path, query) in cases {
            assert!(
                matches!(
                    roots().locate(&Method::GET, path, Some(query)),
                    Target::Invalid(_)
                ),
                "{path}?{query}"
            );
        }
    }

    #[test]
    fn refuses_paths_the_web_server_cannot_read() {
        for path in [
            "/wp-json/tribe/events/v1/events%00",
            "/wp-json/tribe/events/v1/events%zz",
        ] {
            assert_eq!(
                roots().locate(&Method::GET, path, None),
                Target::Invalid(Problem::Own(OwnError::UNREADABLE_PATH)),
                "{path}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn takes_any_target(path in "/?[a-zA-Z%0-9/.;_+-]{0,40}", query in proptest::option::of(".{0,40}")) {
            let _ = roots().locate(&Method::GET, &path, query.as_deref());
        }
    }
}
