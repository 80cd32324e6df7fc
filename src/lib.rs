//! calendar-edge: a hardened edge for the calendar REST API of a WordPress site.

#![cfg_attr(test, allow(clippy::string_slice, reason = "a panic is how a test fails"))]

mod access;
mod admin;
mod answer;
pub mod app;
pub mod call;
pub mod config;
pub mod contract;
pub mod describe;
pub mod framing;
mod gateway;
mod layers;
pub mod mark;
pub mod payload;
pub mod problem;
pub mod relay;
pub mod sandbox;
mod server;
pub mod target;
pub mod telemetry;
mod upstream;
pub mod value;
