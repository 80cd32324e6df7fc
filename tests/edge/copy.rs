//! Reads answered by the copy over real sockets: only as far as comparisons with the site have proven it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use calendar_edge_core::settings::{Rate, Settings, WhenAway};
use http::Method;
use serde_json::{Value, json};

use crate::facts::{FACTS, rules, seal};
use crate::feed::feed_site::{key, tell};
use crate::support::{Answer, Directory, Edge, Origin, Reply, Seen};

const SECRET: &[u8] = b"a secret of thirty-two characters";
const VENUES: &str = "/wp-json/tribe/events/v1/venues";

/// A site with venues.
#[derive(Debug)]
struct VenueSite {
    changes: u64,
    /// The name of each venue; none for one that is private.
    venues: BTreeMap<u64, Option<String>>,
    /// What the site prints behind each name, and does not tell.
    suffix: &'static str,
    /// Versions, and a hash of what else can change a response.
    fingerprint: &'static str,
    is_down: bool,
    /// Whether it fails from its next response to a write on.
    falls: bool,
    tells_records: bool,
}

struct CopyScene {
    site: Arc<Mutex<VenueSite>>,
    origin: Origin,
    edge: Edge,
}

fn body(id: u64, name: &str) -> Value {
    json!({"id": id, "venue": name, "show_map": true})
}

// === impl VenueSite ===

impl VenueSite {
    fn respond(&self, seen: &Seen) -> Reply {
        if self.is_down {
            return Reply::json(503, "{}");
        }
        let reply = if let Some(query) = seen.target.strip_prefix(FACTS) {
            facts_reply(query, self.changes, self.fingerprint, (self.facts(), json!([])))
        } else if let Some(id) = seen.target.strip_prefix(&format!("{VENUES}/")) {
            let (id, fields) = id.split_once("?_fields=").unwrap_or((id, ""));
            let printed = self.print(id.parse().unwrap_or_default());
            if fields == "json_ld.@id,venue" {
                self.print_some(id)
            } else {
                printed
            }
        } else {
            Reply::json(200, "{}")
        };
        reply.header("x-calendar-edge-changes", &self.changes.to_string())
    }

