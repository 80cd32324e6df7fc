//! Cross-origin rules: which pages may read a response, and which requests they may send (T-22).
//!
//! Any page may read public reads, without credentials. Only pages of configured origins may read a response
//! to a client with credentials, or to a write (a write needs credentials). WordPress itself lets any page
//! read with the client's cookies; therefore its cross-origin headers are never forwarded.

mod audience;
mod preflight;
mod rules;

pub use audience::Audience;
pub use preflight::{Preflight, sole_origin};
