//! The permits of one site, which several edges divide.

use std::sync::Arc;
use std::time::{Duration, Instant};

use calendar_edge_core::settings::{Settings, StoreAddress};
use futures_util::future::join_all;
use parking_lot::Mutex;

use super::super::support::{EVENTS, Edge, Origin, Reply, Store};
use super::limits::edges;
use super::scene::{count, key, wait};

/// The time for which the site works on a call.
const WORK: Duration = Duration::from_millis(60);

/// A site that notes when calls come.
async fn counting_origin() -> (Origin, Arc<Mutex<Vec<Instant>>>) {
    let arrivals: Arc<Mutex<Vec<Instant>>> = Arc::default();
    let noted = Arc::clone(&arrivals);
    let origin = Origin::answering(move |seen| {
        if seen.target.contains("/events?") {
            noted.lock().push(Instant::now());
        }
        Reply::json(200, r#"{"events":[]}"#).after(WORK)
    })
    .await;
    (origin, arrivals)
}

/// The most calls that were at the site at once, each counted for no longer than it surely was.
fn most_at_once(arrivals: &[Instant]) -> usize {
    let at = |now: Instant| {
        let running = |came: &&Instant| **came <= now && now - **came < WORK;
        arrivals.iter().filter(running).count()
    };
    arrivals.iter().map(|now| at(*now)).max().unwrap_or(0)
}

async fn part(edge: &Edge, origin: &Origin) -> u64 {
    count(
        edge,
        &format!(r#"edge_fleet_permits{{backend="{}"}}"#, origin.base()),
    )
    .await
}

/// So many clients that call an edge without a pause until then.
async fn crowd(edge: &Edge, clients: usize, until: Instant) {
    let client = |number: usize| async move {
        let mut asked = 0;
        while Instant::now() < until {
            asked += 1;
            let target = format!("{EVENTS}?search=c{number}n{asked}");
            assert_eq!(edge.get(&target).await.status, 200);
        }
    };
    join_all((0..clients).map(client)).await;
}

#[tokio::test]
async fn s7_permits_follow_the_demand_within_the_total() {
    let Some(store) = Store::start() else { return };
    let (origin, arrivals) = counting_origin().await;
    let edges = edges(3, &origin, &store.address(), |settings| {
        settings.origin.max_in_flight = 8;
        settings.timeouts.origin_queue = Duration::from_secs(20);
        settings.timeouts.origin_read = Duration::from_mins(1);
    })
    .await;
    for edge in &edges {
        assert!(
            (2..=3).contains(&part(edge, &origin).await),
            "equal parts at first"
        );
    }
    let until = Instant::now() + Duration::from_secs(6);
    let watch = async {
        wait("the busy edge has most of the permits", || async {
            part(&edges[0], &origin).await >= 6 && part(&edges[2], &origin).await == 1
        })
        .await
    };
    let ((), (), grown) = tokio::join!(crowd(&edges[0], 30, until), crowd(&edges[1], 1, until), watch);
    // The other way round: the permits go with the load.
    let until = Instant::now() + Duration::from_secs(6);
    let watch = async {
        wait("the permits follow", || async {
            part(&edges[2], &origin).await >= 6
        })
        .await
    };
    let ((), moved) = tokio::join!(crowd(&edges[2], 30, until), watch);
    let arrivals = arrivals.lock();
    let most = most_at_once(&arrivals);
    println!(
        "{} calls, at most {most} at once; parts after {grown:?}, then {moved:?}",
        arrivals.len()
    );
    assert!((7..=8 + 3).contains(&most), "{most}");
}

#[tokio::test]
async fn s7_an_edge_that_never_met_the_others_takes_an_equal_part() {
    let store = StoreAddress::Unix("/nonexistent/store".into());
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::builder().origin(&origin).settings(|settings| {
        settings.fleet.store = vec![store];
        settings.fleet.secret = Some(key());
        settings.fleet.members = 3;
        settings.origin.max_in_flight = 8;
    });
    let edge = edge.start().await;
    assert_eq!(part(&edge, &origin).await, 2);
    assert_eq!(edge.get(&format!("{EVENTS}/56")).await.status, 200);
}

/// Numbers that are the same in each run.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        u32::try_from(self.0 >> 32).expect("half of it")
    }

    /// One of so many.
    fn side(&mut self, sides: usize) -> usize {
        usize::try_from(self.next() >> 8).expect("a small number") % sides
    }

    /// A time with this mean, as of events that do not know of each other.
    fn time(&mut self, mean: Duration) -> Duration {
        mean.mul_f64(-((f64::from(self.next()) + 1.0) / 4_294_967_297.0).ln())
    }
}

