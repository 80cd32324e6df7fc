//! Readers that wait: long polls and streams of server-sent events.

use std::time::{Duration, Instant};

use calendar_edge_core::settings::Settings;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{Method, StatusCode};
use serde_json::Value;
use tokio::time::timeout;

use super::feed_site::{FEED, FeedScene, Status, next, told};
use crate::support::Answer;

/// A stream as its client reads it.
struct EventStream {
    response: reqwest::Response,
    text: String,
}

/// An event.
struct Event {
    id: String,
    data: Value,
}

// === impl EventStream ===

impl EventStream {
    async fn open(scene: &FeedScene, query: &str, last: Option<&str>) -> Self {
        let request = scene.edge.request(Method::GET, &format!("{FEED}?{query}"));
        let mut request = request.header(ACCEPT, "text/event-stream");
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        let response = request.send().await.expect("an answer");
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()[CONTENT_TYPE], "text/event-stream");
        let text = String::new();
        Self { response, text }
    }

    /// The next event; none at the end.
    async fn next(&mut self) -> Option<Event> {
        loop {
            while let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                if let Some(event) = Event::read(&block) {
                    return Some(event);
                }
            }
            let chunk = timeout(Duration::from_secs(20), self.response.chunk()).await;
            let chunk = chunk.expect("an event").ok().flatten()?;
            self.text.push_str(std::str::from_utf8(&chunk).expect("UTF-8"));
        }
    }
}

// === impl Event ===

impl Event {
    fn read(block: &str) -> Option<Self> {
        let field = |name: &str| {
            block
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
        };
        Some(Self {
            id: field("id")?.to_owned(),
            data: serde_json::from_str(field("data")?).expect("JSON"),
        })
    }
}

#[tokio::test]
async fn a_reader_that_takes_no_stream_gets_an_answer() {
    let scene = FeedScene::of(&[]).await;
    let request = scene.edge.request(Method::GET, FEED);
    let answer = Answer::to(request.header(ACCEPT, "text/event-stream;q=0, */*")).await;
    assert_eq!(answer.json()["complete"], false);
    assert_eq!(answer.header("vary"), Some("Accept"));
}

#[tokio::test]
async fn a_reader_that_waits_hears_at_once() {
    let scene = FeedScene::of(&["events/50"]).await;
    let token = scene.token().await;
    let begun = Instant::now();
    let answer = scene.feed(&format!("since={token}&wait=1")).await;
    assert!(told(&answer).is_empty() && begun.elapsed() >= Duration::from_secs(1));
    assert_eq!(next(&answer), token);
    let query = format!("since={token}&wait=30&kinds=events");
    let (answer, ()) = tokio::join!(scene.feed(&query), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        scene.change("events/50", Status::Published).await;
    });
    assert_eq!(told(&answer), ["changed event:50"]);
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn a_stream_tells_what_polls_tell_and_goes_on_where_it_was() {
    let scene = FeedScene::of(&["events/50", "events/51"]).await;
    let token = scene.token().await;
    scene.read_all().await;
    let mut stream = EventStream::open(&scene, &format!("since={token}"), None).await;
    scene.change("events/50", Status::Published).await;
    let first = stream.next().await.expect("an event");
    assert_eq!(told(&first.data), ["changed event:50"]);
    assert_eq!(first.id, next(&first.data));
    scene.change("events/51", Status::Trashed).await;
    assert_eq!(
        told(&stream.next().await.expect("an event").data),
        ["gone event:51"]
    );
    drop(stream);
    let mut resumed = EventStream::open(&scene, &format!("since={token}"), Some(&first.id)).await;
    assert_eq!(
        told(&resumed.next().await.expect("an event").data),
        ["gone event:51"]
    );
    // Without a token the first event demands to read all.
    let mut fresh = EventStream::open(&scene, "", None).await;
    assert_eq!(fresh.next().await.expect("an event").data["complete"], false);
}

#[tokio::test]
async fn nothing_is_kept_for_a_slow_reader() {
    let scene = FeedScene::of(&["events/50"]).await;
    let token = scene.token().await;
    let mut slow = EventStream::open(&scene, &format!("since={token}&include=records"), None).await;
    for _ in 0..300 {
        scene.change("events/50", Status::Published).await;
    }
    let last = next(&scene.feed(&format!("since={token}")).await);
    let mut events = 0;
    while slow.next().await.expect("an event").id != last {
        events += 1;
        assert!(events < 300, "the last state is told, not each one");
    }
}

#[tokio::test]
async fn the_drain_ends_streams_and_waits_at_once() {
    let scene = FeedScene::of(&["events/50"]).await;
    let token = scene.token().await;
    let mut stream = EventStream::open(&scene, &format!("since={token}"), None).await;
    let waiting = scene
        .edge
        .request(Method::GET, &format!("{FEED}?since={token}&wait=30"));
    let waiting = tokio::spawn(waiting.send());
    tokio::time::sleep(Duration::from_millis(300)).await;
    let begun = Instant::now();
    let FeedScene { edge, .. } = scene;
    let drained = tokio::spawn(edge.drain());
    assert!(stream.next().await.is_none());
    assert_eq!(
        waiting.await.expect("a task").expect("an answer").status(),
        StatusCode::OK
    );
    drained.await.expect("a drain");
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_stream_is_not_compressed_and_ends_when_its_settings_do_not_matter() {
    let scene = FeedScene::of(&["events/50"]).await;
    let token = scene.token().await;
    let request = scene.edge.request(Method::GET, &format!("{FEED}?since={token}"));
    let request = request
        .header(ACCEPT, "text/event-stream")
        .header("accept-encoding", "gzip, br");
    let response = request.send().await.expect("an answer");
    assert!(response.headers().get("content-encoding").is_none());
    assert_eq!(response.headers()["cache-control"], "no-cache, no-transform");
    // A reload leaves streams alone.
    let mut settings: Settings = scene.edge.settings();
    settings.feed.records = 200;
    scene.edge.reloader().apply(settings).expect("good settings");
    let mut stream = EventStream {
        response,
        text: String::new(),
    };
    scene.change("events/50", Status::Published).await;
    assert_eq!(
        told(&stream.next().await.expect("an event").data),
        ["changed event:50"]
    );
}
