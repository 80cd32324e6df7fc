//! What the companion plugin of the site says: its orders, its count of changes, and whether it is heard at all.

mod companion_state;
mod companions;
mod purge_requests;
mod watch;

pub(crate) use companions::{Companions, ExchangeStart};
pub(crate) use purge_requests::{Orders, Sender};
pub(crate) use watch::{Correspondence, follow_companions};
