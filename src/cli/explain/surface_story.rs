//! The rule of `[[surface]]` that takes a request to the rest of the site.

use calendar_edge_core::gateway::surface::SurfaceVerdict;
use serde::Serialize;

/// A rule, and whether the caller passes it.
#[derive(Debug, Serialize)]
pub(super) struct SurfaceStory {
    pub(super) rule: String,
    /// The callers that pass.
    pub(super) callers: &'static str,
    pub(super) mode: &'static str,
    pub(super) passes: bool,
    /// True if requests beyond a rate are refused; no rate is part of the decision.
    pub(super) has_rate: bool,
}

// === impl SurfaceStory ===

impl SurfaceStory {
    pub(super) fn of(verdict: &SurfaceVerdict<'_>) -> Self {
        let rule = verdict.rule;
        Self {
            rule: rule.name.clone(),
            callers: rule.callers.name(),
            mode: rule.mode.name(),
            passes: !verdict.is_closed,
            has_rate: rule.rate.is_some(),
        }
    }

    /// The same in words.
    pub(super) fn text(&self) -> String {
        let Self {
            rule, callers, mode, ..
        } = self;
        let passes = if self.passes { "passes" } else { "does not pass" };
        let rate = if self.has_rate { ", up to its rate" } else { "" };
        format!("{rule} of [[surface]], mode {mode}: {callers} may call, and this caller {passes}{rate}")
    }
}
