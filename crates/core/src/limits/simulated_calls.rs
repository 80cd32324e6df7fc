//! Calls by chance to a site behind several edges.

use std::time::Duration;

use super::dice::Dice;

/// The workers by which a load is measured.
const WORKERS: u32 = 8;

/// The time in which calls come.
pub(super) const LENGTH: Duration = Duration::from_mins(2);

/// The mean time that the site works on a call.
const WORK: Duration = Duration::from_millis(100);

/// The edge that gets a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Balance {
    /// Any.
    Even,
    /// Each edge gets 0.3 of what the one before gets.
    Falling,
    /// One edge gets nine tenths, the others the rest.
    Skewed,
    /// The same, and each 20 s another edge is that one.
    Moving,
    /// The first one.
    First,
}

/// The arrival of calls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Demanded {
    /// At random times, so many times the load that eight workers can process.
    Load(f64),
    /// So many clients, each of which calls again after each call.
    Clients(usize),
}

/// One call: its edge, when it comes, and how long the site works on it.
#[derive(Debug, Clone, Copy)]
pub(super) struct SiteCall {
    pub(super) edge: usize,
    pub(super) at: Duration,
    pub(super) work: Duration,
}

/// Calls by chance.
pub(super) struct CallSource {
    edges: usize,
    balance: Balance,
    works: Dice,
    balancer: Dice,
}

// === impl Balance ===

impl Balance {
    /// One of so many edges.
    fn edge(self, edges: usize, at: Duration, dice: &mut Dice) -> usize {
        let heavy = match self {
            Self::Even => return dice.side(edges),
            Self::First => return 0,
            Self::Falling => {
                let rest = |edge: usize| (edge..edges).fold(0.0, |rest, _| 1.0 + 0.3 * rest);
                return (0..edges)
                    .find(|edge| dice.roll() * rest(*edge) < 1.0)
                    .unwrap_or(0);
            }
            Self::Skewed => 0,
            Self::Moving => usize::try_from(at.as_secs() / 20).unwrap() % edges,
        };
        let lighter = dice.side(edges - 1);
        if dice.roll() < 0.9 {
            heavy
        } else {
            (heavy + 1 + lighter) % edges
        }
    }
}

// === impl CallSource ===

impl CallSource {
    pub(super) fn new(seed: u64, edges: usize, balance: Balance) -> Self {
        let [works, balancer] = [Dice(seed), Dice(seed + 1000)];
        Self {
            edges,
            balance,
            works,
            balancer,
        }
    }

    /// One call.
    pub(super) fn call(&mut self, at: Duration) -> SiteCall {
        let work = exponential(WORK, &mut self.works);
        let edge = match self.edges {
            1 => 0,
            edges => self.balance.edge(edges, at, &mut self.balancer),
        };
        SiteCall { edge, at, work }
    }

    /// All calls of a load, or the first ones of clients.
    pub(super) fn calls(&mut self, demanded: Demanded, seed: u64) -> Vec<SiteCall> {
        let load = match demanded {
            Demanded::Clients(clients) => return (0..clients).map(|_| self.call(Duration::ZERO)).collect(),
            Demanded::Load(load) => load,
        };
        let mut dice = Dice(seed + 2000);
        let gap = WORK.div_f64(load) / WORKERS;
        let times = std::iter::successors(Some(Duration::ZERO), |at| Some(*at + exponential(gap, &mut dice)));
        times
            .take_while(|at| *at < LENGTH)
            .map(|at| self.call(at))
            .collect()
    }
}

/// A time as of events that are independent of each other.
fn exponential(mean: Duration, dice: &mut Dice) -> Duration {
    mean.mul_f64(-(1.0 - dice.roll()).ln())
}
