//! The facts of the calendar over real sockets: the edge's requests to the companion plugin, and the replies that it
//! takes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use calendar_edge_core::settings::{Mode, OtherTraffic, Settings};
use ring::{digest, hmac};
use serde_json::{Value, json};

use crate::feed::feed_site::{key, tell};
use crate::support::{Directory, EVENTS, Edge, Origin, Reply, Seen, german_root};

pub(crate) const FACTS: &str = "/wp-json/calendar-edge/v1/facts?";
const SECRET: &[u8] = b"a secret of thirty-two characters";
/// The events of one reply.
const PAGE: usize = 2;

/// Faults of a site's replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Fault {
    #[default]
    None,
    /// They are sealed with another secret.
    Forged,
    /// The body is another one than that of the seal.
    Altered,
    /// A reply to an earlier request comes again.
    Replayed,
    /// The event plugin is not active.
    NoPlugin,
    /// No facts, and no number.
    Silent,
}

#[derive(Debug, Default)]
pub(crate) struct SiteState {
    pub(crate) changes: u64,
    /// Changes with each change of a table.
    sums: u64,
    /// The start of each event.
    events: BTreeMap<u64, String>,
    pub(crate) fault: Fault,
    /// The last reply, with its seal.
    told: Option<(String, String)>,
    /// Members of `site` that differ.
    pub(crate) odd: Value,
    /// A change is begun and not finished.
    pub(crate) has_begun: bool,
    /// The pages that show an event.
    pub(crate) full: BTreeSet<String>,
    /// The time until facts come.
    delay: Duration,
}

/// A site whose plugin reports facts, and an edge in front of it.
pub(crate) struct FactsScene {
    site: Arc<Mutex<SiteState>>,
    pub(crate) origin: Origin,
    pub(crate) edge: Edge,
}

fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a text");
        text
    })
}

/// The seal of a reply, written here a second time as the plugin does.
pub(crate) fn seal(secret: &[u8], body: &str, nonce: &str) -> String {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("after 1970")
        .as_secs();
    let body = hex(digest::digest(&digest::SHA256, body.as_bytes()));
    let message = format!("calendar-edge facts v1\n{now}\n{nonce}\n{body}");
    let signature = hex(hmac::sign(
        &hmac::Key::new(hmac::HMAC_SHA256, secret),
        message.as_bytes(),
    ));
    format!("v1 t={now},n={nonce},d={body},s={signature}")
}

// === impl SiteState ===

impl SiteState {
    fn respond(&mut self, seen: &Seen) -> Reply {
        let query = seen.target.strip_prefix(FACTS);
        if seen.target.starts_with("/events/") {
            let class = if self.full.contains(&seen.target) {
                "type-tribe_events"
            } else {
                "none"
            };
            // WordPress prints the requested address.
            let link = format!("<a href=\"{}\">WordPress</a>", seen.target);
            let page =
                format!("<div class=\"tribe-events-view\"><article class=\"{class}\">{link}</article></div>");
            return Reply::of_type(200, "text/html", &page);
        }
        match (query, self.fault) {
            (_, Fault::Silent) => Reply::json(500, "{}"),
            (Some(_), Fault::NoPlugin) => Reply::json(404, "{}"),
            (Some(query), _) => self.tell(query),
            (None, _) => {
                let counted =
                    Reply::json(200, "{}").header("x-calendar-edge-changes", &self.changes.to_string());
                if self.has_begun {
                    counted.header("x-calendar-edge-begun", "0")
                } else {
                    counted
                }
            }
        }
    }

    fn tell(&mut self, query: &str) -> Reply {
        let asked: BTreeMap<&str, &str> = query.split('&').filter_map(|part| part.split_once('=')).collect();
        let nonce = asked["nonce"];
        let fresh = self.reply(&asked).to_string();
        let secret = if self.fault == Fault::Forged {
            b"another secret with 32 characters"
        } else {
            SECRET
        };
        let mut reply = (seal(secret, &fresh, nonce), fresh);
        match (self.fault, &self.told) {
            (Fault::Replayed, Some(told)) => reply = told.clone(),
            (Fault::Altered, _) => reply.1.push(' '),
            _ => self.told = Some(reply.clone()),
        }
        let reply = Reply::json(200, &reply.1).header("x-calendar-edge-facts", &reply.0);
        reply.after(self.delay)
    }

