//! A site behind several edges: its responses by the way in which they divide its permits, compared with one edge that
//! has all of them.
//!
//! `cargo test -p calendar-edge-core edges_simulation -- --nocapture` prints the figures.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::time::Duration;

use super::queue::{Rank, Ticket, WaitingLine};
use super::simulated_calls::{Balance, CallSource, Demanded, LENGTH, SiteCall};
use super::{Allotment, Claim, FleetSize};

const PATIENCE: Duration = Duration::from_secs(5);

/// The times that a load is simulated.
const LIVES: u64 = 3;

/// The pause before a client that was refused calls again.
const PAUSE: Duration = Duration::from_millis(100);

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// The intervals at which edges read the table.
#[derive(Debug, Clone, Copy)]
struct TableIntervals {
    calm: Duration,
    /// While a call waits for a permit.
    crowded: Duration,
}

/// A site, its edges, and its clients.
#[derive(Debug, Clone, Copy)]
struct Scene {
    /// The calls that the site works on at once.
    workers: usize,
    edges: usize,
    demanded: Demanded,
    balance: Balance,
}

/// The way in which edges divide the permits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Division {
    /// Each has all of them.
    Each,
    Equal,
    ByDemand,
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
    /// When the table was read, and when it is read next.
    met: Duration,
    due: Duration,
    /// Another edge has fewer permits than calls.
    others_wait: bool,
}

struct DividedSite {
    division: Division,
    workers: usize,
    calls: Vec<SiteCall>,
    /// Clients call again.
    again: Option<CallSource>,
    intervals: TableIntervals,
    edges: Vec<SimulatedEdge>,
    table: Vec<Claim<'static>>,
    free: usize,
    backlog: VecDeque<usize>,
    events: BinaryHeap<Reverse<(Duration, SiteEvent)>>,
    /// The time between a call and its response.
    answers: Vec<Duration>,
    refused: usize,
    /// The most calls that edges had at the site at once.
    most: usize,
}

/// The result of a load.
#[derive(Debug, Clone, Copy)]
struct SiteOutcome {
    /// Responses a second.
    rate: f64,
    /// The part of the calls that was refused.
    refused: f64,
    most: usize,
}

// === impl SimulatedEdge ===

impl SimulatedEdge {
    fn new(part: usize) -> Self {
        Self {
            line: WaitingLine::new(256, PATIENCE),
            waiting: HashMap::new(),
            allotment: Allotment::new(part),
            held: 0,
            met: Duration::ZERO,
            due: Duration::ZERO,
            others_wait: false,
        }
    }

    /// The calls that run or wait.
    fn calls(&self) -> usize {
        self.held + self.line.len()
    }

    /// The time until it reads the table again.
    fn pause(&self, intervals: TableIntervals) -> Duration {
        if self.others_wait || !self.line.is_empty() {
            intervals.crowded
        } else {
            intervals.calm
        }
    }
}

