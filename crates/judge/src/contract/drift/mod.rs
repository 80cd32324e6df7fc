//! Compares an origin's published index with the table.
//!
//! The reference is the specification; the known [`differences`](super::difference::differences) are not
//! reported. Descriptions are never compared: they are in the language of the site.

mod arguments;
mod compare_index;
mod finding;

pub use compare_index::compare_index;
pub(super) use compare_index::published_path;
pub use finding::{DRIFT_KINDS, Drift};