    fn reply(&self, asked: &BTreeMap<&str, &str>) -> Value {
        let written = |(id, start): (&u64, &String)| json!({"id": id, "featured": false, "terms": [], "times": [[start, start]]});
        let mut next = None;
        let mut events = Vec::new();
        if let Some(after) = asked.get("after") {
            let after: u64 = after.parse().expect("a number");
            let later = self.events.range(after + 1..);
            next = later
                .clone()
                .nth(PAGE - 1)
                .map(|(id, _)| *id)
                .filter(|_| later.clone().count() > PAGE);
            events = later.take(PAGE).map(written).collect();
        } else if let Some(ids) = asked.get("ids") {
            let ids: Vec<&str> = ids.split(',').collect();
            let asked = self
                .events
                .iter()
                .filter(|(id, _)| ids.contains(&id.to_string().as_str()));
            events = asked.map(written).collect();
        }
        let mut reply = json!({
            "facts": 1, "changes": self.changes, "sums": self.sums.to_string(), "events": events, "next": next,
        });
        if asked.contains_key("site") {
            reply["site"] = json!({
                "home": "http://wp.example", "plugin": "6.17.2", "structure": "/%postname%/", "rules": rules(),
                "front_page": false, "languages": false, "views": true, "filters": [], "default_view": "list",
                "enabled_views": ["list", "month", "day"], "per_page": 12, "cutoff": "00:00", "week_starts": 1, "language": "de-DE",
                "calendar": "http://wp.example/events/", "terms": [],
                "words": {"none": "Keine Veranstaltungen", "calendar": "Kalender"},
            });
            for (name, value) in self.odd.as_object().into_iter().flatten() {
                reply["site"][name] = value.clone();
            }
        }
        reply
    }

    pub(crate) fn store(&mut self, id: u64, start: &str) {
        self.events.insert(id, start.to_owned());
        self.sums += 1;
    }
}

// === impl FactsScene ===

impl FactsScene {
    /// A site with five events, and an edge that keeps its facts in this directory.
    async fn new(directory: Option<&Path>, fault: Fault) -> Self {
        let directory = directory.map(Path::to_owned);
        Self::with(
            |site| site.fault = fault,
            |settings| settings.state_dir = directory,
        )
        .await
    }

