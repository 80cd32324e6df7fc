//! Rules and presets about the rest of the site: how many requests each took, and what became of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::joined;
use crate::telemetry::Metrics;

/// The requests that each rule took since the start, of all rules that were in use, by name.
pub(in crate::observe::admin) fn surface_status(metrics: &Metrics) -> Value {
    let mut rules: BTreeMap<Arc<str>, BTreeMap<_, _>> = BTreeMap::new();
    for ((rule, outcome), count) in metrics.surface().sums() {
        rules.entry(rule).or_default().insert(outcome, count);
    }
    let rules = rules.into_iter();
    rules
        .map(|(rule, requests)| joined([json!({"rule": *rule}), json!(requests)]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_is_listed_with_all_outcomes() {
        let metrics = Metrics::new();
        metrics.surface().expect("users");
        metrics.surface().expect("preset");
        let zero = |rule| json!({"rule": rule, "limited": 0, "passed": 0, "refused": 0, "reported": 0});
        let status = surface_status(&metrics);
        assert_eq!(status, json!([zero("preset"), zero("users")]));
    }
}
