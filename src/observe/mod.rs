//! The view of operators: the admin listener, and spans for a collector.

pub(crate) mod admin;
pub(crate) mod traces;
