//! A calendar call and its response between the stages, and the end of its way: the exchange with one backend.
//!
//! Stages of several rooms take these types. Their order stands in `gateway/mod.rs`.

mod calendar_call;
mod call_failure;
mod call_response;
mod call_route;
pub(crate) mod deadline;
mod dispatch;
#[cfg(test)]
pub(crate) mod fake_backend;
#[cfg(test)]
pub(crate) mod fake_stage;
pub(crate) mod fault;
mod forwarded;
mod stage;
mod stored_response;
mod whole_response;

pub(crate) use crate::backend::JudgedCall;
pub(crate) use calendar_call::{CalendarCall, ClientSide};
pub(crate) use call_failure::{BackendResult, CallFailure};
pub(crate) use call_response::CallResponse;
pub(crate) use call_route::{CallRoute, CandidateRoute};
pub(crate) use deadline::Deadline;
pub(crate) use dispatch::Dispatch;
pub(crate) use forwarded::PublicNames;
pub(crate) use stage::Stage;
pub(crate) use stored_response::{StoredMetadata, StoredResponse};
pub(crate) use whole_response::WholeResponse;
