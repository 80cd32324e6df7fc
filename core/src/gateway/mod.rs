//! The decision about a whole request, and what is recorded of a refusal.

pub mod authority;
pub mod decision;
pub mod refusals;
