//! Guards of the repository: sources and documents keep their own rules and agree with each other, as far as reading them shows.
//!
//! They build no edge, so that `cargo test --package guards` answers in seconds. A guard that asks the program stands in `tests/edge`.

#![cfg(test)]
#![allow(
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a panic is how a test fails"
)]

mod architecture;
mod citations;
mod dashboards;
mod naming;
mod repository;
mod security;
