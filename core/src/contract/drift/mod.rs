//! Compares an origin's published index with the table.
//!
//! The yardstick is the specification; what [`differences`](super::difference::differences) lists is known
//! and not reported. Descriptions are never compared: they follow the language of the site.

mod arguments;
mod compare;
mod finding;

pub use compare::compare_index;
pub use finding::Drift;
