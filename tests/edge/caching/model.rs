//! Random writes through the edge between reads, before a site whose responses overtake each other: nothing is stale.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

use futures_util::future::join_all;
use serde_json::Value;

use super::*;

/// Simultaneous readers.
const READERS: usize = 16;

/// Simultaneous writers.
const WRITERS: usize = 4;

/// The number of writes; more of them by this variable.
fn writes() -> u64 {
    let wanted = std::env::var("CACHE_MODEL_WRITES").ok();
    wanted.and_then(|wanted| wanted.parse().ok()).unwrap_or(400)
}

/// Each record has a version, which grows with each change of what it shows.
#[derive(Debug, Default, Clone)]
struct Calendar {
    events: BTreeMap<u64, Event>,
    venues: BTreeMap<u64, u64>,
    /// The version of a category is the number of its events, which only grows here, and its own changes.
    categories: BTreeMap<u64, u64>,
    next: u64,
    dice: u64,
}

#[derive(Debug, Default, Clone)]
struct Event {
    version: u64,
    venue: u64,
    category: u64,
}

/// The knowledge of clients: the versions in their responses, and the events that exist.
#[derive(Debug, Default, Clone)]
struct Known {
    versions: BTreeMap<String, u64>,
    created: BTreeSet<u64>,
    deleted: BTreeSet<u64>,
    /// A deletion of these was begun.
    doomed: BTreeSet<u64>,
}

// === the site ===

impl Calendar {
    fn new() -> Self {
        let mut calendar = Self {
            next: 100,
            ..Self::default()
        };
        for id in 1..=8 {
            let (venue, category) = (id % 3 + 1, id % 2 + 1);
            calendar.events.insert(
                id,
                Event {
                    version: 1,
                    venue,
                    category,
                },
            );
            calendar.venues.insert(venue, 1);
            calendar.categories.insert(category, 1);
        }
        calendar
    }

