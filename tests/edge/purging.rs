//! Requests to remove responses, and the site's count of changes: the permitted senders, and changes noticed without an
//! order.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use calendar_edge_core::settings::MarkKey;
use calendar_edge_core::settings::{OtherTraffic, Settings};
use http::{Method, StatusCode};
use serde_json::Value;

use super::support::{Answer, Edge, Origin, Reply, Seen};

const EVENT: &str = "/wp-json/calendar/events/v1/events/50";
const VENUE: &str = "/wp-json/calendar/events/v1/venues/7";
const ORDERS: &str = "/wp-json/calendar-edge/v1/purge";
const QUESTION: &str = "/wp-json/calendar-edge/v1/changes";
const EVENT_BODY: &str =
    r#"{"id":50,"title":"Jazz","image":false,"venue":[],"organizer":[],"categories":[],"tags":[]}"#;
const HOME: &str = "https://wp.example.org";
const ALL: &str = r#"{"all":true}"#;

/// A site that counts its changes; 0: without a companion plugin.
#[derive(Clone, Default)]
struct Site {
    changes: Arc<AtomicU64>,
    /// It fails where the edge requests the number.
    is_mute: Arc<AtomicBool>,
}

// === impl Site ===

impl Site {
    fn counting(changes: u64) -> Self {
        let site = Self::default();
        site.count(changes);
        site
    }

    fn count(&self, changes: u64) {
        self.changes.store(changes, Ordering::SeqCst);
    }

    async fn start(&self) -> Origin {
        let site = self.clone();
        Origin::answering(move |seen| site.answer(seen)).await
    }

