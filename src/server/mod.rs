//! Listeners and connections: accepting, limits below HTTP, keep-alive clocks and the drain.
//!
//! Nothing here knows what a request means.

mod activity;
mod connection;
mod framing;
mod inspected;
mod listener;
mod peer;
mod stream;
mod worker;

pub(crate) use connection::Protocol;
pub(crate) use framing::RequestFraming;
pub(crate) use listener::Listener;
pub use listener::{BindError, BoundAddress};
pub(crate) use peer::Peer;
pub(crate) use worker::{Drain, Slots, Worker};
