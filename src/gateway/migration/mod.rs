//! The stages by which other backends see calls, and the way to them.

pub(super) mod copier;
pub(super) mod copy_budget;
pub(super) mod cutting_over;
pub(super) mod dry_run;
pub(super) mod route;
pub(super) mod select_backend;
pub(super) mod shadowing;
