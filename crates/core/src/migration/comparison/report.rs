//! The findings of many calls, added up within fixed memory.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::findings::PathFindings;
use super::ignored::EndedRule;
use super::operation_report::{OperationReport, ReadyDemand};
use super::reported_call::ReportedCall;
use calendar_edge_judge::contract::{Operation, table};

/// A summary of compared calls by operation, path and class.
///
/// It takes less than 32 operations, 206 paths each, and of each path one redacted pair of short values and one call:
/// at most some 16 MiB, whatever the backends send.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ComparisonReport {
    /// The number of compared calls.
    pub calls: u64,
    operations: BTreeMap<String, OperationReport>,
    /// The numbers of calls that were not compared, by the reason.
    pub skipped: BTreeMap<String, u64>,
    ended: BTreeSet<EndedRule>,
}

// === impl ComparisonReport ===

impl ComparisonReport {
    /// Adds one compared call that was made at `now`.
    pub fn add(&mut self, call: &ReportedCall, findings: &PathFindings, now: Timestamp) {
        self.calls += 1;
        self.operation(call.operation).add(call, findings, now);
    }

    /// Counts a call that was not compared, by the reason; without an operation it counts in the sum only.
    pub fn skip(&mut self, operation: Option<&Operation>, reason: &str) {
        *self.skipped.entry(reason.to_owned()).or_default() += 1;
        if let Some(operation) = operation {
            self.operation(operation).skip(reason);
        }
    }

    /// Names ended rules in the report.
    pub fn note_ended(&mut self, rules: Vec<EndedRule>) {
        self.ended.extend(rules);
    }

    /// The report as one JSON object, with a verdict for each operation.
    pub fn to_json(&self, demanded: &ReadyDemand) -> Value {
        let operations = self.operations.iter();
        let operations = operations.map(|(name, report)| (name.clone(), report.json(name, demanded)));
        let mut report = json!({
            "calls": self.calls,
            "operations": operations.collect::<Value>(),
            "skipped": self.skipped,
        });
        if let (Some(members), false) = (report.as_object_mut(), self.ended.is_empty()) {
            members.insert("ended_rules".to_owned(), json!(self.ended));
        }
        report
    }

