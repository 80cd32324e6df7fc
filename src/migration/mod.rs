//! What the edge finds out about the backends beside the site while it runs, and what it makes of that.

mod backend_findings;
mod keeper;
mod rule_state;
mod state;

pub(crate) use backend_findings::BackendFindings;
pub(crate) use rule_state::RuleState;
pub(crate) use state::Migration;
