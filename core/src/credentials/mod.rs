//! Who sends a request: its headers read once, before anything is counted or judged.
//!
//! The edge never decides whether credentials are good: the origin refuses a wrong password. This module says what a
//! request shows, whether it is acceptable, and writes it into the outgoing request.

mod authorization;
mod caller;
mod cookies;
mod fault;
mod identity;
mod principal;
mod read;
mod secret;

pub use caller::Caller;
pub use fault::{CredentialsFault, RejectedCredentials};
pub use identity::Identity;
pub use principal::Principal;
pub use read::Credentials;
