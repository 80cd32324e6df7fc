//! The facts of a calendar at one moment, for readers that share them.

use super::event_fact::EventFact;
use super::fact_records::CopyFacts;
use super::site_facts::SiteFacts;

/// All facts at one number of changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactsSnapshot {
    /// How the pages are made.
    pub site: SiteFacts,
    /// The events in the order of their numbers.
    pub events: Vec<EventFact>,
    /// All records; none where nobody needs them.
    pub copy: Option<CopyFacts>,
    /// The number of changes at which the last of them were read.
    pub number: u64,
}
