//! What the companion plugin tells of the calendar of its site: how its pages are made, and when each event is shown.

mod event_fact;
mod facts_reply;
mod facts_snapshot;
mod site_facts;

pub use event_fact::{EventFact, WallSpan};
pub use facts_reply::{FactsReply, FactsReplyFault};
pub use facts_snapshot::FactsSnapshot;
pub use site_facts::{SiteFacts, SiteWords, TermFact};
