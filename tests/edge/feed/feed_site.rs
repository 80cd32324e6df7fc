//! A site with a companion plugin and records of every status, and an edge with a feed in front of it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use calendar_edge_core::settings::{MarkKey, Settings};
use calendar_edge_judge::contract::Kind;
use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::facts::{FACTS, rules, seal};
use crate::support::{Answer, Edge, Origin, Reply, Seen};

pub(super) const FEED: &str = "/wp-json/calendar-edge/v1/changes";
const MESSAGES: &str = "/wp-json/calendar-edge/v1/purge";
const LIST: &str = "/wp-json/calendar/events/v1/events?per_page=50";

/// The response to anonymous readers of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Published,
    /// Published, with a text of this many KiB.
    Long(usize),
    /// Published, and left out of lists.
    Unlisted,
    Draft,
    Private,
    Trashed,
    Deleted,
    Protected,
    /// Published, and kept from strangers by another plugin.
    ForMembers,
    /// Something before the site refuses the read.
    Blocked,
    /// The site fails.
    Broken,
}

/// A site under test; clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct FeedSite(Arc<SiteState>);

#[derive(Debug, Default)]
struct SiteState {
    changes: AtomicU64,
    /// By kind and number: `events/50`.
    records: Mutex<BTreeMap<String, Status>>,
    /// The number of reads of a single record.
    reads: AtomicU64,
    /// True if the request for the number fails.
    is_silent: AtomicBool,
    /// True if requests for facts fail.
    hides_facts: AtomicBool,
}

/// The site, and an edge in front of it.
pub(super) struct FeedScene {
    pub(super) site: FeedSite,
    pub(super) origin: Origin,
    pub(super) edge: Edge,
}

const SECRET: &[u8] = b"a secret of thirty-two characters";
/// The records of one reply.
const PAGE: usize = 40;

pub(crate) fn key() -> MarkKey {
    MarkKey::new(SECRET).expect("a secret")
}

// === impl FeedSite ===

impl FeedSite {
    /// A site that has counted changes before.
    pub(super) fn counting(changes: u64) -> Self {
        let site = Self::default();
        site.0.changes.store(changes, Ordering::SeqCst);
        site
    }

    pub(super) fn set(&self, record: &str, status: Status) {
        self.0
            .records
            .lock()
            .expect("a lock")
            .insert(record.to_owned(), status);
    }

