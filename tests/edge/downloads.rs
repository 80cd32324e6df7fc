//! Calendar files that the plugin offers, given from the edge's own calendars, over real sockets.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use calendar_edge_core::settings::{Mode, OtherTraffic, Rate, Settings};
use http::Method;
use serde_json::{Value, json};

use crate::facts::{FACTS, rules, seal};
use crate::feed::feed_site::{key, tell};
use crate::support::{Answer, EVENTS, Edge, Origin, Reply, Seen};

const API: &str = "/wp-json/tribe/events/v1/events";

/// Addresses of the file of all events, as links name them.
const LISTS: [&str; 8] = [
    "/events/?ical=1",
    "/events/ical/",
    "/events/list/?ical=1",
    "/events/list/?outlook-ical=1",
    "/?post_type=tribe_events&ical=1&eventDisplay=list",
    "/event/?ical=1",
    "/sample-page/?ical=1",
    "/events/?ical=1&utm_source=newsletter",
];

/// A site with a companion plugin and events in two categories; clones share it.
#[derive(Debug, Clone)]
struct DownloadSite {
    changes: Arc<AtomicU64>,
    /// The title of each event, by its number.
    titles: Arc<Mutex<BTreeMap<u64, String>>>,
}

struct DownloadScene {
    site: DownloadSite,
    origin: Origin,
    edge: Edge,
}

// === impl DownloadSite ===

impl DownloadSite {
    fn of(events: u64) -> Self {
        let titles = (1..=events).map(|id| (id, format!("Event {id}")));
        Self {
            changes: Arc::new(AtomicU64::new(10)),
            titles: Arc::new(Mutex::new(titles.collect())),
        }
    }

    fn respond(&self, seen: &Seen) -> Reply {
        let (path, query) = seen.target.split_once('?').unwrap_or((&seen.target, ""));
        let changes = self.changes.load(Ordering::SeqCst).to_string();
        let reply = match path.strip_prefix(API) {
            _ if seen.target.starts_with(FACTS) => self.facts(query),
            Some("") => self.list(query),
            Some("/by-slug/gala") => Reply::json(200, &self.event(1).to_string()),
            Some(_) => Reply::json(
                400,
                r#"{"code":"rest_invalid_param","message":"x","data":{"status":400}}"#,
            ),
            None if seen.target.contains("ical") => {
                Reply::of_type(200, "text/calendar; charset=UTF-8", "the plugin's")
            }
            None => Reply::json(200, "{}"),
        };
        reply.header("x-calendar-edge-changes", &changes)
    }

    fn facts(&self, query: &str) -> Reply {
        let nonce = query.rsplit("nonce=").next().expect("a nonce");
        let term = |id, slug| json!({"id": id, "taxonomy": "tribe_events_cat", "slug": slug, "parent": 0});
        let reply = json!({
            "facts": 1, "changes": self.changes.load(Ordering::SeqCst), "sums": "1", "events": [], "next": null,
            "site": {
                "home": "http://wp.example", "plugin": "6.17.2", "structure": "/%postname%/", "rules": rules(),
                "front_page": false, "languages": false, "views": true, "filters": [], "default_view": "list",
                "enabled_views": ["list", "month", "day"], "per_page": 12, "cutoff": "00:00", "week_starts": 1,
                "language": "en-US", "calendar": "http://wp.example/events/",
                "words": {"none": "None.", "calendar": "Events"}, "terms": [term(3, "odd"), term(4, "unused")],
            },
        });
        let body = reply.to_string();
        let seal = seal(b"a secret of thirty-two characters", &body, nonce);
        Reply::json(200, &body).header("x-calendar-edge-facts", &seal)
    }

    fn event(&self, id: u64) -> Value {
        json!({
            "id": id, "title": self.titles.lock().expect("a lock").get(&id), "all_day": false,
            "url": format!("https://site.example/event/{id}/"), "timezone": "Europe/Berlin",
            "start_date": "2027-07-01 19:00:00", "end_date": "2027-07-01 21:00:00",
            "utc_start_date": "2027-07-01 17:00:00", "utc_end_date": "2027-07-01 19:00:00",
        })
    }

    fn list(&self, query: &str) -> Reply {
        let page: usize = if query.contains("page=2") { 2 } else { 1 };
        let odd = query.contains("categories=3");
        let ids = self
            .titles
            .lock()
            .expect("a lock")
            .keys()
            .copied()
            .collect::<Vec<_>>();
        let ids: Vec<_> = ids.into_iter().filter(|id| !odd || id % 2 == 1).collect();
        let events: Vec<_> = ids
            .iter()
            .skip(50 * (page - 1))
            .take(50)
            .map(|id| self.event(*id))
            .collect();
        let body = json!({"events": events, "total": ids.len(), "total_pages": ids.len().div_ceil(50)});
        Reply::json(200, &body.to_string())
    }
}

