//! What the edge finds out about the backends beside the site while it runs, and what it makes of that.

#[cfg(not(feature = "migration"))]
mod absent;
#[cfg(feature = "migration")]
mod backend_findings;
#[cfg(feature = "migration")]
mod keeper;
#[cfg(feature = "migration")]
mod pages;
#[cfg(feature = "migration")]
mod rule_state;
#[cfg(feature = "migration")]
mod state;
mod status;

#[cfg(not(feature = "migration"))]
pub(crate) use absent::Migration;
pub(crate) use status::MigrationStatus;
#[cfg(feature = "migration")]
pub(crate) use {backend_findings::BackendFindings, rule_state::RuleState, state::Migration};
