//! The contract table, rendered as text and as OpenAPI.
//!
//! Pure: all results depend only on the table and a few options, and not on settings, a clock or a socket.

#![allow(
    clippy::indexing_slicing,
    reason = "indexes documents of its own making, before any request"
)]

mod catalogue;
mod openapi;
mod rest_index;
mod routes;
mod strict_limits;

pub use openapi::{OpenApiOptions, PublicRoot, openapi};
pub use rest_index::RestIndex;
pub use routes::{routes_text, routes_text_in_force};
pub use strict_limits::strict_reference;
