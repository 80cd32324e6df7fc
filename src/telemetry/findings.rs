//! The rules that requests broke, summed by operation, rule and parameter.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::site_verdict::{SiteVerdict, SiteVerdicts};
use super::wall_clock::unix_time;
use calendar_edge_core::unix_time::UnixTime;
use calendar_edge_judge::call::Finding;

/// Maximum rows about undeclared parameters, whose names are text of clients. Further names share one row.
const MOST_UNDECLARED: usize = 500;

/// The name of the row for all further undeclared parameters; no parameter has it, because PHP writes `_` for blanks.
const FURTHER: &str = "(further names)";

/// The sums of one edge since its start; clones share them.
#[derive(Debug, Clone)]
pub(crate) struct FindingSums(Arc<Mutex<SumTable>>);

#[derive(Debug)]
struct SumTable {
    since: UnixTime,
    rows: HashMap<SumKey, FindingSum>,
    undeclared: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct SumKey {
    operation: &'static str,
    finding: Finding,
    action: &'static str,
}

/// How often, and when, a rule was broken.
#[derive(Debug, Clone)]
pub(crate) struct FindingSum {
    /// Times.
    pub(crate) count: u64,
    /// The first time.
    pub(crate) first: UnixTime,
    /// The last time.
    pub(crate) last: UnixTime,
    /// The id of the last request.
    pub(crate) sample: Box<str>,
    /// The site's answers to those that were forwarded; requests that are still running or failed on the way are in none.
    pub(crate) site: SiteVerdicts,
}

/// One row of the sums.
#[derive(Debug, Clone)]
pub(crate) struct FindingRow {
    /// The operation's name.
    pub(crate) operation: &'static str,
    /// Code, parameter and rule.
    pub(crate) finding: Finding,
    /// `refused` or `forwarded`.
    pub(crate) action: &'static str,
    /// The sum.
    pub(crate) sum: FindingSum,
}

// === impl FindingSums ===

impl Default for FindingSums {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(SumTable {
            since: unix_time(),
            rows: HashMap::new(),
            undeclared: 0,
        })))
    }
}

impl FindingSums {
    /// Counts a finding about the request with this id.
    pub(crate) fn count(&self, operation: &'static str, finding: &Finding, action: &'static str, id: &str) {
        let now = unix_time();
        let key = SumKey {
            operation,
            finding: finding.clone(),
            action,
        };
        let mut table = self.0.lock();
        let key = table.bounded(key);
        let sum = table.rows.entry(key).or_insert_with(|| FindingSum {
            count: 0,
            first: now,
            last: now,
            sample: Box::default(),
            site: SiteVerdicts::default(),
        });
        sum.count += 1;
        sum.last = now;
        sum.sample = id.into();
    }

    /// Counts the site's answer to a forwarded request with a finding.
    pub(crate) fn answered(&self, operation: &'static str, finding: &Finding, verdict: &SiteVerdict) {
        let key = SumKey {
            operation,
            finding: finding.clone(),
            action: "forwarded",
        };
        let mut table = self.0.lock();
        let key = table.bounded(key);
        if let Some(sum) = table.rows.get_mut(&key) {
            sum.site.count(verdict);
        }
    }

    /// Since when is counted, and the rows, most frequent first.
    pub(crate) fn rows(&self) -> (UnixTime, Vec<FindingRow>) {
        let table = self.0.lock();
        let mut rows: Vec<FindingRow> = table.rows.iter().map(FindingRow::of).collect();
        rows.sort_by(|one, other| {
            let place = |row: &FindingRow| (std::cmp::Reverse(row.sum.count), row.operation);
            place(one)
                .cmp(&place(other))
                .then_with(|| one.finding.parameter.cmp(&other.finding.parameter))
        });
        (table.since, rows)
    }
}

// === impl SumTable ===

impl SumTable {
    /// The key itself, or that of the row for all further names.
    fn bounded(&mut self, mut key: SumKey) -> SumKey {
        let is_name_of_client = matches!(key.finding.parameter, Some(Cow::Owned(_)));
        if !is_name_of_client || self.rows.contains_key(&key) {
            return key;
        }
        if self.undeclared < MOST_UNDECLARED {
            self.undeclared += 1;
        } else {
            key.finding.parameter = Some(Cow::Borrowed(FURTHER));
        }
        key
    }
}

// === impl FindingRow ===

impl FindingRow {
    fn of((key, sum): (&SumKey, &FindingSum)) -> Self {
        Self {
            operation: key.operation,
            finding: key.finding.clone(),
            action: key.action,
            sum: sum.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn undeclared(name: String) -> Finding {
        Finding {
            code: "rest_invalid_param",
            parameter: Some(Cow::Owned(name)),
            rule: "undeclared",
        }
    }

    #[test]
    fn equal_findings_are_one_row() {
        let sums = FindingSums::default();
        sums.count("events.list", &undeclared("a".to_owned()), "forwarded", "1");
        sums.count("events.list", &undeclared("a".to_owned()), "forwarded", "2");
        sums.count("venues.list", &undeclared("a".to_owned()), "forwarded", "3");
        let (_, rows) = sums.rows();
        let shown: Vec<_> = rows
            .iter()
            .map(|row| (row.operation, row.sum.count, &*row.sum.sample))
            .collect();
        assert_eq!(shown, [("events.list", 2, "2"), ("venues.list", 1, "3")]);
    }

    #[test]
    fn names_of_clients_are_bounded() {
        let sums = FindingSums::default();
        for name in 0..MOST_UNDECLARED + 10 {
            sums.count("events.list", &undeclared(name.to_string()), "forwarded", "1");
        }
        let declared = Finding {
            parameter: Some(Cow::Borrowed("page")),
            ..undeclared(String::new())
        };
        sums.count("events.list", &declared, "refused", "1");
        let (_, rows) = sums.rows();
        assert_eq!(rows.len(), MOST_UNDECLARED + 2);
        assert_eq!(rows[0].finding.parameter.as_deref(), Some(FURTHER));
        assert_eq!(rows[0].sum.count, 10);
    }
}
