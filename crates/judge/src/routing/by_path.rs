//! The meaning of a target's path, without its query.

use super::call_target::Target;
use super::root_path::{RootPath, trim_slashes};
use super::route::{Matched, ServedRoutes};
use crate::wordpress::payload::{Plus, decode};

/// The meaning of a path, without the query.
#[derive(Debug)]
pub(super) enum ByPath {
    /// A path below a REST root, or the root itself.
    Route {
        root: usize,
        matched: Matched,
        is_root: bool,
    },
    /// A page of the site, with the root whose front controller serves it; no root if another script serves
    /// it.
    Site { root: Option<usize> },
}

// === impl ByPath ===

impl ByPath {
    /// Reads a path as it was sent. The roots are tried in their order.
    pub(super) fn of(path: &[u8], roots: &[RootPath], routes: &ServedRoutes) -> Self {
        let path = trim_slashes(path);
        let found = roots.iter().find_map(|root| Some((root, root.route(path)?)));
        if let Some((root, route)) = found {
            let matched = routes.find(&route);
            let matched = if is_script(path) && matched != Matched::Site {
                Matched::Unknown
            } else {
                matched
            };
            return Self::Route {
                root: root.index,
                matched,
                is_root: route.is_empty(),
            };
        }
        let site = roots.iter().find(|root| root.below_home(path).is_some());
        match site {
            Some(root) if !is_script(path) || root.below_home(path) == Some(b"index.php") => Self::Site {
                root: Some(root.index),
            },
            _ => Self::Site { root: None },
        }
    }

    /// Returns true if the path alone does not lead into the calendar API.
    pub(super) const fn is_elsewhere(&self) -> bool {
        matches!(
            self,
            Self::Route {
                matched: Matched::Site,
                ..
            } | Self::Site { .. }
        )
    }

    /// The target of a path that does not lead into the calendar API.
    pub(super) const fn elsewhere(&self) -> Target {
        let root = match self {
            Self::Route { root, .. } => Some(*root),
            Self::Site { .. } => None,
        };
        Target::Site { root }
    }
}

/// Returns true if the path names a script. Web servers in front of WordPress pass every path with this
/// ending to PHP as a file of its own.
fn is_script(path: &[u8]) -> bool {
    decode(path, Plus::Literal).ends_with(b".php")
}
