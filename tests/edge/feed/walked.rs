//! All records, chunk by chunk: a walk that loses nothing, whatever happens meanwhile.

use std::collections::BTreeSet;
use std::time::Duration;

use calendar_edge_core::settings::{MarkKey, Rate, Settings};
use http::header::{CACHE_CONTROL, ETAG, IF_NONE_MATCH, RETRY_AFTER};
use http::{Method, StatusCode};
use serde_json::{Value, json};

use super::feed_site::{FEED, FeedScene, Status, edge, next, tell, told};
use crate::support::{Answer, Edge};

const RECORDS: &str = "/wp-json/calendar-edge/v1/records";

/// A site with events of these numbers, and an edge that knows all of them.
async fn scene(events: std::ops::RangeInclusive<u64>, change: impl FnOnce(&mut Settings)) -> FeedScene {
    let events: Vec<String> = events.map(|id| format!("events/{id}")).collect();
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    let scene = FeedScene::with(&events, change).await;
    until_whole(&scene.edge).await;
    scene
}

async fn until_whole(edge: &Edge) {
    for _ in 0..300 {
        edge.get(FEED).await;
        if edge.metric("edge_facts_whole").await.as_deref() == Some("1") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the facts are not whole");
}

/// A chunk of a walk.
async fn chunk(scene: &FeedScene, query: &str) -> Value {
    let answer = scene.edge.get(&format!("{RECORDS}?{query}")).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    answer.json()
}

/// The rest of a walk behind a chunk: all further records.
async fn rest(scene: &FeedScene, mut last: Value) -> Vec<Value> {
    let mut records = Vec::new();
    while let Some(cursor) = last["next"].as_str() {
        let changes = last["changes"].clone();
        last = chunk(scene, &format!("after={cursor}")).await;
        assert_eq!(last["changes"], changes, "a walk is of one position");
        let found = last["records"].as_array().expect("a list");
        assert!(found.len() <= 100);
        records.extend(found.iter().cloned());
    }
    records
}

/// The names of records, such as `event:50`, and `event:50 bare` for one without its content.
fn names<'a>(records: impl IntoIterator<Item = &'a Value>) -> Vec<String> {
    let name = |record: &Value| {
        let bare = if record["record"].is_object() { "" } else { " bare" };
        format!(
            "{}:{}{bare}",
            record["kind"].as_str().expect("a kind"),
            record["id"]
        )
    };
    records.into_iter().map(name).collect()
}

fn records(chunk: &Value) -> &Vec<Value> {
    chunk["records"].as_array().expect("a list")
}

async fn walk(scene: &FeedScene, query: &str) -> Vec<String> {
    let first = chunk(scene, query).await;
    let mut all = records(&first).clone();
    all.extend(rest(scene, first).await);
    names(&all)
}

#[tokio::test]
async fn a_walk_has_each_record_that_everybody_may_read_once() {
    let scene = scene(1..=240, |_| {}).await;
    for (record, status) in [
        ("events/7", Status::Unlisted),
        ("events/8", Status::Private),
        ("events/9", Status::Draft),
        ("events/10", Status::Protected),
        ("events/11", Status::Trashed),
        ("events/12", Status::Deleted),
        ("venues/300", Status::Published),
        ("venues/301", Status::Draft),
        ("organizers/2000", Status::Published),
        ("categories/5", Status::Published),
        ("tags/6", Status::Published),
    ] {
        scene.change(record, status).await;
    }
    until_whole(&scene.edge).await;
    let mut expected: Vec<String> = (1..=240)
        .filter(|id| !(8..=12).contains(id))
        .map(|id| format!("event:{id}"))
        .collect();
    expected.push("venue:300".to_owned());
    assert_eq!(walk(&scene, "kinds=venues,events").await, expected);
    let others = ["venue:300", "organizer:2000", "category:5", "tag:6"];
    assert_eq!(
        walk(&scene, "kinds=venues,organizers,categories,tags").await,
        others
    );
    assert_eq!(walk(&scene, "").await.len(), 239);
    let first = chunk(&scene, "namespace=calendar/events/v1").await;
    assert_eq!(first["records"][0]["record"]["title"], "Jazz");
    let url = first["records"][0]["record"]["rest_url"].as_str().expect("a URL");
    assert!(url.ends_with("/wp-json/calendar/events/v1/events/1"), "{url}");
}

#[tokio::test]
async fn t117_a_record_that_the_site_keeps_from_strangers_is_in_no_walk() {
    let scene = scene(1..=3, |_| {}).await;
    scene.change("events/2", Status::ForMembers).await;
    until_whole(&scene.edge).await;
    assert_eq!(walk(&scene, "").await, ["event:1", "event:3"]);
}

