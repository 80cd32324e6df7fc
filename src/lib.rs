//! calendar-edge: a hardened edge for the calendar REST API of a WordPress site.

#![cfg_attr(test, allow(clippy::string_slice, reason = "a panic is how a test fails"))]

mod admin;
pub mod admission;
pub mod app;
mod authority;
mod backend;
pub mod call;
pub mod config;
pub mod contract;
pub mod cors;
pub mod credentials;
pub mod describe;
pub mod framing;
mod gateway;
mod layers;
pub mod payload;
pub mod problem;
pub mod relay;
mod response;
pub mod routing;
pub mod sandbox;
mod server;
pub mod settings;
pub mod telemetry;
pub mod value;