impl DividedSite {
    fn run(
        scene: Scene,
        division: Division,
        intervals: TableIntervals,
        source: CallSource,
        calls: Vec<SiteCall>,
    ) -> Self {
        let part = match division {
            Division::Each => scene.workers,
            Division::Equal | Division::ByDemand => FleetSize::new(scene.edges).equal_part(scene.workers),
        };
        let mut site = DividedSite {
            division,
            workers: scene.workers,
            calls,
            again: matches!(scene.demanded, Demanded::Clients(_)).then_some(source),
            intervals,
            edges: (0..scene.edges).map(|_| SimulatedEdge::new(part)).collect(),
            table: Vec::new(),
            free: scene.workers,
            backlog: VecDeque::new(),
            events: BinaryHeap::new(),
            answers: Vec::new(),
            refused: 0,
            most: 0,
        };
        for (call, SiteCall { at, .. }) in site.calls.iter().enumerate() {
            site.events.push(Reverse((*at, SiteEvent::Comes(call))));
        }
        for (edge, name) in NAMES.into_iter().take(scene.edges).enumerate() {
            site.table.push(Claim {
                edge: name,
                demand: 0,
                holds: part,
            });
            let phase = intervals.calm * u32::try_from(edge).unwrap() / u32::try_from(scene.edges).unwrap();
            site.meet_at(edge, phase);
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
                if let Ok((ticket, _)) = edge.line.enter(Rank::Anonymous, now) {
                    edge.waiting.insert(ticket, call);
                    self.events
                        .push(Reverse((now + PATIENCE, SiteEvent::Overdue(call))));
                } else {
                    self.refused += 1;
                    self.call_again(now + PAUSE);
                }
                self.serve(self.calls[call].edge, now);
                self.hurry(self.calls[call].edge, now);
            }
            SiteEvent::Done(call) => {
                self.answers.push(now.saturating_sub(self.calls[call].at));
                self.free += 1;
                let edge = self.calls[call].edge;
                self.edges[edge].held -= 1;
                self.serve(edge, now);
                self.work(now);
                self.call_again(now);
            }
            SiteEvent::Overdue(call) => {
                let edge = &mut self.edges[self.calls[call].edge];
                let ticket = edge.waiting.iter().find(|(_, waiting)| **waiting == call);
                if let Some(ticket) = ticket.map(|(ticket, _)| *ticket) {
                    edge.waiting.remove(&ticket);
                    edge.line.leave(ticket, now);
                    self.refused += 1;
                    self.call_again(now);
                }
            }
            SiteEvent::Exchange(edge) => {
                if self.division == Division::ByDemand && self.edges[edge].due == now {
                    self.exchange(edge);
                    self.serve(edge, now);
                    self.edges[edge].met = now;
                    self.meet_at(edge, now + self.edges[edge].pause(self.intervals));
                }
            }
        }
    }

    /// The client of a call that ended calls again.
    fn call_again(&mut self, at: Duration) {
        if let Some(source) = &mut self.again {
            self.events
                .push(Reverse((at, SiteEvent::Comes(self.calls.len()))));
            self.calls.push(source.call(at));
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

    /// An edge whose call begins to wait exchanges soon.
    fn hurry(&mut self, edge: usize, now: Duration) {
        let at = &self.edges[edge];
        let soon = now.max(at.met + at.pause(self.intervals));
        if soon < at.due {
            self.meet_at(edge, soon);
        }
    }

    fn meet_at(&mut self, edge: usize, at: Duration) {
        self.edges[edge].due = at;
        self.events.push(Reverse((at, SiteEvent::Exchange(edge))));
    }

    /// Writes the line of an edge, and reads the table.
    fn exchange(&mut self, edge: usize) {
        let at = &mut self.edges[edge];
        self.table[edge] = Claim {
            edge: NAMES[edge],
            demand: at.calls(),
            holds: at.allotment.holds(at.held),
        };
        at.allotment.follow(self.workers, &self.table, NAMES[edge]);
        let mut others = self.table.iter().filter(|claim| claim.edge != NAMES[edge]);
        at.others_wait = others.any(Claim::is_short);
    }
}

/// The mean of three lives; printed.
fn outcome(scene: Scene, division: Division, intervals: TableIntervals) -> SiteOutcome {
    let (mut answers, mut refused, mut most) = (Vec::new(), 0, 0);
    for seed in 1..=LIVES {
        let mut source = CallSource::new(seed, scene.edges, scene.balance);
        let calls = source.calls(scene.demanded, seed);
        let site = DividedSite::run(scene, division, intervals, source, calls);
        answers.extend(site.answers);
        refused += site.refused;
        most = most.max(site.most);
    }
    answers.sort_unstable();
    let number = |number: usize| f64::from(u32::try_from(number).unwrap());
    let outcome = SiteOutcome {
        rate: number(answers.len()) / LENGTH.as_secs_f64() / number(usize::try_from(LIVES).unwrap()),
        refused: number(refused) / number(answers.len() + refused),
        most,
    };
    let tail = answers[answers.len() * 99 / 100].as_secs_f64();
    println!(
        "{scene:?}, {division:?} each {intervals:?}: {:.1} responses a second, 99 % within {tail:.2} s, {:.2} % refused, at most \
         {most} at the site",
        outcome.rate,
        outcome.refused * 100.0
    );
    outcome
}

/// The result of one edge under the same load.
fn one(scene: Scene) -> SiteOutcome {
    let scene = Scene { edges: 1, ..scene };
    outcome(scene, Division::Each, intervals(1))
}

/// The intervals of so many edges, by the usual one of exchanges.
fn intervals(edges: usize) -> TableIntervals {
    let calm = Duration::from_millis(100);
    let crowded = FleetSize::new(edges).meeting_interval().min(calm);
    TableIntervals { calm, crowded }
}

/// A site with eight workers behind three edges.
fn three(demanded: Demanded) -> Scene {
    Scene {
        workers: 8,
        edges: 3,
        demanded,
        balance: Balance::Even,
    }
}

#[test]
fn three_edges_answer_as_much_as_one_and_refuse_no_more() {
    let loads = [Demanded::Load(0.85), Demanded::Load(1.2)].into_iter();
    let loads = loads.map(three);
    let crowds = [4, 8, 12].into_iter().flat_map(|workers| {
        [6, 10, 16, 24].map(|clients| Scene {
            workers,
            ..three(Demanded::Clients(clients))
        })
    });
    for scene in loads.chain(crowds) {
        let one = one(scene);
        for balance in [Balance::Even, Balance::Skewed, Balance::Moving, Balance::First] {
            let three = outcome(Scene { balance, ..scene }, Division::ByDemand, intervals(3));
            assert!(three.rate >= 0.96 * one.rate, "{scene:?} {balance:?}: {three:?}");
            assert!(
                three.refused <= one.refused + 0.005,
                "{scene:?} {balance:?}: {three:?}"
            );
            assert!(
                three.most <= scene.workers + 3,
                "{scene:?} {balance:?}: {three:?}"
            );
        }
    }
}

#[test]
fn edges_that_read_the_table_no_faster_while_calls_wait_leave_permits_idle() {
    let scene = three(Demanded::Clients(10));
    let calm = intervals(3).calm;
    let three = outcome(scene, Division::ByDemand, TableIntervals { calm, crowded: calm });
    assert!(three.rate < 0.9 * one(scene).rate, "{three:?}");
}

#[test]
fn edges_that_divide_by_demand_answer_more_than_with_equal_parts() {
    let load = three(Demanded::Load(1.2));
    let one = one(load);
    for (edges, balance) in [(4, Balance::Even), (2, Balance::Falling), (4, Balance::Falling)] {
        let scene = Scene {
            edges,
            balance,
            ..load
        };
        let outcome = |division| outcome(scene, division, intervals(edges));
        let [each, equal, by_demand] = [Division::Each, Division::Equal, Division::ByDemand].map(outcome);
        assert!(
            each.most > scene.workers && each.rate > 0.9 * one.rate,
            "{each:?}"
        );
        assert!(
            by_demand.rate >= 0.97 * one.rate && by_demand.most <= scene.workers + edges,
            "{by_demand:?}"
        );
        assert!(
            balance == Balance::Even || equal.rate < 0.85 * one.rate,
            "{equal:?}"
        );
    }
}
