//! Public REST roots: the paths below a root, and the route strings they name.

use std::borrow::Cow;

use crate::wordpress::payload::{Plus, decode};
use crate::wordpress::value::{split_while, trim_end};

/// A public root path, split where WordPress splits it.
#[derive(Debug, Clone)]
pub(super) struct RootPath {
    /// The position of the root in the settings.
    pub(super) index: usize,
    /// The path of the site, without outer slashes: empty, or `de`.
    pub(super) home: String,
    /// The REST prefix, `wp-json`.
    prefix: String,
}

// === impl RootPath ===

impl RootPath {
    pub(super) fn new(index: usize, path: &str) -> Self {
        let path = path.trim_matches('/');
        let (home, prefix) = path.rsplit_once('/').unwrap_or(("", path));
        Self {
            index,
            home: home.to_owned(),
            prefix: prefix.to_owned(),
        }
    }

    /// The route string of a path without outer slashes; empty for the REST root itself.
    ///
    /// WordPress matches the raw path. Only if the raw path does not begin with the REST prefix, the whole
    /// path is decoded once and matched again.
    ///
    /// The server has already decoded the path after `index.php/`. WordPress takes the part before a question
    /// mark and escapes percent signs again. Its regular expression accepts other spellings of `index.php`;
    /// such a path is treated like any other path.
    pub(super) fn route<'a>(&self, path: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        let below = self.below_home(path)?;
        if let Some(info) = below.strip_prefix(b"index.php/") {
            return self.decoded_route(&path_info(info));
        }
        match self.below_prefix(behind_index(below)) {
            Some(route) => Some(Cow::Borrowed(route)),
            None if below.contains(&b'%') => self.decoded_route(behind_index(&decode(below, Plus::Space))),
            None => None,
        }
    }

    /// The route string of a decoded path. WordPress's regular expression for the route stops at a line feed.
    fn decoded_route(&self, decoded: &[u8]) -> Option<Cow<'static, [u8]>> {
        let line = decoded.split(|&byte| byte == b'\n').next().unwrap_or_default();
        self.below_prefix(line).map(|route| Cow::Owned(route.to_vec()))
    }

    /// The part below the site's own path, without outer slashes.
    pub(super) fn below_home<'a>(&self, path: &'a [u8]) -> Option<&'a [u8]> {
        let below = path.strip_prefix(self.home.as_bytes())?;
        let at_segment = self.home.is_empty() || matches!(below, [] | [b'/', ..]);
        at_segment.then(|| trim_slashes(below))
    }

    fn below_prefix<'a>(&self, path: &'a [u8]) -> Option<&'a [u8]> {
        let below = path.strip_prefix(self.prefix.as_bytes())?;
        matches!(below, [] | [b'/', ..]).then_some(below)
    }
}

/// The part after `index.php/`, if the path begins with that. In the regular expression of WordPress the dot
/// matches any character.
fn behind_index(path: &[u8]) -> &[u8] {
    let index = path.split_at_checked(b"index.php/".len());
    match index {
        Some(([b'i', b'n', b'd', b'e', b'x', dot, b'p', b'h', b'p', b'/'], below)) if *dot != b'\n' => below,
        _ => path,
    }
}

/// The path after `index.php` as WordPress reads it.
fn path_info(info: &[u8]) -> Vec<u8> {
    let decoded = decode(info, Plus::Literal);
    let path = decoded.split(|&byte| byte == b'?').next().unwrap_or_default();
    let mut escaped = Vec::with_capacity(path.len());
    for &byte in path {
        match byte {
            b'%' => escaped.extend_from_slice(b"%25"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Removes the slashes at both ends, which WordPress drops.
pub(super) fn trim_slashes(path: &[u8]) -> &[u8] {
    let is_slash = |byte| byte == b'/';
    trim_end(split_while(path, is_slash).1, is_slash)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Measured at a live site behind nginx.
    #[test]
    fn takes_every_spelling_of_index_php_that_wordpress_takes() {
        let root = RootPath::new(0, "/wp-json");
        let taken = [
            "/index.php/wp-json/x/y",
            "/index.php%2Fwp-json/x/y",
            "/%69ndex%2Ephp/wp-json%2Fx/y",
            "/index-php/wp-json/x/y",
            "/index+php/wp-json/x/y/",
            "/index%2Fphp/wp-json/x/y",
            "/indexXphp/wp%2Djson/x/y",
        ];
        for path in taken {
            let route = root.route(trim_slashes(path.as_bytes()));
            assert_eq!(route.as_deref(), Some(&b"/x/y"[..]), "{path}");
        }
        let left = [
            "/indexphp/wp-json/x/y",
            "/index%0Aphp/wp-json/x/y",
            "/index%252Ephp/wp-json/x/y",
            "/INDEX.php/wp-json/x/y",
            "/index.phpx/wp-json/x/y",
            "/index.php//wp-json/x/y",
            "/index.php/index.php/wp-json/x/y",
        ];
        for path in left {
            assert_eq!(root.route(trim_slashes(path.as_bytes())), None, "{path}");
        }
    }

    #[test]
    fn leaves_escapes_of_the_route_where_the_raw_path_matches() {
        let root = RootPath::new(0, "/de/wp-json");
        let route = |path: &str| {
            root.route(trim_slashes(path.as_bytes()))
                .map(|route| String::from_utf8_lossy(&route).into_owned())
        };
        assert_eq!(route("/de/index-php/wp-json/%78").as_deref(), Some("/%78"));
        assert_eq!(route("/de/index%2Dphp/wp-json/%78").as_deref(), Some("/x"));
    }
}
