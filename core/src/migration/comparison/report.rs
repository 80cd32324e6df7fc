//! The findings of many calls, added up within fixed memory.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::Serialize;

use super::class::DifferenceClass;
use super::comparer::EndedRule;
use super::findings::{ExamplePair, MORE, PathFinding, PathFindings};
use calendar_edge_judge::contract::{OperationId, table};

/// The most pairs of path and class that are kept for each operation; further ones are added up under `:more`.
const MOST_PATHS: usize = 200;

/// The most paths that a verdict names.
const NAMED_PATHS: usize = 3;

/// The name of calls without an operation, such as OPTIONS.
const NO_OPERATION: &str = "none";

/// A summary of compared calls by operation, path and class.
///
/// It takes less than 32 operations, 206 paths each, and of each path one redacted pair of short values: at most some
/// 8 MiB, whatever the backends answer.
#[derive(Debug, Clone, Default)]
pub struct ComparisonReport {
    calls: u64,
    operations: BTreeMap<&'static str, OperationReport>,
    ended: BTreeSet<EndedRule>,
}

/// The calls of one operation.
#[derive(Debug, Clone, Default)]
struct OperationReport {
    calls: u64,
    paths: BTreeMap<(DifferenceClass, String), PathReport>,
}

/// One path with one class.
#[derive(Debug, Clone)]
struct PathReport {
    count: u64,
    first: Timestamp,
    last: Timestamp,
    example: ExamplePair,
}

#[derive(Debug, Serialize)]
struct ReportJson<'r> {
    calls: u64,
    operations: BTreeMap<&'static str, OperationJson<'r>>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    ended_rules: &'r BTreeSet<EndedRule>,
}

#[derive(Debug, Serialize)]
struct OperationJson<'r> {
    calls: u64,
    verdict: &'static str,
    why: String,
    paths: Vec<PathJson<'r>>,
}

#[derive(Debug, Serialize)]
struct PathJson<'r> {
    path: &'r str,
    class: &'static str,
    count: u64,
    first: String,
    last: String,
    example: &'r ExamplePair,
}

// === impl ComparisonReport ===

impl ComparisonReport {
    /// Adds one compared call that was made at `now`.
    pub fn add(&mut self, operation: Option<OperationId>, findings: &PathFindings, now: Timestamp) {
        self.calls += 1;
        let operation = self.operations.entry(name(operation)).or_default();
        operation.calls += 1;
        for finding in findings.iter() {
            operation.add(finding, now);
        }
    }

    /// Names ended rules in the report.
    pub fn note_ended(&mut self, rules: Vec<EndedRule>) {
        self.ended.extend(rules);
    }

    /// The number of compared calls.
    pub const fn calls(&self) -> u64 {
        self.calls
    }

    /// The worst class of all findings.
    pub fn worst(&self) -> DifferenceClass {
        let worst = self.operations.values().map(OperationReport::worst);
        worst.max().unwrap_or(DifferenceClass::Identical)
    }

    /// The report as one JSON object; an operation is ready if nothing worse than `accepted` was found.
    pub fn to_json(&self, accepted: DifferenceClass) -> serde_json::Value {
        let operations = self.operations.iter();
        let report = ReportJson {
            calls: self.calls,
            operations: operations
                .map(|(name, report)| (*name, report.json(accepted)))
                .collect(),
            ended_rules: &self.ended,
        };
        serde_json::to_value(report).unwrap_or_default()
    }
}

// === impl OperationReport ===

impl OperationReport {
    fn add(&mut self, finding: PathFinding, now: Timestamp) {
        let known = (finding.class, finding.path);
        let is_new = !self.paths.contains_key(&known);
        let key = if is_new && self.paths.len() >= MOST_PATHS {
            // One row a class, so that a flood of mild paths hides nothing worse.
            (known.0, MORE.to_owned())
        } else {
            known
        };
        let row = self.paths.entry(key).or_insert_with(|| PathReport {
            count: 0,
            first: now,
            last: now,
            example: finding.example,
        });
        row.count += 1;
        row.first = row.first.min(now);
        row.last = row.last.max(now);
    }

