//! The division of the permits of one backend among the edges of a fleet: by demand, each by itself, from one table.
//!
//! An edge shrinks at once, and grows by one permit at once. It takes more only of those that others have freed, and
//! first announces it in the table: of two that want the same permit, the second one sees that the first has it. So all
//! of them together exceed the total by one for each edge at most, and only until the others have read the table.

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The line of one edge about its calls to a backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim<'a> {
    /// The edge's name, unique among all.
    pub edge: &'a str,
    /// The calls that run or wait.
    pub demand: usize,
    /// The permits that no other edge may use.
    pub holds: usize,
}

/// The permits of one edge for one backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allotment {
    /// The permits that no other edge uses.
    sure: usize,
    /// They are sure once the table shows that no other edge uses them.
    wanted: usize,
    /// This edge's part of the total.
    target: usize,
}

/// The parts of all edges, which are together the total: by demand, and of what no call needs the same for each. An edge
/// whose part is nothing uses one permit nevertheless: it needs it seldom, and the others should not have to do without
/// it all the time.
pub fn parts<'a>(total: usize, claims: &[Claim<'a>]) -> BTreeMap<&'a str, usize> {
    let demand: u128 = claims.iter().map(|claim| claim.demand as u128).sum();
    let unneeded = (total as u128).saturating_sub(demand);
    let edges = claims.len() as u128;
    let weight = |claim: &Claim<'a>| (claim.demand as u128 * edges + unneeded, claim.edge);
    apportioned(total, claims.iter().map(weight))
}

/// Divides a number by weights: whole parts, and one more for each of the largest fractions, ties by name.
fn apportioned<'a>(
    total: usize,
    weights: impl Iterator<Item = (u128, &'a str)> + Clone,
) -> BTreeMap<&'a str, usize> {
    let sum: u128 = weights.clone().map(|(weight, _)| weight).sum::<u128>().max(1);
    let due = weights.map(|(weight, name)| {
        let due = total as u128 * weight;
        (Reverse(due % sum), name, due / sum)
    });
    let mut due: Vec<(Reverse<u128>, &str, u128)> = due.collect();
    due.sort_unstable();
    let left = due.iter().map(|(fraction, ..)| fraction.0).sum::<u128>() / sum;
    let parts = (0..).zip(due).map(|(position, (_, name, whole))| {
        let part = whole + u128::from(position < left);
        (name, usize::try_from(part).unwrap_or(usize::MAX))
    });
    parts.collect()
}

// === impl Allotment ===

impl Allotment {
    /// An edge with these permits, at least one.
    pub fn new(part: usize) -> Self {
        let part = part.max(1);
        Self {
            sure: part,
            wanted: part,
            target: part,
        }
    }

    /// The permits that the edge may use.
    pub fn part(self) -> usize {
        self.target.min(self.sure + 1).max(1)
    }

    /// The number for [`Claim::holds`], for an edge with so many running calls: shrinking ends none of them. The one permit
    /// that each edge may use beyond those that are sure is not counted.
    pub fn holds(self, running: usize) -> usize {
        self.wanted.max(running.saturating_sub(1))
    }

    /// Follows a table, which was read after the edge had written what it holds.
    pub fn follow(&mut self, total: usize, claims: &[Claim<'_>], edge: &str) {
        let others = claims.iter().filter(|claim| claim.edge != edge);
        let room = total.saturating_sub(others.map(|claim| claim.holds).sum());
        let Some(target) = parts(total, claims).remove(edge) else {
            return;
        };
        if self.wanted <= room {
            self.sure = self.wanted;
        }
        self.target = target;
        self.sure = self.sure.min(target);
        self.wanted = self.sure.max(target.min(room));
    }
}

// === impl Claim ===

impl Claim<'_> {
    /// The edge has fewer permits than calls: some wait.
    pub const fn is_short(&self) -> bool {
        self.demand > self.holds
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

    fn claims(demands: &[usize]) -> Vec<Claim<'static>> {
        let claims = NAMES.iter().zip(demands).map(|(edge, demand)| Claim {
            edge,
            demand: *demand,
            holds: 0,
        });
        claims.collect()
    }

    #[test]
    fn permits_follow_the_demand() {
        for (total, demands, expected) in [
            (8, &[0, 0][..], &[4, 4][..]),
            (8, &[7, 1], &[7, 1]),
            (8, &[30, 10], &[6, 2]),
            // Idle edges hold nothing that others need, and share what is left.
            (8, &[10, 0, 0], &[8, 0, 0]),
            (8, &[4, 0], &[6, 2]),
            // The rest of a division goes to the largest fraction, then by name.
            (8, &[0, 0, 0], &[3, 3, 2]),
            (8, &[4, 4, 3], &[3, 3, 2]),
            (2, &[9, 0, 0], &[2, 0, 0]),
            (8, &[3], &[8]),
        ] {
            let parts: Vec<usize> = parts(total, &claims(demands)).into_values().collect();
            assert_eq!(parts, expected, "{total} {demands:?}");
        }
    }

