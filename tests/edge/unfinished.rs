//! Changes that the site has begun and not finished: a run of PHP that is killed leaves no stored response behind
//! (T-86).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use calendar_edge_core::settings::{MarkKey, OtherTraffic, Settings};
use http::StatusCode;
use tokio::time::{Instant, sleep};

use super::support::{Edge, Origin, Reply, Seen};

const EVENT: &str = "/wp-json/calendar/events/v1/events/50";
const QUESTION: &str = "/wp-json/calendar-edge/v1/changes";

/// A site with one event and a companion plugin, whose runs of PHP may be killed.
#[derive(Clone)]
struct Site {
    /// When the change was begun that is not finished, in seconds since the start; negative: there is none.
    begun: Arc<AtomicI64>,
    is_public: Arc<AtomicBool>,
    since: Instant,
}

// === impl Site ===

impl Site {
    fn new() -> Self {
        Self {
            begun: Arc::new(AtomicI64::new(-1)),
            is_public: Arc::new(AtomicBool::new(true)),
            since: Instant::now(),
        }
    }

    async fn start(&self) -> Origin {
        let site = self.clone();
        Origin::answering(move |seen| site.answer(seen)).await
    }

    fn begin(&self) {
        self.begun.store(self.age_of(0), Ordering::SeqCst);
    }

    fn finish(&self) {
        self.begun.store(-1, Ordering::SeqCst);
    }

    /// The seconds since a moment in seconds since the start.
    fn age_of(&self, begun: i64) -> i64 {
        i64::try_from(self.since.elapsed().as_secs()).expect("a short test") - begun
    }

    fn answer(&self, seen: &Seen) -> Reply {
        let path = seen.target.split('?').next().unwrap_or_default();
        let reply = match path {
            QUESTION => Reply::json(200, r#"{"changes":5}"#),
            path if path.ends_with("/events/50") && self.is_public.load(Ordering::SeqCst) => {
                Reply::json(200, r#"{"id":50,"title":"Jazz"}"#)
            }
            path if path.contains("/events/v1/") => Reply::json(
                404,
                r#"{"code":"event-not-found","message":"none","data":{"status":404}}"#,
            ),
            _ => Reply::of_type(200, "text/html", "a page"),
        };
        let reply = reply.header("x-calendar-edge-changes", "5");
        match self.begun.load(Ordering::SeqCst) {
            ..0 => reply,
            begun => reply.header("x-calendar-edge-begun", &self.age_of(begun).to_string()),
        }
    }
}

/// An edge that stores responses for an hour while it gets signs of the companion plugin, and has stored the event.
async fn edge_before(origin: &Origin, reconcile: Duration) -> Edge {
    let settings = move |settings: &mut Settings| {
        let key = MarkKey::new(b"a secret of thirty-two characters").expect("a secret");
        settings.origin.mark_key = Some(key);
        settings.other = OtherTraffic::Forward;
        settings.cache.enabled = true;
        settings.cache.fresh = Duration::ZERO;
        settings.cache.stale_while_revalidate = Duration::ZERO;
        settings.cache.reconcile = reconcile;
    };
    let edge = Edge::builder().origin(origin).settings(settings).start().await;
    // The first number vouches for responses requested behind it, in whole milliseconds.
    edge.get("/wp-json/calendar/events/v1/venues/9").await;
    sleep(Duration::from_millis(20)).await;
    edge.get(EVENT).await;
    assert!(is_hit(&edge).await);
    edge
}

async fn is_hit(edge: &Edge) -> bool {
    let answer = edge.get(EVENT).await;
    let status = answer.header("cache-status").unwrap_or_default();
    status.starts_with("calendar-edge; hit")
}

#[tokio::test]
async fn t86_a_killed_change_counts_within_reconcile() {
    let site = Site::new();
    let origin = site.start().await;
    let reconcile = Duration::from_secs(4);
    let edge = edge_before(&origin, reconcile).await;
    // The run notes that it begins, hides the event, and is killed: no message, no number.
    site.begin();
    site.is_public.store(false, Ordering::SeqCst);
    let killed = Instant::now();
    while edge.get(EVENT).await.status == StatusCode::OK {
        assert!(
            killed.elapsed() < reconcile + Duration::from_secs(1),
            "shown for {:?}",
            killed.elapsed()
        );
        sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn t86_what_is_kept_while_the_run_is_at_work_counts_too() {
    let site = Site::new();
    let origin = site.start().await;
    let reconcile = Duration::from_secs(4);
    let edge = edge_before(&origin, reconcile).await;
    site.begin();
    // Long enough that the change has counted once, and the event was kept again.
    let counted = Instant::now();
    while is_hit(&edge).await {
        assert!(counted.elapsed() < Duration::from_secs(20), "it never counts");
        sleep(Duration::from_millis(50)).await;
    }
    assert!(is_hit(&edge).await);
    site.is_public.store(false, Ordering::SeqCst);
    let killed = Instant::now();
    while edge.get(EVENT).await.status == StatusCode::OK {
        assert!(
            killed.elapsed() < reconcile + Duration::from_secs(1),
            "shown for {:?}",
            killed.elapsed()
        );
        sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_change_that_is_finished_soon_removes_nothing() {
    let site = Site::new();
    let origin = site.start().await;
    let edge = edge_before(&origin, Duration::from_secs(8)).await;
    site.begin();
    edge.get("/wp-json/calendar/events/v1/venues/8").await;
    sleep(Duration::from_millis(500)).await;
    site.finish();
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(6) {
        assert!(is_hit(&edge).await, "removed after {:?}", begun.elapsed());
        sleep(Duration::from_millis(100)).await;
    }
    let missed = edge.metric("edge_cache_removals_total{cause=\"missed\"}").await;
    assert_eq!(missed.as_deref(), Some("0"));
}

#[tokio::test]
async fn t93_the_age_of_a_change_never_reaches_a_client() {
    let site = Site::new();
    let origin = site.start().await;
    let edge = edge_before(&origin, Duration::from_mins(1)).await;
    site.begin();
    for target in ["/wp-json/calendar/events/v1/events/51", EVENT, "/a-page"] {
        let answer = edge.get(target).await;
        let shown = answer.headers.keys().map(http::HeaderName::as_str);
        let shown: Vec<&str> = shown.filter(|name| name.starts_with("x-calendar-edge")).collect();
        assert_eq!(shown, [""; 0], "{target}");
    }
}
