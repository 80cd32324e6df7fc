//! The way to the origin: a canonical request becomes an exchange, or a typed failure.

mod address;
mod breaker;
mod bulkhead;
mod client;
mod exchange;
mod failure;
mod headers;
mod loan;
mod odd_head;
mod origin_body;
mod retry;
mod site;
mod tls;
mod watch;

pub(crate) use address::AddressFault;
pub(crate) use breaker::Health;
pub use client::ClientError;
pub(crate) use exchange::{Outgoing, Upstream, most_connections};
pub(crate) use failure::{ExchangeFailure, causes};
pub(crate) use headers::{Forwarded, ForwardedHeaders};
pub(crate) use site::SiteOrigin;
pub use tls::origin_tls;
