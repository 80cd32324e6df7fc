//! The companion plugin of the site: its purges, its count of changes, its silence, and the followers of the changes.

mod announcements;
mod companions;
mod editor_write;
mod facts;
mod feed;
mod follow_facts;
mod invalidates;
mod purge_requests;
mod status;
mod watch;

pub(crate) use announcements::{Announcement, Announcements, Connectivity, OutgoingMessage, RequestTurn};
pub(crate) use companions::Companions;
pub(crate) use editor_write::EditorWrite;
pub(crate) use facts::FactsStore;
pub(crate) use feed::{ChangeFeed, FeedParts, FeedRoute, ReadsRecords, RecordRead};
pub(crate) use follow_facts::follow_facts;
pub(crate) use invalidates::Invalidates;
pub(crate) use purge_requests::PurgeRequests;
pub(crate) use watch::{CompanionService, follow_companions};
