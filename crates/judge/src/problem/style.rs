//! The layout of the response that a call selects.

use crate::wordpress::payload::Parameters;
use crate::wordpress::value::PhpArray;

/// The layout that a client selects; `_pretty` and `_envelope` apply to errors too (backend.md section 12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style {
    /// True if `_pretty` indents the response.
    pub is_pretty: bool,
    /// True if `_envelope` hides the status in a 200.
    pub enveloped: bool,
}

// === impl Style ===

impl Style {
    /// Adds the layout that the parameters select. `_pretty` counts from any source, `_envelope` from the query alone.
    #[must_use]
    pub fn with_parameters(self, parameters: &Parameters) -> Self {
        let is_pretty = self.is_pretty || parameters.all("_pretty").next().is_some();
        Self { is_pretty, ..self }
    }

    /// The layout that `_pretty` and `_envelope` of a query select; any value counts, an array too.
    pub fn of_query(query: &PhpArray) -> Self {
        Self {
            is_pretty: query.get("_pretty").is_some(),
            enveloped: query.get("_envelope").is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wordpress::payload::{Source, parse_form};

    #[test]
    fn a_body_asks_for_indents_and_for_no_envelope() {
        let mut parameters = Parameters::default();
        parameters.add(Source::Form, parse_form(b"_pretty=&_envelope=1"));
        let plain = Style::default().with_parameters(&parameters);
        assert_eq!((plain.is_pretty, plain.enveloped), (true, false));
        let enveloped = Style::of_query(&parse_form(b"_envelope"));
        assert!(enveloped.with_parameters(&parameters).enveloped);
    }
}
