//! A site with eight workers behind several queues: the figures of decision 0032.
//!
//! `cargo test -p calendar-edge-core queue::simulation -- --nocapture` prints them.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::time::Duration;

use super::simulated::{Fifo, Own, Queue};
use super::*;
use crate::limits::dice::Dice;

const WORKERS: usize = 8;

/// A request of the simulation: when it comes, and how long the site works on it.
#[derive(Debug, Clone, Copy)]
struct SimulatedRequest {
    at: Duration,
    rank: Rank,
    work: Duration,
}

/// The end of a request, after this time in the queue.
#[derive(Debug, Clone, Copy)]
enum SimulatedEnd {
    Answered(Duration),
    Refused(Duration),
}

// === The site ===

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Done,
    Comes(usize),
    Overdue(usize),
}

struct SimulatedSite<'a> {
    asked: &'a [SimulatedRequest],
    queue: &'a mut dyn Queue,
    free: usize,
    events: BinaryHeap<Reverse<(Duration, Event)>>,
    outcomes: Vec<Option<SimulatedEnd>>,
}

impl SimulatedSite<'_> {
    fn run(asked: &[SimulatedRequest], queue: &mut dyn Queue) -> Vec<SimulatedEnd> {
        let comes = asked
            .iter()
            .enumerate()
            .map(|(request, asked)| Reverse((asked.at, Event::Comes(request))));
        let mut site = SimulatedSite {
            asked,
            queue,
            free: WORKERS,
            events: comes.collect(),
            outcomes: vec![None; asked.len()],
        };
        while let Some(Reverse((now, event))) = site.events.pop() {
            match event {
                Event::Comes(request) => site.comes(request, now),
                Event::Done => site.done(now),
                Event::Overdue(request) if site.outcomes[request].is_none() => {
                    site.queue.leave(request, now);
                    site.refuse(request, now);
                }
                Event::Overdue(_) => {}
            }
        }
        site.outcomes.into_iter().map(Option::unwrap).collect()
    }

    fn comes(&mut self, request: usize, now: Duration) {
        if self.free > 0 {
            self.free -= 1;
            self.begin(request, now);
            return;
        }
        let overdue = now + self.queue.patience();
        self.events.push(Reverse((overdue, Event::Overdue(request))));
        if let Some(refused) = self.queue.enter(request, self.asked[request].rank, now) {
            self.refuse(refused, now);
        }
    }

    fn done(&mut self, now: Duration) {
        let (dropped, next) = self.queue.next(now);
        for request in dropped {
            self.refuse(request, now);
        }
        match next {
            Some(request) => self.begin(request, now),
            None => self.free += 1,
        }
    }

    fn begin(&mut self, request: usize, now: Duration) {
        let SimulatedRequest { at, work, .. } = self.asked[request];
        assert!(self.outcomes[request].is_none());
        self.outcomes[request] = Some(SimulatedEnd::Answered(now.saturating_sub(at)));
        self.events.push(Reverse((now + work, Event::Done)));
    }

    fn refuse(&mut self, request: usize, now: Duration) {
        assert!(self.outcomes[request].is_none());
        self.outcomes[request] = Some(SimulatedEnd::Refused(now.saturating_sub(self.asked[request].at)));
    }
}

// === Loads ===

fn millis(number: u64) -> Duration {
    Duration::from_millis(number)
}

/// Requests of one rank at random times, this many a second on average, each half to one and a half of the usual work.
fn random(seed: u64, seconds: u64, rate: f64, rank: Rank) -> Vec<SimulatedRequest> {
    let mut dice = Dice(seed);
    let mut at = Duration::ZERO;
    let mut asked = Vec::new();
    while at < Duration::from_secs(seconds) {
        at += Duration::from_secs_f64(-(1.0 - dice.roll()).ln() / rate);
        let work = millis(100) + millis(200).mul_f64(dice.roll());
        asked.push(SimulatedRequest { at, rank, work });
    }
    asked
}

fn burst(at: Duration, number: usize, work: Duration) -> Vec<SimulatedRequest> {
    vec![
        SimulatedRequest {
            at,
            rank: Rank::Anonymous,
            work
        };
        number
    ]
}

/// The loads by name. The site responds to 40 requests of usual work a second.
fn loads() -> Vec<(&'static str, Vec<SimulatedRequest>)> {
    let both = |anonymous: f64, protected: f64| {
        let protected = random(7, 60, protected, Rank::Protected);
        [random(3, 60, anonymous, Rank::Anonymous), protected].concat()
    };
    let bursts = (0..10).flat_map(|number| burst(millis(6000 * number), 60, millis(500)));
    let slow = both(30.0, 2.0).into_iter().map(|asked| {
        let slows = (millis(20_000)..millis(40_000)).contains(&asked.at);
        SimulatedRequest {
            work: asked.work * if slows { 3 } else { 1 },
            ..asked
        }
    });
    vec![
        ("busy, 80 %", both(30.0, 2.0)),
        ("60 at once", burst(millis(0), 60, millis(500))),
        ("60 each 6 s", bursts.collect()),
        ("overload, 120 %", both(44.0, 4.0)),
        ("overload, 200 %", both(76.0, 4.0)),
        ("overload, 1000 %", both(396.0, 4.0)),
        ("slow for 20 s", slow.collect()),
        ("claimed logins, 500 %", both(20.0, 180.0)),
    ]
}

