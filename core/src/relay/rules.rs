//! The settings for checking and presenting responses.

use super::buffer_budget::BufferBudget;
use super::learnt_roots::LearntRoots;
use super::origin_urls::OriginUrls;
use crate::settings::{BackendSoftware, Settings};

/// The settings for relaying; all calls share one value.
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
    /// Combines the settings with the state that survives reloads.
    pub fn new(settings: &Settings, learnt: &LearntRoots, budget: &BufferBudget) -> Self {
        Self {
            urls: OriginUrls::new(settings, learnt),
            response_bytes: settings.limits.response_bytes,
            response_buffer_bytes: settings.limits.response_buffer_bytes,
            budget: budget.clone(),
            software: settings.origin.software,
        }
    }

    /// The names of the backend, for responses that are not [accepted](super::accept()).
    pub const fn urls(&self) -> &OriginUrls {
        &self.urls
    }
}