    fn roll(&mut self, sides: u64) -> u64 {
        self.dice = self
            .dice
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.dice >> 33) % sides
    }

    fn venue(&self, id: u64) -> String {
        format!(r#"{{"id":{id},"venue":"{}"}}"#, self.venues[&id])
    }

    fn category(&self, id: u64) -> String {
        format!(r#"{{"id":{id},"name":"{}"}}"#, self.categories[&id])
    }

    fn event(&self, id: u64) -> Option<String> {
        let event = self.events.get(&id)?;
        Some(format!(
            r#"{{"id":{id},"title":"{}","venue":{},"categories":[{}]}}"#,
            event.version,
            self.venue(event.venue),
            self.category(event.category)
        ))
    }

    fn read(&self, route: &str) -> Reply {
        let (collection, id) = route.split_once('/').unwrap_or((route, ""));
        let id: u64 = id.parse().unwrap_or_default();
        let body = match (collection, id) {
            ("events", 0) => {
                let events: Vec<String> = self.events.keys().filter_map(|id| self.event(*id)).collect();
                format!(r#"{{"events":[{}]}}"#, events.join(","))
            }
            ("venues", 0) => {
                let venues: Vec<String> = self.venues.keys().map(|id| self.venue(*id)).collect();
                format!(r#"{{"venues":[{}]}}"#, venues.join(","))
            }
            ("categories", 0) => {
                let categories: Vec<String> = self.categories.keys().map(|id| self.category(*id)).collect();
                format!(r#"{{"categories":[{}]}}"#, categories.join(","))
            }
            ("venues", id) => self.venue(id),
            ("categories", id) => self.category(id),
            (_, id) => match self.event(id) {
                Some(event) => event,
                None => return Reply::json(404, r#"{"code":"x","message":"y","data":{"status":404}}"#),
            },
        };
        Reply::json(200, &body)
    }

    fn write(&mut self, method: &Method, route: &str) -> Reply {
        let (collection, id) = route.split_once('/').unwrap_or((route, ""));
        let mut id: u64 = id.parse().unwrap_or_default();
        match collection {
            "venues" => *self.venues.get_mut(&id).expect("a venue") += 1,
            "categories" => *self.categories.get_mut(&id).expect("a category") += 1,
            _ if *method == Method::DELETE => {
                let Some(event) = self.events.remove(&id) else {
                    return Reply::json(410, r#"{"code":"x","message":"y","data":{"status":410}}"#);
                };
                *self.categories.get_mut(&event.category).expect("a category") += 1;
                return Reply::json(200, &format!(r#"{{"id":{id},"title":"{}"}}"#, event.version));
            }
            _ => {
                if id == 0 {
                    self.next += 1;
                    id = self.next;
                }
                let (venue, category) = (self.roll(3) + 1, self.roll(2) + 1);
                let event = self.events.entry(id).or_default();
                let old = event.category;
                event.version += 1;
                (event.venue, event.category) = (venue, category);
                for category in BTreeSet::from([old, category]) {
                    self.categories
                        .entry(category)
                        .and_modify(|version| *version += 1);
                }
            }
        }
        self.read(&format!("{collection}/{id}"))
    }
}

/// A record is read at once, and sent after a while: responses overtake each other and writes.
async fn shuffled() -> Origin {
    let calendar = Mutex::new(Calendar::new());
    Origin::answering(move |seen| {
        if !is_calendar(seen) {
            return Reply::json(404, "{}");
        }
        let route = seen.target.split("/v1/").nth(1).unwrap_or_default();
        let route = route.split('?').next().unwrap_or_default();
        let mut calendar = calendar.lock().expect("no test panics while holding it");
        let reply = match seen.method {
            Method::GET => calendar.read(route),
            _ => calendar.write(&seen.method, route),
        };
        reply.after(Duration::from_millis(calendar.roll(12)))
    })
    .await
}

// === the clients ===

impl Known {
    /// Learns from the response to a write. The venue in an event's response is left out: no write of an event changes
    /// it, so it may show a write of the venue that has not ended yet.
    fn learn(&mut self, kind: &str, record: &Value) {
        for_each(kind, record, &mut |name, version| {
            if kind == "venues" || !name.starts_with("venues:") {
                let known = self.versions.entry(name).or_default();
                *known = version.max(*known);
            }
        });
    }

    /// Checks the response to a request that was sent when this was known already. `doomed` are the events whose
    /// deletion had begun when the response came.
    fn check(&self, target: &str, answer: &Answer, doomed: &BTreeSet<u64>) {
        let context = || format!("{target} {} {}", cache_status(answer), answer.body);
        let json = answer.json();
        let (collection, id) = target.split_once('/').unwrap_or((target, ""));
        if answer.status == 404 {
            let id: u64 = id.parse().expect("an event");
            assert!(
                !self.created.contains(&id) || doomed.contains(&id),
                "{}",
                context()
            );
            return;
        }
        let mut check = |name: String, version: u64| {
            let least = self.versions.get(&name).copied().unwrap_or_default();
            assert!(version >= least, "{name} {version} < {least}: {}", context());
        };
        if !id.is_empty() {
            for_each(collection, &json, &mut check);
            assert!(
                collection != "events" || !self.deleted.contains(&id.parse().expect("a number")),
                "{}",
                context()
            );
            return;
        }
        let records = json[collection].as_array().expect("a list");
        for record in records {
            for_each(collection, record, &mut check);
        }
        if collection == "events" {
            let shown: BTreeSet<u64> = records
                .iter()
                .filter_map(|record| record["id"].as_u64())
                .collect();
            let missing: Vec<&u64> = self.created.difference(&shown).collect();
            assert!(
                missing.iter().all(|id| doomed.contains(id)),
                "{missing:?}: {}",
                context()
            );
            assert!(shown.is_disjoint(&self.deleted), "{}", context());
        }
    }
}

/// Calls back with name and version of each record in a record.
fn for_each(kind: &str, record: &Value, found: &mut impl FnMut(String, u64)) {
    let version = ["title", "venue", "name"]
        .iter()
        .find_map(|name| record[*name].as_str());
    if let (Some(id), Some(version)) = (
        record["id"].as_u64(),
        version.and_then(|version| version.parse().ok()),
    ) {
        found(format!("{kind}:{id}"), version);
    }
    if record["venue"].is_object() {
        for_each("venues", &record["venue"], found);
    }
    for category in record["categories"].as_array().into_iter().flatten() {
        for_each("categories", category, found);
    }
}

struct Run {
    edge: Edge,
    known: Mutex<Known>,
    left: AtomicU64,
}

impl Run {
    fn known(&self) -> Known {
        self.known
            .lock()
            .expect("no test panics while holding it")
            .clone()
    }

    /// Counts one write; false if there were enough.
    fn next(&self) -> bool {
        self.left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1))
            .is_ok()
    }

    async fn write_on(&self, mut dice: u64) {
        while self.next() {
            dice = dice
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let number = (dice >> 33) % 8 + 1;
            let created = self.known().created;
            let of_created = created
                .iter()
                .nth(usize::try_from(number).expect("small") - 1)
                .copied();
            let (method, path, body) = match (dice >> 40) % 10 {
                0 | 1 => (
                    Method::PUT,
                    format!("venues/{}", number % 3 + 1),
                    r#"{"venue":"x"}"#,
                ),
                2 => (
                    Method::PUT,
                    format!("categories/{}", number % 2 + 1),
                    r#"{"name":"x"}"#,
                ),
                3 | 4 => (
                    Method::POST,
                    "events".to_owned(),
                    r#"{"title":"x","start_date":"2027-01-01","end_date":"2027-01-01"}"#,
                ),
                5 if of_created.is_some() => (
                    Method::DELETE,
                    format!("events/{}", of_created.unwrap_or_default()),
                    "",
                ),
                _ => (Method::PATCH, format!("events/{number}"), r#"{"title":"x"}"#),
            };
            if method == Method::DELETE {
                let mut known = self.known.lock().expect("no test panics while holding it");
                known.doomed.extend(of_created);
            }
            let answer = write(&self.edge, method.clone(), &format!("/{path}"), body).await;
            let mut known = self.known.lock().expect("no test panics while holding it");
            if method == Method::DELETE {
                known.deleted.extend(of_created);
            } else {
                let json = answer.json();
                known.learn(path.split('/').next().unwrap_or_default(), &json);
                if method == Method::POST {
                    known.created.extend(json["id"].as_u64());
                }
            }
        }
    }

    async fn read_on(&self, mut dice: u64) -> u64 {
        let mut hits = 0;
        while self.left.load(Ordering::SeqCst) > 0 {
            dice = dice
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let number = (dice >> 33) % 12 + 1;
            let target = match (dice >> 40) % 8 {
                0 => "events".to_owned(),
                1 => "venues".to_owned(),
                2 => "categories".to_owned(),
                3 => format!("venues/{}", number % 3 + 1),
                4 => format!("categories/{}", number % 2 + 1),
                5 => format!("events/{}", 100 + number * 3),
                _ => format!("events/{}", number % 8 + 1),
            };
            let known = self.known();
            let answer = self.edge.get(&format!("{API}/{target}")).await;
            known.check(&target, &answer, &self.known().doomed);
            hits += u64::from(cache_status(&answer).starts_with("hit"));
        }
        hits
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_reader_sees_a_state_older_than_a_finished_write() {
    let origin = shuffled().await;
    let run = Run {
        edge: edge(&origin, |settings| settings.origin.max_in_flight = 32).await,
        known: Mutex::default(),
        left: AtomicU64::new(writes()),
    };
    let writers =
        join_all((0..WRITERS).map(|writer| run.write_on(u64::try_from(writer).expect("small") + 77)));
    let readers = join_all((0..READERS).map(|reader| run.read_on(u64::try_from(reader).expect("small") + 1)));
    let (_, hits) = tokio::join!(writers, readers);
    let hits: u64 = hits.iter().sum();
    assert!(hits > 0, "the cache had no part in this");
}
