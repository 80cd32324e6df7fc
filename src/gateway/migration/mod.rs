//! The stages by which other backends see calls, and the way to them.

mod began_body;
mod callers;
mod copier;
mod copy_budget;
mod cutover;
mod cutting_over;
pub(super) mod dry_run;
mod select_backend;
mod shadowing;

pub(super) use {
    callers::{Callers, Candidates},
    cutover::{Cutover, Cutovers},
    cutting_over::{CutoverRules, CuttingOver},
    select_backend::BackendSelection,
    shadowing::{Shadowing, Shadows},
};
