//! The stages by which other backends see calls, the way to them, and the edge's findings about them while it runs.

mod backend_findings;
mod began_body;
mod callers;
mod copier;
mod copy_budget;
mod cutover;
mod cutting_over;
mod dry_run;
#[cfg(test)]
mod fake_candidate;
mod kept_rules;
mod metrics;
mod migration_pages;
mod rule_state;
mod select_backend;
mod shadowing;
mod state;

pub use backend_findings::BackendFindings;
pub use dry_run::{DryRun, DryRunCall, DryRunResponse};
pub(crate) use {
    callers::{Callers, OtherBackends},
    cutover::{Cutover, Cutovers},
    cutting_over::{CutoverRules, CuttingOver},
    rule_state::RuleState,
    select_backend::BackendSelection,
    shadowing::{Shadowing, Shadows},
    state::Migration,
};
