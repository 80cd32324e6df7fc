//! The strict profile: the specification to the letter (`docs/reference/strict.md`).
//!
//! Its rules go beyond WordPress's, so it is never the default. The shape (path, names, body) is checked
//! first and needs no reading. Values are checked after WordPress's own phases, so that WordPress's words
//! come first.

mod dates;
mod methods;
mod shape;
mod strict_names;
mod values;

pub(super) use methods::refuse_method;
pub(super) use shape::{check_media, check_shape, path_holds};
pub(super) use values::check_values;
