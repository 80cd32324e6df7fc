//! The companion plugin's report of the calendar of its site: the way in which its pages are made, the times at which
//! each event is shown, and the names of all records.

mod calendar_facts;
mod event_fact;
#[cfg(test)]
mod facts_model;
mod facts_query;
mod facts_reply;
mod facts_size;
mod facts_snapshot;
mod kept_facts;
mod named_facts;
mod named_records;
mod query_pacing;
mod record_fact;
mod site_facts;

pub use calendar_facts::Facts;
pub use event_fact::{EventFact, WallSpan};
pub use facts_query::FactsQuery;
pub use facts_reply::{FactsReply, FactsReplyFault};
pub use facts_snapshot::FactsSnapshot;
pub use kept_facts::KeptFacts;
pub use named_records::NamedRecord;
pub use record_fact::{PostKind, RecordFact};
pub use site_facts::{SiteFacts, SiteWords, TermFact};
