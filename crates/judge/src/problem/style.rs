//! The layout of the response that a call asks for.

use super::php_json::Layout;
use crate::wordpress::payload::Parameters;
use crate::wordpress::value::PhpArray;

/// The layout that a client asks for; `_pretty` and `_envelope` apply to errors too (backend.md section 12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    /// Compact, or indented by `_pretty`.
    pub layout: Layout,
    /// True if `_envelope` hides the status in a 200.
    pub enveloped: bool,
}

// === impl Style ===

impl Style {
    /// Adds the layout that the parameters ask for. `_pretty` counts from any source, `_envelope` from the
    /// query alone.
    #[must_use]
    pub fn or_asked_for_in(self, parameters: &Parameters) -> Self {
        let layout = if parameters.all("_pretty").next().is_some() {
            Layout::Pretty
        } else {
            self.layout
        };
        Self { layout, ..self }
    }

    /// The layout that `_pretty` and `_envelope` of a query ask for; any value counts, an array too.
    pub fn asked_for(query: &PhpArray) -> Self {
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
