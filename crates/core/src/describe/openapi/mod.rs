//! The table as an `OpenAPI` 3.1 document of the public API.
//!
//! Request schemas describe the values accepted in the `compatible` profile. A schema may describe fewer
//! values, because a date has more spellings than a pattern can express, but never more. Response schemas
//! describe the responses observed from the backend (backend.md section 11). Newer versions may add members,
//! so objects are open.
//!
//! A default of `null` is omitted if `null` itself is refused (backend.md section 4).

mod bodies;
mod document;
mod errors;
mod globals;
mod inputs;
mod models;
mod operations;
mod options;
mod responses;
mod security;

pub use document::openapi;
pub use options::{OpenApiOptions, PublicRoot};
