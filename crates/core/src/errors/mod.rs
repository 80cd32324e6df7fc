//! The errors that WordPress does not have, their causes, and what `Proxy-Status` and the documents say of them.

mod cause;
mod edge;
#[cfg(test)]
mod error_reference;
mod remedy;

pub use cause::*;
pub use edge::*;
pub use remedy::{codes, remedy};