/// A site whose eight workers take 100 ms for a call on the mean, one call after another.
async fn site_of_workers() -> Origin {
    let state = Mutex::new((Chance(7), [Instant::now(); 8]));
    Origin::answering(move |_| {
        let (chance, workers) = &mut *state.lock();
        let now = Instant::now();
        let free = workers.iter_mut().min().expect("a worker");
        *free = now.max(*free) + chance.time(Duration::from_millis(100));
        Reply::json(200, r#"{"events":[]}"#).after(*free - now)
    })
    .await
}

/// Calls to edges, and what they got: responses and refusals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Got {
    answered: usize,
    refused: usize,
}

impl Got {
    /// Calls an edge. Nothing is in a cache.
    async fn call(&mut self, edge: &Edge, target: &str) {
        match edge.get(target).await.status.as_u16() {
            200 => self.answered += 1,
            503 => self.refused += 1,
            other => panic!("{other}"),
        }
    }

    fn sum(all: &[Self]) -> Self {
        let answered = all.iter().map(|got| got.answered).sum();
        let refused = all.iter().map(|got| got.refused).sum();
        Self { answered, refused }
    }
}

/// So many clients until then, each of which calls any edge, one call after another.
async fn clients(edges: &[Edge], number: usize, until: Instant) -> Got {
    let client = |number: usize| async move {
        let mut chance = Chance(u64::try_from(number).expect("a small number"));
        let mut got = Got::default();
        while Instant::now() < until {
            let edge = &edges[chance.side(edges.len())];
            let asked = got.answered + got.refused;
            got.call(edge, &format!("{EVENTS}?search=c{number}n{asked}"))
                .await;
        }
        got
    };
    Got::sum(&join_all((0..number).map(client)).await)
}

/// So many calls a second until then, of which one edge gets nine tenths, each three seconds another.
async fn moving(edges: &[Edge], rate: u32, until: Instant) -> Got {
    let (mut chance, mut calls) = (Chance(1), Vec::new());
    let began = Instant::now();
    let mut at = began;
    while at < until {
        at += chance.time(Duration::from_secs(1) / rate);
        let (period, any) = ((at - began).as_secs() / 3, chance.side(edges.len()));
        let heavy = usize::try_from(period).expect("a small number") % edges.len();
        let edge = &edges[if chance.side(20) < 3 { any } else { heavy }];
        let target = format!("{EVENTS}?search=r{}", calls.len());
        calls.push(async move {
            tokio::time::sleep_until(at.into()).await;
            let mut got = Got::default();
            got.call(edge, &target).await;
            got
        });
    }
    Got::sum(&join_all(calls).await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s7_three_edges_answer_as_much_as_one() {
    let Some(store) = Store::start() else { return };
    let [one_site, site] = [site_of_workers().await, site_of_workers().await];
    let settings = |settings: &mut Settings| settings.origin.max_in_flight = 8;
    let one = [Edge::builder().origin(&one_site).settings(settings).start().await];
    let three = edges(3, &site, &store.address(), settings).await;
    // So few that a queue at one edge finds permits without a call at another, and so many that each has a queue.
    for number in [10, 24] {
        // Both at once: a busy machine is as busy for one as for the other.
        let until = Instant::now() + Duration::from_secs(6);
        let (alone, together) = tokio::join!(clients(&one, number, until), clients(&three, number, until));
        println!("{number} clients: one edge {alone:?}, three {together:?}");
        assert!(20 * together.answered >= 18 * alone.answered && together.refused <= alone.refused);
    }
    // 85 % of the site's capacity.
    let until = Instant::now() + Duration::from_secs(9);
    let (alone, together) = tokio::join!(moving(&one, 68, until), moving(&three, 68, until));
    println!("68 calls a second, moving: one edge {alone:?}, three {together:?}");
    // A machine so busy that one edge refuses calls proves nothing.
    assert!(alone.refused > 0 || together.refused <= 5, "{together:?}");
}
