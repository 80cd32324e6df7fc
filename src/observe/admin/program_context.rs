//! What the program has set up around the edge: the source of its configuration.

use std::sync::Arc;

use arc_swap::ArcSwapOption;

use crate::config::EffectiveConfig;

/// The configuration in effect; missing where an edge runs without a program around it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProgramContext {
    effective: Arc<ArcSwapOption<EffectiveConfig>>,
}

// === impl ProgramContext ===

impl ProgramContext {
    /// Takes what there is at the start.
    pub(crate) fn set(&self, effective: &EffectiveConfig) {
        self.effective.store(Some(Arc::new(effective.clone())));
    }

    /// Takes the configuration of a reload, in which some keys keep their old values.
    pub(crate) fn now_effective(&self, effective: EffectiveConfig, pinned: &[&str]) {
        let effective = match self.effective.load_full() {
            Some(older) => effective.keeping(&older, pinned),
            None => effective,
        };
        self.effective.store(Some(Arc::new(effective)));
    }

    /// The configuration in effect.
    pub(super) fn effective(&self) -> Option<Arc<EffectiveConfig>> {
        self.effective.load_full()
    }
}
