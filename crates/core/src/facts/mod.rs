//! What the companion plugin tells of the calendar of its site: how its pages are made, when each event
//! is shown, and all records.

mod calendar_facts;
mod copy_site;
mod event_fact;
mod fact_records;
#[cfg(test)]
mod facts_model;
mod facts_question;
mod facts_reply;
mod facts_snapshot;
mod kept_facts;
mod named_facts;
mod named_records;
mod question_pacing;
mod readable_records;
#[cfg(test)]
pub(crate) mod record_examples;
mod record_fact;
mod site_facts;

pub use calendar_facts::Facts;
pub use copy_site::{CopySite, TermRecord, ZoneMode};
pub use event_fact::{EventFact, WallSpan};
pub use fact_records::CopyFacts;
pub use facts_question::FactsQuestion;
pub use facts_reply::{FactsReply, FactsReplyFault};
pub use facts_snapshot::FactsSnapshot;
pub use named_records::NamedRecord;
pub use record_fact::{Occurrence, PostKind, PrintedBody, RecordFact};
pub use site_facts::{SiteFacts, SiteWords, TermFact};
