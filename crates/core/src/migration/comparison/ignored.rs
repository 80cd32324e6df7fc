//! The paths that a rule of an operator leaves out.

use crate::settings::IgnoreRule;
use calendar_edge_judge::contract::Operation;

/// A rule that has ended, with the path that counts again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct EndedRule {
    /// The path of the rule.
    pub path: String,
    /// Its reason.
    pub reason: String,
    /// The day on which it ended.
    pub until: String,
}

/// A rule applies to its path, and to everything below.
pub(super) fn applies(rule: &IgnoreRule, operation: &Operation, path: &str) -> bool {
    let mut patterns = rule.operations.iter();
    let is_named = patterns.any(|pattern| pattern.matches(&operation.name));
    let below = path.strip_prefix(rule.path.as_str());
    is_named && below.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}