    /// Counts a change, and returns its number.
    pub(super) fn count(&self) -> u64 {
        self.0.changes.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Shows no number from now on.
    pub(super) fn forget_count(&self) {
        self.count_to(0);
    }

    /// Shows this number; 0: none.
    pub(super) fn count_to(&self, changes: u64) {
        self.0.changes.store(changes, Ordering::SeqCst);
    }

    /// Fails where the edge requests the number, or no longer.
    pub(super) fn be_silent(&self, is_silent: bool) {
        self.0.is_silent.store(is_silent, Ordering::SeqCst);
    }

    /// Sends no facts, or sends them again.
    pub(super) fn hide_facts(&self, hides_facts: bool) {
        self.0.hides_facts.store(hides_facts, Ordering::SeqCst);
    }

    /// The number of reads of single records.
    pub(super) fn reads(&self) -> u64 {
        self.0.reads.load(Ordering::SeqCst)
    }

    pub(super) async fn start(&self) -> Origin {
        let site = self.clone();
        Origin::answering(move |seen| site.answer(seen)).await
    }

    fn answer(&self, seen: &Seen) -> Reply {
        let changes = self.0.changes.load(Ordering::SeqCst);
        let path = seen.target.split('?').next().unwrap_or_default();
        if let Some(query) = seen.target.strip_prefix(FACTS) {
            if self.0.hides_facts.load(Ordering::SeqCst) {
                return Reply::json(500, "{}");
            }
            let reply = facts_reply(query, changes, self.facts());
            return reply.header("x-calendar-edge-changes", &changes.to_string());
        }
        let reply = match path.split_once("/events/v1/").map_or("", |(_, record)| record) {
            "" if self.0.is_silent.load(Ordering::SeqCst) => {
                return Reply::json(500, r#"{"code":"internal_server_error"}"#);
            }
            "" if changes == 0 => return Reply::json(404, r#"{"code":"rest_no_route"}"#),
            "" => Reply::json(200, &json!({ "changes": changes }).to_string()),
            "events" => Reply::json(200, &self.list().to_string()),
            record => self.record(record, seen.header("host").unwrap_or_default()),
        };
        match changes {
            0 => reply,
            changes => reply.header("x-calendar-edge-changes", &changes.to_string()),
        }
    }

    /// The plugin's report of all records, and of all terms.
    fn facts(&self) -> (Vec<Value>, Value) {
        let records = self.0.records.lock().expect("a lock");
        let mut told: Vec<Value> = records
            .iter()
            .filter_map(|(name, status)| fact(name, *status))
            .collect();
        told.sort_by_key(|record| record["id"].as_u64());
        let (terms, posts) = told
            .into_iter()
            .partition(|record| record["taxonomy"].is_string());
        (posts, Value::Array(terms))
    }

    fn record(&self, record: &str, host: &str) -> Reply {
        self.0.reads.fetch_add(1, Ordering::SeqCst);
        let status = self.0.records.lock().expect("a lock").get(record).copied();
        let refused = |status: u16, code: &str| {
            Reply::json(
                status,
                &json!({"code": code, "data": {"status": status}}).to_string(),
            )
        };
        match status.unwrap_or(Status::Deleted) {
            Status::Published | Status::Unlisted => {
                let mut event = written(record);
                event["rest_url"] = format!("http://{host}/wp-json/tribe/events/v1/{record}").into();
                Reply::json(200, &event.to_string())
            }
            Status::Long(kib) => {
                let mut long = written(record);
                long["description"] = "x".repeat(kib << 10).into();
                Reply::json(200, &long.to_string())
            }
            Status::Draft | Status::Private | Status::ForMembers => refused(403, "event-not-accessible"),
            Status::Trashed => refused(403, "event-no-longer-available"),
            Status::Protected => refused(403, "event-password-protected"),
            Status::Blocked => Reply::json(403, r#"{"error":"blocked"}"#),
            Status::Deleted => refused(404, "rest-event-not-found"),
            Status::Broken => Reply::of_type(500, "text/html", "<p>There has been a critical error.</p>"),
        }
    }

    fn list(&self) -> Value {
        let records = self.0.records.lock().expect("a lock");
        let events = records.iter().filter(|(name, status)| {
            name.starts_with("events/") && matches!(status, Status::Published | Status::Protected)
        });
        let events: Vec<Value> = events.map(|(name, _)| written(name)).collect();
        json!({"events": events, "total": events.len(), "total_pages": 1})
    }
}

/// The plugin's report of a record; none if it is deleted.
fn fact(record: &str, status: Status) -> Option<Value> {
    let (kind, id) = record.split_once('/').expect("a kind and a number");
    let id: u64 = id.parse().expect("a number");
    let taxonomy = match kind {
        "categories" => Some("tribe_events_cat"),
        "tags" => Some("post_tag"),
        _ => None,
    };
    let of_post = match status {
        Status::Deleted => return None,
        Status::Draft => "draft",
        Status::Private => "private",
        Status::Trashed => "trash",
        _ => "publish",
    };
    Some(match taxonomy {
        Some(taxonomy) => json!({"id": id, "taxonomy": taxonomy, "parent": 0, "slug": "a", "sum": 1}),
        None => json!({
            "id": id, "kind": kind.trim_end_matches('s'), "slug": format!("slug-{id}"), "sum": 1,
            "status": of_post, "password": status == Status::Protected,
        }),
    })
}

/// The sealed reply to a request for facts: the names of all records, a few at a time, and terms.
fn facts_reply(query: &str, changes: u64, (records, terms): (Vec<Value>, Value)) -> Reply {
    let asked: BTreeMap<&str, &str> = query.split('&').filter_map(|part| part.split_once('=')).collect();
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let (after, ids) = (asked.get("after").copied(), asked.get("ids").copied());
    let ids: Vec<u64> = ids.map_or(Vec::new(), |ids| ids.split(',').map(number).collect());
    let is_asked = |record: &Value| {
        let id = record["id"].as_u64().expect("a number");
        after.is_some_and(|after| id > number(after)) || ids.contains(&id)
    };
    let mut told = json!({"facts": 1, "changes": changes, "sums": "", "events": [], "next": null});
    let mut behind = records.into_iter().filter(is_asked);
    let page: Vec<Value> = behind.by_ref().take(PAGE).collect();
    if behind.next().is_some() {
        told["next"] = page.last().expect("a record")["id"].clone();
    }
    if asked.contains_key("names") {
        told["names"] = json!(page);
    }
    if asked.contains_key("site") {
        told["site"] = json!({
            "home": "http://wp.example", "plugin": "6.17.2", "structure": "", "rules": rules(), "front_page": false,
            "languages": false, "views": true, "filters": [], "default_view": "list", "enabled_views": [],
            "per_page": 12, "cutoff": "00:00", "week_starts": 1, "language": "en", "calendar": "", "terms": terms,
            "words": {"none": "", "calendar": ""},
        });
    }
    let told = told.to_string();
    let seal = seal(SECRET, &told, asked["nonce"]);
    Reply::json(200, &told).header("x-calendar-edge-facts", &seal)
}

fn written(record: &str) -> Value {
    let (_, id) = record.split_once('/').expect("a kind and a number");
    let id: u64 = id.parse().expect("a number");
    json!({
        "id": id, "title": "Jazz", "modified_utc": "2027-03-01 10:00:00", "image": false, "venue": [], "organizer": [],
        "categories": [], "tags": [], "url": "http://wp.example/jazz", "all_day": false, "timezone": "UTC",
        "start_date": "2027-05-01 10:00:00", "utc_start_date": "2027-05-01 10:00:00",
    })
}

// === impl FeedScene ===

impl FeedScene {
    /// A site with these published records, and an edge that was shown a first number.
    pub(super) async fn of(records: &[&str]) -> Self {
        Self::with(records, |_| {}).await
    }

    /// The same with other settings.
    pub(super) async fn with(records: &[&str], change: impl FnOnce(&mut Settings)) -> Self {
        let site = FeedSite::counting(10);
        for record in records {
            site.set(record, Status::Published);
        }
        let origin = site.start().await;
        let edge = edge(&origin, change).await;
        Self { site, origin, edge }
    }

    /// The same site, after something has happened to it, behind another edge, which begins when the first has ended.
    pub(super) async fn restarted(
        self,
        settings: impl FnOnce(&mut Settings),
        meanwhile: impl FnOnce(&FeedSite),
    ) -> Self {
        self.edge.drain().await;
        meanwhile(&self.site);
        let edge = edge(&self.origin, settings).await;
        Self { edge, ..self }
    }

    /// Changes a record at the site, which counts it and reports it to the edge.
    pub(super) async fn change(&self, record: &str, status: Status) {
        self.site.set(record, status);
        self.tell(&[record]).await;
    }

    /// The same of a record that no client could read without an account before, as the plugin reports it.
    pub(super) async fn change_hidden(&self, record: &str, status: Status) {
        self.site.set(record, status);
        let message = json!({"tags": [tag(record)], "hidden": [tag(record)], "changes": [self.site.count()]});
        tell(&self.edge, &message).await;
    }

    /// Reports to the edge that records have changed.
    pub(super) async fn tell(&self, records: &[&str]) {
        let tags: Vec<String> = records.iter().map(|record| tag(record)).collect();
        tell(&self.edge, &json!({"tags": tags, "changes": [self.site.count()]})).await;
    }

    /// The feed's response to a query.
    pub(super) async fn feed(&self, query: &str) -> Value {
        let answer = self.edge.get(&format!("{FEED}?{query}")).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        answer.json()
    }

    /// A fresh token.
    pub(super) async fn token(&self) -> String {
        let answer = self.feed("").await;
        assert_eq!(answer["complete"], false);
        next(&answer)
    }

    /// Reads all records, as a client does that has a fresh token.
    pub(super) async fn read_all(&self) {
        assert_eq!(self.edge.get(LIST).await.status, StatusCode::OK);
    }

    /// The changes in the feed since a token: `changed event:50`.
    pub(super) async fn told(&self, since: &str) -> Vec<String> {
        let answer = self.feed(&format!("since={since}")).await;
        assert_eq!(answer["complete"], true, "{answer}");
        told(&answer)
    }
}

/// An edge with a feed that stores responses for no time without a companion plugin, and for an hour with one.
pub(super) async fn edge(origin: &Origin, change: impl FnOnce(&mut Settings)) -> Edge {
    let edge = Edge::builder().origin(origin).caching().settings(|settings| {
        settings.origin.mark_key = Some(key());
        settings.cache.fresh = Duration::ZERO;
        settings.cache.stale_while_revalidate = Duration::ZERO;
        settings.cache.reconcile = Duration::from_secs(2);
        settings.feed.enabled = true;
    });
    edge.settings(change).start().await
}

/// The directory of an edge that keeps its log.
pub(super) fn keeping(directory: &Path) -> impl FnOnce(&mut Settings) {
    let directory = directory.to_owned();
    move |settings| settings.state_dir = Some(directory)
}

/// Sends a message of the companion plugin.
pub(crate) async fn tell(edge: &Edge, message: &Value) {
    static NONCE: AtomicU64 = AtomicU64::new(1);
    let nonce = u128::from(NONCE.fetch_add(1, Ordering::SeqCst)).to_be_bytes();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    let body = message.to_string();
    let seal = key().seal(body.as_bytes(), now.as_secs(), nonce);
    let request = edge.request(Method::POST, MESSAGES);
    let answer = Answer::to(request.header("x-calendar-edge-purge", seal).body(body)).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
}

pub(super) fn next(answer: &Value) -> String {
    answer["next"].as_str().expect("a token").to_owned()
}

pub(super) fn told(answer: &Value) -> Vec<String> {
    let changes = answer["changes"].as_array().expect("a list");
    let told = changes.iter().map(|change| {
        let text = |name: &str| change[name].as_str().expect("a text").to_owned();
        format!("{} {}:{}", text("what"), text("kind"), change["id"])
    });
    told.collect()
}

/// The tag of a record: `events/50` is `event:50`.
fn tag(record: &str) -> String {
    let (kind, id) = record.split_once('/').expect("a kind and a number");
    let kind = Kind::ALL.into_iter().find(|known| known.collection() == kind);
    format!("{}:{id}", kind.expect("a kind").singular())
}