// === impl DownloadScene ===

impl DownloadScene {
    async fn new(change: impl FnOnce(&mut Settings)) -> Self {
        Self::of(60, change).await
    }

    /// A site with so many events, and an edge that knows how its addresses are read.
    async fn of(events: u64, change: impl FnOnce(&mut Settings)) -> Self {
        let site = DownloadSite::of(events);
        let answering = site.clone();
        let origin = Origin::answering(move |seen| answering.respond(seen)).await;
        let edge = Edge::builder().origin(&origin).caching().settings(|settings| {
            settings.origin.mark_key = Some(key());
            settings.other = OtherTraffic::Forward;
            settings.forms.calendar = true;
            settings.cache.fresh = Duration::from_hours(24);
            settings.cache.fresh_with_purge = Duration::from_hours(24);
            settings.calendar_pages.mode = Mode::Enforce;
            settings.calendar_pages.downloads = true;
        });
        let edge = edge.settings(change).start().await;
        let scene = Self { site, origin, edge };
        for _ in 0..300 {
            scene.edge.get(EVENTS).await;
            if scene.edge.metric("edge_facts_whole").await.as_deref() == Some("1") {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        scene.origin.take_seen();
        scene
    }

    /// Stores an event as WordPress does, and reports it to the edge.
    async fn edit(&self, id: u64, title: Option<&str>) {
        {
            let mut titles = self.site.titles.lock().expect("a lock");
            match title {
                Some(title) => drop(titles.insert(id, title.to_owned())),
                None => drop(titles.remove(&id)),
            }
        }
        let number = self.site.changes.fetch_add(1, Ordering::SeqCst) + 1;
        let message = json!({"tags": [format!("event:{id}"), "events"], "changes": [number]});
        tell(&self.edge, &message).await;
    }

    /// Requests to the site that cost it a run for subscribers: files, and pages of events.
    fn asked(&self) -> Vec<String> {
        let seen = self.origin.take_seen().into_iter().map(|seen| seen.target);
        seen.filter(|target| target.contains("ical") || target.starts_with(API))
            .collect()
    }
}

fn events_in(answer: &Answer) -> usize {
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(
        answer.header("content-type"),
        Some("text/calendar; charset=utf-8")
    );
    assert_eq!(
        answer.header("content-disposition"),
        Some("attachment; filename=\"events.ics\"")
    );
    assert_eq!(answer.header("x-robots-tag"), Some("noindex, nofollow"));
    answer.body.matches("\r\nBEGIN:VEVENT\r\n").count()
}

#[tokio::test]
async fn every_spelling_of_the_list_is_one_stored_calendar() {
    let scene = DownloadScene::new(|_| ()).await;
    let first = scene.edge.get(LISTS[0]).await;
    assert_eq!(events_in(&first), 60);
    let tag = first.header("etag").expect("a tag");
    for address in LISTS {
        let again = scene.edge.get(address).await;
        assert_eq!(
            (&again.body, again.header("etag")),
            (&first.body, Some(tag)),
            "{address}"
        );
        let known = scene
            .edge
            .request(Method::GET, address)
            .header("if-none-match", tag);
        let known = Answer::to(known).await;
        assert_eq!((known.status.as_u16(), &*known.body), (304, ""), "{address}");
        let head = Answer::to(scene.edge.request(Method::HEAD, address)).await;
        assert_eq!(
            (head.status.as_u16(), head.header("etag")),
            (200, Some(tag)),
            "{address}"
        );
    }
    assert_eq!(scene.asked().len(), 2, "the two pages of the list");
}

#[tokio::test]
async fn files_of_a_category_and_of_one_event_have_its_events() {
    let scene = DownloadScene::new(|_| ()).await;
    for address in [
        "/events/category/odd/?ical=1",
        "/events/category/odd/ical/",
        "/?post_type=tribe_events&tribe_events_cat=odd&ical=1&eventDisplay=list",
    ] {
        assert_eq!(events_in(&scene.edge.get(address).await), 30, "{address}");
    }
    let event = scene.edge.get("/event/gala/?ical=1").await;
    assert_eq!(events_in(&event), 1);
    assert!(event.body.contains("\r\nSUMMARY:Event 1\r\n"), "{}", event.body);
    assert_eq!(scene.asked().len(), 2);
    scene.edit(1, Some("Grand gala")).await;
    let event = scene.edge.get("/event/gala/?ical=1").await;
    assert!(
        event.body.contains("\r\nSUMMARY:Grand gala\r\n"),
        "{}",
        event.body
    );
}

#[tokio::test]
async fn what_the_calendar_does_not_have_is_the_plugins() {
    let scene = DownloadScene::new(|_| ()).await;
    for address in [
        "/event/no-such/?ical=1",
        "/event/gala/ical/",
        "/events/list/page/2/?ical=1",
        "/events/?ical=1&eventDisplay=past",
        "/events/?ical=1&s=gala",
        "/events/category/no-such/?ical=1",
        "/sample-page/feed/?ical=1",
    ] {
        let answer = scene.edge.get(address).await;
        assert_eq!(
            (answer.status.as_u16(), &*answer.body),
            (200, "the plugin's"),
            "{address}"
        );
        assert_eq!(answer.header("x-robots-tag"), None, "{address}");
    }
    let login = scene.edge.request(Method::GET, LISTS[0]);
    let login = Answer::to(login.header("cookie", "wordpress_logged_in_ab=u%7C1")).await;
    assert_eq!(login.body, "the plugin's");
    scene.origin.kill().await;
    let failed = scene.edge.get(LISTS[0]).await;
    assert!(failed.status.is_server_error() && failed.header("content-disposition").is_none());
}

#[tokio::test]
async fn t114_files_of_events_that_do_not_exist_pay_before_the_api_is_asked() {
    let scene = DownloadScene::new(|settings| {
        settings.calendar_pages.robots = Some(Rate {
            requests: 8,
            period: Duration::from_hours(1),
        });
    })
    .await;
    let mut passed = 0;
    for number in 0..20 {
        let file = scene.edge.get(&format!("/event/none-{number}/?ical=1")).await;
        passed += usize::from(file.status == 200);
    }
    assert_eq!(passed, 2, "a quarter for one client");
    let asked = scene.asked();
    assert_eq!(asked.len(), 4, "the API and the site, for each: {asked:?}");
    assert_eq!(
        events_in(&scene.edge.get(LISTS[0]).await),
        60,
        "a list costs the site nothing"
    );
}

#[tokio::test]
async fn report_mode_counts_downloads_and_forwards_them() {
    let settings: [fn(&mut Settings); 4] = [
        |settings| settings.calendar_pages.mode = Mode::Report,
        |settings| settings.calendar_pages.downloads = false,
        |settings| settings.forms.calendar = false,
        |settings| settings.cache.enabled = false,
    ];
    for (at, change) in settings.into_iter().enumerate() {
        let scene = DownloadScene::new(change).await;
        let answer = scene.edge.get(LISTS[0]).await;
        assert_eq!(answer.body, "the plugin's", "{at}");
        let counted = scene
            .edge
            .metric("edge_calendar_pages_total{outcome=\"would_serve\"}")
            .await;
        assert_eq!(counted.as_deref() == Some("1"), at == 0, "{at}: {counted:?}");
        let asked = scene.asked();
        assert_eq!(asked, [LISTS[0]], "{at}");
    }
}

#[tokio::test]
async fn a_day_of_a_thousand_subscribers_costs_the_site_its_edits() {
    let scene = DownloadScene::of(40, |_| ()).await;
    let mut tags: BTreeMap<usize, String> = BTreeMap::new();
    let (mut unchanged, mut edits) = (0, 0);
    for poll in 0..3000 {
        let subscriber = poll % 1000;
        let mut request = scene.edge.request(Method::GET, LISTS[subscriber % LISTS.len()]);
        if let Some(tag) = tags.get(&subscriber) {
            request = request.header("if-none-match", tag);
        }
        let answer = Answer::to(request).await;
        if answer.status == 304 {
            unchanged += 1;
        } else {
            assert_eq!(events_in(&answer), 40 - edits, "{poll}");
            tags.insert(subscriber, answer.header("etag").expect("a tag").to_owned());
        }
        // The next subscriber comes before the edge has received the new state of the event.
        if [150, 500, 900, 950].contains(&poll) {
            edits += 1;
            scene.edit(u64::try_from(edits).expect("a number"), None).await;
        }
    }
    let asked = scene.asked();
    assert!(unchanged > 1000, "{unchanged}");
    assert!(
        asked.len() <= edits + 2,
        "{edits} edits, asked {}: {asked:?}",
        asked.len()
    );
    let is_upcoming =
        |target: &String| target.starts_with(API) && target.contains("ends_after=today&strict_dates=1");
    assert!(asked.iter().all(is_upcoming), "{asked:?}");
}
