//! The compared calls of one operation: how much they cover, which paths differ, and whether that is enough.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::class::DifferenceClass;
use super::findings::{ExamplePair, MORE, PathFinding, PathFindings};
use super::reported_call::ReportedCall;
use crate::settings::CompareSettings;
use calendar_edge_judge::contract::{Place, table};

/// The most pairs of path and class that are kept; further ones are added up under `:more`.
const MOST_PATHS: usize = 200;

/// The most records that are distinguished.
const MOST_RECORDS: usize = 5_000;

/// The most paths that a verdict names.
const NAMED_PATHS: usize = 3;

/// The amount to be compared before an operation is ready.
#[derive(Debug, Clone, Copy)]
pub struct ReadyDemand {
    accepted: DifferenceClass,
    calls: u64,
    quiet: Duration,
    now: Timestamp,
}

/// The calls of one operation.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct OperationReport {
    calls: u64,
    /// The numbers of the records in the primary's responses.
    records: BTreeSet<u64>,
    /// The calls with each argument.
    arguments: BTreeMap<String, u64>,
    skipped: BTreeMap<String, u64>,
    /// The worst first, each class by path.
    paths: Vec<PathReport>,
}

/// One path with one class.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct PathReport {
    path: String,
    class: DifferenceClass,
    count: u64,
    first: Timestamp,
    last: Timestamp,
    /// The number of the last call that showed it.
    last_call: u64,
    example: ExamplePair,
    /// A call that shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<String>,
}

// === impl ReadyDemand ===

impl ReadyDemand {
    /// Nothing worse than `accepted` in as many calls, and for as long, as the settings demand.
    pub const fn new(settings: &CompareSettings, accepted: DifferenceClass, now: Timestamp) -> Self {
        Self {
            accepted,
            calls: settings.calls,
            quiet: settings.quiet,
            now,
        }
    }

    fn since(&self, time: Timestamp) -> Duration {
        Duration::try_from(self.now.duration_since(time)).unwrap_or_default()
    }
}

// === impl OperationReport ===

impl OperationReport {
    pub(super) fn add(&mut self, call: &ReportedCall, findings: &PathFindings, now: Timestamp) {
        self.calls += 1;
        for name in &call.arguments {
            *self.arguments.entry((*name).to_owned()).or_default() += 1;
        }
        for record in &findings.records {
            if self.records.len() < MOST_RECORDS {
                self.records.insert(*record);
            }
        }
        for finding in findings.iter() {
            self.add_finding(finding, call, now);
        }
    }

    pub(super) fn skip(&mut self, reason: &str) {
        *self.skipped.entry(reason.to_owned()).or_default() += 1;
    }

    pub(super) fn worst(&self) -> DifferenceClass {
        self.paths
            .first()
            .map_or(DifferenceClass::Identical, |row| row.class)
    }

    /// Drops what exceeds the bounds, in the order of a new report.
    pub(super) fn bound(&mut self) {
        self.paths
            .sort_by(|one, two| (two.class, &two.path).cmp(&(one.class, &one.path)));
        self.paths.truncate(MOST_PATHS + DifferenceClass::ALL.len());
        while self.records.len() > MOST_RECORDS {
            self.records.pop_last();
        }
    }

    pub(super) fn json(&self, name: &str, demanded: &ReadyDemand) -> Value {
        let (is_ready, why) = self.verdict(name, demanded);
        let refused = self.paths.iter().filter(|row| row.class > demanded.accepted);
        let untried = arguments(name).filter(|argument| !self.arguments.contains_key(*argument));
        json!({
            "calls": self.calls,
            "verdict": if is_ready { "ready" } else { "not_ready" },
            "why": why,
            "records": self.records.len(),
            "arguments": self.arguments,
            "untried": untried.collect::<Vec<_>>(),
            "skipped": self.skipped,
            "last_difference": refused.map(|row| row.last).max().map(|time| time.to_string()),
            "paths": self.paths,
        })
    }

