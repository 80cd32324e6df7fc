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

/// Numbers that are the same in each run, from 0 to 1.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        f64::from(u32::try_from(self.0 >> 32).expect("half of it")) / f64::from(u32::MAX)
    }

    /// A time with this mean, as of events that do not know of each other.
    fn time(&mut self, mean: Duration) -> Duration {
        mean.mul_f64(-(1.0 - 0.999 * self.next()).ln())
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

/// A load on several edges.
#[derive(Debug, Clone, Copy)]
enum Load {
    /// Clients that call an edge at random, one call after another.
    Clients(usize),
    /// So many calls a second at random, at any edge.
    Even(u32),
    /// The same, of which nine tenths go to one edge, each five seconds to another.
    Moving(u32),
}

impl Load {
    /// What it got in so long: responses and refusals.
    async fn run(self, edges: &[Edge], length: Duration) -> (usize, usize) {
        let until = Instant::now() + length;
        match self {
            Self::Clients(clients) => {
                let client = |number: usize| async move {
                    let mut chance = Chance(number as u64);
                    let mut got = Vec::new();
                    while Instant::now() < until {
                        let edge = &edges[(chance.next() * 0.999 * edges.len() as f64) as usize];
                        got.push(call(edge, number, got.len()).await);
                    }
                    got
                };
                sum(join_all((0..clients).map(client)).await.concat())
            }
            Self::Even(rate) | Self::Moving(rate) => {
                let mut chance = Chance(1);
                let mut calls = Vec::new();
                let began = Instant::now();
                let mut at = began;
                while at < until {
                    at += chance.time(Duration::from_secs(1) / rate);
                    let any = (chance.next() * 0.999 * edges.len() as f64) as usize;
                    let heavy = usize::try_from((at - began).as_secs() / 5).expect("few") % edges.len();
                    let is_any = matches!(self, Self::Even(_)) || chance.next() < 0.15;
                    let edge = &edges[if is_any { any } else { heavy }];
                    let number = calls.len();
                    calls.push(async move {
                        tokio::time::sleep_until(at.into()).await;
                        call(edge, 0, number).await
                    });
                }
                sum(join_all(calls).await)
            }
        }
    }
}

/// Returns true if a call gets a response, and false if it gets 503.
async fn call(edge: &Edge, client: usize, number: usize) -> bool {
    let answer = edge.get(&format!("{EVENTS}?search=c{client}n{number}")).await;
    assert!(answer.status == 200 || answer.status == 503, "{}", answer.status);
    answer.status == 200
}

fn sum(got: Vec<bool>) -> (usize, usize) {
    let answered = got.iter().filter(|answered| **answered).count();
    (answered, got.len() - answered)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s7_three_edges_answer_as_much_as_one() {
    let Some(store) = Store::start() else { return };
    let [one_site, site] = [site_of_workers().await, site_of_workers().await];
    let nowhere = StoreAddress::Unix("/nonexistent/store".into());
    let settings = |settings: &mut Settings| settings.origin.max_in_flight = 8;
    let one = Edge::builder().origin(&one_site).settings(settings).start().await;
    let one = [one];
    let three = edges(3, &site, &store.address(), settings).await;
    let _ = nowhere;
    for load in [
        Load::Clients(24),
        Load::Clients(16),
        Load::Even(68),
        Load::Moving(68),
        Load::Even(96),
        Load::Moving(96),
    ] {
        let length = Duration::from_secs(15);
        let (alone, together) = tokio::join!(load.run(&one, length), load.run(&three, length));
        println!("{load:?}: one edge {alone:?}, three {together:?}");
    }
}
