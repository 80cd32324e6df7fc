//! What the edge finds out about the backends beside the site while it runs, and what it makes of that.

mod findings;
mod keeper;
mod seat;
mod state;

pub(crate) use findings::BackendFindings;
pub(crate) use seat::RuleSeat;
pub(crate) use state::Migration;
