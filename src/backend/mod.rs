//! Backends: a validated call becomes an exchange with an origin, or a typed failure.
//!
//! [`Backends::for_call`] binds a call to a backend; a policy by operation and further backends from the settings belong
//! there, and their state into [`SharedBackends`]. Another kind of backend is a variant of [`BackendKind`] with a writer of
//! its own beside `wordpress.rs`: the compiler then names the places that pick the writer and the checker of responses.

mod address;
mod authority;
mod backends;
mod breaker;
mod breaker_handle;
mod bulkhead;
mod client;
mod dial;
mod exchange;
mod failure;
mod headers;
mod origin_body;
mod origin_route;
mod outgoing;
mod response_head;
mod retry;
mod revocable_permit;
mod shared;
mod site;
mod tls;
mod wordpress;

pub(crate) use address::AddressFault;
pub(crate) use backends::{Backend, BackendKind, Backends};
pub(crate) use breaker::Health;
pub use client::{ClientError, check_client};
pub(crate) use failure::ExchangeFailure;
pub(crate) use headers::{Forwarded, ForwardedHeaders};
pub use origin_route::OriginRoute;
pub(crate) use outgoing::Outgoing;
pub(crate) use response_head::ResponseHeadFault;
pub(crate) use shared::{SharedBackends, most_connections};
pub(crate) use site::SiteOrigin;
