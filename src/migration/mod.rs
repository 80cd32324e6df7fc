//! What the edge finds out about the backends beside the site while it runs, and what it makes of that.

mod backend_findings;
mod findings_file;
mod keeper;
mod migration_pages;
mod migration_status;
mod rule_state;
mod state;

pub(crate) use {backend_findings::BackendFindings, rule_state::RuleState, state::Migration};
