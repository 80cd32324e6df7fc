//! The standing of a rule: what outlives a restart, and what the edges of a fleet agree about.

use serde::{Deserialize, Serialize};

use crate::unix_time::UnixTime;

/// The standing of a rule. Each change of it has the next version.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RuleRecord {
    /// The reason and time since which the rule takes no client; none: it takes its share.
    #[serde(default)]
    pub returned: Option<Returned>,
    /// When an operator resumed it last, in seconds since 1970.
    #[serde(default)]
    pub resumed: Option<u64>,
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
    /// The reason, in words.
    pub reason: String,
    /// The time, in seconds since 1970.
    pub at: u64,
}

// === impl RuleRecord ===

impl RuleRecord {
    /// Returns true if the store does not have the last change.
    pub const fn is_unreported(&self) -> bool {
        self.version != self.agreed
    }

    /// The standing that applies beside that of the fleet; none: the store has none. One that is unreported is to be
    /// written there.
    ///
    /// The later return or resumption wins, whatever the versions: a line that the store held before its loss of
    /// memory, or that a stranger has put back, resumes nothing. Where both have the same one, the higher version wins.
    /// An edge at version 0, which has none, takes that of the fleet.
    #[must_use]
    pub fn beside(&self, fleet: Option<&Self>) -> Self {
        let (own, agreed) = (self.clone(), fleet.map_or(0, |fleet| fleet.version));
        let Some(fleet) = fleet else {
            let version = self.version.max(1);
            return Self {
                version,
                agreed,
                ..own
            };
        };
        let is_newer = self.version > fleet.version;
        if !self.is_unreported() && self.version == fleet.version && self.is_same_as(fleet) {
            return own;
        }
        let is_later = self.last_change().cmp(&fleet.last_change());
        if self.version > 0 && (is_later.is_gt() || is_later.is_eq() && is_newer) {
            let version = if is_newer { self.version } else { fleet.version + 1 };
            return Self {
                version,
                agreed,
                ..own
            };
        }
        let version = if is_newer { self.version + 1 } else { fleet.version };
        Self {
            version,
            agreed,
            ..fleet.clone()
        }
    }

    /// Returns all calls to the site, not before the last resumption, whatever the clocks of edges show.
    pub(super) fn return_calls(&mut self, reason: String, now: UnixTime) {
        let at = now.as_secs().max(self.resumed.unwrap_or_default());
        self.returned = Some(Returned { reason, at });
        self.version += 1;
    }

    /// Takes clients again, later than the return; false if no calls were returned.
    pub(super) fn resume(&mut self, now: UnixTime) -> bool {
        let Some(returned) = self.returned.take() else {
            return false;
        };
        self.resumed = Some(now.as_secs().max(returned.at.saturating_add(1)));
        self.version += 1;
        true
    }

    /// The time of the last return or resumption, and whether it is a return, which of two at once counts as the later one.
    fn last_change(&self) -> (u64, bool) {
        let resumed = self.resumed.unwrap_or_default();
        let returned = self.returned.as_ref();
        returned.map_or((resumed, false), |returned| (returned.at.max(resumed), true))
    }

    fn is_same_as(&self, other: &Self) -> bool {
        (&self.returned, self.resumed) == (&other.returned, other.resumed)
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
        }
    }

    /// The own standing or that of the fleet, with this version.
    fn applying(is_own: bool, version: u64, own: &RuleRecord, fleet: Option<&RuleRecord>) -> RuleRecord {
        let agreed = fleet.map_or(0, |fleet| fleet.version);
        let applies = if is_own { own } else { fleet.unwrap() };
        RuleRecord {
            version,
            agreed,
            ..applies.clone()
        }
    }

    #[test]
    fn the_higher_version_wins_and_returns_made_alone_are_told() {
        // The own standing or that of the fleet, with its version.
        let own = |version| (true, version);
        let theirs = |version| (false, version);
        for (mine, fleet, expected) in [
            (record(0, 0, None, None), None, own(1)),
            (record(5, 5, Some(9), None), None, own(5)),
            (record(5, 5, None, None), Some(record(5, 5, None, None)), own(5)),
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
            // The store lost its memory, and the first edge that found it so has returned the rule.
            (
                record(5, 5, None, None),
                Some(record(1, 1, Some(90), None)),
                theirs(6),
            ),
        ] {
            let (is_own, version) = expected;
            let expected = applying(is_own, version, &mine, fleet.as_ref());
            assert_eq!(mine.beside(fleet.as_ref()), expected, "{mine:?} {fleet:?}");
        }
    }

    #[test]
    fn a_resumption_is_later_than_its_return_and_the_next_return_than_both() {
        let now = UnixTime::from_secs(100);
        let mut rule = record(1, 1, None, None);
        for _ in 0..3 {
            let before = rule.clone();
            rule.return_calls("x".to_owned(), now);
            let agreed = before.version;
            assert_eq!(
                rule.beside(Some(&before)),
                RuleRecord {
                    agreed,
                    ..rule.clone()
                }
            );
            let before = rule.clone();
            assert!(rule.resume(now) && !rule.resume(now));
            let agreed = before.version;
            assert_eq!(
                rule.beside(Some(&before)),
                RuleRecord {
                    agreed,
                    ..rule.clone()
                }
            );
        }
    }

    proptest! {
        /// A line that the store once held lifts no return that came later, and ends no resumption that did.
        #[test]
        fn an_old_line_changes_nothing(
            own in (1_u64..20, 0_u64..20), theirs in 1_u64..20, at in 2_u64..100, before in 1_u64..100, is_return in any::<bool>(),
        ) {
            prop_assume!(before < at);
            let (returned, resumed) = if is_return { (Some(at), None) } else { (None, Some(at)) };
            let own = record(own.0, own.1, returned, resumed);
            for old in [record(theirs, theirs, None, Some(before)), record(theirs, theirs, Some(before), None)] {
                prop_assert!(own.beside(Some(&old)).is_same_as(&own), "{own:?} {old:?}");
            }
        }

        /// Edges that acted alone agree after they have joined, in whatever order, and a return without a later
        /// resumption is among the things that they agree about.
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
                    let merged = edge.beside(fleet.as_ref());
                    if merged.is_unreported() || merged != *edge {
                        *edge = RuleRecord { agreed: merged.version, ..merged };
                        fleet = Some(edge.clone());
                    }
                }
            }
            let fleet = fleet.unwrap();
            for edge in &edges {
                prop_assert!(!edge.is_unreported() && edge.beside(Some(&fleet)) == *edge);
                prop_assert_eq!(&edge.returned, &fleet.returned);
            }
            if latest_return.is_some_and(|at| latest_resumption.is_none_or(|resumed| resumed < at)) {
                prop_assert!(fleet.returned.is_some());
            }
        }
    }
}
