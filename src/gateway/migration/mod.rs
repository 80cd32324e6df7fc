//! The stages by which other backends see calls, and the way to them.

pub(super) mod copier;
pub(super) mod copy_budget;
pub(super) mod cutting_over;
pub(super) mod forking;
pub(super) mod rehearsal;
pub(super) mod route;
pub(super) mod shadowing;
