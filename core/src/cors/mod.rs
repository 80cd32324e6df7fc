//! Which pages may read an answer, and what they may ask for (T-22).
//!
//! Public reads may be read by any page, without credentials. What a client with credentials gets, and every write (a
//! write needs credentials), may be read by pages of configured origins only: WordPress itself lets any page read with
//! the visitor's cookies, which is why its headers never pass.

mod preflight;
mod rules;
mod visibility;

pub use preflight::{Preflight, sole_origin};
pub use rules::CorsRules;
pub use visibility::{Audience, Visibility};
