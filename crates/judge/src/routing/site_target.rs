//! Where a request for the rest of the site leads: to a REST route, a script or a page.

use std::borrow::Cow;

use super::guard::{decoded, segments};
use super::locate::{Roots, names_a_route};
use super::root_path::{RootPath, trim_slashes};
use crate::wordpress::payload::{PHP_VARIABLE_LIMIT, named_routes, pair_count};
use crate::wordpress::value::{split_once, trim_end};

/// The end of the name of a script.
const SCRIPT: &[u8] = b".php";

/// The script that serves pages and routes. Servers call it for every path that names no file.
const FRONT: &[u8] = b"index.php";

/// Scripts that serve no REST route, whatever path and query name. Some servers find them without their ending, or in
/// another case; to all others such a path names no file, and is served by [`FRONT`] (T-99).
const APART: [(&str, &str); 2] = [("wp-login", "wp-login.php"), ("xmlrpc", "xmlrpc.php")];

/// The prefix of the REST API where no filter changes it (`rest_url_prefix`).
const PREFIX: &[u8] = b"wp-json";

/// The destination of a request for the rest of the site.
///
/// It is read more broadly than WordPress does: a target that one of the usual servers could lead to a route counts as
/// that route. The route need not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SiteTarget {
    /// A REST route: decoded, in lower case, with single slashes between its segments and none at its ends. The index
    /// of a root is the empty route.
    Route(String),
    /// A script other than the one that serves pages and routes, by its name in lower case.
    Script(String),
    /// Any other target.
    Page,
    /// Settings of PHP decide which of several routes WordPress takes, or whether it takes one.
    Unclear,
}

/// The segments of a path in lower case.
type Segments<'a> = [Cow<'a, [u8]>];

// === impl Roots ===

impl Roots {
    /// The destination of a target that leads elsewhere than to the calendar. `path` and `query` must be exactly as they
    /// were sent; the query is empty if there is none.
    pub fn site_target(&self, path: &str, query: &str) -> SiteTarget {
        let query = query.as_bytes();
        if !names_a_route(query) {
            return self.target_of_path(path.as_bytes());
        }
        match named_routes(query).last() {
            Some(Some(route)) if pair_count(query) <= PHP_VARIABLE_LIMIT => self.named_target(path, &route),
            _ => SiteTarget::Unclear,
        }
    }

    /// The destination of a request with this path whose query or form sets `rest_route`. In WordPress a form takes
    /// precedence over the query, and both over the path.
    pub fn named_target(&self, path: &str, route: &[u8]) -> SiteTarget {
        let by_path = self.target_of_path(path.as_bytes());
        if matches!(&by_path, SiteTarget::Script(script) if is_apart(script)) {
            return by_path;
        }
        match (route, by_path) {
            // To PHP these are empty, and WordPress serves a page.
            (b"" | b"0", SiteTarget::Route(_)) => SiteTarget::Page,
            (b"" | b"0", by_path) => by_path,
            _ => named_or_behind(path, route),
        }
    }

    pub(super) fn target_of_path(&self, path: &[u8]) -> SiteTarget {
        let known = || self.paths.iter().find_map(|root| root.route(trim_slashes(path)));
        let decoded = decoded(path);
        let segments = segments(&decoded);
        let route = known()
            .map(|route| canonical(&route))
            .or_else(|| self.route_below_any_root(&segments));
        match route {
            Some(route) => {
                let route = ended(&route, &segments);
                // In a network of sites, `/wp-json/xmlrpc.php` is the script of the site `wp-json`.
                apart(route.as_bytes()).map_or_else(
                    || SiteTarget::Route(route.to_owned()),
                    |script| script_target(script.as_bytes()),
                )
            }
            None => script_of(&segments).map_or(SiteTarget::Page, script_target),
        }
    }

    /// The route of a path below a root that the settings need not have.
    fn route_below_any_root(&self, segments: &Segments<'_>) -> Option<String> {
        let mut begun = segments.iter();
        let is_end = |segment: &Cow<'_, [u8]>| self.is_prefix(segment) || apart(segment).is_some();
        let found = begun.position(is_end).and_then(|at| segments.get(at..))?;
        let (first, below) = found.split_first()?;
        self.is_prefix(first).then(|| joined(below))
    }

    /// Returns true for the prefix of the REST API. WordPress takes the path of the site off without looking for a
    /// slash behind it.
    pub(super) fn is_prefix(&self, segment: &[u8]) -> bool {
        let is_home = |before: &[u8], root: &RootPath| {
            let home = root.home.rsplit('/').next().unwrap_or_default();
            before.eq_ignore_ascii_case(home.as_bytes())
        };
        let before = segment.strip_suffix(PREFIX);
        before.is_some_and(|before| before.is_empty() || self.paths.iter().any(|root| is_home(before, root)))
    }
}

