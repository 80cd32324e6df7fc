//! The fleet: several edges that agree through one store, and act alone while it is away.
//!
//! [`FleetTask::begin`] runs the supervisor, which connects and connects again. On each connection an `StoreExchange`
//! sends one pipeline after another. The exchange is divided into subjects: each adds its commands to a pipeline, and
//! takes its own replies. No request waits for any of it longer than its own patience.

mod bounded_reader;
mod configuration;
mod connect;
mod exchange;
#[expect(clippy::module_inception, reason = "the fleet is what the room is named for")]
mod fleet;
mod fleet_status;
mod log;
mod logins;
mod members;
mod metrics;
mod permits;
mod scripts;
mod shared_limits;
mod shared_rules;
mod spending;
mod store_fault;
mod subject;
mod supervisor;
mod trial;
mod turns;

pub use trial::{StoreReport, try_store};

pub(crate) use fleet::Fleet;
pub(crate) use shared_limits::FleetLimits;
pub(crate) use supervisor::FleetTask;
