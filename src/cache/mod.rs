//! Stored responses: held within a bound of memory, served while they hold, removed when something changes.
//!
//! The core's [`cache`](calendar_edge_core::cache) decides what may be stored, under which key and for how long. This room holds the
//! responses. Nothing is looked up here before a call is judged: the gateway's stage makes keys of judged calls only.

mod answer;
mod collapsed_requests;
mod companion;
mod removal_log;
mod site_clock;
mod snapshot;
mod statistics;
mod store;
mod stored_response;

pub(crate) use answer::WholeResponse;
pub(crate) use collapsed_requests::{CollapsedRequests, CollapsedRole, Leader, Progress};
pub(crate) use store::{Cache, Lookup, Removed};
pub(crate) use stored_response::{StoredMetadata, StoredResponse};
