//! Values as PHP sees them, parsed from a request's bytes before anything is judged.
//!
//! Pure: no tokio, no clock, no socket. Each submodule contains one of PHP's rules and nothing else.

pub mod boolean;
mod cut;
pub mod datetime;
mod encode;
#[cfg(test)]
mod fixture;
pub mod integer;
pub mod numeric;
#[cfg(test)]
mod oracle;
mod php;
mod php_array;
pub mod timezone;
pub mod url_filter;
mod verdict;

pub use cut::{split_once, split_while, trim_end};
pub use encode::{NotUtf8, is_unreserved, to_json, write_escaped, write_json, write_json_text, write_query};
pub use php::{Key, KeyRef, Number, Value};
pub use php_array::PhpArray;
pub use verdict::{Verdict, Why};
