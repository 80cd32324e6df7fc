//! The sender of a request. Its headers are read once, before rate limits and before the judgement.
//!
//! The edge never verifies credentials: the origin refuses a wrong password. This module reads the
//! credentials of a request, decides whether their form is acceptable, and writes them into the outgoing
//! request.

mod authorization;
mod caller;
mod cookies;
mod folded_name;
mod identity;
mod principal;
mod read;
mod secret;

pub use caller::Caller;
pub use identity::Identity;
pub use principal::Principal;
pub use read::Credentials;