    fn worst(&self) -> DifferenceClass {
        let classes = self.paths.keys().map(|(class, _)| *class);
        classes.max().unwrap_or(DifferenceClass::Identical)
    }

    fn json(&self, accepted: DifferenceClass) -> OperationJson<'_> {
        let is_ready = self.worst() <= accepted;
        // The worst first.
        let rows = self.paths.iter().rev();
        OperationJson {
            calls: self.calls,
            verdict: if is_ready { "ready" } else { "not_ready" },
            why: self.why(accepted),
            paths: rows
                .map(|((class, path), row)| PathJson {
                    path,
                    class: class.name(),
                    count: row.count,
                    first: row.first.to_string(),
                    last: row.last.to_string(),
                    example: &row.example,
                })
                .collect(),
        }
    }

    fn why(&self, accepted: DifferenceClass) -> String {
        let calls = self.calls;
        let worst = self.worst();
        if worst == DifferenceClass::Identical {
            return format!("{calls} calls without a difference");
        }
        if worst <= accepted {
            return format!("{calls} calls with nothing worse than {worst}");
        }
        let refused: Vec<&str> = self
            .paths
            .keys()
            .rev()
            .filter(|(class, _)| *class > accepted)
            .map(|(_, path)| path.as_str())
            .collect();
        let named: Vec<&str> = refused.iter().take(NAMED_PATHS).copied().collect();
        let rest = if refused.len() > NAMED_PATHS { ", …" } else { "" };
        format!("{worst} at {} paths: {}{rest}", refused.len(), named.join(", "))
    }
}

fn name(operation: Option<OperationId>) -> &'static str {
    let row = table().operations().iter().find(|row| Some(row.id) == operation);
    row.map_or(NO_OPERATION, |row| row.name.as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::{between, operation};
    use super::*;

    #[test]
    fn the_report_has_its_fixed_form() {
        let now: Timestamp = "2026-11-22T03:00:00Z".parse().unwrap();
        let mut report = ComparisonReport::default();
        let findings = between(None, br#"{"cost":"5"}"#, br#"{"cost":"6"}"#);
        report.add(operation("events.read"), &findings, now);
        report.add(operation("venues.list"), &PathFindings::default(), now);
        assert_eq!(
            report.to_json(DifferenceClass::Representation),
            json!({"calls": 2, "operations": {
                "events.read": {"calls": 1, "verdict": "not_ready", "why": "different at 1 paths: cost", "paths": [{
                    "path": "cost", "class": "different", "count": 1,
                    "first": "2026-11-22T03:00:00Z", "last": "2026-11-22T03:00:00Z",
                    "example": {"owner": "5", "other": "6"},
                }]},
                "venues.list": {"calls": 1, "verdict": "ready", "why": "1 calls without a difference", "paths": []},
            }})
        );
        assert_eq!(report.worst(), DifferenceClass::Different);
        let accepted = report.to_json(DifferenceClass::Different);
        assert_eq!(accepted["operations"]["events.read"]["verdict"], "ready");
    }

    #[test]
    fn hostile_paths_meet_a_bound_and_hide_nothing() {
        let now: Timestamp = "2026-11-22T03:00:00Z".parse().unwrap();
        let mut report = ComparisonReport::default();
        for round in 0..20 {
            let members = |value: &str| -> String {
                let all: Vec<_> = (0..2_000)
                    .map(|n| format!("\"{round}.{n:0150}\":{value}"))
                    .collect();
                all.join(",")
            };
            let (primary, other) = (
                format!("{{{},\"zz\":1}}", members("1")),
                format!("{{{},\"zz\":2}}", members("\"1\"")),
            );
            let findings = between(None, primary.as_bytes(), other.as_bytes());
            assert!(findings.iter().count() <= 257);
            assert_eq!(findings.worst(), DifferenceClass::Different);
            report.add(operation("events.read"), &findings, now);
        }
        let json = report.to_json(DifferenceClass::Representation);
        let paths = json["operations"]["events.read"]["paths"].as_array().unwrap();
        assert!(paths.len() <= 206, "{}", paths.len());
        assert_eq!(
            (&paths[0]["path"], &paths[0]["class"]),
            (&json!(":more"), &json!("different"))
        );
        assert!(json.to_string().len() < 200_000);
    }
}
