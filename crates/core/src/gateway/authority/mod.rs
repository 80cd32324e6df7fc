//! The names by which a client addresses the edge: the Host of a request, the public address, and the strict
//! rule about absolute targets. Pure.

mod host;
mod public_address;
mod strict_authority;

pub use host::Host;
pub use public_address::{Addressed, PublicAddress, Scheme};
pub use strict_authority::names_us;
