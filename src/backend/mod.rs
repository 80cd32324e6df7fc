//! Backends: a validated call becomes an exchange with an origin, or a typed failure.
//!
//! Everything here takes `BackendSettings`, whether that is the site or a candidate; only `pools.rs` reads the rules
//! that name backends. `Backends::for_call` selects the backend of a call, and `SharedBackends` holds the state. The
//! settings of a backend name its software, by which the core checks its responses.

mod address;
mod authority;
mod awaited_name;
mod backends;
mod breaker_handle;
mod bulkhead;
mod caller_request;
mod client;
mod dial;
mod exact_client;
mod exchange;
mod failure;
mod forwarded_headers;
mod index_reader;
mod judged_call;
mod named_certificates;
mod origin_body;
mod origin_route;
mod outgoing;
mod own_requests;
pub(crate) mod pauses;
mod permit_queue;
mod pools;
mod preview;
mod queue_pace;
mod queue_watch;
mod response_head;
mod retry;
mod revocable_permit;
mod shared;
mod site;
mod site_health;
mod site_indexes;
mod tls;
mod wordpress;

pub use address::AddressFault;
pub(crate) use authority::metrics_of_root;
pub(crate) use awaited_name::SHORTEST_PAUSE;
pub(crate) use backends::{Backend, Backends};
pub(crate) use breaker_handle::BreakerGuard;
pub(crate) use bulkhead::Bulkhead;
pub(crate) use caller_request::{CallerKey, about_caller, caller_requests};
pub use client::{ClientError, check_client};
pub(crate) use exchange::SiteTraffic;
pub(crate) use failure::ExchangeFailure;
pub(crate) use forwarded_headers::{Forwarded, ForwardedHeaders};
pub use index_reader::{IndexReadError, read_beside, with_listed_namespace};
pub(crate) use index_reader::{read_drift, read_index, read_namespace, read_words};
pub(crate) use judged_call::JudgedCall;
pub(crate) use origin_body::OriginBody;
pub use origin_route::OriginRoute;
pub(crate) use outgoing::Outgoing;
pub(crate) use own_requests::{CountResponse, OwnRequests};
pub use own_requests::{fresh_nonce, own_headers};
pub use pauses::demanded as demanded_pause;
pub(crate) use pools::{BackendPool, BackendPools, PoolUse, most_pool_connections};
pub(crate) use preview::preview;
pub(crate) use queue_watch::QueueWatch;
pub(crate) use response_head::ResponseHeadFault;
pub(crate) use shared::{SharedBackends, most_connections};
pub(crate) use site::site_request;
pub(crate) use site_health::SiteHealth;
pub(crate) use site_indexes::{IndexSource, SiteIndexes, with_stored_namespace};
