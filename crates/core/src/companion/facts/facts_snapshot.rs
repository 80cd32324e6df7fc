//! The facts of a calendar at one moment, for readers that share them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::event_fact::EventFact;
use super::record_fact::RecordFact;
use super::site_facts::SiteFacts;

/// All facts at one number of changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactsSnapshot {
    /// The way in which the pages are made.
    pub site: SiteFacts,
    /// The events that pages may show, in the order of their numbers.
    pub events: Vec<EventFact>,
    /// All records in the order of their numbers; none where no part of the edge needs them.
    pub records: Option<Vec<Arc<RecordFact>>>,
}
