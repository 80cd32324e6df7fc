//! The labels of broken rules, and those that settings lead to.

use super::series::Label;
use calendar_edge_core::settings::{Mode, Settings};
use calendar_edge_judge::call::breakable_rules;
use calendar_edge_judge::contract::{Operation, table};

/// A violated rule, and the outcome of the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FindingLabels {
    /// The operation's name.
    pub(crate) operation: &'static str,
    /// The rule, from a closed set.
    pub(crate) rule: &'static str,
    /// The mode of the operation.
    pub(crate) mode: &'static str,
    /// `refused` or `forwarded`.
    pub(crate) action: &'static str,
}

// === impl FindingLabels ===

impl FindingLabels {
    /// Every rule of every operation, with the outcome that is usual in the operation's mode.
    pub(super) fn expected(settings: &Settings) -> impl Iterator<Item = Self> {
        let policy = settings.policy();
        let of_none = Self::usual("none", "request", policy.mode(None));
        let of_operation = move |operation: &'static Operation| {
            let mode = policy.mode(Some(operation));
            let rules = breakable_rules(operation, &policy).into_iter();
            rules.map(move |rule| Self::usual(&operation.name, rule, mode))
        };
        table()
            .operations()
            .iter()
            .flat_map(of_operation)
            .chain([of_none])
    }

    /// The labels in the order of the table.
    pub(super) fn labels(self) -> [Label; 4] {
        [self.operation, self.rule, self.mode, self.action].map(Label::from)
    }

    const fn usual(operation: &'static str, rule: &'static str, mode: Mode) -> Self {
        Self {
            operation,
            rule,
            mode: mode.name(),
            action: match mode {
                Mode::Enforce | Mode::Off => "refused",
                Mode::Report => "forwarded",
            },
        }
    }
}