fn queues() -> Vec<(&'static str, Box<dyn Queue>)> {
    let patience = Duration::from_secs(5);
    vec![
        ("32 places, 0.8 s", Box::new(Fifo::new(32, millis(800)))),
        ("256 places, 5 s", Box::new(Fifo::new(256, patience))),
        (
            "the same, CoDel",
            Box::new(Fifo::new(256, patience).with_codel(patience / 5, patience / 5)),
        ),
        ("own", Box::new(Own::new(patience))),
    ]
}

/// The share of one rank.
struct SimulatedShare {
    answered: f64,
    median: Duration,
    tail: Duration,
    /// The mean wait of the refused requests.
    in_vain: Duration,
}

impl std::fmt::Display for SimulatedShare {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [median, tail, in_vain] = [self.median, self.tail, self.in_vain].map(|time| time.as_secs_f64());
        let answered = self.answered;
        write!(
            f,
            "{answered:5.1} % after {median:.2} s, 99 % {tail:.2} s; others refused after {in_vain:.2} s"
        )
    }
}

#[expect(clippy::cast_precision_loss, reason = "shares in per cent")]
fn share(asked: &[SimulatedRequest], outcomes: &[SimulatedEnd], rank: Rank) -> Option<SimulatedShare> {
    let of_rank = || {
        asked
            .iter()
            .zip(outcomes)
            .filter(move |(asked, _)| asked.rank == rank)
    };
    let of = |pick: fn(&SimulatedEnd) -> Option<Duration>| {
        let mut waits: Vec<Duration> = of_rank().filter_map(|(_, outcome)| pick(outcome)).collect();
        waits.sort_unstable();
        waits
    };
    let waits = of(|outcome| match outcome {
        SimulatedEnd::Answered(wait) => Some(*wait),
        SimulatedEnd::Refused(_) => None,
    });
    let in_vain = of(|outcome| match outcome {
        SimulatedEnd::Refused(wait) => Some(*wait),
        SimulatedEnd::Answered(_) => None,
    });
    let quantile = |per_mille: usize| {
        waits
            .get(waits.len() * per_mille / 1000)
            .copied()
            .unwrap_or_default()
    };
    let all = of_rank().count();
    (all > 0).then(|| SimulatedShare {
        answered: 100.0 * waits.len() as f64 / all as f64,
        median: quantile(500),
        tail: quantile(990),
        in_vain: in_vain.iter().sum::<Duration>() / u32::try_from(in_vain.len().max(1)).unwrap(),
    })
}

/// The share of each rank in each queue, by the names of load and queue.
fn shares() -> HashMap<(&'static str, &'static str, Rank), SimulatedShare> {
    let mut shares = HashMap::new();
    for (load, mut asked) in loads() {
        asked.sort_by_key(|asked| asked.at);
        for (name, mut queue) in queues() {
            let outcomes = SimulatedSite::run(&asked, queue.as_mut());
            for rank in [Rank::Anonymous, Rank::Protected] {
                if let Some(share) = share(&asked, &outcomes, rank) {
                    println!("{load:21} {name:16} {rank:9?} {share}");
                    shares.insert((load, name, rank), share);
                }
            }
        }
    }
    shares
}

#[test]
fn bursts_are_answered_and_overload_costs_nobody_time_in_vain() {
    let shares = shares();
    let own = |load, rank| &shares[&(load, "own", rank)];
    for load in ["busy, 80 %", "60 at once", "60 each 6 s"] {
        assert!(own(load, Rank::Anonymous).answered >= 100.0, "{load}");
    }
    for load in [
        "overload, 120 %",
        "overload, 200 %",
        "overload, 1000 %",
        "slow for 20 s",
    ] {
        let protected = own(load, Rank::Protected);
        assert!(protected.answered >= 100.0, "{load}");
        assert!(protected.tail < millis(500), "{load}");
        let anonymous = own(load, Rank::Anonymous);
        assert!(anonymous.median <= millis(1000), "{load}");
        assert!(anonymous.in_vain < millis(100), "{load}");
        // Nearly as many as by a queue that is never empty.
        let plain = &shares[&(load, "256 places, 5 s", Rank::Anonymous)];
        assert!(anonymous.answered > 0.85 * plain.answered, "{load}");
    }
    let flooded = own("claimed logins, 500 %", Rank::Anonymous);
    let plain = &shares[&("claimed logins, 500 %", "256 places, 5 s", Rank::Anonymous)];
    assert!(flooded.answered >= plain.answered);
}