    #[test]
    fn an_edge_grows_by_one_and_then_by_what_is_free() {
        let claim = |edge, demand, holds| Claim { edge, demand, holds };
        let mut idle = Allotment::new(5);
        let full = [claim("a", 0, 5), claim("b", 6, 2), claim("c", 6, 1)];
        idle.follow(8, &full, "a");
        assert_eq!((idle.part(), idle.holds(4)), (1, 3), "it shrinks at once");
        let [mut busy, mut second] = [Allotment::new(2), Allotment::new(1)];
        busy.follow(8, &full, "b");
        assert_eq!((busy.part(), busy.holds(0)), (3, 2), "one more at once");

        let freed = [claim("a", 0, 3), claim("b", 6, 2), claim("c", 6, 1)];
        busy.follow(8, &freed, "b");
        second.follow(8, &freed, "c");
        assert_eq!((busy.part(), busy.holds(0)), (3, 4));
        assert_eq!((second.part(), second.holds(0)), (2, 3));
        let said = [claim("a", 0, 0), claim("b", 6, 4), claim("c", 6, 3)];
        busy.follow(8, &said, "b");
        second.follow(8, &said, "c");
        assert_eq!((busy.part(), second.part()), (4, 4));
        busy.follow(8, &said, "z");
        assert_eq!(busy.part(), 4, "not in the table");
    }

    /// One edge of a random life.
    #[derive(Debug, Clone)]
    struct Sharer {
        demand: usize,
        allotment: Allotment,
        /// Its line in the table.
        said: (usize, usize),
    }

    #[derive(Debug, Clone, Copy)]
    enum SharerStep {
        Demands(usize, usize),
        /// Writes its line, and then reads the table.
        Exchanges(usize),
    }

    fn step() -> impl Strategy<Value = SharerStep> {
        prop_oneof![
            (0..4_usize, 0..40_usize).prop_map(|(edge, demand)| SharerStep::Demands(edge, demand)),
            (0..4_usize).prop_map(SharerStep::Exchanges),
        ]
    }

    fn table(sharers: &[Sharer]) -> Vec<Claim<'static>> {
        let lines = NAMES.iter().zip(sharers).map(|(edge, sharer)| Claim {
            edge,
            demand: sharer.said.0,
            holds: sharer.said.1,
        });
        lines.collect()
    }

    fn exchange(sharers: &mut [Sharer], edge: usize, total: usize) {
        let sharer = &mut sharers[edge];
        sharer.said = (sharer.demand, sharer.allotment.holds(0));
        let mut allotment = sharer.allotment;
        allotment.follow(total, &table(sharers), NAMES[edge]);
        sharers[edge].allotment = allotment;
    }

    fn parts_of(sharers: &[Sharer]) -> Vec<usize> {
        sharers.iter().map(|sharer| sharer.allotment.part()).collect()
    }

    proptest! {
        #[test]
        fn every_edge_computes_the_same_and_all_of_it_is_given(
            total in 1_usize..100, demands in prop::collection::vec(0_usize..100, 1..6), turned in 0_usize..6,
        ) {
            let mut claims = claims(&demands);
            let first = parts(total, &claims);
            let edges = claims.len();
            claims.rotate_left(turned % edges);
            prop_assert_eq!(&parts(total, &claims), &first);
            prop_assert_eq!(first.values().sum::<usize>(), total);
            for (more, less) in claims.iter().flat_map(|one| claims.iter().map(move |two| (one, two))) {
                prop_assert!(more.demand <= less.demand || first[more.edge] >= first[less.edge]);
            }
        }

        #[test]
        fn edges_stay_within_the_total_and_one_more_each(
            total in 4_usize..40, steps in prop::collection::vec(step(), 0..100),
        ) {
            let sharer = |part| Sharer { demand: 0, allotment: Allotment::new(part), said: (0, part) };
            let mut sharers: Vec<Sharer> = (0..4).map(|_| sharer(total / 4)).collect();
            for step in steps {
                match step {
                    SharerStep::Demands(edge, demand) => sharers[edge].demand = demand,
                    SharerStep::Exchanges(edge) => exchange(&mut sharers, edge, total),
                }
                let used = parts_of(&sharers);
                prop_assert!(used.iter().sum::<usize>() <= total + 4, "{:?} of {}", used, total);
            }
            // Once nothing changes, each has its part.
            for edge in (0..4).cycle().take(32) {
                exchange(&mut sharers, edge, total);
            }
            let due = parts(total, &table(&sharers));
            let due: Vec<usize> = due.into_values().map(|part| part.max(1)).collect();
            prop_assert_eq!(parts_of(&sharers), due);
        }
    }
}
