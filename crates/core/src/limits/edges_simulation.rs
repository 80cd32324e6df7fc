//! A site with eight workers behind several edges: what it answers by the way in which they divide its permits.
//!
//! `cargo test -p calendar-edge-core edges_simulation -- --nocapture` prints the figures.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::time::Duration;

use super::dice::Dice;
use super::queue::{Rank, Ticket, WaitingLine};
use super::{Allotment, Claim, FleetSize};

const WORKERS: usize = 8;
const LENGTH: Duration = Duration::from_mins(2);
const PATIENCE: Duration = Duration::from_secs(5);
const INTERVAL: Duration = Duration::from_millis(100);
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// How edges divide the permits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Division {
    /// Each has all of them.
    Each,
    Equal,
    ByDemand,
}

/// One call: its edge, when it comes, and how long the site works on it.
#[derive(Debug, Clone, Copy)]
struct SiteCall {
    edge: usize,
    at: Duration,
    work: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SiteEvent {
    Done(usize),
    Comes(usize),
    Overdue(usize),
    Exchange(usize),
}

struct SimulatedEdge {
    line: WaitingLine,
    waiting: HashMap<Ticket, usize>,
    allotment: Allotment,
    held: usize,
    /// The time that calls spent here, until then.
    occupancy: (Duration, Duration),
    /// When the line in the table was written, and what the occupancy was.
    said: (Duration, Duration),
}

struct DividedSite<'a> {
    division: Division,
    calls: &'a [SiteCall],
    edges: Vec<SimulatedEdge>,
    table: Vec<Claim<'static>>,
    free: usize,
    backlog: VecDeque<usize>,
    events: BinaryHeap<Reverse<(Duration, SiteEvent)>>,
    /// The time between a call and its response.
    answers: Vec<Duration>,
    most: usize,
}

impl SimulatedEdge {
    fn new(part: usize) -> Self {
        Self {
            line: WaitingLine::new(256, PATIENCE),
            waiting: HashMap::new(),
            allotment: Allotment::new(part),
            held: 0,
            occupancy: Default::default(),
            said: Default::default(),
        }
    }

    /// Counts the time until now, in which nothing changed.
    fn pass(&mut self, now: Duration) {
        let (spent, until) = self.occupancy;
        let calls = u32::try_from(self.held + self.line.len()).unwrap();
        self.occupancy = (spent + now.saturating_sub(until) * calls, now);
    }
}

impl DividedSite<'_> {
    fn run(division: Division, edges: usize, calls: &[SiteCall]) -> DividedSite<'_> {
        let part = match division {
            Division::Each => WORKERS,
            Division::Equal | Division::ByDemand => FleetSize::new(edges).equal_part(WORKERS),
        };
        let mut site = DividedSite {
            division,
            calls,
            edges: (0..edges).map(|_| SimulatedEdge::new(part)).collect(),
            table: Vec::new(),
            free: WORKERS,
            backlog: VecDeque::new(),
            events: BinaryHeap::new(),
            answers: Vec::new(),
            most: 0,
        };
        for (call, SiteCall { at, .. }) in calls.iter().enumerate() {
            site.events.push(Reverse((*at, SiteEvent::Comes(call))));
        }
        for edge in 0..edges {
            let phase = INTERVAL * u32::try_from(edge).unwrap() / u32::try_from(edges).unwrap();
            site.events.push(Reverse((phase, SiteEvent::Exchange(edge))));
        }
        while let Some(Reverse((now, event))) = site.events.pop().filter(|next| next.0.0 < LENGTH) {
            site.happens(event, now);
        }
        site
    }

    fn happens(&mut self, event: SiteEvent, now: Duration) {
        match event {
            SiteEvent::Comes(call) => {
                let edge = &mut self.edges[self.calls[call].edge];
                edge.pass(now);
                if let Ok((ticket, _)) = edge.line.enter(Rank::Anonymous, now) {
                    edge.waiting.insert(ticket, call);
                    self.events
                        .push(Reverse((now + PATIENCE, SiteEvent::Overdue(call))));
                }
                self.serve(self.calls[call].edge, now);
            }
            SiteEvent::Done(call) => {
                self.answers.push(now.saturating_sub(self.calls[call].at));
                self.free += 1;
                let edge = self.calls[call].edge;
                self.edges[edge].pass(now);
                self.edges[edge].held -= 1;
                self.serve(edge, now);
                self.work(now);
            }
            SiteEvent::Overdue(call) => {
                let edge = &mut self.edges[self.calls[call].edge];
                edge.pass(now);
                let ticket = edge.waiting.iter().find(|(_, waiting)| **waiting == call);
                if let Some(ticket) = ticket.map(|(ticket, _)| *ticket) {
                    edge.waiting.remove(&ticket);
                    edge.line.leave(ticket, now);
                }
            }
            SiteEvent::Exchange(edge) => {
                if self.division == Division::ByDemand {
                    self.exchange(edge, now);
                    self.serve(edge, now);
                }
                self.events
                    .push(Reverse((now + INTERVAL, SiteEvent::Exchange(edge))));
            }
        }
    }

    /// Sends calls of an edge to the site while it has permits.
    fn serve(&mut self, edge: usize, now: Duration) {
        let at = &mut self.edges[edge];
        while at.held < at.allotment.part()
            && let Some(ticket) = at.line.next(now)
        {
            at.held += 1;
            self.backlog.extend(at.waiting.remove(&ticket));
        }
        self.most = self.most.max(self.edges.iter().map(|edge| edge.held).sum());
        self.work(now);
    }

    /// Free workers take calls that have arrived.
    fn work(&mut self, now: Duration) {
        while self.free > 0
            && let Some(call) = self.backlog.pop_front()
        {
            self.free -= 1;
            self.events
                .push(Reverse((now + self.calls[call].work, SiteEvent::Done(call))));
        }
    }

    /// Writes the line of an edge once a second, or when it wants another part, and reads the table.
    fn exchange(&mut self, edge: usize, now: Duration) {
        let at = &mut self.edges[edge];
        at.pass(now);
        let elapsed = now.saturating_sub(at.said.0);
        let known = self.table.iter().position(|claim| claim.edge == NAMES[edge]);
        if known.is_some() && elapsed < Duration::from_secs(1) && !at.allotment.is_growing() {
            return;
        }
        let mut demand = known.map_or(0, |known| self.table[known].demand);
        if elapsed >= Duration::from_millis(500) {
            let spent = at.occupancy.0.saturating_sub(at.said.1);
            demand = u64::try_from(spent.as_micros() * 1000 / elapsed.as_micros()).unwrap();
            at.said = (now, at.occupancy.0);
        }
        let claim = Claim {
            edge: NAMES[edge],
            demand,
            holds: at.allotment.holds(at.held),
        };
        match known {
            Some(known) => self.table[known] = claim,
            None => self.table.push(claim),
        }
        at.allotment.follow(WORKERS, &self.table, NAMES[edge]);
    }
}

