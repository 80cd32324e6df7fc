//! Public REST roots: which paths lie below one, and the route string they name.

use std::borrow::Cow;

use crate::payload::{Plus, decode};

/// A public root path, split where WordPress splits it.
#[derive(Debug, Clone)]
pub(super) struct RootPath {
    /// The position among the settings' roots.
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
    /// WordPress matches the raw path; only when that does not begin with the REST prefix is the whole path
    /// decoded once and matched again. Behind `index.php/` the server has decoded it already; of that WordPress
    /// takes what stands before a question mark, and escapes percent signs anew.
    pub(super) fn route<'a>(&self, path: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        let below = self.below_home(path)?;
        if let Some(info) = below.strip_prefix(b"index.php/") {
            return self.decoded_route(&path_info(info));
        }
        match self.below_prefix(below) {
            Some(route) => Some(Cow::Borrowed(route)),
            None if below.contains(&b'%') => self.decoded_route(&decode(below, Plus::Space)),
            None => None,
        }
    }

    /// The expression that takes the route stops at a line feed.
    fn decoded_route(&self, decoded: &[u8]) -> Option<Cow<'static, [u8]>> {
        let line = decoded.split(|&byte| byte == b'\n').next().unwrap_or_default();
        self.below_prefix(line).map(|route| Cow::Owned(route.to_vec()))
    }

    /// What stands below the site's own path, without outer slashes.
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

/// The path behind `index.php` as WordPress takes it.
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

/// Without the slashes around it, which WordPress drops.
pub(super) fn trim_slashes(path: &[u8]) -> &[u8] {
    let start = path.iter().position(|&byte| byte != b'/').unwrap_or(path.len());
    let end = path
        .iter()
        .rposition(|&byte| byte != b'/')
        .map_or(start, |last| last + 1);
    &path[start..end]
}
