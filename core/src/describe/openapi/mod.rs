//! The table as an `OpenAPI` 3.1 document of the public API.
//!
//! Request schemas say what is accepted in the `compatible` profile, sometimes less (a date may be written in
//! more ways than a pattern can tell), never more. Response schemas say what the backend was seen to answer
//! (backend.md section 11); members may be added by newer versions, so objects are open.
//!
//! Narrower bounds of the strict profile stand beside a schema as `x-strict`: no client of the compatible profile
//! is told that they hold.
//!
//! A default of `null` is left out where `null` itself is refused (backend.md section 4).

mod bodies;
mod document;
mod errors;
mod globals;
mod inputs;
mod operations;
mod records;
mod responses;
mod strict;

pub use document::{OpenApiOptions, PublicRoot, openapi};
