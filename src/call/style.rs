//! How a call asks for its answer to be laid out.

use crate::payload::Bags;
use crate::problem::{Layout, Style};
use crate::value::PhpArray;

// === impl Style ===

impl Style {
    /// `_pretty` counts wherever it stands, `_envelope` in the query alone.
    pub(super) fn or_asked_for_in(self, bags: &Bags) -> Self {
        let layout = if bags.all("_pretty").next().is_some() {
            Layout::Pretty
        } else {
            self.layout
        };
        Self { layout, ..self }
    }

    /// What `_pretty` and `_envelope` of a query ask for; any value counts, an array too.
    pub(super) fn asked_for(query: &PhpArray) -> Self {
        let layout = if query.get("_pretty").is_some() {
            Layout::Pretty
        } else {
            Layout::Compact
        };
        Self {
            layout,
            enveloped: query.get("_envelope").is_some(),
        }
    }
}
