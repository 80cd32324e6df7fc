//! Compares an origin's published index with the table.
//!
//! The reference is the specification; the known [`differences`](super::difference::differences) are not
//! reported. Descriptions are never compared: they are in the language of the site.

mod arguments;
mod compare;
mod finding;

pub use compare::compare_index;
pub(super) use compare::published_path;
pub use finding::{DRIFT_KINDS, Drift};