    fn add_finding(&mut self, finding: &PathFinding, call: &ReportedCall, now: Timestamp) {
        let is_full = self.paths.len() >= MOST_PATHS;
        let path = match self.place(finding.class, &finding.path) {
            // One row a class, so that a flood of mild paths hides nothing worse.
            Err(_) if is_full => MORE,
            Ok(_) | Err(_) => &finding.path,
        };
        let place = self.place(finding.class, path).unwrap_or_else(|place| {
            let row = PathReport {
                path: path.to_owned(),
                class: finding.class,
                count: 0,
                first: now,
                last: now,
                last_call: 0,
                example: finding.example.clone(),
                call: None,
            };
            self.paths.insert(place, row);
            place
        });
        if let Some(row) = self.paths.get_mut(place) {
            row.seen(self.calls, call, now);
        }
    }

    /// The place of a path, or the one where it belongs.
    fn place(&self, class: DifferenceClass, path: &str) -> Result<usize, usize> {
        self.paths
            .binary_search_by(|row| (class, path).cmp(&(row.class, &row.path)))
    }

    fn verdict(&self, name: &str, demanded: &ReadyDemand) -> (bool, String) {
        let refused = self.paths.iter().filter(|row| row.class > demanded.accepted);
        let open: Vec<&PathReport> = refused.filter(|row| !self.is_settled(row, demanded)).collect();
        if let Some(worst) = open.first() {
            return (false, self.why_open(worst.class, &open, demanded));
        }
        let coverage = self.coverage(name, demanded);
        let worst = match self.worst() {
            DifferenceClass::Identical => "without a difference".to_owned(),
            worst => format!("with nothing worse than {worst}"),
        };
        let skipped: u64 = self.skipped.values().sum();
        let skipped = if skipped > 0 {
            format!(", {skipped} skipped")
        } else {
            String::new()
        };
        let is_enough = self.calls >= demanded.calls;
        (is_enough, format!("{coverage} {worst}{skipped}"))
    }

    /// The coverage of the calls.
    fn coverage(&self, name: &str, demanded: &ReadyDemand) -> String {
        let calls = if self.calls < demanded.calls {
            format!("{} of {}", self.calls, demanded.calls)
        } else {
            self.calls.to_string()
        };
        let (records, tried) = (self.records.len(), self.arguments.len());
        let all = arguments(name).count();
        format!("{calls} calls, {records} records and {tried} of {all} arguments")
    }

    /// True if a difference was not seen again in as many calls, and for as long, as is demanded.
    fn is_settled(&self, row: &PathReport, demanded: &ReadyDemand) -> bool {
        self.calls.saturating_sub(row.last_call) >= demanded.calls
            && demanded.since(row.last) >= demanded.quiet
    }

    fn why_open(&self, worst: DifferenceClass, open: &[&PathReport], demanded: &ReadyDemand) -> String {
        let named: Vec<&str> = open
            .iter()
            .take(NAMED_PATHS)
            .map(|row| row.path.as_str())
            .collect();
        let rest = if open.len() > NAMED_PATHS { ", …" } else { "" };
        let last = open.iter().max_by_key(|row| row.last_call);
        let age = last.map_or(Duration::ZERO, |row| demanded.since(row.last));
        let calls = self.calls - last.map_or(0, |row| row.last_call);
        format!(
            "{worst} at {} paths: {}{rest}, last {} and {calls} calls ago",
            open.len(),
            named.join(", "),
            short(age)
        )
    }
}

// === impl PathReport ===

impl PathReport {
    fn seen(&mut self, number: u64, call: &ReportedCall, now: Timestamp) {
        self.count += 1;
        self.first = self.first.min(now);
        self.last = self.last.max(now);
        self.last_call = number;
        if self.call.is_none() {
            self.call.clone_from(&call.target);
        }
    }
}

/// The names of the arguments of an operation, without those in its path.
fn arguments(name: &str) -> impl Iterator<Item = &'static str> {
    let operation = table().named(name).into_iter();
    operation.flat_map(|operation| {
        let sent = operation.arguments.iter();
        let sent = sent.filter(|argument| operation.place(argument) != Place::Path);
        sent.map(|argument| argument.name)
    })
}

/// A time in its largest whole unit.
fn short(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}
