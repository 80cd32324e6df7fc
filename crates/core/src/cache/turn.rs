//! The moment from which the response to a call changes by itself, because time passes.

use super::bypass::CacheableCall;
use super::pairs::pairs;
use calendar_edge_judge::contract::{Action, ClockUse, DefaultValue, Operation, Treatment, global::GLOBALS};
use calendar_edge_judge::wordpress::value::datetime::{DateTurn, turn};

impl CacheableCall<'_> {
    /// The time at which the response changes by itself.
    ///
    /// Lists of events begin today unless both ends of their window are given. The index and the documentation show the
    /// dates of that window. A parameter of another plugin may mean anything.
    pub fn turn(self) -> DateTurn {
        let operation = self.call().operation();
        if operation.id.action == Action::Describe {
            return DateTurn::Daily;
        }
        let query = &self.call().request().pairs;
        let of_window = operation
            .arguments
            .iter()
            .filter(|argument| argument.default == DefaultValue::Generated && !is_sent(query, argument.name))
            .map(|_| DateTurn::Daily);
        let of_values = pairs(query).map(|(name, value)| value_turn(operation, name, &value));
        of_window.chain(of_values).max().unwrap_or(DateTurn::Never)
    }
}

fn is_sent(query: &str, name: &str) -> bool {
    pairs(query).any(|(sent, _)| sent == name)
}

fn value_turn(operation: &Operation, name: &str, value: &[u8]) -> DateTurn {
    match operation.argument(name.as_bytes()).map(|argument| argument.clock) {
        Some(ClockUse::Time) => turn(value),
        Some(ClockUse::IfTrue) if is_true(value) => DateTurn::Always,
        Some(ClockUse::Steady | ClockUse::IfTrue) => DateTurn::Never,
        None if is_global(name) => DateTurn::Never,
        Some(ClockUse::Unstated) | None => DateTurn::Always,
    }
}

/// Everything but the usual words for "no" may be a "yes" to some version of the plugin.
fn is_true(value: &[u8]) -> bool {
    !matches!(value, b"" | b"0" | b"false")
}

fn is_global(name: &str) -> bool {
    GLOBALS.iter().any(|global| {
        global.name == name
            && matches!(
                global.treatment,
                Treatment::Forward | Treatment::ForwardInPlace | Treatment::ForwardFromQuery
            )
    })
}
