//! The paths that a rule of an operator leaves out.

use serde_json::Value;

use super::reported_call::name_of;
use super::trail::Trail;
use crate::settings::IgnoreRule;
use calendar_edge_judge::contract::OperationId;

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
pub(super) fn applies(rule: &IgnoreRule, operation: Option<OperationId>, path: &str) -> bool {
    let name = name_of(operation);
    let is_named = operation.is_some() && rule.operations.iter().any(|pattern| pattern.matches(name));
    let below = path.strip_prefix(rule.path.as_str());
    is_named && below.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Takes out the members of a value whose paths are ignored.
pub(super) fn drop_below(trail: &Trail<'_>, value: &mut Value, is_ignored: &impl Fn(&str) -> bool) {
    match value {
        Value::Object(members) => members.retain(|name, value| {
            let trail = Trail::Member(trail, name);
            let is_kept = !is_ignored(&trail.path());
            if is_kept {
                drop_below(&trail, value, is_ignored);
            }
            is_kept
        }),
        Value::Array(items) => {
            for item in items {
                drop_below(&Trail::Item(trail), item, is_ignored);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ignored_members_are_taken_out_at_any_depth() {
        let mut list =
            json!({"venues": [{"id": 1, "views": 4, "city": {"views": 3, "name": "a"}}], "views": 2});
        let ignored = ["venues[].views", "venues[].city.views"];
        drop_below(&Trail::Root, &mut list, &|path| ignored.contains(&path));
        assert_eq!(
            list,
            json!({"venues": [{"id": 1, "city": {"name": "a"}}], "views": 2})
        );
    }
}
