//! The paths at which two responses differ, in bounded number.

use std::collections::BTreeMap;

use serde_json::Value;

use super::class::DifferenceClass;

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
    /// True if one of the responses has no value at this path.
    pub is_absent: bool,
    /// The first pair of that class.
    pub example: ExamplePair,
}

/// The differences of one pair of responses: each path once, with its worst class; and the records that they are about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathFindings {
    by_path: BTreeMap<String, PathFinding>,
    /// The numbers of the records that the primary's response contains, without those inside of them.
    pub(super) records: Vec<u64>,
}

// === impl PathFindings ===

impl PathFindings {
    /// Returns true if the responses do not differ.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.by_path.is_empty()
    }

    /// The worst class of all paths.
    pub fn worst(&self) -> DifferenceClass {
        let classes = self.iter().map(|finding| finding.class);
        classes.max().unwrap_or(DifferenceClass::Identical)
    }

    /// The differences by path.
    pub fn iter(&self) -> impl Iterator<Item = &PathFinding> {
        self.by_path.values()
    }

    /// Adds a difference; at a known path the worse one stays. A value that is absent is worse than another one. Once all
    /// places are taken, a path is not even written out: the rest costs nothing but its class.
    pub(super) fn add(
        &mut self,
        path: impl FnOnce() -> String,
        (class, is_absent): (DifferenceClass, bool),
        example: impl FnOnce() -> ExamplePair,
    ) {
        let is_full = self.by_path.len() >= MOST_PATHS;
        let path = if is_full { MORE.to_owned() } else { path() };
        let known = self.by_path.get(&path);
        if known.is_none_or(|known| (known.class, known.is_absent) < (class, is_absent)) {
            let finding = PathFinding {
                path: path.clone(),
                class,
                is_absent,
                example: example(),
            };
            self.by_path.insert(path, finding);
        }
    }

    /// The findings of a first look without the values that a second look found equal: the candidate had not yet followed
    /// a change of the site, or the site changed between its response and that of the candidate.
    #[must_use]
    pub fn that_stay(self, second: &Self) -> Self {
        self.reclassed(|finding| {
            let found = second.by_path.get(&finding.path);
            let stays = found.is_some_and(|found| found.class.is_another_value());
            (stays || !finding.class.is_another_value()).then_some(finding.class)
        })
    }

    /// True if there is a difference of the same kind at the same path.
    pub(super) fn differ_at(&self, finding: &PathFinding) -> bool {
        let known = self.by_path.get(&finding.path);
        known.is_some_and(|known| {
            known.class == DifferenceClass::Different && known.is_absent == finding.is_absent
        })
    }

    /// The same findings with other classes; those without one are dropped.
    pub(super) fn reclassed(mut self, class: impl Fn(&PathFinding) -> Option<DifferenceClass>) -> Self {
        self.by_path.retain(|_, finding| {
            let class = class(finding);
            finding.class = class.unwrap_or(finding.class);
            class.is_some()
        });
        self
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
            findings.add(|| "cost".to_owned(), (class, false), pair);
        }
        let found: Vec<&PathFinding> = findings.iter().collect();
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].class, &found[0].example.primary),
            (Different, &Value::from(2))
        );
        assert_eq!(findings.worst(), Different);
    }
}
