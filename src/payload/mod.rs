//! The request's parameters as PHP and WordPress read them: query, form, multipart, JSON.
//!
//! Untrusted bytes in, ordered arguments out. Nothing here knows the contract table: which names matter
//! is for `call` to say.

mod bags;
mod content_type;
mod form;
mod json;
mod json_members;
mod json_text;
mod multipart;
mod names;
mod percent;

pub use bags::{Bag, Bags, Source};
pub use content_type::{BodyReading, body_reading};
pub use form::{PHP_VARIABLE_LIMIT, names_rest_route, pair_count, parse_form, spellings};
pub use json::{JsonError, JsonShape, PHP_DEPTH, json_shape, parse_json};
pub use multipart::{MultipartError, parse_multipart};
pub(crate) use percent::escaped;
pub use percent::{Plus, decode, decode_into};
