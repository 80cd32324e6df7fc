//! The rules that requests broke, summed by operation, rule and parameter.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::site_verdict::{SiteVerdict, SiteVerdicts};
use super::wall_clock::{moment, unix_time};
use calendar_edge_core::unix_time::UnixTime;
use calendar_edge_judge::call::Finding;
use calendar_edge_judge::contract::rule_meaning;

/// Maximum rows about undeclared parameters, whose names are text of clients. Further names share one row.
const MOST_UNDECLARED: usize = 500;

/// The name of the row for all further undeclared parameters; no parameter has it, because PHP writes `_` for blanks.
const FURTHER: &str = "(further names)";

/// The action of a finding whose request was forwarded.
const FORWARDED: &str = "forwarded";

/// The sums of one edge since its start; clones share them.
#[derive(Debug, Clone)]
pub(crate) struct FindingSums(Arc<Mutex<SumTable>>);

#[derive(Debug)]
struct SumTable {
    since: UnixTime,
    rows: HashMap<SumKey, FindingSum>,
    undeclared: usize,
}

/// A rule that requests to an operation broke, and their outcomes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct SumKey {
    operation: &'static str,
    parameter: Option<Cow<'static, str>>,
    rule: &'static str,
    code: &'static str,
    /// `refused` or `forwarded`.
    action: &'static str,
}

/// The number of breaches of a rule, and their times.
#[derive(Debug)]
struct FindingSum {
    count: u64,
    /// The site's responses to forwarded requests; those that are still running or failed on the way are not counted.
    site: Option<SiteVerdicts>,
    first: UnixTime,
    last: UnixTime,
    /// The id of the last request.
    sample: Box<str>,
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
        let mut table = self.0.lock();
        let key = table.bounded(SumKey::of(operation, finding, action));
        let sum = table.rows.entry(key).or_insert_with(|| FindingSum {
            count: 0,
            site: (action == FORWARDED).then(SiteVerdicts::default),
            first: now,
            last: now,
            sample: Box::default(),
        });
        sum.count += 1;
        sum.last = now;
        sum.sample = id.into();
    }

    /// Counts the site's response to a forwarded request with a finding.
    pub(crate) fn add_verdict(&self, operation: &'static str, finding: &Finding, verdict: &SiteVerdict) {
        let mut table = self.0.lock();
        let key = table.bounded(SumKey::of(operation, finding, FORWARDED));
        if let Some(site) = table.rows.get_mut(&key).and_then(|sum| sum.site.as_mut()) {
            site.count(verdict);
        }
    }

    /// The sums so far, most frequent first, each with its rule in a sentence.
    pub(crate) fn report(&self) -> Value {
        let table = self.0.lock();
        let mut rows: Vec<_> = table.rows.iter().collect();
        rows.sort_by(|(one, first), (other, second)| {
            let counts = second.count.cmp(&first.count);
            let names = one.operation.cmp(other.operation);
            counts
                .then(names)
                .then_with(|| one.parameter.cmp(&other.parameter))
        });
        let rows = rows.into_iter().map(|(key, sum)| {
            json!({
                "operation": key.operation,
                "parameter": key.parameter,
                "rule": key.rule,
                "code": key.code,
                "action": key.action,
                "meaning": rule_meaning(key.rule),
                "count": sum.count,
                "site": sum.site,
                "first": moment(sum.first),
                "last": moment(sum.last),
                "sample": sum.sample,
            })
        });
        json!({"since": moment(table.since), "findings": rows.collect::<Value>()})
    }
}

// === impl SumKey ===

impl SumKey {
    fn of(operation: &'static str, finding: &Finding, action: &'static str) -> Self {
        Self {
            operation,
            parameter: finding.parameter.clone(),
            rule: finding.rule,
            code: finding.code,
            action,
        }
    }
}

// === impl SumTable ===

impl SumTable {
    /// The key itself, or that of the row for all further names.
    fn bounded(&mut self, mut key: SumKey) -> SumKey {
        let is_name_of_client = matches!(key.parameter, Some(Cow::Owned(_)));
        if !is_name_of_client || self.rows.contains_key(&key) {
            return key;
        }
        if self.undeclared < MOST_UNDECLARED {
            self.undeclared += 1;
        } else {
            key.parameter = Some(Cow::Borrowed(FURTHER));
        }
        key
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
        let report = sums.report();
        let rows = report["findings"].as_array().unwrap().iter();
        let shown = rows.map(|row| json!([row["operation"], row["count"], row["sample"]]));
        assert_eq!(
            shown.collect::<Value>(),
            json!([["events.list", 2, "2"], ["venues.list", 1, "3"]])
        );
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
        let report = sums.report();
        let rows = report["findings"].as_array().unwrap();
        assert_eq!(rows.len(), MOST_UNDECLARED + 2);
        assert_eq!(rows[0]["parameter"], FURTHER);
        assert_eq!(rows[0]["count"], 10);
    }
}