/// The route that `rest_route` names; for the index WordPress takes what follows the script.
pub(super) fn named_or_behind(path: &str, route: &[u8]) -> SiteTarget {
    match canonical(route) {
        index if index.is_empty() => SiteTarget::Route(behind_script(path.as_bytes())),
        route => SiteTarget::Route(route),
    }
}

/// The part of a path's route that WordPress takes: one line, and up to a question mark if it follows a script.
pub(super) fn ended<'a>(route: &'a str, segments: &Segments<'_>) -> &'a str {
    let is_behind_script = segments.iter().any(|segment| segment.ends_with(SCRIPT));
    let is_end = |letter| letter == '\n' || letter == '?' && is_behind_script;
    let taken = route.split(is_end).next().unwrap_or_default();
    taken.trim_end_matches('/')
}

fn script_target(name: &[u8]) -> SiteTarget {
    SiteTarget::Script(String::from_utf8_lossy(name).into_owned())
}

pub(super) fn is_apart(script: &str) -> bool {
    APART.iter().any(|(_, name)| *name == script)
}

/// The name of a script that serves no route, if a segment or a route is that.
fn apart(segment: &[u8]) -> Option<&'static str> {
    let name = segment.strip_suffix(SCRIPT).unwrap_or(segment);
    let mut scripts = APART.iter();
    scripts.find_map(|(bare, script)| (bare.as_bytes() == name).then_some(*script))
}

/// The script that serves a path; none if that is the one of pages and routes.
fn script_of<'a>(segments: &'a Segments<'_>) -> Option<&'a [u8]> {
    let mut named = segments.iter();
    if let Some(script) = named.find_map(|segment| apart(segment)) {
        return Some(script.as_bytes());
    }
    let mut scripts = segments.iter().filter(|segment| segment.ends_with(SCRIPT));
    scripts
        .next()
        .map(|script| &**script)
        .filter(|script| *script != FRONT)
}

/// The route behind the first script of a path.
fn behind_script(path: &[u8]) -> String {
    let decoded = decoded(path);
    let path = split_once(&decoded, b'?').map_or(&*decoded, |(path, _)| path);
    let segments = segments(path);
    let script = segments.iter().position(|segment| segment.ends_with(SCRIPT));
    let below = script.and_then(|script| segments.get(script + 1..));
    joined(below.unwrap_or_default())
}

/// A route as rules name it. WordPress matches routes without regard to case, and ignores slashes and one line feed at
/// their ends.
pub(super) fn canonical(route: &[u8]) -> String {
    let decoded = decoded(route);
    let route = trim_end(&decoded, |byte| matches!(byte, b'/' | b'\\' | b'\n'));
    joined(&segments(route))
}

