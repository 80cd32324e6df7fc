//! Configuration: reads settings from a file, flags and environment variables, and checks them.
//!
//! The keys are declared beside the fields of [`Settings`](calendar_edge_core::settings::Settings), and each writes
//! straight into its field. Here the place of every value in the file is kept, so that each problem is reported with
//! line and column.

#![allow(
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "reads the operator's file, not a client's bytes"
)]

mod check;
#[cfg(test)]
mod example_tests;
mod excerpt;
mod load;
mod overrides;
mod problem;
mod read;
mod reading;
#[cfg(test)]
mod reference;
mod removed;
mod resolve;
mod secret;
mod source;
#[cfg(test)]
mod table_tests;
mod variables;

pub use excerpt::Excerpt;
pub use load::parse;
pub use overrides::{OverrideSource, Overrides};
pub use problem::{ConfigError, Location};
pub use source::ConfigSource;
