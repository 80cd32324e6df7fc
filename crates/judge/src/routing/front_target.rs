//! The other reading of a path that only looks like a script: it names no file, and `index.php` serves it (T-99).

use super::guard::{decoded, segments};
use super::locate::{Roots, names_a_route};
use super::root_path::trim_slashes;
use super::site_target::{SiteTarget, canonical, ended, is_apart, joined, named_or_behind};
use crate::wordpress::payload::{PHP_VARIABLE_LIMIT, named_routes, pair_count};

// === impl Roots ===

impl Roots {
    /// The other reading of a target whose path looks like a script that serves no route: none if the path is exactly that of
    /// the script, or looks like none. `path` and `query` are as for [`Self::site_target`].
    pub fn front_target(&self, path: &str, query: &str) -> Option<SiteTarget> {
        if !self.is_like_a_file(path) {
            return None;
        }
        let query = query.as_bytes();
        if !names_a_route(query) {
            return Some(self.front_of_path(path.as_bytes()));
        }
        match named_routes(query).last() {
            Some(Some(route)) if pair_count(query) <= PHP_VARIABLE_LIMIT => Some(front_named(path, &route)),
            _ => Some(SiteTarget::Unclear),
        }
    }

    /// The same if query or form sets `rest_route`.
    pub fn named_front(&self, path: &str, route: &[u8]) -> Option<SiteTarget> {
        self.is_like_a_file(path).then(|| front_named(path, route))
    }

    /// True if a path looks like a script that serves no route, and is not exactly that of the file.
    fn is_like_a_file(&self, path: &str) -> bool {
        let SiteTarget::Script(script) = self.target_of_path(path.as_bytes()) else {
            return false;
        };
        let is_at = |home: &str| {
            let below = path.strip_prefix('/').and_then(|below| below.strip_prefix(home));
            let below = below.map(|below| {
                if home.is_empty() {
                    below
                } else {
                    below.strip_prefix('/').unwrap_or("")
                }
            });
            below == Some(script.as_str())
        };
        let is_file = is_at("") || self.paths.iter().any(|root| is_at(&root.home));
        is_apart(&script) && !is_file
    }

    /// The destination of a path that names no file, whatever script it looks like.
    fn front_of_path(&self, path: &[u8]) -> SiteTarget {
        let known = self.paths.iter().find_map(|root| root.route(trim_slashes(path)));
        let decoded = decoded(path);
        let segments = segments(&decoded);
        let route = known.map(|route| canonical(&route)).or_else(|| {
            let prefix = segments.iter().position(|segment| self.is_prefix(segment))?;
            segments.get(prefix + 1..).map(joined)
        });
        route.map_or(SiteTarget::Page, |route| {
            SiteTarget::Route(ended(&route, &segments).to_owned())
        })
    }
}

/// The destination of a request at `index.php` that sets this `rest_route`. To PHP some values are empty.
fn front_named(path: &str, route: &[u8]) -> SiteTarget {
    match route {
        b"" | b"0" => SiteTarget::Page,
        route => named_or_behind(path, route),
    }
}

#[cfg(test)]
mod tests {
    use super::super::site_target::tests::{roots, route};
    use super::*;

    #[test]
    fn t99_what_only_looks_like_a_script_is_a_route_or_a_page_as_well() {
        let front = |target: &str| {
            let (path, query) = target.split_once('?').unwrap_or((target, ""));
            roots().front_target(path, query)
        };
        for file in [
            "/xmlrpc.php",
            "/xmlrpc.php?rest_route=/wp/v2/users",
            "/wp-login.php?rest_route=/wp/v2/users",
            "/de/wp-login.php?rest_route=/wp/v2/users",
            "/club/xmlrpc.php",
            "/about?rest_route=/wp/v2/users",
            "/wp-cron.php?rest_route=/wp/v2/users",
        ] {
            assert_eq!(front(file), None, "{file}");
        }
        for spelling in [
            "/xmlrpc?rest_route=/wp/v2/users",
            "/wp-login?rest_route=/wp/v2/users",
            "/WP-LOGIN.PHP?rest_route=/wp/v2/users",
            "/wp-login.php%5c?rest_route=/wp/v2/users",
            "/wp-login.php/?rest_route=/wp/v2/users",
            "//wp-login.php?rest_route=/wp/v2/users",
            "/wp%2Dlogin.php?rest_route=/wp/v2/users",
            "/fr/wp-login.php?rest%5Froute=/wp/v2/users",
            "/xmlrpc.php/wp-json/wp/v2/users",
            "/wp-json/xmlrpc.php?rest_route=/wp/v2/users",
        ] {
            assert_eq!(front(spelling), Some(route("wp/v2/users")), "{spelling}");
        }
        for page in ["/xmlrpc", "/wp-login?author=1", "/Wp-Login.php?rest_route=0"] {
            assert_eq!(front(page), Some(SiteTarget::Page), "{page}");
        }
        assert_eq!(front("/wp-login?rest_route[]=/a"), Some(SiteTarget::Unclear));
        let named = roots().named_front("/wp-login", b"/wp/v2/users");
        assert_eq!(named, Some(route("wp/v2/users")));
        assert_eq!(roots().named_front("/wp-login.php", b"/wp/v2/users"), None);
    }
}
