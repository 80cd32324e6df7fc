//! Events as calendars, each promise over real sockets.

mod choice;
mod kept;
mod pages;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use calendar_edge_core::settings::{Rate, Settings};
use http::Method;
use serde_json::{Value, json};

use super::support::{Answer, Edge, Origin, Reply, Seen};

const API: &str = "/wp-json/calendar/events/v1";

const LIST: &str = "/wp-json/calendar/events/v1/events";

const FILE: &str = "/wp-json/calendar/events/v1/events.ics";

/// A site with events; clones share them.
#[derive(Clone)]
struct Calendar {
    /// The number of events.
    events: Arc<AtomicU64>,
    /// A part of all titles.
    edition: Arc<AtomicU64>,
    /// The end of all descriptions.
    text: String,
}

// === impl Calendar ===

impl Calendar {
    fn of(events: u64) -> Self {
        Self {
            events: Arc::new(AtomicU64::new(events)),
            edition: Arc::new(AtomicU64::new(1)),
            text: String::new(),
        }
    }

    /// The same with descriptions of so many bytes more.
    fn described(self, bytes: usize) -> Self {
        let text = "x".repeat(bytes);
        Self { text, ..self }
    }

    async fn site(&self) -> Origin {
        let calendar = self.clone();
        Origin::answering(move |seen| calendar.answer(seen)).await
    }

    fn edit(&self) {
        self.edition.fetch_add(1, Ordering::SeqCst);
    }

    fn event(&self, id: u64) -> Value {
        let edition = self.edition.load(Ordering::SeqCst);
        json!({
            "id": id,
            "title": format!("Event {id} &#038; {edition}"),
            "url": format!("https://site.example/event/{id}/"),
            "description": format!("<p>One</p><p>Two</p>{}", self.text),
            "all_day": false,
            "timezone": "Europe/Berlin",
            "start_date": "2027-07-01 19:00:00",
            "end_date": "2027-07-01 21:00:00",
            "utc_start_date": "2027-07-01 17:00:00",
            "utc_end_date": "2027-07-01 19:00:00",
            "date_utc": "2026-01-01 10:00:00",
            "modified_utc": "2026-02-01 10:00:00",
        })
    }

    /// An event alone, which carries what items of lists do not.
    fn single(&self, id: u64) -> Reply {
        let mut event = self.event(id);
        event["json_ld"] = json!({"@type": "Event", "name": format!("Event {id}")});
        Reply::json(200, &event.to_string())
    }

    fn answer(&self, seen: &Seen) -> Reply {
        let (path, query) = seen.target.split_once('?').unwrap_or((&seen.target, ""));
        let Some(route) = path.split("/tribe/events/v1/").nth(1) else {
            return Reply::json(404, "{}");
        };
        let number = route.strip_prefix("events/").and_then(|id| id.parse().ok());
        if let Some(id) = number.filter(|id| *id <= self.events.load(Ordering::SeqCst)) {
            return self.single(id);
        }
        if route == "events/by-slug/gala" {
            return self.single(1);
        }
        if route != "events" {
            return Reply::json(
                404,
                r#"{"code":"event-not-found","message":"x","data":{"status":404}}"#,
            );
        }
        let argument = |name: &str| {
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs
                .find(|(sent, _)| *sent == name)
                .and_then(|(_, value)| value.parse().ok())
        };
        self.page(argument("page").unwrap_or(1), argument("per_page").unwrap_or(10))
    }

    fn page(&self, page: u64, size: u64) -> Reply {
        let total = self.events.load(Ordering::SeqCst);
        let ids = ((page - 1) * size + 1)..=(page * size).min(total);
        if ids.is_empty() && page > 1 {
            let code = r#"{"code":"event-archive-page-not-found","message":"x","data":{"status":404}}"#;
            return Reply::json(404, code);
        }
        let events: Vec<Value> = ids.map(|id| self.event(id)).collect();
        let pages = total.div_ceil(size);
        let body = json!({"events": events, "rest_url": "x", "total": total, "total_pages": pages});
        Reply::json(200, &body.to_string())
            .header("x-tec-total", &total.to_string())
            .header("x-tec-totalpages", &pages.to_string())
            .header("vary", "Origin")
    }
}

/// The number of requests about events.
fn asked(origin: &Origin) -> usize {
    let seen = origin.seen();
    seen.iter()
        .filter(|seen| seen.target.contains("/tribe/events/v1/events"))
        .count()
}

/// An edge whose responses stay fresh for the whole test, and that gives events in all forms.
async fn lasting(origin: &Origin) -> Edge {
    edge(origin, |_| ()).await
}

async fn edge(origin: &Origin, change: impl FnOnce(&mut Settings)) -> Edge {
    Edge::builder()
        .origin(origin)
        .caching()
        .settings(|settings| {
            settings.cache.fresh = Duration::from_hours(1);
            settings.forms.calendar = true;
        })
        .settings(change)
        .start()
        .await
}

async fn accepting(edge: &Edge, target: &str, accept: &str) -> Answer {
    Answer::to(edge.request(Method::GET, target).header("accept", accept)).await
}

/// The number of events in a calendar that can be read.
fn events_in(answer: &Answer) -> usize {
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(
        answer.header("content-type"),
        Some("text/calendar; charset=utf-8")
    );
    assert!(answer.body.starts_with("BEGIN:VCALENDAR\r\n"), "{}", answer.body);
    assert!(answer.body.ends_with("\r\nEND:VCALENDAR\r\n"), "{}", answer.body);
    answer.body.matches("\r\nBEGIN:VEVENT\r\n").count()
}
