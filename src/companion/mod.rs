//! What the companion plugin of the site says: its purges, its count of changes, and whether it is heard at all.

mod announcements;
mod companions;
mod purge_requests;
mod site_companion;
mod watch;

pub(crate) use announcements::{Announcement, Announcements, Company, News, Turn};
pub(crate) use companions::{Companions, ExchangeStart};
pub(crate) use purge_requests::{PurgeRequests, Sender};
pub(crate) use watch::{CompanionService, follow_companions};