    /// The same with another site and other settings.
    pub(crate) async fn with(
        change_site: impl FnOnce(&mut SiteState),
        change: impl FnOnce(&mut Settings),
    ) -> Self {
        let mut state = SiteState {
            changes: 10,
            ..SiteState::default()
        };
        change_site(&mut state);
        for id in [3, 5, 8, 13, 21] {
            state.store(id, "2027-08-01 10:00:00");
        }
        let site = Arc::new(Mutex::new(state));
        let answering = Arc::clone(&site);
        let origin = Origin::answering(move |seen| answering.lock().expect("a lock").respond(seen)).await;
        let edge = edge(&origin, None, change).await;
        Self { site, origin, edge }
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut SiteState)) {
        change(&mut self.site.lock().expect("a lock"));
    }

    /// Stores an event as WordPress does, and reports it to the edge.
    pub(crate) async fn edit(&self, id: u64, start: &str) {
        let mut number = 0;
        self.change(|site| {
            site.store(id, start);
            site.changes += 1;
            number = site.changes;
        });
        let message = json!({"tags": [format!("event:{id}"), "events"], "changes": [number]});
        tell(&self.edge, &message).await;
    }

    /// The requests for facts so far, without their nonces.
    fn questions(&self) -> Vec<String> {
        let seen = self.origin.take_seen();
        let queries = seen.iter().filter_map(|seen| {
            assert!(seen.target.starts_with(FACTS) <= seen.header("x-calendar-edge-mark").is_some());
            seen.target.strip_prefix(FACTS)?.rsplit_once("nonce=")
        });
        queries
            .map(|(query, _)| query.trim_end_matches('&').to_owned())
            .collect()
    }

    /// Waits until the facts are whole, or are not, while clients call.
    pub(crate) async fn until_whole(&self, are_whole: bool) {
        self.until("edge_facts_whole", |value| {
            value == usize::from(are_whole).to_string()
        })
        .await;
    }

    pub(crate) async fn until(&self, series: &str, holds: impl Fn(&str) -> bool) {
        for _ in 0..300 {
            self.edge.get(EVENTS).await;
            if self.edge.metric(series).await.is_some_and(|value| holds(&value)) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{series}: {:?}", self.edge.metric(series).await);
    }

    /// Waits until the site got this request.
    async fn until_asked(&self, question: &str) -> Vec<String> {
        let mut asked = Vec::new();
        for _ in 0..300 {
            self.edge.get(EVENTS).await;
            asked.extend(self.questions());
            if asked.iter().any(|asked| asked == question) {
                return asked;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{question} was not asked: {asked:?}");
    }
}

/// The rewrite rules of a recorded site.
pub(crate) fn rules() -> Value {
    serde_json::from_str(include_str!("../../fixtures/pages/rules.json")).expect("rules")
}

async fn edge(origin: &Origin, directory: Option<&Path>, change: impl FnOnce(&mut Settings)) -> Edge {
    let directory = directory.map(Path::to_owned);
    let edge = Edge::builder().origin(origin).caching().settings(|settings| {
        settings.origin.mark_key = Some(key());
        settings.other = OtherTraffic::Forward;
        settings.cache.reconcile = Duration::from_secs(1);
        settings.calendar_pages.mode = Mode::Report;
        settings.state_dir = directory;
    });
    edge.settings(change).start().await
}

/// The events in the file, with their starts.
fn kept(directory: &Path) -> BTreeMap<u64, i64> {
    let text = fs::read(directory.join("facts.json")).expect("a file");
    let kept: Value = serde_json::from_slice(&text).expect("JSON");
    let events = kept["snapshot"]["events"].as_array().expect("a list").iter();
    let event = |event: &Value| {
        (
            event["id"].as_u64().expect("a number"),
            event["times"][0][0].as_i64().expect("a time"),
        )
    };
    events.map(event).collect()
}

#[tokio::test]
async fn all_events_are_read_page_by_page_and_an_edit_asks_for_its_event_at_once() {
    let directory = Directory::new("facts-read");
    let scene = FactsScene::new(Some(directory.path()), Fault::None).await;
    scene.until_whole(true).await;
    assert_eq!(scene.questions(), ["after=0&site=1", "after=5", "after=13"]);
    scene.edit(8, "1970-01-02 00:00:00").await;
    scene.edit(34, "1970-01-03 00:00:00").await;
    scene.change(|site| drop(site.events.remove(&3)));
    scene.edit(3, "1970-01-04 00:00:00").await;
    scene.until_whole(true).await;
    let asked = scene.questions();
    assert!(
        !asked.is_empty() && asked.iter().all(|asked| asked.starts_with("ids=")),
        "{asked:?}"
    );
    scene.edge.drain().await;
    let expected = [
        (3, 259_200),
        (5, 1_817_114_400),
        (8, 86_400),
        (13, 1_817_114_400),
        (21, 1_817_114_400),
        (34, 172_800),
    ];
    assert_eq!(kept(directory.path()), BTreeMap::from(expected));
}

#[tokio::test]
async fn a_lost_message_makes_the_edge_read_everything_again() {
    let scene = FactsScene::new(None, Fault::None).await;
    scene.until_whole(true).await;
    scene.questions();
    scene.change(|site| {
        site.store(8, "1970-01-02 00:00:00");
        site.changes += 1;
    });
    scene.until_asked("after=13").await;
    scene.until_whole(true).await;
}

#[tokio::test]
async fn an_import_past_wordpress_is_noticed_after_a_silence() {
    let scene = FactsScene::new(None, Fault::None).await;
    scene.until_whole(true).await;
    scene.change(|site| {
        site.fault = Fault::Silent;
        site.store(9, "1970-01-02 00:00:00");
    });
    for _ in 0..30 {
        scene.edge.get(EVENTS).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    scene.questions();
    scene.change(|site| site.fault = Fault::None);
    let asked = scene.until_asked("after=9").await;
    assert_eq!(asked[0], "", "the sums are compared first: {asked:?}");
    scene.until_whole(true).await;
}

#[tokio::test]
async fn after_a_restart_one_question_tells_whether_the_file_holds() {
    let directory = Directory::new("facts-restart");
    let scene = FactsScene::new(Some(directory.path()), Fault::None).await;
    scene.until_whole(true).await;
    let FactsScene {
        site,
        origin,
        edge: first,
    } = scene;
    first.drain().await;
    let edge = edge(&origin, Some(directory.path()), |_| {}).await;
    let scene = FactsScene { site, origin, edge };
    scene.questions();
    scene.until_whole(true).await;
    assert_eq!(scene.questions(), ["site=1"]);

    let FactsScene {
        site,
        origin,
        edge: second,
    } = scene;
    second.drain().await;
    site.lock().expect("a lock").store(9, "1970-01-02 00:00:00");
    let edge = self::edge(&origin, Some(directory.path()), |_| {}).await;
    let scene = FactsScene { site, origin, edge };
    scene.questions();
    scene.until_whole(true).await;
    assert_eq!(
        scene.questions(),
        ["site=1", "after=0&site=1", "after=5", "after=9"]
    );
    scene.edge.drain().await;
    assert_eq!(kept(directory.path()).len(), 6);
}

#[tokio::test]
async fn replies_that_are_not_sealed_for_the_question_are_not_taken() {
    for fault in [Fault::Forged, Fault::Altered, Fault::NoPlugin] {
        let scene = FactsScene::new(None, fault).await;
        scene
            .until("edge_facts_requests_total{outcome=\"failed\"}", |value| {
                value == "2"
            })
            .await;
        assert_eq!(
            scene.edge.metric("edge_facts_whole").await.as_deref(),
            Some("0"),
            "{fault:?}"
        );
        scene.change(|site| site.fault = Fault::None);
        scene.until_whole(true).await;
    }
}

#[tokio::test]
async fn a_reply_to_an_earlier_question_is_not_taken() {
    let scene = FactsScene::new(None, Fault::None).await;
    scene.until_whole(true).await;
    scene.change(|site| site.fault = Fault::Replayed);
    scene.edit(8, "1970-01-02 00:00:00").await;
    scene
        .until("edge_facts_requests_total{outcome=\"failed\"}", |value| {
            value == "1"
        })
        .await;
    assert_eq!(scene.edge.metric("edge_facts_whole").await.as_deref(), Some("0"));
    scene.change(|site| site.fault = Fault::None);
    scene.until_whole(true).await;
}

#[tokio::test]
async fn without_calendar_pages_or_with_several_roots_nothing_is_asked() {
    let scene = FactsScene::new(None, Fault::None).await;
    scene.until_whole(true).await;
    let base = scene.origin.base();
    let off = edge(&scene.origin, None, |settings| {
        settings.calendar_pages.mode = Mode::Off;
    })
    .await;
    let several = edge(&scene.origin, None, |settings| {
        settings.roots.push(german_root(&base));
    })
    .await;
    scene.questions();
    for edge in [off, several] {
        for _ in 0..10 {
            edge.get(EVENTS).await;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(scene.questions(), [""; 0]);
    }
}

#[tokio::test]
async fn facts_may_take_longer_than_the_reads_of_clients() {
    let scene = FactsScene::with(
        |site| site.delay = Duration::from_secs(2),
        |settings| {
            settings.timeouts.origin_first_byte = Duration::from_secs(1);
            settings.timeouts.origin_read = Duration::from_secs(1);
        },
    )
    .await;
    scene.until_whole(true).await;
    assert!(
        scene
            .questions()
            .iter()
            .all(|question| !question.contains("most="))
    );
}

#[tokio::test]
async fn a_question_that_failed_is_asked_for_half() {
    let scene = FactsScene::new(None, Fault::Forged).await;
    scene.until_asked("after=0&most=250&site=1").await;
    scene.change(|site| site.fault = Fault::None);
    scene.until_whole(true).await;
}
