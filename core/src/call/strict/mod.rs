//! The strict profile: the specification to the letter (SECURITY.md, "What we do not promise").
//!
//! It asks more than WordPress does, so it is never the default. Shape first (path, names, body), which
//! needs no reading; values after WordPress's own phases, whose words come first.

mod dates;
mod methods;
mod names;
mod shape;
mod values;

pub(super) use methods::refuse_method;
pub(super) use shape::{check_media, check_shape, path_holds};
pub(super) use values::check_values;
