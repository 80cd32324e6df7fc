//! The standing of a rule: what outlives a restart, and what the edges of a fleet agree about.

use serde::{Deserialize, Serialize};

/// The standing of a rule. Each change of it has the next version.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RuleRecord {
    /// Why and since when the rule takes nobody; none: it takes its share.
    #[serde(default)]
    pub returned: Option<Returned>,
    /// When an operator resumed it last, in seconds since 1970.
    #[serde(default)]
    pub resumed: Option<u64>,
    /// The steps that the rule is on.
    #[serde(default)]
    pub steps: Vec<String>,
    /// The position among the steps.
    #[serde(default)]
    pub step: usize,
    /// When the step began, in seconds since 1970.
    #[serde(default)]
    pub since: u64,
    /// The calls at the backend since then, at this edge.
    #[serde(default)]
    pub calls: u64,
    /// The version.
    #[serde(default)]
    pub version: u64,
    /// The version that the store of the fleet has taken from this edge, or given to it.
    #[serde(default)]
    pub agreed: u64,
}

/// The return of a rule's calls to the site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Returned {
    /// Why, in words.
    pub reason: String,
    /// When, in seconds since 1970.
    pub at: u64,
}

/// What becomes of an edge's standing beside that of its fleet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merged {
    /// Both are the same.
    Agreed,
    /// The fleet's one applies. With another version than the fleet's it is to be written.
    Theirs {
        /// The version.
        version: u64,
    },
    /// The own one applies, and is to be written with this version.
    Own {
        /// The version.
        version: u64,
    },
}

// === impl RuleRecord ===

impl RuleRecord {
    /// Returns true if the store does not know the last change.
    pub const fn is_untold(&self) -> bool {
        self.version != self.agreed
    }

    /// The version that applies beside that of the fleet; none: the store has none.
    ///
    /// The higher version wins. Changes that this edge made alone, or that the store has forgotten, are another matter:
    /// a return holds unless an operator has resumed the rule later, and a resumption unless a guard has returned it
    /// later.
    pub fn beside(&self, fleet: Option<&Self>) -> Merged {
        let Some(fleet) = fleet else {
            let version = self.version.max(1);
            return Merged::Own { version };
        };
        let is_newer = self.version > fleet.version;
        if !self.is_untold() && self.version == fleet.version && self.says_the_same_as(fleet) {
            return Merged::Agreed;
        }
        let is_by_time = self.is_untold() || self.version >= fleet.version;
        let is_own = is_by_time && self.is_later_than(fleet, is_newer);
        if is_own {
            let version = if is_newer { self.version } else { fleet.version + 1 };
            return Merged::Own { version };
        }
        let version = if is_newer { self.version + 1 } else { fleet.version };
        Merged::Theirs { version }
    }

    /// Whether the last return or resumption is later than that of the fleet.
    fn is_later_than(&self, fleet: &Self, is_newer: bool) -> bool {
        let (own, theirs) = match (&self.returned, &fleet.returned) {
            (Some(own), None) => return fleet.resumed.is_none_or(|at| at <= own.at),
            (None, Some(theirs)) => return self.resumed.is_some_and(|at| at >= theirs.at),
            (Some(own), Some(theirs)) => (Some(own.at), Some(theirs.at)),
            (None, None) => (self.resumed, fleet.resumed),
        };
        own > theirs || own == theirs && is_newer
    }

