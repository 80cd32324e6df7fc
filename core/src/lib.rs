//! The pure core of calendar-edge: what it decides, and nothing that it does.
//!
//! Bytes come in, verdicts and bytes go out. Nothing here opens a socket, reads a clock or runs a task.

#![cfg_attr(test, allow(clippy::string_slice, reason = "a panic is how a test fails"))]

pub mod cache;
pub mod call;
pub mod companion;
pub mod contract;
pub mod describe;
pub mod framing;
pub mod gateway;
pub mod limits;
pub mod migration;
pub mod policy;
pub mod problem;
pub mod relay;
pub mod routing;
pub mod settings;
mod simd;
pub mod wordpress;