#[tokio::test]
async fn what_happens_beside_a_walk_the_feed_tells_behind_it() {
    let scene = scene(1..=210, |_| {}).await;
    scene.read_all().await;
    let first = chunk(&scene, "").await;
    assert_eq!(records(&first).len(), 100);
    // Behind the reader and in front of it: changed, left, and made.
    for (record, status) in [
        ("events/3", Status::Published),
        ("events/4", Status::Private),
        ("events/150", Status::Trashed),
        ("events/151", Status::Published),
        ("events/211", Status::Published),
        ("venues/300", Status::Published),
    ] {
        scene.change(record, status).await;
    }
    let mut known: BTreeSet<String> = names(records(&first)).into_iter().collect();
    for name in names(&rest(&scene, first.clone()).await) {
        assert!(known.insert(name), "twice");
    }
    let answer = scene
        .feed(&format!("since={}", first["changes"].as_str().expect("a token")))
        .await;
    assert_eq!(answer["complete"], true, "{answer}");
    let told = told(&answer);
    assert!(told.contains(&"gone event:4".to_owned()), "{told:?}");
    for change in told {
        match change.split_once(' ') {
            Some(("changed", name)) => known.insert(name.to_owned()),
            Some((_, name)) => known.remove(name),
            None => panic!("{change}"),
        };
    }
    let events = (1..=211)
        .filter(|id| ![4, 150].contains(id))
        .map(|id| format!("event:{id}"));
    assert_eq!(known, events.chain(["venue:300".to_owned()]).collect());
}

#[tokio::test]
async fn a_walk_goes_on_while_the_site_is_edited_all_the_time() {
    let scene = scene(1..=110, |_| {}).await;
    scene.read_all().await;
    let first = chunk(&scene, "").await;
    // The facts are behind the last edit for ever.
    scene.site.hide_facts(true);
    scene.change("events/105", Status::Private).await;
    let behind = names(&rest(&scene, first).await);
    assert_eq!(behind.len(), 9, "who may read is asked of the site: {behind:?}");
    // A new reader begins in front of the edit.
    let again = chunk(&scene, "").await;
    assert_eq!(records(&again).len(), 100);
    let token = again["changes"].as_str().expect("a token");
    assert_eq!(scene.told(token).await, ["gone event:105"]);
    // Where the feed does not lead on from there, the reader waits.
    let message = json!({"all": true, "changes": [scene.site.count()]});
    tell(&scene.edge, &message).await;
    assert_eq!(scene.edge.get(RECORDS).await.code(), "edge_records_behind");
    scene.site.hide_facts(false);
    until_whole(&scene.edge).await;
    assert_eq!(walk(&scene, "").await.len(), 109);
}

#[tokio::test]
async fn what_cannot_be_read_now_is_named() {
    let scene = scene(1..=3, |_| {}).await;
    for (record, status) in [
        ("events/2", Status::Broken),
        ("events/3", Status::Long(1100)),
        ("events/4", Status::Long(900)),
        ("events/5", Status::Long(200)),
    ] {
        scene.change(record, status).await;
    }
    until_whole(&scene.edge).await;
    let first = chunk(&scene, "").await;
    assert_eq!(
        names(records(&first)),
        ["event:1", "event:2 bare"],
        "the next one is too large"
    );
    let all = walk(&scene, "").await;
    assert_eq!(
        all,
        ["event:1", "event:2 bare", "event:3 bare", "event:4", "event:5"]
    );
}

#[tokio::test]
async fn a_cursor_of_somebody_else_is_refused() {
    let scene = scene(1..=101, |_| {}).await;
    let cursor = next(&chunk(&scene, "").await);
    let mut forged = cursor.clone().into_bytes();
    forged[40] = if forged[40] == b'A' { b'B' } else { b'A' };
    let forged = String::from_utf8(forged).expect("ASCII");
    let refused = async |edge: &Edge, cursor: &str| {
        let answer = edge.get(&format!("{RECORDS}?after={cursor}")).await;
        let found = (answer.status, answer.code());
        assert_eq!(
            found,
            (StatusCode::BAD_REQUEST, "rest_invalid_param".to_owned()),
            "{cursor}"
        );
        assert!(
            answer.json()["data"]["params"]["after"].is_string(),
            "{}",
            answer.body
        );
    };
    for cursor in [&forged, "100", &scene.token().await] {
        refused(&scene.edge, cursor).await;
    }
    let other = edge(&scene.origin, |settings| {
        settings.origin.mark_key = MarkKey::new(b"another secret with 32 characters").ok();
    })
    .await;
    refused(&other, &cursor).await;
    // The site's database is restored.
    scene.change("events/1", Status::Published).await;
    until_whole(&scene.edge).await;
    let cursor = next(&chunk(&scene, "").await);
    scene.site.count_to(4);
    tokio::time::sleep(Duration::from_secs(2)).await;
    until_whole(&scene.edge).await;
    refused(&scene.edge, &cursor).await;
    assert_eq!(walk(&scene, "").await.len(), 101);
}