    fn says_the_same_as(&self, other: &Self) -> bool {
        let said = |record: &Self| (record.returned.clone(), record.resumed, record.step, record.since);
        said(self) == said(other) && self.steps == other.steps
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn record(version: u64, agreed: u64, returned: Option<u64>, resumed: Option<u64>) -> RuleRecord {
        RuleRecord {
            returned: returned.map(|at| Returned {
                reason: "x".to_owned(),
                at,
            }),
            resumed,
            version,
            agreed,
            ..RuleRecord::default()
        }
    }

    #[test]
    fn the_higher_version_wins_and_returns_made_alone_are_told() {
        let own = |version| Merged::Own { version };
        let theirs = |version| Merged::Theirs { version };
        for (mine, fleet, expected) in [
            (record(0, 0, None, None), None, own(1)),
            (record(5, 5, Some(9), None), None, own(5)),
            (
                record(5, 5, None, None),
                Some(record(5, 5, None, None)),
                Merged::Agreed,
            ),
            (
                record(5, 5, None, None),
                Some(record(6, 6, None, None)),
                theirs(6),
            ),
            // The store lost its memory.
            (record(5, 5, None, None), Some(record(2, 2, None, None)), own(5)),
            // Returned alone; meanwhile the others took a step, or an operator resumed the rule before, or later.
            (
                record(6, 5, Some(90), None),
                Some(record(8, 8, None, None)),
                own(9),
            ),
            (
                record(6, 5, Some(90), None),
                Some(record(8, 8, None, Some(80))),
                own(9),
            ),
            (
                record(6, 5, Some(90), None),
                Some(record(8, 8, None, Some(95))),
                theirs(8),
            ),
            // An operator resumed it alone.
            (
                record(7, 5, None, Some(95)),
                Some(record(8, 8, Some(90), None)),
                own(9),
            ),
            (
                record(7, 5, None, Some(95)),
                Some(record(8, 8, Some(99), None)),
                theirs(8),
            ),
            // Both returned it at once.
            (
                record(6, 5, Some(90), None),
                Some(record(6, 6, Some(90), None)),
                theirs(6),
            ),
            // The store lost its memory, and an edge that met it first has returned the rule.
            (
                record(5, 5, None, None),
                Some(record(1, 1, Some(90), None)),
                theirs(6),
            ),
        ] {
            assert_eq!(mine.beside(fleet.as_ref()), expected, "{mine:?} {fleet:?}");
        }
    }

    proptest! {
        /// Edges that acted alone agree after they have joined, in whatever order, and a return that nobody resumed
        /// later is among what they agree about.
        #[test]
        fn all_edges_agree_in_the_end(
            edges in prop::collection::vec((0_u64..4, 0_u64..2, prop::option::of(1_u64..100), prop::option::of(1_u64..100)), 1..6),
        ) {
            // Only what is untold was returned or resumed alone; a resumption ends the returns before it.
            let edge = |(agreed, more, returned, resumed): (u64, u64, Option<u64>, Option<u64>)| {
                let resumed = resumed.filter(|_| more > 0);
                let holds = |at: &u64| more > 0 && resumed.is_none_or(|resumed| resumed <= *at);
                record(agreed + more, agreed, returned.filter(holds), resumed)
            };
            let mut edges: Vec<RuleRecord> = edges.into_iter().map(edge).collect();
            let latest_return = edges.iter().filter_map(|edge| Some(edge.returned.as_ref()?.at)).max();
            let latest_resumption = edges.iter().filter_map(|edge| edge.resumed).max();
            let mut fleet: Option<RuleRecord> = None;
            for _ in 0..4 {
                for edge in &mut edges {
                    match edge.beside(fleet.as_ref()) {
                        Merged::Agreed => {}
                        Merged::Theirs { version } => {
                            let theirs = fleet.clone().unwrap();
                            *edge = RuleRecord { version, agreed: version, ..theirs };
                            fleet = Some(edge.clone());
                        }
                        Merged::Own { version } => {
                            edge.version = version;
                            edge.agreed = version;
                            fleet = Some(edge.clone());
                        }
                    }
                }
            }
            let fleet = fleet.unwrap();
            for edge in &edges {
                prop_assert_eq!(edge.beside(Some(&fleet)), Merged::Agreed);
                prop_assert_eq!(&edge.returned, &fleet.returned);
            }
            if latest_return.is_some_and(|at| latest_resumption.is_none_or(|resumed| resumed < at)) {
                prop_assert!(fleet.returned.is_some());
            }
        }
    }
}
