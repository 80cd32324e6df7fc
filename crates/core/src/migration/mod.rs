//! Other backends beside the site: answers compared, and calls that they take over.

pub mod comparison;
pub mod cutover;
mod shadow;

pub use shadow::{CopyTo, first_about};
