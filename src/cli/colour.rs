//! Whether lines for people have colours: on terminals only, and not where `NO_COLOR` is set.

use std::io::IsTerminal;

use super::environment::Environment;
use crate::survey::Colour;

// === impl Colour ===

impl Colour {
    /// The look of a stream in this environment.
    pub(super) fn of(stream: &impl IsTerminal, environment: Environment<'_>) -> Self {
        let is_dumb = environment.text("TERM").is_none_or(|term| term == "dumb");
        if stream.is_terminal() && !is_dumb && environment.get("NO_COLOR").is_none() {
            Self::Terminal
        } else {
            Self::Plain
        }
    }
}
