//! Request targets: which root, which route, which record (backend.md section 6).
//!
//! The raw target is matched as WordPress matches it. A target that does not match is not a calendar call. No
//! module after this one reads a path again: the canonical encoder writes a new one.

mod by_path;
mod call_target;
mod front_target;
mod guard;
mod locate;
mod rest_index;
mod root_path;
mod route;
mod site_target;
mod slug;

pub use call_target::{CallTarget, RawTarget, Target};
pub use locate::{Named, Roots};
pub use route::RouteMatch;
pub use site_target::SiteTarget;
pub use slug::canonical_slug;
