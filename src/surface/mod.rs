//! The rules about the rest of the site: how many requests each took, and what became of them.

mod metrics;
mod surface_guard;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::server::{Subject, joined};
use calendar_edge_core::settings::Settings;

pub(crate) use metrics::SurfaceMetrics;
pub(crate) use surface_guard::{FormGuard, SurfaceGuard};

impl Subject for SurfaceMetrics {
    /// The rules are those of the decider; see [`SurfaceGuard`].
    fn adapt(&self, _: &Settings) {}

    /// The requests that each rule took since the start, by its name.
    fn status(&self) -> Value {
        let mut rules: BTreeMap<Arc<str>, BTreeMap<_, _>> = BTreeMap::new();
        for ((rule, outcome), count) in self.sums() {
            rules.entry(rule).or_default().insert(outcome, count);
        }
        let rules = rules.into_iter();
        let rules = rules.map(|(rule, requests)| joined([json!({"rule": *rule}), json!(requests)]));
        json!({ "surface": rules.collect::<Value>() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::Metrics;

    #[test]
    fn each_rule_is_listed_with_all_outcomes() {
        let surface = Metrics::new().register(SurfaceMetrics::new);
        surface.expect("users");
        surface.expect("preset");
        let zero = |rule| json!({"rule": rule, "limited": 0, "passed": 0, "refused": 0, "reported": 0});
        let status = surface.status();
        assert_eq!(status["surface"], json!([zero("preset"), zero("users")]));
    }
}
