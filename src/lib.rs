//! calendar-edge: a hardened edge for the calendar REST API of a WordPress site.

#![cfg_attr(test, allow(clippy::string_slice, reason = "a panic is how a test fails"))]

pub use calendar_edge_core::{
    admission, authority, call, contract, cors, credentials, describe, framing, mark, payload, problem,
    relay, routing, settings, value,
};

mod admin;
pub mod app;
mod backend;
pub mod config;
mod gateway;
mod layers;
mod response;
mod server;
pub mod telemetry;
