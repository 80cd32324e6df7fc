//! The contract table, rendered: for people, as JSON, as OpenAPI.
//!
//! Pure: everything here is a function of the table and a few options; no settings, clock or socket.

#![allow(
    clippy::indexing_slicing,
    reason = "indexes documents of its own making, before any request"
)]

mod catalogue;
mod openapi;
mod routes;
mod strict;

pub use catalogue::Language;
pub use openapi::{OpenApiOptions, PublicRoot, openapi};
pub use routes::{routes_json, routes_text};
pub use strict::strict_reference;
