//! Under which name a client addresses the edge: the Host of a request, the public address, and the strict rule
//! about absolute targets. Pure.

mod host;
mod misdirected;
mod public_address;
mod strict;

pub(crate) use host::{BadHost, Host};
pub(crate) use misdirected::misdirected;
pub(crate) use public_address::{Addressed, PublicAddress, Scheme};
pub(crate) use strict::StrictAuthority;
