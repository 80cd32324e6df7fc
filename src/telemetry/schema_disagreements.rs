//! The last requests that the site answered in another way than the schemas of its routes say.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use serde::Serialize;

/// The last disagreements; clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct SchemaDisagreements(Arc<Mutex<VecDeque<SchemaDisagreement>>>);

/// A request that the site answered in another way than the schemas of its route say. No value of an argument is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct SchemaDisagreement {
    /// Seconds since 1970.
    pub(crate) time: u64,
    /// The id of the request.
    pub(crate) request_id: String,
    /// The method that WordPress obeys.
    pub(crate) method: Box<str>,
    /// The route as the site registered it.
    pub(crate) route: Box<str>,
    /// The arguments of the route that were sent.
    pub(crate) sent: Vec<Box<str>>,
    /// The code that the schemas call for; none: the arguments pass.
    pub(crate) expected: Option<&'static str>,
    /// The arguments that this refusal names.
    pub(crate) refused: Vec<Box<str>>,
    /// The status of the site's answer.
    pub(crate) status: u16,
    /// The code of the site's error, if it shows one.
    pub(crate) code: Option<String>,
}

/// The most that are kept.
const MOST_KEPT: usize = 50;

// === impl SchemaDisagreements ===

impl SchemaDisagreements {
    /// Keeps one, in the place of the oldest.
    pub(crate) fn keep(&self, disagreement: SchemaDisagreement) {
        let mut kept = self.0.lock();
        kept.truncate(MOST_KEPT - 1);
        kept.push_front(disagreement);
    }

    /// All that are kept, the last one first.
    pub(crate) fn all(&self) -> Vec<SchemaDisagreement> {
        self.0.lock().iter().cloned().collect()
    }
}
