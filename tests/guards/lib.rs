//! Guards of the repository: sources and documents keep their own rules and agree with each other, as far as reading them shows.
//!
//! They build no edge, so that `cargo test --package guards` answers in seconds. A guard that asks the program stands in
//! `tests/edge`, and finds the files with [`repository`] and [`pages`] too.

#![allow(
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a panic is how a test fails"
)]

#[cfg(test)]
mod architecture;
#[cfg(test)]
mod citations;
#[cfg(test)]
mod dashboards;
#[cfg(test)]
mod named_in_docs;
#[cfg(test)]
mod naming;
#[cfg(test)]
mod packaged;
#[cfg(test)]
mod security;
#[cfg(test)]
mod tables;

pub mod pages;
pub mod repository;
pub mod skips;