    fn print(&self, id: u64) -> Reply {
        match self.venues.get(&id) {
            Some(Some(name)) => {
                let name = format!("{name}{}", self.suffix);
                let text =
                    format!(r#"{{"id":{id},"venue":"{name}","json_ld":{{"@id":{id}}},"show_map":true}}"#);
                Reply::json(200, &text)
            }
            Some(None) => {
                let text = r#"{"code":"venue-not-accessible","message":"No.","data":{"status":403}}"#;
                Reply::json(403, text)
            }
            None => Reply::json(400, "{}"),
        }
    }

    /// A venue with two of its members, as WordPress leaves them in their order.
    fn print_some(&self, id: &str) -> Reply {
        let name = self
            .venues
            .get(&id.parse().unwrap_or_default())
            .cloned()
            .flatten();
        let name = name.expect("a public venue");
        Reply::json(200, &format!(r#"{{"venue":"{name}","json_ld":{{"@id":{id}}}}}"#))
    }

    /// What is told of the venues; none by an older plugin.
    fn facts(&self) -> Option<Vec<Value>> {
        let record = |(id, name): (&u64, &Option<String>)| {
            let mut record = json!({
                "id": id, "kind": "venue", "date": "2026-01-01 10:00:00", "slug": format!("venue-{id}"),
                "status": if name.is_some() { "publish" } else { "private" },
            });
            if let Some(name) = name {
                record["texts"] = json!([name.to_uppercase()]);
                record["body"] = body(*id, name);
                record["json_ld"] = json!({"@id": id});
                record["before"] = json!("show_map");
            }
            record
        };
        self.tells_records
            .then(|| self.venues.iter().map(record).collect())
    }
}

/// The records of one reply.
const PAGE: usize = 40;

/// The sealed reply to a question for facts: all that a site has of its records, in the order of their numbers, and terms.
pub(crate) fn facts_reply(
    query: &str,
    changes: u64,
    fingerprint: &str,
    (records, terms): (Option<Vec<Value>>, Value),
) -> Reply {
    let asked: BTreeMap<&str, &str> = query.split('&').filter_map(|part| part.split_once('=')).collect();
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let (after, ids) = (asked.get("after").copied(), asked.get("ids").copied());
    let ids: Vec<u64> = ids.map_or(Vec::new(), |ids| ids.split(',').map(number).collect());
    let is_asked = |record: &Value| {
        let id = record["id"].as_u64().expect("a number");
        after.is_some_and(|after| id > number(after)) || ids.contains(&id)
    };
    let mut told = json!({
        "facts": 1, "changes": changes, "sums": "", "events": [], "next": null, "fold": {},
    });
    if let Some(records) = records {
        let mut asked = records.into_iter().filter(is_asked);
        let page: Vec<Value> = asked.by_ref().take(PAGE).collect();
        if asked.next().is_some() {
            told["next"] = page.last().expect("a record")["id"].clone();
        }
        told["records"] = json!(page);
    }
    if asked.contains_key("site") {
        told["site"] = json!({
            "home": "http://wp.example", "plugin": "6.17.2", "structure": "", "rules": rules(), "front_page": false,
            "languages": false, "views": true, "filters": [], "default_view": "list", "enabled_views": [],
            "per_page": 12, "cutoff": "00:00", "week_starts": 1, "language": "en", "calendar": "", "terms": [],
            "words": {"none": "", "calendar": ""},
        });
        told["copy"] = json!({
            "zone": "UTC", "bounds_zone": "UTC", "mode": "event", "cutoff": "00:00", "posts_per_page": 10,
            "most": {"venues": [50, 10]}, "collation": "utf8mb4_unicode_520_ci", "plugin": "6.10.0",
            "rest": "http://wp.example/wp-json/tribe/events/v1/", "root": "http://wp.example/wp-json/",
            "fingerprint": fingerprint, "headers": {"Allow": "GET"}, "terms": terms,
            "words": {"venue-not-accessible": "No."},
        });
    }
    let told = told.to_string();
    let seal = seal(SECRET, &told, asked["nonce"]);
    Reply::json(200, &told).header("x-calendar-edge-facts", &seal)
}

// === impl CopyScene ===

impl CopyScene {
    /// A site with forty venues, and an edge with a copy of them.
    async fn with(change_site: impl FnOnce(&mut VenueSite), change: impl FnOnce(&mut Settings)) -> Self {
        let mut site = VenueSite {
            changes: 10,
            venues: (1..=40).map(|id| (id, Some(format!("Hall {id}")))).collect(),
            suffix: "",
            fingerprint: "6.7.1 6.10.0/a",
            is_down: false,
            falls: false,
            tells_records: true,
        };
        change_site(&mut site);
        let site = Arc::new(Mutex::new(site));
        let answering = Arc::clone(&site);
        let respond = move |seen: &Seen| {
            let mut site = answering.lock().expect("a lock");
            let reply = site.respond(seen);
            site.is_down |= site.falls && seen.method != "GET";
            reply
        };
        let origin = Origin::answering(respond).await;
        let edge = edge(&origin, change).await;
        let scene = Self { site, origin, edge };
        scene.until_whole().await;
        scene
    }

    fn change(&self, change: impl FnOnce(&mut VenueSite)) {
        change(&mut self.site.lock().expect("a lock"));
    }

    async fn until_whole(&self) {
        for _ in 0..300 {
            self.read(1).await;
            if self.edge.metric("edge_facts_whole").await.as_deref() == Some("1") {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn read(&self, id: u64) -> Answer {
        self.edge.get(&format!("{VENUES}/{id}")).await
    }

    async fn standing(&self) -> Value {
        self.edge.admin("/copy").await.json()["shapes"]["venues.read"]["standing"].clone()
    }

    /// Reads venues until the shape stands so; the number of reads.
    async fn until_standing(&self, standing: &str) -> u64 {
        for reads in 0..2000 {
            if reads % 20 == 0 && self.standing().await == standing {
                return reads;
            }
            self.read(1 + reads % 40).await;
        }
        panic!("{}", self.edge.admin("/copy").await.body);
    }

    /// How many of so many reads reached the site.
    async fn asked_of(&self, reads: u64) -> usize {
        self.origin.take_seen();
        for read in 0..reads {
            assert_eq!(self.read(1 + read % 40).await.status, 200);
        }
        let seen = self.origin.take_seen();
        seen.iter().filter(|seen| seen.target.starts_with(VENUES)).count()
    }

    /// Stores a venue as WordPress does, and tells the edge.
    async fn edit(&self, id: u64, name: Option<&str>) {
        let mut number = 0;
        self.change(|site| {
            site.venues.insert(id, name.map(str::to_owned));
            site.changes += 1;
            number = site.changes;
        });
        let tags = [format!("venue:{id}"), "venues".to_owned()];
        tell(&self.edge, &json!({"tags": tags, "changes": [number]})).await;
    }

    /// Waits until a venue is answered so.
    async fn until_read(&self, id: u64, status: u16, part: &str) {
        for _ in 0..200 {
            let answer = self.read(id).await;
            if answer.status == status && answer.body.contains(part) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("{:?}", self.read(id).await);
    }
}

async fn edge(origin: &Origin, change: impl FnOnce(&mut Settings)) -> Edge {
    let edge = Edge::builder().origin(origin).settings(|settings| {
        settings.origin.mark_key = Some(key());
        settings.cache.reconcile = Duration::from_secs(10);
        settings.copy.enabled = true;
    });
    edge.settings(change).start().await
}

fn copied(answer: &Answer) -> Option<&str> {
    answer
        .header("cache-status")
        .filter(|status| status.starts_with("calendar-edge-copy; hit"))
}

#[tokio::test]
async fn the_copy_answers_once_three_hundred_comparisons_were_equal() {
    let scene = CopyScene::with(|_| {}, |_| {}).await;
    let first = scene.read(7).await;
    assert_eq!(copied(&first), None);
    let reads = scene.until_standing("proven").await;
    assert!(reads >= 300, "{reads}");
    let own = scene.read(7).await;
    assert_eq!(copied(&own), Some("calendar-edge-copy; hit"));
    assert_eq!((own.status, &own.body), (first.status, &first.body));
    let compared = ["content-type", "allow", "x-robots-tag"];
    assert!(
        compared
            .iter()
            .all(|name| own.header(name).is_some() || first.header(name).is_none())
    );
    let asked = scene.asked_of(400).await;
    assert!(
        (1..=20).contains(&asked),
        "one of two hundred is compared: {asked}"
    );
    let head = scene.edge.request(http::Method::HEAD, &format!("{VENUES}/7"));
    assert_eq!(copied(&Answer::to(head).await), None, "the site answers HEAD");
}

#[tokio::test]
async fn a_difference_suspends_the_shape_and_is_never_given_to_a_client_again() {
    let scene = CopyScene::with(|_| {}, |_| {}).await;
    scene.until_standing("proven").await;
    // Past WordPress and its plugin.
    scene.change(|site| site.suffix = "!");
    scene.until_standing("suspended").await;
    let answer = scene.read(7).await;
    assert!(
        copied(&answer).is_none() && answer.body.contains("Hall 7!"),
        "{answer:?}"
    );
    let status = scene.edge.admin("/copy").await.json();
    let proof = &status["shapes"]["venues.read"];
    assert!(
        proof["example"]
            .as_str()
            .is_some_and(|target| target.contains("/venues/")),
        "{proof}"
    );
    scene.change(|site| site.suffix = "");
    assert!(scene.until_standing("proven").await >= 280);
}

#[tokio::test]
async fn a_read_by_which_nothing_was_proven_is_compared_behind_its_first_response() {
    let scene = CopyScene::with(|_| {}, |_| {}).await;
    for _ in 0..2000 {
        if scene.standing().await == "proven" {
            break;
        }
        scene.read(1).await;
    }
    assert_eq!(scene.standing().await, "proven");
    // Past WordPress and its plugin.
    scene.change(|site| drop(site.venues.insert(7, Some("Other".to_owned()))));
    scene.read(7).await;
    for _ in 0..100 {
        if scene.standing().await == "suspended" {
            let answer = scene.read(7).await;
            assert!(answer.body.contains("Other"), "{answer:?}");
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{}", scene.edge.admin("/copy").await.body);
}

#[tokio::test]
async fn a_site_that_the_copy_does_not_know_is_watched_and_never_copied() {
    let scene = CopyScene::with(|site| site.suffix = "?", |_| {}).await;
    for reads in 0..700 {
        let answer = scene.read(1 + reads % 40).await;
        assert!(
            copied(&answer).is_none() && answer.body.contains('?'),
            "{answer:?}"
        );
    }
    assert_eq!(scene.standing().await, "suspended");
    let silent = CopyScene::with(|site| site.tells_records = false, |_| {}).await;
    assert_eq!(silent.asked_of(50).await, 50, "an older plugin");
}

#[tokio::test]
async fn an_edit_is_seen_at_once_and_a_record_that_is_private_is_gone() {
    let scene = CopyScene::with(|_| {}, |_| {}).await;
    scene.until_standing("proven").await;
    scene.edit(7, Some("Stage 7")).await;
    let answer = scene.read(7).await;
    assert!(answer.body.contains("Stage 7"), "{answer:?}");
    scene.until_read(7, 200, "Stage 7").await;
    scene.edit(7, None).await;
    assert_eq!(scene.read(7).await.status, 403);
    scene.until_read(7, 403, "venue-not-accessible").await;
    for _ in 0..100 {
        let answer = scene.read(7).await;
        if copied(&answer).is_some() {
            assert_eq!(answer.json()["data"]["status"], 403);
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the copy answers nothing");
}

#[tokio::test]
async fn while_the_site_fails_proven_reads_are_answered_and_say_so() {
    let directory = Directory::new("copy-away");
    let path = directory.path().to_owned();
    let scene = CopyScene::with(
        |_| {},
        |settings| {
            settings.state_dir = Some(path.clone());
            settings.cache.reconcile = Duration::from_secs(2);
        },
    )
    .await;
    scene.until_standing("proven").await;
    scene.change(|site| site.is_down = true);
    tokio::time::sleep(Duration::from_secs(3)).await;
    let away = |answer: &Answer| {
        copied(answer)
            .is_some_and(|status| status.contains("; ttl=-") && status.ends_with("detail=origin-failed"))
    };
    let answer = scene.read(7).await;
    assert!(answer.status == 200 && away(&answer), "{answer:?}");
    let unproven = scene.edge.get(&format!("{VENUES}/by-slug/venue-7")).await;
    assert!(unproven.status.is_server_error(), "{unproven:?}");

    // A restart while the site is down.
    let CopyScene { site, origin, edge } = scene;
    edge.drain().await;
    let edge = self::edge(&origin, |settings| {
        settings.state_dir = Some(path);
        settings.copy.when_away = WhenAway::All;
    })
    .await;
    let scene = CopyScene { site, origin, edge };
    let answer = scene.read(7).await;
    assert!(answer.status == 200 && away(&answer), "{answer:?}");
    let unproven = scene.edge.get(&format!("{VENUES}/by-slug/venue-7")).await;
    assert!(unproven.status == 200 && away(&unproven), "{unproven:?}");
}

#[tokio::test]
async fn chosen_members_are_a_shape_of_their_own_and_are_copied_once_it_is_proven() {
    let scene = CopyScene::with(|_| {}, |_| {}).await;
    let target = |id: u64| format!("{VENUES}/{id}?_fields=json_ld.@id,venue");
    for reads in 0..2000 {
        let id = 1 + reads % 40;
        let answer = scene.edge.get(&target(id)).await;
        assert_eq!(
            answer.body,
            format!(r#"{{"venue":"Hall {id}","json_ld":{{"@id":{id}}}}}"#)
        );
        if copied(&answer).is_some() {
            assert!(reads >= 300, "{reads}");
            assert_eq!(
                scene.standing().await,
                Value::Null,
                "whole venues prove nothing of them"
            );
            return;
        }
    }
    panic!("{}", scene.edge.admin("/copy").await.body);
}

/// T-108: what such a write has changed is not known while the site is away.
#[tokio::test]
async fn t108_after_a_write_that_the_site_may_have_stored_nothing_is_told_until_it_is_back() {
    let scene = CopyScene::with(
        |_| {},
        |settings| settings.cache.reconcile = Duration::from_secs(2),
    )
    .await;
    scene.until_standing("proven").await;
    let write = async || {
        let request = scene.edge.request(Method::DELETE, &format!("{VENUES}/7"));
        Answer::to(request.header("authorization", "Basic YWRtaW46c2VjcmV0")).await
    };
    let failed = |answer: Answer| assert!(answer.status.is_server_error(), "{answer:?}");
    scene.change(|site| site.is_down = true);
    // The edge asks while it has readers, and notices that the site is away.
    for _ in 0..30 {
        scene.read(8).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    failed(write().await);
    let answer = scene.read(7).await;
    assert_eq!(
        answer.status, 200,
        "a site that was away has stored nothing: {answer:?}"
    );

    scene.change(|site| site.is_down = false);
    scene.until_read(7, 200, "Hall 7").await;
    scene.change(|site| site.is_down = true);
    failed(write().await);
    failed(scene.read(7).await);
    scene.change(|site| site.is_down = false);
    scene.until_read(7, 200, "Hall 7").await;

    // A write that the site has acknowledged before it told anybody.
    scene.change(|site| site.falls = true);
    let answer = write().await;
    assert_eq!(answer.status, 200, "{answer:?}");
    failed(scene.read(7).await);
}

#[tokio::test]
async fn a_site_that_changed_its_settings_proves_the_copy_again_by_fewer_reads() {
    let scene = CopyScene::with(|_| {}, |_| {}).await;
    scene.until_standing("proven").await;
    let mut number = 0;
    scene.change(|site| {
        site.fingerprint = "6.7.1 6.10.0/b";
        site.changes += 1;
        number = site.changes;
    });
    tell(&scene.edge, &json!({"all": true, "changes": [number]})).await;
    scene.until_standing("watched").await;
    let reads = scene.until_standing("proven").await;
    assert!(reads < 200, "{reads}");
}

#[tokio::test]
async fn the_edge_proves_shapes_itself_at_a_rate() {
    let often = Rate {
        requests: 100,
        period: Duration::from_secs(1),
    };
    let scene = CopyScene::with(|_| {}, |settings| settings.copy.probe = Some(often)).await;
    for id in 1..=40 {
        scene.read(id).await;
    }
    // No client reads on.
    for _ in 0..200 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        if scene.standing().await == "proven" {
            return;
        }
    }
    panic!("{}", scene.edge.admin("/copy").await.body);
}

#[tokio::test]
async fn a_drill_tells_which_reads_need_the_site() {
    let scene = CopyScene::with(|_| {}, |_| {}).await;
    scene.until_standing("proven").await;
    let client = Edge::client();
    let begun = client.post(format!("{}/copy/drill/600", scene.edge.admin_base()));
    assert_eq!(Answer::to(begun).await.status, 200);
    for id in 1..=9 {
        scene.read(id).await;
    }
    scene.edge.get(&format!("{VENUES}/by-slug/venue-7")).await;
    let drill = scene.edge.admin("/copy").await.json()["drill"].clone();
    assert_eq!(
        (&drill["answered"], &drill["needed_site"]),
        (&json!(9), &json!(1)),
        "{drill}"
    );
    assert_eq!(drill["reads"][0]["reason"], "unproven");
    scene.edge.get(&format!("{VENUES}?from=news")).await;
    let drill = scene.edge.admin("/copy").await.json()["drill"].clone();
    assert_eq!(drill["needed_site"], 2, "a read that is never copied: {drill}");
    scene.change(|site| site.is_down = true);
    scene.edge.get(&format!("{VENUES}/by-slug/venue-7")).await;
    let drill = scene.edge.admin("/copy").await.json()["drill"].clone();
    assert_eq!(
        drill["needed_site"], 3,
        "a read that failed needed the site: {drill}"
    );
}
