//! The rules for checking and presenting the responses of a backend.

use super::buffer_budget::BufferBudget;
use super::learnt_roots::LearntRoots;
use super::origin_urls::OriginUrls;
use crate::settings::{BackendSettings, BackendSoftware};

/// The rules for relaying the responses of one backend; all calls share one value.
#[derive(Debug)]
pub struct RelayRules {
    pub(super) urls: OriginUrls,
    pub(super) response_bytes: u64,
    pub(super) response_buffer_bytes: usize,
    pub(super) budget: BufferBudget,
    pub(super) software: BackendSoftware,
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
        }
    }

    /// The names of the backend, for responses that are not [accepted](super::accept()).
    pub const fn urls(&self) -> &OriginUrls {
        &self.urls
    }
}
