//! The view of operators: the admin listener.

pub(crate) mod admin;