/// Calls at random times: so many a second together, each edge getting this part of what the one before gets.
fn calls(edges: usize, rate: f64, skew: f64) -> Vec<SiteCall> {
    let weights: Vec<f64> = (0..edges)
        .map(|edge| skew.powi(i32::try_from(edge).unwrap()))
        .collect();
    let sum: f64 = weights.iter().sum();
    let mut calls = Vec::new();
    for (edge, weight) in weights.iter().enumerate() {
        let mut dice = Dice(7 + edge as u64);
        let mut at = Duration::ZERO;
        while at < LENGTH {
            at += Duration::from_secs_f64(-(1.0 - dice.roll()).ln() / (rate * weight / sum));
            let work = Duration::from_millis(100) + Duration::from_millis(200).mul_f64(dice.roll());
            calls.push(SiteCall { edge, at, work });
        }
    }
    calls
}

/// The responses a second, and the most calls at the site at once; printed.
fn answered(division: Division, edges: usize, load: f64, skew: f64) -> (f64, usize) {
    let calls = calls(edges, 40.0 * load, skew);
    let mut site = DividedSite::run(division, edges, &calls);
    site.answers.sort_unstable();
    let tail = site.answers[site.answers.len() * 99 / 100].as_secs_f64();
    let rate = f64::from(u32::try_from(site.answers.len()).unwrap()) / LENGTH.as_secs_f64();
    println!(
        "{edges} edges, each {skew} of the one before, load {load}, {division:?}: {rate:.1} answers a second, 99 % within \
         {tail:.2} s, at most {} at the site",
        site.most
    );
    (rate, site.most)
}

#[test]
fn edges_that_divide_by_demand_answer_as_much_as_one() {
    let (one, _) = answered(Division::Each, 1, 1.2, 1.0);
    for (edges, skew) in [(4, 1.0), (2, 0.3), (4, 0.3)] {
        let (each, crowd) = answered(Division::Each, edges, 1.2, skew);
        let (equal, _) = answered(Division::Equal, edges, 1.2, skew);
        let (by_demand, most) = answered(Division::ByDemand, edges, 1.2, skew);
        assert!(crowd > WORKERS && each > 0.9 * one, "{edges} {skew}");
        assert!(
            by_demand >= 0.93 * one && most <= WORKERS + edges,
            "{edges} {skew}: {by_demand} {most}"
        );
        assert!(skew > 0.9 || equal < 0.85 * one, "{edges} {skew}: {equal}");
    }
    let (idle, _) = answered(Division::ByDemand, 4, 0.7, 0.3);
    assert!(idle > 0.95 * 28.0, "{idle}");
}