#[tokio::test]
async fn without_all_records_a_walk_is_refused_and_says_why() {
    let code = async |edge: &Edge| {
        let answer = edge.get(RECORDS).await;
        (
            answer.status.as_u16(),
            answer.code(),
            answer.headers.contains_key(RETRY_AFTER),
        )
    };
    let scene = scene(1..=3, |_| {}).await;
    for (settings, expected) in [
        (
            |settings: &mut Settings| settings.feed.enabled = false,
            (404, "edge_feed_off", false),
        ),
        (
            |settings: &mut Settings| settings.origin.mark_key = None,
            (501, "edge_feed_unavailable", false),
        ),
    ] as [(fn(&mut Settings), _); 2]
    {
        let edge = edge(&scene.origin, settings).await;
        assert_eq!(code(&edge).await, (expected.0, expected.1.to_owned(), expected.2));
    }
    let behind = (503, "edge_records_behind".to_owned(), true);
    scene.site.hide_facts(true);
    let unread = edge(&scene.origin, |_| {}).await;
    unread.get(FEED).await;
    assert_eq!(code(&unread).await, behind);
    scene.site.be_silent(true);
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(code(&scene.edge).await, behind, "the site is silent");
}

#[tokio::test]
async fn a_chunk_may_be_kept_for_a_short_time() {
    let scene = scene(1..=3, |_| {}).await;
    let first = scene.edge.get(RECORDS).await;
    assert_eq!(first.header(CACHE_CONTROL.as_str()), Some("public, max-age=10"));
    assert_eq!(first.header("access-control-allow-origin"), Some("*"));
    let asked = scene
        .edge
        .request(Method::GET, RECORDS)
        .header(IF_NONE_MATCH, &first.headers[ETAG]);
    let again = Answer::to(asked).await;
    assert_eq!(
        (again.status, again.body.as_str()),
        (StatusCode::NOT_MODIFIED, "")
    );
    let head = Answer::to(scene.edge.request(Method::HEAD, RECORDS)).await;
    assert_eq!((head.status, head.body.as_str()), (StatusCode::OK, ""));
    assert_eq!(head.headers[ETAG], first.headers[ETAG]);
    let json = first.json();
    assert_eq!(
        (&json["next"], json["records"].as_array().map(Vec::len)),
        (&json!(null), Some(3))
    );
}

#[tokio::test]
async fn a_chunk_takes_a_place_and_counts_as_a_read() {
    let scene = scene(1..=3, |settings| {
        settings.feed.readers = 1;
        settings.rate_limits.address.items = Some(Rate {
            requests: 400,
            period: Duration::from_mins(10),
        });
    })
    .await;
    let waiting = scene
        .edge
        .request(Method::GET, FEED)
        .header("accept", "text/event-stream");
    let waiting = waiting.send().await.expect("an answer");
    assert_eq!(scene.edge.get(RECORDS).await.code(), "edge_feed_full");
    drop(waiting);
    for _ in 0..500 {
        let answer = scene.edge.get(RECORDS).await;
        if answer.status == StatusCode::TOO_MANY_REQUESTS {
            return;
        }
    }
    panic!("a walk is not charged");
}

/// The reads that are left to this client, after this one.
async fn left(scene: &FeedScene) -> u64 {
    let answer = scene.edge.get(FEED).await;
    let fields = answer.header("ratelimit").expect("a field");
    let left = fields.split("r=").nth(1).expect("what is left");
    let digits: String = left.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}

#[tokio::test]
async fn t103_each_record_that_the_site_is_asked_for_is_charged() {
    let scene = scene(1..=200, |settings| {
        settings.rate_limits.address.items = Some(Rate {
            requests: 1000,
            period: Duration::from_hours(24),
        });
    })
    .await;
    let before = left(&scene).await;
    let first = chunk(&scene, "").await;
    assert_eq!(records(&first).len(), 100);
    assert_eq!(before - left(&scene).await, 100 + 1);
    // They are stored.
    let before = left(&scene).await;
    assert_eq!(records(&chunk(&scene, "").await).len(), 100);
    assert_eq!(before - left(&scene).await, 1 + 1);
    while left(&scene).await > 10 {}
    let rest = chunk(&scene, &format!("after={}", next(&first))).await;
    let found = records(&rest).len();
    assert!(
        (10..=14).contains(&found),
        "a chunk ends with the budget: {found}"
    );
    assert!(rest["next"].is_string(), "{rest}");
    let refused = scene.edge.get(RECORDS).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
}
