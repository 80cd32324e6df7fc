//! What the companion plugin of the site says: its orders, its count of changes, and whether it is heard at all.

mod companions;
mod hearing;
mod orders;
mod watch;

pub(crate) use companions::{Companions, ExchangeStart};
pub(crate) use orders::{Orders, Sender};
pub(crate) use watch::{Correspondence, follow_companions};
