//! Whether lines for people have colours: on terminals only, and not where `NO_COLOR` is set.

use std::io::IsTerminal;

use super::environment::Environment;

/// The look of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Colour {
    /// Text alone.
    Plain,
    /// The first word has a colour.
    Terminal,
}

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
