//! The rules for checking and presenting the responses of a backend.

use super::buffer_budget::BufferBudget;
use super::learnt_roots::LearntRoots;
use super::origin_urls::OriginUrls;
use crate::settings::{BackendSettings, BackendSoftware, Root};
use calendar_edge_judge::translation::Translation;

/// The rules for relaying the responses of one backend; all calls share one value.
#[derive(Debug)]
pub struct RelayRules {
    /// The names of the backend, for responses that are not [accepted](super::accept()).
    pub urls: OriginUrls,
    pub(super) response_bytes: u64,
    pub(super) response_buffer_bytes: usize,
    pub(super) budget: BufferBudget,
    pub(super) software: BackendSoftware,
    /// By root; none: clients get the responses of the site's own version.
    translations: Vec<Option<Translation>>,
}

// === impl RelayRules ===

impl RelayRules {
    /// Combines the settings of a backend with the state that survives reloads.
    pub fn new(backend: &BackendSettings, learnt: &LearntRoots, budget: &BufferBudget) -> Self {
        Self {
            urls: OriginUrls::new(backend, learnt),
            response_bytes: backend.response_bytes,
            response_buffer_bytes: backend.response_buffer_bytes,
            budget: budget.clone(),
            software: backend.origin.software,
            translations: backend.roots.iter().map(translation).collect(),
        }
    }

    /// The translation of responses of a root; none: they stay as they are.
    pub(super) fn translation(&self, root: usize) -> Option<&Translation> {
        self.translations.get(root)?.as_ref()
    }
}

fn translation(root: &Root) -> Option<Translation> {
    let wanted = root.wanted?;
    Some(Translation::new(wanted, root.words.clone()))
}
