//! What the edge finds out about the backends beside the site while it runs.

mod findings;
mod state;

pub(crate) use findings::BackendFindings;
pub(crate) use state::Migration;
