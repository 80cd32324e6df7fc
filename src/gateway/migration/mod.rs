//! The stages by which other backends see calls, and the way to them.

mod began_body;
mod callers;
mod copier;
mod copy_budget;
mod cutting_over;
pub(super) mod dry_run;
mod route;
mod select_backend;
mod shadowing;

pub(super) use {
    callers::{Callers, Candidates},
    cutting_over::{CutoverRules, CuttingOver},
    route::CallRoute,
    select_backend::BackendSelection,
    shadowing::{Shadowing, Shadows},
};
