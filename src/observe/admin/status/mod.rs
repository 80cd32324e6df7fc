//! Parts of the state of the edge.

mod backend_status;
mod facts;
mod readings;

pub(super) use backend_status::backend_health;
pub(crate) use facts::EdgeFacts;
pub(super) use facts::{root_figures, setting_facts};
pub(crate) use readings::Readings;
pub(super) use readings::reading;
