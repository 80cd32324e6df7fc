//! A site with eight workers behind several edges: what it answers by the way in which they divide its permits, compared
//! with one edge that has all of them.
//!
//! `cargo test -p calendar-edge-core edges_simulation -- --nocapture` prints the figures.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::time::Duration;

use super::queue::{Rank, Ticket, WaitingLine};
use super::simulated_calls::{Balance, CallSource, Demanded, LENGTH, SiteCall, WORKERS};
use super::{Allotment, Claim, FleetSize};

const PATIENCE: Duration = Duration::from_secs(5);

/// The time between two exchanges with the store, as in the shell.
const INTERVAL: Duration = Duration::from_millis(100);

/// The times that a load is simulated.
const LIVES: u64 = 3;

/// The shortest time over which the shell measures demand.
const SHORTEST: Duration = Duration::from_millis(50);

/// The pause before a client that was refused calls again.
const PAUSE: Duration = Duration::from_millis(100);

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// How edges divide the permits.
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
    /// The time that calls spent here, until then.
    occupancy: (Duration, Duration),
    /// When demand was measured, and what the occupancy was.
    said: (Duration, Duration),
    /// When the table was read.
    met: Option<Duration>,
}

struct DividedSite {
    division: Division,
    calls: Vec<SiteCall>,
    /// Clients call again.
    again: Option<CallSource>,
    /// The time between two readings of the table.
    meeting: Duration,
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

/// What became of a load.
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
            occupancy: Default::default(),
            said: Default::default(),
            met: None,
        }
    }

    /// Counts the time until now, in which nothing changed.
    fn pass(&mut self, now: Duration) {
        let (spent, until) = self.occupancy;
        let calls = u32::try_from(self.held + self.line.len()).unwrap();
        self.occupancy = (spent + now.saturating_sub(until) * calls, now);
    }
}

impl DividedSite {
    fn run(
        division: Division,
        edges: usize,
        calls: Vec<SiteCall>,
        again: Option<CallSource>,
        meeting: Duration,
    ) -> Self {
        let part = match division {
            Division::Each => WORKERS,
            Division::Equal | Division::ByDemand => FleetSize::new(edges).equal_part(WORKERS),
        };
        let mut site = DividedSite {
            division,
            calls,
            again,
            meeting,
            edges: (0..edges).map(|_| SimulatedEdge::new(part)).collect(),
            table: Vec::new(),
            free: WORKERS,
            backlog: VecDeque::new(),
            events: BinaryHeap::new(),
            answers: Vec::new(),
            refused: 0,
            most: 0,
        };
        for (call, SiteCall { at, .. }) in site.calls.iter().enumerate() {
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
                } else {
                    self.refused += 1;
                    self.call_again(now + PAUSE);
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
                self.call_again(now);
            }
            SiteEvent::Overdue(call) => {
                let edge = &mut self.edges[self.calls[call].edge];
                edge.pass(now);
                let ticket = edge.waiting.iter().find(|(_, waiting)| **waiting == call);
                if let Some(ticket) = ticket.map(|(ticket, _)| *ticket) {
                    edge.waiting.remove(&ticket);
                    edge.line.leave(ticket, now);
                    self.refused += 1;
                    self.call_again(now);
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

    /// Writes the line of an edge if its time has come, and reads the table.
    fn exchange(&mut self, edge: usize, now: Duration) {
        let at = &mut self.edges[edge];
        at.pass(now);
        if at.met.is_some_and(|met| now.saturating_sub(met) < self.meeting) {
            return;
        }
        at.met = Some(now);
        let known = self.table.iter().position(|claim| claim.edge == NAMES[edge]);
        let mut demand = known.map_or(0, |known| self.table[known].demand);
        let elapsed = now.saturating_sub(at.said.0);
        if elapsed >= SHORTEST {
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

/// The mean of three lives; printed.
fn outcome(
    division: Division,
    edges: usize,
    demanded: Demanded,
    balance: Balance,
    meeting: Duration,
) -> SiteOutcome {
    let (mut answers, mut refused, mut most) = (Vec::new(), 0, 0);
    for seed in 1..=LIVES {
        let mut source = CallSource::new(seed, edges, balance);
        let calls = source.calls(demanded, seed);
        let again = matches!(demanded, Demanded::Clients(_)).then_some(source);
        let site = DividedSite::run(division, edges, calls, again, meeting);
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
        "{edges} edges, {balance:?}, {demanded:?}, {division:?} each {meeting:?}: {:.1} answers a second, 99 % within \
         {tail:.2} s, {:.2} % refused, at most {most} at the site",
        outcome.rate,
        outcome.refused * 100.0
    );
    outcome
}

fn one(demanded: Demanded) -> SiteOutcome {
    outcome(Division::Each, 1, demanded, Balance::Even, INTERVAL)
}

#[test]
fn three_edges_answer_as_much_as_one_and_refuse_no_more() {
    let meeting = FleetSize::new(3).meeting_interval();
    for demanded in [Demanded::Load(0.85), Demanded::Load(1.2), Demanded::Clients(24)] {
        let one = one(demanded);
        for balance in [Balance::Even, Balance::Skewed, Balance::Moving] {
            let three = outcome(Division::ByDemand, 3, demanded, balance, meeting);
            assert!(three.rate >= 0.97 * one.rate, "{balance:?}: {three:?}");
            assert!(three.refused <= one.refused + 0.005, "{balance:?}: {three:?}");
            assert!(three.most <= WORKERS + 3, "{balance:?}: {three:?}");
        }
    }
}

#[test]
fn edges_that_read_the_table_once_a_second_chase_their_queues() {
    let second = Duration::from_secs(1);
    let even = outcome(
        Division::ByDemand,
        3,
        Demanded::Clients(24),
        Balance::Even,
        second,
    );
    assert!(even.rate < 0.85 * one(Demanded::Clients(24)).rate, "{even:?}");
    let moving = outcome(
        Division::ByDemand,
        3,
        Demanded::Load(0.85),
        Balance::Moving,
        second,
    );
    assert!(moving.refused > 0.02, "one edge refuses nothing: {moving:?}");
}

#[test]
fn edges_that_divide_by_demand_answer_more_than_with_equal_parts() {
    let meeting = FleetSize::new(4).meeting_interval();
    let load = Demanded::Load(1.2);
    let one = one(load);
    for (edges, balance) in [(4, Balance::Even), (2, Balance::Falling), (4, Balance::Falling)] {
        let each = outcome(Division::Each, edges, load, balance, meeting);
        let equal = outcome(Division::Equal, edges, load, balance, meeting);
        let by_demand = outcome(Division::ByDemand, edges, load, balance, meeting);
        assert!(each.most > WORKERS && each.rate > 0.9 * one.rate, "{each:?}");
        assert!(
            by_demand.rate >= 0.97 * one.rate && by_demand.most <= WORKERS + edges,
            "{by_demand:?}"
        );
        assert!(
            balance == Balance::Even || equal.rate < 0.85 * one.rate,
            "{equal:?}"
        );
    }
}
