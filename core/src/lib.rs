//! The pure core of calendar-edge: what it decides, and nothing that it does.
//!
//! Bytes come in, verdicts and bytes go out. Nothing here opens a socket, reads a clock or runs a task.

#![cfg_attr(test, allow(clippy::string_slice, reason = "a panic is how a test fails"))]

pub mod admission;
pub mod authority;
pub mod caching;
pub mod call;
pub mod comparison;
pub mod compression;
pub mod contract;
pub mod cors;
pub mod credentials;
pub mod cutover;
pub mod decision;
pub mod describe;
pub mod evidence;
pub mod framing;
mod lanes;
pub mod mark;
pub mod patch;
pub mod payload;
pub mod problem;
pub mod purge;
pub mod queue;
pub mod relay;
pub mod routing;
pub mod settings;
pub mod value;
