//! Compares an origin's published index with the table.
//!
//! Routes, methods and arguments are compared, and which arguments are required: what a call is judged by. Types and
//! defaults are not: the judge has its own, and sends none.

mod arguments;
mod compare_index;
mod finding;

pub use compare_index::compare_index;
pub use finding::Drift;
