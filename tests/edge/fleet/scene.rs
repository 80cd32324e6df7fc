//! Edges of one fleet before one site that counts its changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use calendar_edge_core::settings::{MarkKey, Settings, StoreAddress};
use http::{Method, StatusCode};
use serde_json::Value;

use super::super::support::{Answer, Edge, Origin, Reply, Seen};

/// A record that all edges keep.
pub(super) const EVENT: &str = "/wp-json/calendar/events/v1/events/50";

const ORDERS: &str = "/wp-json/calendar-edge/v1/purge";
const QUESTION: &str = "/wp-json/calendar-edge/v1/changes";

/// A site whose events show the number of its last change.
pub(super) struct Scene {
    pub(super) edges: Vec<Edge>,
    pub(super) origin: Origin,
    site: Arc<SiteState>,
}

/// The site's responses.
#[derive(Default)]
struct SiteState {
    changes: AtomicU64,
    /// It responds with errors only.
    is_down: AtomicBool,
    /// It has no events any more.
    is_empty: AtomicBool,
}

// === impl Scene ===

impl Scene {
    /// So many edges, which all know the site and keep its event.
    pub(super) async fn start(count: usize, store: &StoreAddress) -> Self {
        Self::start_with(count, store, |_| {}).await
    }

    /// The same with changed settings.
    pub(super) async fn start_with(
        count: usize,
        store: &StoreAddress,
        change: impl Fn(&mut Settings),
    ) -> Self {
        let site = Arc::new(SiteState::default());
        site.changes.store(7, Ordering::SeqCst);
        let origin = Origin::answering({
            let site = Arc::clone(&site);
            move |seen| site.answer(seen)
        })
        .await;
        let mut edges = Vec::new();
        for _ in 0..count {
            edges.push(edge(&origin, store, &change).await);
        }
        let this = Self { edges, origin, site };
        for edge in &this.edges {
            introduce(edge).await;
        }
        this
    }

    /// Another edge before the same site.
    pub(super) async fn join(&self, store: &StoreAddress) -> Edge {
        self.join_with(store, |_| {}).await
    }

    /// The same with changed settings.
    pub(super) async fn join_with(&self, store: &StoreAddress, change: impl Fn(&mut Settings)) -> Edge {
        edge(&self.origin, store, change).await
    }

    /// Waits until all edges are together.
    pub(super) async fn together(&self) {
        self.together_with(self.edges.len()).await;
    }

    /// Waits until the edges see a fleet of so many.
    pub(super) async fn together_with(&self, count: usize) {
        for edge in &self.edges {
            wait("all edges are together", || async {
                members(edge).await == count && is_together(edge).await
            })
            .await;
        }
    }

