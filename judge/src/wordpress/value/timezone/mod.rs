//! Time zones as PHP names them.

mod abbreviations;
mod names;
pub mod offset;
mod rule;

pub use rule::timezone_or_empty;
