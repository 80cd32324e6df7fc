//! Listeners and connections: accepting, limits below HTTP, keep-alive timers and the drain.
//!
//! This module does not know the meaning of a request.

mod accept;
mod activity;
pub(crate) mod bodies;
mod connection;
mod descriptors;
mod drain;
mod framing;
mod h2_stalls;
mod http_connection;
mod inherited;
mod inspected_io;
mod kept;
mod leftover;
mod listener;
mod min_rate;
mod notsent_lowat;
mod peer;
mod per_address;
mod proxy_header;
mod received_request;
pub(crate) mod response;
mod response_body;
pub(crate) mod service_manager;
pub(crate) mod state_file;
mod stream;
mod subject;
pub(crate) mod threads;
mod tls;
mod worker;

pub(crate) use connection::Protocol;
pub(crate) use descriptors::affordable;
pub use descriptors::raise_descriptor_limit;
pub(crate) use drain::Drain;
pub(crate) use framing::RequestFraming;
pub use inherited::{InheritError, InheritedSockets};
pub(crate) use kept::{Keep, Kept};
pub(crate) use leftover::Leftover;
pub use listener::BindError;
pub(crate) use listener::Listener;
pub(crate) use min_rate::MinRate;
pub(crate) use peer::Peer;
pub(crate) use per_address::PerAddressLimit;
pub(crate) use received_request::ReceivedRequest;
pub(crate) use subject::{Subject, joined};
pub(crate) use tls::TlsAcceptor;
pub use tls::{TlsIdentity, TlsIdentityError};
pub(crate) use worker::{ConnectionLimit, Worker};
