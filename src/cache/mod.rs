//! Stored responses: held within a bound of memory, served while they hold, removed when something changes; and the
//! stages by which calls use them.
//!
//! The core's [`cache`](calendar_edge_core::cache) decides what may be stored, under which key and for how long.
//! Nothing is looked up here before a call is judged: [`Caching`] makes keys of judged calls only.

mod caching;
mod collapsed_requests;
mod fetch;
mod forms;
mod invalidating;
mod metrics;
mod removal_log;
mod served;
mod site_clock;
mod statistics;
mod status;
mod store;

pub(crate) use caching::Caching;
pub(crate) use fetch::CacheFetch;
pub(crate) use forms::{RepresentationPages, Representations};
pub(crate) use invalidating::Invalidating;
pub(crate) use store::Cache;
