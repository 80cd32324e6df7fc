//! The errors that WordPress does not have, their causes, and their rows in `Proxy-Status` and in the documents.

mod cause;
mod edge;
#[cfg(test)]
mod error_reference;
mod remedy;

pub use cause::*;
pub use edge::*;
pub use remedy::{codes, remedy};
