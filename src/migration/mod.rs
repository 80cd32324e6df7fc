//! What the edge finds out about the backends beside the site while it runs, and what it makes of that.

#[cfg(feature = "migration")]
mod backend_findings;
#[cfg(feature = "migration")]
mod findings_file;
#[cfg(feature = "migration")]
mod keeper;
#[cfg(feature = "migration")]
mod migration_pages;
mod migration_status;
#[cfg(not(feature = "migration"))]
mod no_migration;
mod recorder;
mod recording_file;
#[cfg(feature = "migration")]
mod rule_state;
#[cfg(feature = "migration")]
mod state;

pub(crate) use migration_status::MigrationStatus;
#[cfg(not(feature = "migration"))]
pub(crate) use no_migration::NoMigration as Migration;
pub(crate) use recorder::Recorder;
#[cfg(feature = "migration")]
pub(crate) use {backend_findings::BackendFindings, rule_state::RuleState, state::Migration};