    fn answer(&self, seen: &Seen) -> Reply {
        let changes = self.changes.load(Ordering::SeqCst);
        let path = seen.target.split('?').next().unwrap_or_default();
        let reply = match path {
            QUESTION if self.is_mute.load(Ordering::SeqCst) => return Reply::json(500, "{}"),
            QUESTION if changes == 0 => return Reply::json(404, r#"{"code":"rest_no_route"}"#),
            QUESTION => {
                Reply::json(200, &format!(r#"{{"changes":{changes}}}"#)).header("x-calendar-edge-site", HOME)
            }
            path if path.ends_with("/venues/7") => Reply::json(200, r#"{"id":7,"venue":"Hall"}"#),
            path if path.contains("/events/v1/events/") => Reply::json(200, EVENT_BODY),
            _ => Reply::of_type(200, "text/html", "a page"),
        };
        if changes == 0 {
            return reply;
        }
        reply.header("x-calendar-edge-changes", &changes.to_string())
    }
}

fn key() -> MarkKey {
    MarkKey::new(b"a secret of thirty-two characters").expect("a secret")
}

/// Responses are stored for no time without a companion plugin, and for an hour with one.
fn settings(settings: &mut Settings) {
    settings.origin.mark_key = Some(key());
    settings.cache.enabled = true;
    settings.cache.fresh = Duration::ZERO;
    settings.cache.stale_while_revalidate = Duration::ZERO;
    settings.cache.reconcile = Duration::from_mins(1);
}

async fn edge_before(origin: &Origin, change: impl FnOnce(&mut Settings)) -> Edge {
    let edge = Edge::builder().origin(origin).settings(settings);
    edge.settings(change).start().await
}

/// Shows the edge a first number, so that responses behind it are stored. This one is a page, which is not.
async fn introduce(edge: &Edge, origin: &Origin) {
    edge.get("/wp-json/calendar/events/v1/venues/9").await;
    // The times of signs and of stored responses are compared in whole milliseconds.
    tokio::time::sleep(Duration::from_millis(20)).await;
    reads(origin);
}

/// The reads that reached the site since the last call.
fn reads(origin: &Origin) -> usize {
    let seen = origin.take_seen();
    seen.iter()
        .filter(|seen| !seen.target.starts_with(QUESTION))
        .count()
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.expect("a time since 1970").as_secs()
}

async fn post(url: String, body: &str, fields: &[(&str, &str)]) -> Answer {
    let mut request = Edge::client().request(Method::POST, url).body(body.to_owned());
    for (name, value) in fields {
        request = request.header(*name, *value);
    }
    Answer::to(request).await
}

async fn sealed(edge: &Edge, body: &str, seal: &str) -> Answer {
    post(edge.url(ORDERS), body, &[("x-calendar-edge-purge", seal)]).await
}

fn seal(body: &str, at: u64, nonce: u8) -> String {
    let seal = key().seal(body.as_bytes(), at, [nonce; 16]);
    seal.to_str().expect("ASCII").to_owned()
}

fn code(answer: &Answer) -> String {
    let body: Value = serde_json::from_str(&answer.body).expect("JSON");
    body["code"].as_str().unwrap_or_default().to_owned()
}

fn removed(answer: &Answer) -> u64 {
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    let body: Value = serde_json::from_str(&answer.body).expect("JSON");
    assert!(body["generation"].is_u64());
    body["removed"].as_u64().expect("a number")
}

/// Reads both records, and returns the number of them that were requested from the site.
async fn read_both(edge: &Edge, origin: &Origin) -> usize {
    for target in [EVENT, VENUE] {
        assert_eq!(edge.get(target).await.status, StatusCode::OK, "{target}");
    }
    reads(origin)
}

/// Waits until responses are requested again.
async fn until_removed(edge: &Edge, origin: &Origin) -> Duration {
    let begun = tokio::time::Instant::now();
    while read_both(edge, origin).await == 0 {
        assert!(begun.elapsed() < Duration::from_secs(20), "nothing was removed");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    begun.elapsed()
}

#[tokio::test]
async fn operators_on_this_machine_remove_what_they_name() {
    let origin = Site::counting(1).start().await;
    let edge = edge_before(&origin, |_| {}).await;
    let purge = edge.admin_base() + "/purge";
    introduce(&edge, &origin).await;
    assert_eq!(read_both(&edge, &origin).await, 2);
    assert_eq!(read_both(&edge, &origin).await, 0);
    assert_eq!(
        removed(&post(purge.clone(), r#"{"tags":["venue:7"]}"#, &[]).await),
        1
    );
    assert_eq!(read_both(&edge, &origin).await, 1);
    assert_eq!(removed(&post(purge.clone(), ALL, &[]).await), 2);
    assert_eq!(read_both(&edge, &origin).await, 2);
    for (body, fields, expected) in [
        (r#"{"tags":["party:1"]}"#, vec![], "edge_bad_purge"),
        ("all", vec![], "edge_bad_purge"),
        (ALL, vec![("origin", "https://evil.example")], "edge_purge_denied"),
        (ALL, vec![("host", "evil.example")], "edge_purge_denied"),
        (ALL, vec![("sec-fetch-site", "cross-site")], "edge_purge_denied"),
        (ALL, vec![("x-calendar-edge-purge", "v1")], "edge_purge_denied"),
    ] {
        assert_eq!(
            code(&post(purge.clone(), body, &fields).await),
            expected,
            "{body}"
        );
    }
    let large = format!(r#"{{"tags":["{}"]}}"#, "x".repeat(70_000));
    assert_eq!(code(&post(purge, &large, &[]).await), "edge_body_too_large");
    assert_eq!(read_both(&edge, &origin).await, 0);
}

#[tokio::test]
async fn only_a_sealed_message_is_obeyed_by_the_public_listener_and_once() {
    let origin = Site::counting(1).start().await;
    let edge = edge_before(&origin, |_| {}).await;
    introduce(&edge, &origin).await;
    read_both(&edge, &origin).await;
    let other = MarkKey::new(b"another secret with 32 characters").expect("a secret");
    let forged = other.seal(ALL.as_bytes(), now(), [1; 16]);
    let denied = [
        post(edge.url(ORDERS), ALL, &[]).await,
        sealed(&edge, ALL, forged.to_str().expect("ASCII")).await,
        sealed(&edge, ALL, &seal(ALL, now() - 75, 2)).await,
        sealed(&edge, ALL, &seal(ALL, now() + 75, 3)).await,
        sealed(&edge, r#"{"tags":["events"]}"#, &seal(ALL, now(), 4)).await,
    ];
    for answer in &denied {
        assert_eq!(
            (answer.status, code(answer).as_str()),
            (StatusCode::FORBIDDEN, "edge_purge_denied")
        );
    }
    assert_eq!(read_both(&edge, &origin).await, 0);
    let good = seal(ALL, now(), 5);
    assert_eq!(removed(&sealed(&edge, ALL, &good).await), 2);
    let again = sealed(&edge, ALL, &good).await;
    assert_eq!(
        (again.status, code(&again).as_str()),
        (StatusCode::CONFLICT, "edge_purge_replayed")
    );
    // The admin listener takes the same messages, and knows the same seals.
    let fields = [("x-calendar-edge-purge", good.as_str())];
    let again = post(edge.admin_base() + "/purge", ALL, &fields).await;
    assert_eq!(code(&again), "edge_purge_replayed");
    introduce(&edge, &origin).await;
    assert_eq!(read_both(&edge, &origin).await, 2);
}

/// A message of version 2, from a site to a receiver.
fn addressed(to: &str, site: &str) -> String {
    format!(r#"{{"version":2,"to":"{to}","site":"{site}","all":true,"changes":[]}}"#)
}

#[tokio::test]
async fn t106_a_message_to_another_edge_or_from_another_site_is_worth_nothing() {
    let site = Site::counting(1);
    let origin = site.start().await;
    let edge = edge_before(&origin, |settings| {
        settings.cache.reconcile = Duration::from_millis(200);
        settings.public_url = "https://events.example.org".parse().ok();
    })
    .await;
    introduce(&edge, &origin).await;
    let (here, behind_a_proxy) = (edge.url(ORDERS), format!("https://events.example.org{ORDERS}"));
    let elsewhere = format!("http://edge-2.example:8787{ORDERS}");
    let other_target = edge.url("/purge");
    let mut nonce = 0;
    let mut send = async |to: &str, site: &str| {
        nonce += 1;
        let body = addressed(to, site);
        sealed(&edge, &body, &seal(&body, now(), nonce)).await.status
    };
    for (to, status) in [
        (&here, StatusCode::OK),
        (&behind_a_proxy, StatusCode::OK),
        (&elsewhere, StatusCode::FORBIDDEN),
        (&other_target, StatusCode::FORBIDDEN),
    ] {
        assert_eq!(send(to, HOME).await, status, "{to}");
    }
    // Once the site has shown its name in response to the edge's own request, no other counts.
    let mut status = StatusCode::OK;
    for _ in 0..20 {
        // Its own requests go out only where it serves stored responses, which bring no number.
        for _ in 0..20 {
            edge.get(EVENT).await;
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        status = send(&here, "https://other.example").await;
        if status == StatusCode::FORBIDDEN {
            break;
        }
    }
    assert_eq!(status, StatusCode::FORBIDDEN);
    assert_eq!(send(&here, HOME).await, StatusCode::OK);
    // A site that does not respond for a while has the same name.
    site.is_mute.store(true, Ordering::SeqCst);
    origin.take_seen();
    let mut asked = 0;
    for _ in 0..400 {
        edge.get(EVENT).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
        let seen = origin.seen();
        asked = seen
            .iter()
            .filter(|seen| seen.target.starts_with(QUESTION))
            .count();
        if asked > 1 {
            break;
        }
    }
    assert!(asked > 1, "the edge has its response to the first question");
    assert_eq!(send(&here, "https://other.example").await, StatusCode::FORBIDDEN);
    // Version 1 names neither.
    removed(&sealed(&edge, ALL, &seal(ALL, now(), 250)).await);
}

#[tokio::test]
async fn without_a_secret_the_public_listener_takes_no_orders() {
    let origin = Site::counting(1).start().await;
    let edge = edge_before(&origin, |settings| settings.origin.mark_key = None).await;
    let answer = sealed(&edge, ALL, &seal(ALL, now(), 1)).await;
    assert_eq!(
        (answer.status, code(&answer).as_str()),
        (StatusCode::NOT_FOUND, "rest_no_route")
    );
    // Nor does it trust a count that it cannot request.
    introduce(&edge, &origin).await;
    assert_eq!(read_both(&edge, &origin).await, 2);
    assert_eq!(read_both(&edge, &origin).await, 2);
}

#[tokio::test]
async fn the_count_never_reaches_a_client() {
    let origin = Site::counting(1).start().await;
    let edge = edge_before(&origin, |settings| settings.other = OtherTraffic::Forward).await;
    for target in [EVENT, EVENT, "/a-page", "/wp-json/wp/v2/posts"] {
        let answer = edge.get(target).await;
        assert_eq!(answer.status, StatusCode::OK, "{target}");
        assert!(
            !answer.headers.contains_key("x-calendar-edge-changes"),
            "{target}"
        );
    }
}

#[tokio::test]
async fn answers_last_only_while_the_site_counts() {
    let site = Site::default();
    let origin = site.start().await;
    let edge = edge_before(&origin, |_| {}).await;
    assert_eq!(read_both(&edge, &origin).await, 2);
    assert_eq!(read_both(&edge, &origin).await, 2);
    site.count(5);
    introduce(&edge, &origin).await;
    assert_eq!(read_both(&edge, &origin).await, 2);
    assert_eq!(read_both(&edge, &origin).await, 0);
    // A response without a number shows that the plugin is gone; with the next one everything is requested again.
    site.count(0);
    edge.get("/wp-json/calendar/events/v1/events/51").await;
    site.count(5);
    reads(&origin);
    edge.get("/wp-json/calendar/events/v1/events/52").await;
    assert_eq!(read_both(&edge, &origin).await, 3);
}

#[tokio::test]
async fn a_lost_message_is_noticed_by_the_edges_own_question() {
    let site = Site::counting(5);
    let origin = site.start().await;
    let edge = edge_before(&origin, |settings| {
        settings.cache.reconcile = Duration::from_secs(2);
    })
    .await;
    introduce(&edge, &origin).await;
    assert_eq!(read_both(&edge, &origin).await, 2);
    site.count(6);
    let waited = until_removed(&edge, &origin).await;
    assert!(waited > Duration::from_millis(500), "{waited:?}");
    let lost = edge.metric("edge_cache_removals_total{cause=\"missed\"}").await;
    assert_eq!(lost.as_deref(), Some("1"));
}

#[tokio::test]
async fn a_lost_message_is_noticed_by_the_next_exchange() {
    let site = Site::counting(5);
    let origin = site.start().await;
    let edge = edge_before(&origin, |_| {}).await;
    introduce(&edge, &origin).await;
    assert_eq!(read_both(&edge, &origin).await, 2);
    site.count(6);
    edge.get("/wp-json/calendar/events/v1/events/51").await;
    reads(&origin);
    until_removed(&edge, &origin).await;
}

#[tokio::test]
async fn a_message_that_comes_explains_the_count() {
    let site = Site::counting(5);
    let origin = site.start().await;
    let edge = edge_before(&origin, |_| {}).await;
    introduce(&edge, &origin).await;
    assert_eq!(read_both(&edge, &origin).await, 2);
    site.count(6);
    let order = r#"{"tags":["organizer:1"],"changes":[6]}"#;
    assert_eq!(removed(&sealed(&edge, order, &seal(order, now(), 1)).await), 0);
    edge.get("/wp-json/calendar/events/v1/events/51").await;
    reads(&origin);
    // Longer than the grace of a message.
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert_eq!(read_both(&edge, &origin).await, 0);
}

#[tokio::test]
async fn the_question_is_signed_and_nobody_else_gets_in_its_way() {
    let site = Site::counting(5);
    let origin = site.start().await;
    let edge = edge_before(&origin, |settings| {
        settings.cache.reconcile = Duration::from_millis(200);
    })
    .await;
    let begun = tokio::time::Instant::now();
    let asked = loop {
        edge.get(EVENT).await;
        let seen = origin.take_seen();
        if let Some(asked) = seen.into_iter().find(|seen| seen.target.starts_with(QUESTION)) {
            break asked;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "nothing was asked");
    };
    let time: u64 = asked
        .target
        .split_once("?t=")
        .expect("a time")
        .1
        .parse()
        .expect("a number");
    let mark = key().mark(&Method::GET, &asked.target, b"", time);
    assert_eq!(asked.header("x-calendar-edge-mark"), mark.to_str().ok());
}

#[tokio::test]
async fn the_command_removes_what_it_names() {
    let origin = Site::counting(1).start().await;
    let edge = edge_before(&origin, |_| {}).await;
    introduce(&edge, &origin).await;
    read_both(&edge, &origin).await;
    let admin = edge.admin_base();
    let run = |arguments: &[&str]| {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let admin = admin.clone();
        tokio::task::spawn_blocking(move || {
            let mut all = vec!["purge", "--admin", &admin];
            all.extend(arguments.iter().map(String::as_str));
            Command::new(env!("CARGO_BIN_EXE_calendar-edge"))
                .args(all)
                .output()
        })
    };
    let output = run(&["--tag", "event:50", "--tag", "image:3"]).await;
    let output = output.expect("a task").expect("it runs");
    assert!(
        output.stdout.starts_with(b"removed 1 responses, generation "),
        "{output:?}"
    );
    assert_eq!(read_both(&edge, &origin).await, 1);
    let output = run(&["--all"]).await.expect("a task").expect("it runs");
    assert!(output.stdout.starts_with(b"removed 2 responses"), "{output:?}");
    for (arguments, status) in [
        (vec![], 64),
        (vec!["--tag", "party:1"], 1),
        (vec!["--tag", "events", "--all"], 64),
    ] {
        let output = run(&arguments).await.expect("a task").expect("it runs");
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
    }
}

#[tokio::test]
async fn a_plugin_that_is_expected_and_not_heard_of_is_told() {
    let site = Site::counting(0);
    let origin = site.start().await;
    let reconcile = Duration::from_millis(20);
    let edge = edge_before(&origin, |settings| settings.cache.reconcile = reconcile).await;
    for (changes, is_missed) in [(0, true), (3, false), (0, true)] {
        site.count(changes);
        while edge.metric("edge_companion_silent").await != Some(u8::from(is_missed).to_string()) {
            edge.get(EVENT).await;
        }
        let status = edge.admin("/status").await.json();
        assert_eq!(status["cache"]["companion"]["is_missed"], is_missed);
        let concerns = status["concerns"].as_array().expect("a list");
        let is_named = concerns.iter().any(|concern| concern["name"] == "plugin_silent");
        assert_eq!(is_named, is_missed, "{concerns:?}");
    }
}
