//! Rules and presets about the rest of the site: how many requests each took, and what became of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::telemetry::Metrics;

/// The requests that one rule took since the start.
#[derive(Debug, Serialize)]
pub(in crate::observe::admin) struct SurfaceStatus {
    rule: String,
    #[serde(flatten)]
    requests: BTreeMap<&'static str, u64>,
}

// === impl SurfaceStatus ===

impl SurfaceStatus {
    /// All rules that were in use since the start, by name.
    pub(in crate::observe::admin) fn all(metrics: &Metrics) -> Vec<Self> {
        let mut rules: BTreeMap<Arc<str>, BTreeMap<_, _>> = BTreeMap::new();
        for ((rule, outcome), count) in metrics.surface().sums() {
            rules.entry(rule).or_default().insert(outcome, count);
        }
        let rules = rules.into_iter();
        rules
            .map(|(rule, requests)| Self {
                rule: rule.to_string(),
                requests,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_rule_is_listed_with_all_outcomes() {
        let metrics = Metrics::new();
        metrics.surface().expect("users");
        metrics.surface().expect("preset");
        let zero = |rule| json!({"rule": rule, "limited": 0, "passed": 0, "refused": 0, "reported": 0});
        let status = serde_json::to_value(SurfaceStatus::all(&metrics)).unwrap();
        assert_eq!(status, json!([zero("preset"), zero("users")]));
    }
}
