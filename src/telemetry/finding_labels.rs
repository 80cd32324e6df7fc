//! The labels of broken rules that settings lead to.

use calendar_edge_core::settings::{Mode, Settings};
use calendar_edge_judge::call::breakable_rules;
use calendar_edge_judge::contract::{Operation, table};

/// Every rule of every operation with the outcome that is usual in the operation's mode: operation, rule, mode, action.
pub(super) fn expected_findings(settings: &Settings) -> impl Iterator<Item = [&'static str; 4]> {
    let policy = settings.policy();
    let of_none = usual("none", "request", policy.mode(None));
    let of_operation = move |operation: &'static Operation| {
        let mode = policy.mode(Some(operation));
        let rules = breakable_rules(operation, &policy).into_iter();
        rules.map(move |rule| usual(&operation.name, rule, mode))
    };
    let operations = table().operations().iter();
    operations.flat_map(of_operation).chain([of_none])
}

fn usual(operation: &'static str, rule: &'static str, mode: Mode) -> [&'static str; 4] {
    let action = match mode {
        Mode::Enforce | Mode::Off => "refused",
        Mode::Report => "forwarded",
    };
    [operation, rule, mode.name(), action]
}
