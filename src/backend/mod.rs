//! The way to the origin: a canonical request becomes an exchange, or a typed failure.

mod address;
mod breaker;
mod breaker_handle;
mod bulkhead;
mod client;
mod credentials;
mod exchange;
mod failure;
mod headers;
mod origin_body;
mod response_head;
mod retry;
mod revocable_permit;
mod site;
mod tls;

pub(crate) use address::AddressFault;
pub(crate) use breaker::Health;
pub use client::ClientError;
pub(crate) use credentials::{CredentialsFault, check_authorization};
pub(crate) use exchange::{Outgoing, PrepareFault, Upstream, most_connections};
pub(crate) use failure::ExchangeFailure;
pub(crate) use headers::Forwarded;
pub(crate) use site::SiteOrigin;
pub use tls::origin_tls;
