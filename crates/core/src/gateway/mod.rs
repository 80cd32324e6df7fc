//! The decision about a whole request, the rules about the rest of the site, and what is recorded of a refusal.

pub mod authority;
pub mod circle;
pub mod decision;
pub mod refusals;
