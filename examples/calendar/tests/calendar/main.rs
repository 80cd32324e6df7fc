//! The example service beside the built-in calendar.

#![allow(
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that panics has failed"
)]

mod followed;
mod imported;
mod read;
mod support;
mod written;
