//! The recorded requests, replayed through the edge over sockets.

mod record;
mod replay;

pub(crate) use record::{Record, records};
