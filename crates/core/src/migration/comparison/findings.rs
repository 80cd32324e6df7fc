//! The paths at which two responses differ, in bounded number.

use std::collections::BTreeMap;

use serde_json::Value;

use super::class::DifferenceClass;
use super::trail::Trail;

/// The most paths of one pair of responses; further ones count under [`MORE`].
const MOST_PATHS: usize = 256;

/// The name that all paths beyond the bound share.
pub(super) const MORE: &str = ":more";

/// One redacted pair of values.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ExamplePair {
    /// The value of the backend that owns the call.
    #[serde(rename = "owner")]
    pub primary: Value,
    /// The value of the other backend.
    pub other: Value,
}

/// A path at which two responses differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathFinding {
    /// The JSON path with the numbers of items left out, `:status`, `:header.NAME`, `:body`, or `:more` for all
    /// paths beyond the bound.
    pub path: String,
    /// The worst class at this path.
    pub class: DifferenceClass,
    /// Whether one of the responses has no value at this path.
    pub is_absent: bool,
    /// The first pair of that class.
    pub example: ExamplePair,
}

/// The differences of one pair of responses: each path once, with its worst class; and the records that they are about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathFindings {
    by_path: BTreeMap<String, (Severity, ExamplePair)>,
    records: Vec<u64>,
}

/// The class of a difference, and whether one of the responses has no value there, which is worse than another value.
type Severity = (DifferenceClass, bool);

// === impl PathFindings ===

impl PathFindings {
    /// Returns true if the responses do not differ.
    pub fn is_empty(&self) -> bool {
        self.by_path.is_empty()
    }

    /// The numbers of the records that the primary's answer contains, without those inside of them.
    pub fn records(&self) -> &[u64] {
        &self.records
    }

    /// Names the records.
    pub(super) fn set_records(&mut self, records: Vec<u64>) {
        self.records = records;
    }

    /// The worst class of all paths.
    pub fn worst(&self) -> DifferenceClass {
        let classes = self.by_path.values().map(|((class, _), _)| *class);
        classes.max().unwrap_or(DifferenceClass::Identical)
    }

    /// The differences by path.
    pub fn iter(&self) -> impl Iterator<Item = PathFinding> {
        let findings = self.by_path.iter();
        findings.map(|(path, ((class, is_absent), example))| PathFinding {
            path: path.clone(),
            class: *class,
            is_absent: *is_absent,
            example: example.clone(),
        })
    }

    /// Adds a difference at a value of the body.
    pub(super) fn add_at(
        &mut self,
        trail: &Trail<'_>,
        severity: Severity,
        example: impl FnOnce() -> ExamplePair,
    ) {
        // Once all places are taken, a path is not even written out: the rest costs nothing but its class.
        let path = if self.is_full() {
            MORE.to_owned()
        } else {
            trail.path()
        };
        self.add_severe(path, severity, example);
    }

    /// Adds a difference; at a known path the worse class stays.
    pub(super) fn add(
        &mut self,
        path: String,
        class: DifferenceClass,
        example: impl FnOnce() -> ExamplePair,
    ) {
        self.add_severe(path, (class, false), example);
    }

    fn add_severe(&mut self, path: String, severity: Severity, example: impl FnOnce() -> ExamplePair) {
        let path = if self.is_full() && !self.by_path.contains_key(&path) {
            MORE.to_owned()
        } else {
            path
        };
        let known = self.by_path.get(&path).map(|(known, _)| *known);
        if known.is_none_or(|known| known < severity) {
            self.by_path.insert(path, (severity, example()));
        }
    }

    fn is_full(&self) -> bool {
        self.by_path.len() >= MOST_PATHS
    }

    /// The findings of a first look without the values that a second look found equal: the candidate had not yet followed
    /// a change of the site, or the site changed between its response and that of the candidate.
    #[must_use]
    pub fn that_stay(&self, second: &Self) -> Self {
        self.reclassed(|finding| {
            let stays = !finding.class.is_another_value() || second.has_another_value(&finding.path);
            stays.then_some(finding.class)
        })
    }

    /// True if the responses have different values at a path.
    fn has_another_value(&self, path: &str) -> bool {
        let found = self.by_path.get(path);
        found.is_some_and(|((class, _), _)| class.is_another_value())
    }

    /// The same findings with other classes; those without one are dropped.
    pub(super) fn reclassed(&self, class: impl Fn(&PathFinding) -> Option<DifferenceClass>) -> Self {
        let kept = self.iter().filter_map(|finding| {
            let class = class(&finding)?;
            Some((finding.path, ((class, finding.is_absent), finding.example)))
        });
        Self {
            by_path: kept.collect(),
            records: self.records.clone(),
        }
    }
}

// === impl ExamplePair ===

impl ExamplePair {
    /// A pair of redacted values.
    pub(super) fn new(primary: impl Into<Value>, other: impl Into<Value>) -> Self {
        Self {
            primary: primary.into(),
            other: other.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_keeps_its_worst_class_with_the_first_pair_of_that_class() {
        use DifferenceClass::{Different, Order, Volatile};
        let mut findings = PathFindings::default();
        for (number, class) in [Volatile, Order, Different, Different, Volatile]
            .into_iter()
            .enumerate()
        {
            let pair = || ExamplePair {
                primary: number.into(),
                other: Value::Null,
            };
            findings.add("cost".to_owned(), class, pair);
        }
        let found: Vec<PathFinding> = findings.iter().collect();
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].class, &found[0].example.primary),
            (Different, &Value::from(2))
        );
        assert_eq!(findings.worst(), Different);
    }
}
