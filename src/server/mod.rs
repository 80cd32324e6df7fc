//! Listeners and connections: accepting, limits below HTTP, keep-alive clocks and the drain.
//!
//! Nothing here knows what a request means.

mod activity;
mod announced;
mod connection;
mod counted;
mod crowd;
mod descriptors;
mod drain;
mod framing;
mod inspected;
mod listener;
mod opening;
mod patience;
mod peer;
mod stream;
mod streams;
mod tls;
mod unsent;
mod worker;

pub(crate) use connection::Protocol;
pub(crate) use crowd::Crowd;
pub(crate) use descriptors::affordable;
pub use descriptors::raise_descriptor_limit;
pub(crate) use drain::Drain;
pub(crate) use framing::RequestFraming;
pub(crate) use listener::Listener;
pub use listener::{BindError, BoundAddress};
pub(crate) use opening::Announcement;
pub(crate) use patience::Patience;
pub(crate) use peer::{Peer, Transport};
pub(crate) use tls::TlsAcceptor;
pub use tls::{Pair, PairError};
pub(crate) use worker::{Slots, Worker};
