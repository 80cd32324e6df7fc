//! The pure core of calendar-edge: what it decides, and nothing that it does.
//!
//! The judgement of calls is a crate of its own, `calendar-edge-judge`; here is what a gateway needs beside it. Bytes come in, verdicts and bytes go out. Nothing here opens a socket, reads a clock or runs a task.

#![cfg_attr(test, allow(clippy::string_slice, reason = "a panic is how a test fails"))]

pub mod cache;
pub mod companion;
pub mod concerns;
pub mod describe;
pub mod errors;
pub mod explain;
pub mod fleet;
pub mod framing;
pub mod gateway;
pub mod keyed_hash;
pub mod limits;
pub mod migration;
pub mod pages;
pub mod relay;
pub mod settings;
mod simd;
pub mod surface;
pub mod survey;
pub mod unix_time;
