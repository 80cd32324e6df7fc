//! Colours of lines for people: on terminals only, and not where `NO_COLOR` is set.

use std::io::IsTerminal;

use super::environment::Environment;

/// True if lines of a stream have colours in this environment.
pub(super) fn has_colours(stream: &impl IsTerminal, environment: Environment<'_>) -> bool {
    let is_dumb = environment.text("TERM").is_none_or(|term| term == "dumb");
    stream.is_terminal() && !is_dumb && environment.get("NO_COLOR").is_none()
}