    /// The report as a file keeps it.
    pub fn to_kept(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// The report of a file, within the bounds of a new one; `None` if it is none.
    pub fn from_kept(kept: Value) -> Option<Self> {
        let mut report: Self = serde_json::from_value(kept).ok()?;
        report.operations.retain(|name, _| table().named(name).is_some());
        report.operations.values_mut().for_each(OperationReport::bound);
        Some(report)
    }

    fn operation(&mut self, operation: &Operation) -> &mut OperationReport {
        self.operations.entry(operation.name.clone()).or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::super::DifferenceClass;
    use super::super::tests::{between, operation};
    use super::*;
    use crate::settings::CompareSettings;

    const FIRST: &str = "2026-11-22T03:00:00Z";

    fn demanded(calls: u64, accepted: DifferenceClass, now: &str) -> ReadyDemand {
        let settings = CompareSettings {
            calls,
            quiet: Duration::from_hours(1),
            ..CompareSettings::default()
        };
        ReadyDemand::new(&settings, accepted, now.parse().unwrap())
    }

    fn call(name: &str, target: &str) -> ReportedCall {
        ReportedCall {
            operation: operation(name),
            arguments: vec!["password"],
            target: Some(target.to_owned()),
        }
    }

    fn read(report: &mut ComparisonReport, primary: &str, other: &str) {
        let findings = between(operation("events.read"), primary.as_bytes(), other.as_bytes());
        report.add(&call("events.read", "/e/7"), &findings, FIRST.parse().unwrap());
    }

    #[test]
    fn the_report_has_its_fixed_form() {
        let mut report = ComparisonReport::default();
        read(&mut report, r#"{"id":7,"cost":"5"}"#, r#"{"id":7,"cost":"6"}"#);
        let venues = call("venues.list", "/v");
        report.add(&venues, &PathFindings::default(), FIRST.parse().unwrap());
        report.skip(Some(operation("venues.list")), "rate");
        let representation = DifferenceClass::Representation;
        let mut json = report.to_json(&demanded(1, representation, "2026-11-22T03:02:00Z"));
        let untried = json["operations"]["venues.list"]["untried"].take();
        assert!(
            untried.as_array().unwrap().contains(&json!("search")),
            "{untried}"
        );
        assert_eq!(
            json,
            json!({"calls": 2, "skipped": {"rate": 1}, "operations": {
                "events.read": {
                    "calls": 1, "verdict": "not_ready", "why": "different at 1 paths: cost, last 2m and 0 calls ago",
                    "records": 1, "arguments": {"password": 1}, "untried": [], "skipped": {},
                    "last_difference": FIRST, "paths": [{
                        "path": "cost", "class": "different", "count": 1, "first": FIRST, "last": FIRST, "last_call": 1,
                        "example": {"owner": "5", "other": "6"}, "call": "/e/7",
                    }],
                },
                "venues.list": {
                    "calls": 1, "verdict": "ready", "records": 0, "arguments": {"password": 1}, "untried": null,
                    "why": "1 calls, 0 records and 1 of 7 arguments without a difference, 1 skipped",
                    "skipped": {"rate": 1}, "last_difference": null, "paths": [],
                },
            }})
        );
        assert_eq!(
            report.operations["events.read"].worst(),
            DifferenceClass::Different
        );
        let accepted = report.to_json(&demanded(1, DifferenceClass::Different, FIRST));
        assert_eq!(accepted["operations"]["events.read"]["verdict"], "ready");
    }

    #[test]
    fn ready_means_enough_calls_and_time_since_the_last_difference() {
        let mut report = ComparisonReport::default();
        let verdict = |report: &ComparisonReport, now: &str| {
            let json = report.to_json(&demanded(3, DifferenceClass::Representation, now));
            json["operations"]["events.read"]["verdict"].as_str() == Some("ready")
        };
        let (minute, hour) = ("2026-11-22T03:01:00Z", "2026-11-22T04:00:00Z");
        read(&mut report, "{}", "{}");
        read(&mut report, "{}", "{}");
        assert!(!verdict(&report, hour), "two of three calls");
        read(&mut report, "{}", "{}");
        assert!(verdict(&report, minute));
        read(&mut report, r#"{"cost":"5"}"#, r#"{"cost":"6"}"#);
        assert!(!verdict(&report, hour), "a difference");
        for _ in 0..3 {
            assert!(!verdict(&report, hour), "too few calls since");
            read(&mut report, "{}", "{}");
        }
        assert!(!verdict(&report, minute), "too early");
        assert!(verdict(&report, hour));
        assert_eq!(
            report.operations["events.read"].worst(),
            DifferenceClass::Different,
            "it is not forgotten"
        );
    }

    #[test]
    fn ready_tells_what_the_calls_cover() {
        let mut report = ComparisonReport::default();
        let told = |report: &ComparisonReport, calls: u64| {
            let json = report.to_json(&demanded(calls, DifferenceClass::Representation, FIRST));
            let told = &json["operations"]["events.read"];
            (
                told["verdict"] == "ready",
                told["why"].as_str().unwrap().to_owned(),
            )
        };
        read(&mut report, r#"{"id":7}"#, r#"{"id":7}"#);
        read(&mut report, r#"{"id":7}"#, r#"{"id":7}"#);
        let why = "2 calls, 1 records and 1 of 1 arguments without a difference";
        assert_eq!(told(&report, 2), (true, why.to_owned()));
        let why = "2 of 3 calls, 1 records and 1 of 1 arguments without a difference";
        assert_eq!(told(&report, 3), (false, why.to_owned()));
        let mut untried = ComparisonReport::default();
        let plain = ReportedCall {
            arguments: vec![],
            ..call("events.read", "/e/7")
        };
        untried.add(&plain, &PathFindings::default(), FIRST.parse().unwrap());
        let why = "1 calls, 0 records and 0 of 1 arguments without a difference";
        assert_eq!(told(&untried, 1), (true, why.to_owned()));
    }

    #[test]
    fn a_report_survives_its_file() {
        let mut report = ComparisonReport::default();
        read(&mut report, r#"{"id":7,"cost":"5"}"#, r#"{"id":7,"cost":"6"}"#);
        report.skip(Some(operation("events.read")), "rate");
        let kept = report.to_kept();
        let again = ComparisonReport::from_kept(kept.clone()).unwrap();
        let demanded = demanded(1, DifferenceClass::Representation, FIRST);
        assert_eq!(again.to_json(&demanded), report.to_json(&demanded));
        let mut strange = kept;
        strange["operations"]["nothing.known"] = strange["operations"]["events.read"].clone();
        let again = ComparisonReport::from_kept(strange).unwrap();
        assert!(again.to_json(&demanded)["operations"]["nothing.known"].is_null());
        assert!(ComparisonReport::from_kept(json!({"calls": "x"})).is_none());
    }

    #[test]
    fn hostile_paths_meet_a_bound_and_hide_nothing() {
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
            let findings = between(operation("events.read"), primary.as_bytes(), other.as_bytes());
            assert!(findings.iter().count() <= 257);
            assert_eq!(findings.worst(), DifferenceClass::Different);
            read(&mut report, &primary, &other);
        }
        let json = report.to_json(&demanded(1, DifferenceClass::Representation, FIRST));
        let paths = json["operations"]["events.read"]["paths"].as_array().unwrap();
        assert!(paths.len() <= 206, "{}", paths.len());
        assert_eq!(
            (&paths[0]["path"], &paths[0]["class"]),
            (&json!(":more"), &json!("different"))
        );
        assert!(json.to_string().len() < 200_000);
    }
}
