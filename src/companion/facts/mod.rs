//! The edge's knowledge of the site's calendar pages: facts that the companion plugin reports, kept over a restart.

mod facts_store;
mod metrics;

pub(crate) use facts_store::FactsStore;