    /// Changes the event at the site.
    pub(super) fn change(&self) -> u64 {
        self.site.changes.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Changes the event, and reports it to one edge, as the companion plugin does.
    pub(super) async fn change_and_tell(&self, edge: usize) -> Answer {
        let number = self.change();
        self.tell(edge, number).await
    }

    /// Reports to one edge that the event has changed.
    pub(super) async fn tell(&self, edge: usize, number: u64) -> Answer {
        let body = format!(r#"{{"tags":["event:50"],"changes":[{number}]}}"#);
        order(&self.edges[edge], &body).await
    }

    /// The number of the change that an edge shows.
    pub(super) async fn shown(&self, edge: usize) -> u64 {
        shown(&self.edges[edge]).await
    }

    /// Waits until an edge shows the last change, and returns the time of it.
    pub(super) async fn follows(&self, edge: usize) -> Duration {
        let (began, expected) = (Instant::now(), self.site.changes.load(Ordering::SeqCst));
        wait("the edge shows the change", || async {
            self.shown(edge).await == expected
        })
        .await;
        began.elapsed()
    }

    /// The requests to the site for its number of changes since the last call.
    pub(super) fn questions(&self) -> usize {
        let seen = self.origin.take_seen();
        seen.iter()
            .filter(|seen| seen.target.starts_with(QUESTION))
            .count()
    }
}

async fn edge(origin: &Origin, store: &StoreAddress, change: impl Fn(&mut Settings)) -> Edge {
    let edge = Edge::builder().origin(origin).settings(|settings| {
        settings.origin.mark_key = Some(key());
        settings.cache.enabled = true;
        settings.cache.reconcile = Duration::from_mins(1);
        settings.fleet.store = vec![store.clone()];
        settings.fleet.secret = Some(key());
    });
    edge.settings(change).start().await
}

/// Shows an edge the number of the site, so that it keeps the event.
async fn introduce(edge: &Edge) {
    edge.get("/wp-json/calendar/events/v1/venues/9").await;
    // The times of signs and of stored responses are compared in whole milliseconds.
    tokio::time::sleep(Duration::from_millis(20)).await;
    edge.get(EVENT).await;
}

// === impl SiteState ===

impl SiteState {
    fn answer(&self, seen: &Seen) -> Reply {
        if self.is_down.load(Ordering::SeqCst) {
            return Reply::of_type(500, "text/html", "a fault");
        }
        let changes = self.changes.load(Ordering::SeqCst);
        let reply = if seen.target.starts_with(QUESTION) {
            Reply::json(200, &format!(r#"{{"changes":{changes}}}"#))
        } else {
            self.event(&seen.target, changes)
        };
        reply.header("x-calendar-edge-changes", &changes.to_string())
    }

    fn event(&self, target: &str, changes: u64) -> Reply {
        let path = target.split('?').next().unwrap_or_default();
        let number = path.split_once("/events/v1/events/").map(|(_, number)| number);
        match number {
            Some(_) if self.is_empty.load(Ordering::SeqCst) => Reply::json(
                404,
                r#"{"code":"event-not-found","message":"No.","data":{"status":404}}"#,
            ),
            Some(number) => Reply::json(
                200,
                &format!(
                    r#"{{"id":{number},"title":"{changes}","image":false,"venue":[],"organizer":[],"categories":[],"tags":[]}}"#
                ),
            ),
            None => Reply::of_type(200, "text/html", "a page"),
        }
    }
}

pub(super) fn key() -> MarkKey {
    MarkKey::new(b"a secret of thirty-two characters").expect("a secret")
}

/// Gives an edge an order of the companion plugin.
pub(super) async fn order(edge: &Edge, body: &str) -> Answer {
    static NONCE: AtomicU64 = AtomicU64::new(1);
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("a time since 1970");
    let nonce = u128::from(NONCE.fetch_add(1, Ordering::Relaxed)).to_be_bytes();
    let seal = key().seal(body.as_bytes(), now.as_secs(), nonce);
    let request = edge.request(Method::POST, ORDERS).body(body.to_owned());
    let answer = Answer::to(request.header("x-calendar-edge-purge", seal)).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    answer
}

/// The number of the change that an edge shows. The request never fails.
pub(super) async fn shown(edge: &Edge) -> u64 {
    let answer = edge.get(EVENT).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    let title = answer.json()["title"].as_str().map(str::to_owned);
    title.expect("a title").parse().expect("a number")
}

/// An edge's status of its fleet.
pub(super) async fn status(edge: &Edge) -> Value {
    edge.admin("/status").await.json()["fleet"].clone()
}

pub(super) async fn is_together(edge: &Edge) -> bool {
    status(edge).await["together"] == true
}

pub(super) async fn members(edge: &Edge) -> usize {
    status(edge).await["members"].as_array().map_or(0, Vec::len)
}

/// The value of a counter.
pub(super) async fn count(edge: &Edge, series: &str) -> u64 {
    let value = edge.metric(series).await;
    value.expect(series).parse().expect("a whole number")
}

/// Waits for a condition, for a minute at most: how long it takes on a busy machine proves nothing.
pub(super) async fn wait<F: Future<Output = bool>>(what: &str, condition: impl Fn() -> F) -> Duration {
    let began = Instant::now();
    while !condition().await {
        assert!(began.elapsed() < Duration::from_mins(1), "in vain: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    began.elapsed()
}
