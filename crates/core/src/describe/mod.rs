//! The contract table as OpenAPI.
//!
//! Pure: all results depend only on the table and a few options, and not on settings, a clock or a socket.

#![allow(
    clippy::indexing_slicing,
    reason = "indexes documents of its own making, before any request"
)]

mod addressed_document;
mod catalogue;
mod openapi;
#[cfg(test)]
mod strict_limits;

pub use addressed_document::AddressedDocument;
pub use openapi::{OpenApiOptions, PublicRoot, openapi};
