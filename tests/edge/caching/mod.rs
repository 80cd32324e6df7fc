//! The promises of the cache, each over real sockets.

mod hits;
mod memory;
mod model;
mod outage;
mod privacy;
mod sharing;
mod stated;
mod time;
mod writes;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use calendar_edge_core::settings::Settings;
use http::Method;

use super::support::{Answer, EVENTS, Edge, Origin, Reply, Seen};

const API: &str = "/wp-json/calendar/events/v1";

/// Credentials that the edge takes for some.
const BASIC: &str = "Basic YTpi";

/// A site that counts the requests about its calendar in each response.
async fn counting() -> Origin {
    let count = Arc::new(AtomicU64::new(0));
    Origin::answering(move |seen| {
        if !is_calendar(seen) {
            return Reply::json(404, "{}");
        }
        numbered(count.fetch_add(1, Ordering::SeqCst) + 1)
    })
    .await
}

/// An event whose title is a number.
fn numbered(number: u64) -> Reply {
    Reply::json(200, &format!(r#"{{"id":56,"title":"{number}"}}"#))
}

/// Beside the calendar, the edge requests the site's time zone.
fn is_calendar(seen: &Seen) -> bool {
    seen.target.contains("/tribe/events/v1")
}

/// The number of requests about the calendar.
fn asked(origin: &Origin) -> usize {
    origin.seen().iter().filter(|seen| is_calendar(seen)).count()
}

/// An edge whose responses stay fresh for the whole test.
async fn lasting(origin: &Origin) -> Edge {
    edge(origin, |_| ()).await
}

async fn edge(origin: &Origin, change: impl FnOnce(&mut Settings)) -> Edge {
    Edge::builder()
        .origin(origin)
        .caching()
        .settings(|settings| settings.cache.fresh = Duration::from_hours(1))
        .settings(change)
        .start()
        .await
}

/// The cache's report of what it did.
fn cache_status(answer: &Answer) -> &str {
    let status = answer.header("cache-status").expect("Cache-Status");
    status
        .strip_prefix("calendar-edge; ")
        .expect("the edge's own name")
}

async fn write(edge: &Edge, method: Method, path: &str, body: &str) -> Answer {
    let request = edge.request(method, &format!("{API}{path}"));
    let request = request.header("authorization", BASIC);
    let request = request
        .header("content-type", "application/json")
        .body(body.to_owned());
    Answer::to(request).await
}