pub(super) fn joined(segments: &Segments<'_>) -> String {
    String::from_utf8_lossy(&segments.join(&b'/')).into_owned()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::policy::{Policy, ServedRoot};

    fn target(target: &str) -> SiteTarget {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        roots().site_target(path, query)
    }

    pub(in crate::routing) fn roots() -> Roots {
        Roots::new(&Policy {
            roots: vec![
                ServedRoot::default(),
                ServedRoot::at("/de/wp-json"),
                ServedRoot::at("/club/api"),
            ],
            ..Policy::default()
        })
    }

    pub(in crate::routing) fn route(route: &str) -> SiteTarget {
        SiteTarget::Route(route.to_owned())
    }

    #[test]
    fn every_spelling_of_a_route_is_that_route() {
        for spelling in [
            "/wp-json/wp/v2/users/7",
            "/wp-json/wp/v2/users/7/",
            "/wp-json/WP/V2/Users/7",
            "/WP-JSON/wp/v2/users/7",
            "//wp-json//wp/v2//users/7",
            "/wp-json/wp%2Fv2%2Fusers%2F7",
            "/wp-json/wp/v2/%75sers/7",
            "/wp-json/wp/v2/%2575sers/7",
            "/%77p-json/wp/v2/users/7",
            "/wp%2Djson%2Fwp/v2/users/7%0A",
            "/wp-json\\wp\\v2\\users\\7",
            "/wp-json/wp/v2/users%5C7",
            "/index.php/wp-json/wp/v2/users/7",
            "/index.php%2Fwp-json/wp/v2/users/7%3Fx",
            "/index-php/wp-json/wp/v2/users/7",
            "/index.php//wp-json/wp/v2/users/7",
            "/wp-trackback.php/wp-json/wp/v2/users/7",
            "/de/wp-json/wp/v2/users/7",
            "/dewp-json/wp/v2/users/7",
            "/fr/wp-json/wp/v2/users/7",
            "/fr/index.php/wp-json/wp/v2/users/7%3Fx/y",
            "/club/api/wp/v2/users/7",
            "/?rest_route=/wp/v2/users/7",
            "/?rest_route=wp/v2/users/7",
            "/?rest%5Froute=%2Fwp%2Fv2%2Fusers%2F7%0A",
            "/?rest.route=/WP/v2//users/7/",
            "/?rest_route=/wp/v2/posts&rest_route=/wp/v2/users/7",
            "/about/?a=1&rest_route=\\wp\\v2\\users\\7",
            "/wp-json/wp/v2/posts?rest_route=/wp/v2/users/7",
            "/wp-trackback.php?rest_route=/wp/v2/users/7",
            "/index.php/wp/v2/users/7?rest_route=/",
            "/wp-trackback.php/wp/v2/users/7%3Fx?rest_route=//",
        ] {
            assert_eq!(target(spelling), route("wp/v2/users/7"), "{spelling}");
        }
    }

    #[test]
    fn the_index_of_a_root_is_the_empty_route() {
        for spelling in [
            "/wp-json",
            "/wp-json/?_fields=namespaces",
            "/fr/wp-json/",
            "/club/api",
            "/?rest_route=/",
            "/about?rest_route=//",
        ] {
            assert_eq!(target(spelling), route(""), "{spelling}");
        }
    }

    #[test]
    fn scripts_are_found_in_any_segment() {
        for (spelling, script) in [
            ("/xmlrpc.php", "xmlrpc.php"),
            ("/XMLRPC.php?rsd", "xmlrpc.php"),
            ("//blog/xmlrpc.php/more", "xmlrpc.php"),
            ("/xmlrpc%2Ephp", "xmlrpc.php"),
            ("/xmlrpc", "xmlrpc.php"),
            ("/xmlrpc.php?rest_route=/wp/v2/posts", "xmlrpc.php"),
            ("/xmlrpc.php/wp-json/wp/v2/posts", "xmlrpc.php"),
            ("/wp-json/xmlrpc.php", "xmlrpc.php"),
            ("/wp-login.php?rest_route=", "wp-login.php"),
            ("/wp-admin/admin-ajax.php", "admin-ajax.php"),
            ("/wp-cron.php/index.php", "wp-cron.php"),
        ] {
            assert_eq!(
                target(spelling),
                SiteTarget::Script(script.to_owned()),
                "{spelling}"
            );
        }
    }

    #[test]
    fn other_targets_are_pages() {
        for spelling in [
            "/",
            "/index.php",
            "/index.php?author=1",
            "/index.php/about",
            "/about/?s=rest_route",
            "/wp-json/wp/v2/users?rest_route=",
            "/wp-json/wp/v2/users?rest_route=0",
            "/my-wp-json/wp/v2/users",
            "/api/wp/v2/users",
            "/xmlrpc.php.txt",
            "/?REST_ROUTE=/wp/v2/users",
        ] {
            assert_eq!(target(spelling), SiteTarget::Page, "{spelling}");
        }
    }

    #[test]
    fn a_route_that_depends_on_settings_of_php_is_unclear() {
        let many = format!("/?{}rest_route=/wp/v2/users", "a=1&".repeat(PHP_VARIABLE_LIMIT));
        for spelling in [many.as_str(), "/?rest_route[]=/wp/v2/users"] {
            assert_eq!(target(spelling), SiteTarget::Unclear);
        }
    }

    #[test]
    fn the_route_of_a_form_replaces_the_one_of_the_path() {
        let roots = roots();
        let named = |path: &str, route: &str| roots.named_target(path, route.as_bytes());
        assert_eq!(
            named("/wp-json/wp/v2/posts", "/wp/v2/USERS/"),
            route("wp/v2/users")
        );
        assert_eq!(named("/wp-json/wp/v2/posts", ""), SiteTarget::Page);
        assert_eq!(
            named("/wp-login.php", "/wp/v2/users"),
            SiteTarget::Script("wp-login.php".to_owned())
        );
    }

    proptest::proptest! {
        #[test]
        fn a_route_has_one_form(path in "/(index.php/)?[wp-]{0,3}(wp-json)?[a-zA-Z%0-9/.;_+\\\\-]{0,40}", query in ".{0,40}") {
            if let SiteTarget::Route(found) = roots().site_target(&path, &query) {
                proptest::prop_assert!(!found.starts_with('/') && !found.ends_with('/') && !found.contains("//"));
                proptest::prop_assert_eq!(found.to_ascii_lowercase(), found);
            }
        }
    }
}
