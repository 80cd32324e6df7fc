//! The service follows its site by messages, and asks for no more than they name.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use calendar_edge_sandbox::Sandbox;
use calendar_example::follow::Follower;
use calendar_example::secret::unix_time;
use calendar_example::site::Site;
use calendar_example::store::Store;
use reqwest::{Client, Method};
use ring::{digest, hmac};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::support::{Calendar, SECRET, loopback, secret, serve, site};

/// A site with a companion plugin: it counts changes, and the calls that it answers.
#[derive(Clone)]
struct Counting {
    root: Arc<str>,
    changes: Arc<AtomicU64>,
    calls: Arc<AtomicUsize>,
    targets: Arc<Mutex<Vec<String>>>,
}

struct Followed {
    _sandbox: Sandbox,
    site: Calendar,
    counting: Counting,
    calendar: Calendar,
    store: Arc<Store>,
    service: Calendar,
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a String takes everything");
        text
    })
}

async fn pass(State(counting): State<Counting>, headers: HeaderMap, uri: Uri) -> (StatusCode, String) {
    counting.calls.fetch_add(1, Ordering::SeqCst);
    counting.targets.lock().expect("no panic").push(uri.to_string());
    if !headers.contains_key("x-calendar-edge-mark") {
        return (
            StatusCode::FORBIDDEN,
            json!({"code": "calendar_edge_mark_missing"}).to_string(),
        );
    }
    if uri.path() == "/wp-json/calendar-edge/v1/changes" {
        let changes = counting.changes.load(Ordering::SeqCst);
        return (StatusCode::OK, json!({"changes": changes}).to_string());
    }
    let target = uri.to_string().replace("/wp-json", "");
    let answer = Client::new()
        .get(format!("{}{target}", counting.root))
        .send()
        .await
        .expect("an answer");
    (answer.status(), answer.text().await.expect("a body"))
}

async fn counting(site: &Calendar) -> (Counting, Calendar) {
    let counting = Counting {
        root: site.root.clone().into(),
        changes: Arc::new(AtomicU64::new(40)),
        calls: Arc::default(),
        targets: Arc::default(),
    };
    let listener = TcpListener::bind(loopback()).await.expect("a socket");
    let root = format!("http://{}/wp-json", listener.local_addr().expect("bound"));
    let router = Router::new().fallback(pass).with_state(counting.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let namespace = site.namespace;
    let wordpress = site.root.clone();
    (
        counting,
        Calendar {
            root,
            namespace,
            wordpress,
        },
    )
}

// === impl Followed ===

impl Followed {
    async fn start(pause: Duration) -> Self {
        let (sandbox, site) = site().await;
        // More records than one page has.
        for number in 0..60 {
            let venue = json!({"venue": format!("Hall {number}")});
            write(&site, Method::POST, "venues", venue).await;
        }
        let (counting, calendar) = counting(&site).await;
        let store = Arc::new(Store::in_memory().expect("a database"));
        let mut follower = follower(&calendar, &store);
        follower.catch_up().await.expect("a copy");
        let (sender, messages) = mpsc::channel(8);
        tokio::spawn(follower.run(messages, pause));
        let service = serve(Arc::clone(&store), &site, None, Some(sender)).await;
        Self {
            _sandbox: sandbox,
            site,
            counting,
            calendar,
            store,
            service,
        }
    }

    /// The site tells of its next change, as the companion plugin does.
    async fn tell(&self, what: &Value) -> u16 {
        let number = self.counting.changes.fetch_add(1, Ordering::SeqCst) + 1;
        let mut message = what.clone();
        message["changes"] = json!([number]);
        self.send(&message).await
    }

    async fn send(&self, message: &Value) -> u16 {
        let body = message.to_string();
        let digest = hex(digest::digest(&digest::SHA256, body.as_bytes()).as_ref());
        let (time, number) = (unix_time(), &digest[..32]);
        let signed = format!("calendar-edge purge v1\n{time}\n{number}\n{digest}");
        let key = hmac::Key::new(hmac::HMAC_SHA256, SECRET);
        let signature = hex(hmac::sign(&key, signed.as_bytes()).as_ref());
        let seal = format!("v1 t={time},n={number},d={digest},s={signature}");
        let url = self.service.root.replace("/api", "/purge");
        let request = Client::new()
            .post(url)
            .header("x-calendar-edge-purge", seal)
            .body(body);
        request.send().await.expect("an answer").status().as_u16()
    }

    /// Waits until the service answers as the site does.
    async fn until_level(&self, target: &str) {
        for _ in 0..200 {
            if self.service.get(target).await == self.site.get(target).await {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{target}: {:?}", self.service.get(target).await);
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.counting.targets.lock().expect("no panic"))
    }
}

fn follower(calendar: &Calendar, store: &Arc<Store>) -> Follower {
    let root = calendar.root.parse().expect("a URL");
    Follower::new(
        Site::new(&root, calendar.namespace, Some(secret())),
        Arc::clone(store),
        false,
    )
}

async fn write(site: &Calendar, method: Method, target: &str, body: Value) {
    let request = site
        .request(method, target)
        .basic_auth("demo", Some("sand boxs ecre tcal enda redg"));
    let request = request
        .header("content-type", "application/json")
        .body(body.to_string());
    let answer = site.answer(request).await;
    assert!(answer.status < 300, "{target}: {}", answer.body);
}

const NEVER: Duration = Duration::from_hours(1);

/// A poll of everything asked for each venue, for the pages of venues, and for those of events.
const POLL_OF_EVERYTHING: usize = 65 + 2 + 1;

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_costs_the_calls_that_it_names() {
    let followed = Followed::start(NEVER).await;
    let everything = followed.asked().len();
    assert_eq!(everything, 1 + 2 + 1 + 1 + 1 + 1, "the number, and each list");
    assert!(everything < POLL_OF_EVERYTHING);
    // Four events show this venue; none of them is asked for.
    write(
        &followed.site,
        Method::POST,
        "venues/7",
        json!({"phone": "+49 1"}),
    )
    .await;
    assert_eq!(followed.tell(&json!({"tags": ["venue:7", "venues"]})).await, 200);
    followed.until_level("venues/7").await;
    assert_eq!(followed.asked(), ["/wp-json/tribe/events/v1/venues/7"]);
    followed.until_level("events/20").await;
    followed.until_level("events?per_page=50").await;
    write(&followed.site, Method::DELETE, "events/21", json!({})).await;
    followed
        .tell(&json!({"tags": ["event:21", "events", "category:1", "tag:9", "tag:10", "tag:11"]}))
        .await;
    followed.until_level("events").await;
    followed.until_level("categories/1").await;
    followed.until_level("tags").await;
    let asked = followed.asked();
    assert_eq!(asked.len(), 3, "{asked:?}");
    assert_eq!(followed.service.get("events/21").await.status, 400);
    let mut again = follower(&followed.calendar, &followed.store);
    again.catch_up().await.expect("level");
    assert_eq!(
        followed.asked().len(),
        1,
        "a restart asks for the number of changes"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_is_read_when_the_message_says_so() {
    let followed = Followed::start(NEVER).await;
    write(
        &followed.site,
        Method::POST,
        "venues/8",
        json!({"phone": "+49 2"}),
    )
    .await;
    followed.tell(&json!({"all": true})).await;
    followed.until_level("venues/8").await;
    write(
        &followed.site,
        Method::POST,
        "organizers/12",
        json!({"phone": "+49 3"}),
    )
    .await;
    followed.tell(&json!({"tags": ["something:new"]})).await;
    followed.until_level("organizers/12").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_message_is_noticed_by_its_number() {
    let followed = Followed::start(Duration::from_millis(100)).await;
    write(
        &followed.site,
        Method::POST,
        "venues/9",
        json!({"phone": "+49 4"}),
    )
    .await;
    followed.counting.changes.fetch_add(1, Ordering::SeqCst);
    followed.until_level("venues/9").await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    followed.asked();
    tokio::time::sleep(Duration::from_millis(350)).await;
    let asked = followed.asked();
    assert!(
        asked.iter().all(|target| target.ends_with("/changes")),
        "{asked:?}"
    );
    assert!(!asked.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_count_once_and_with_the_secret() {
    let followed = Followed::start(NEVER).await;
    let message = json!({"tags": ["venue:7"], "changes": [41]});
    assert_eq!(followed.send(&message).await, 200);
    assert_eq!(followed.send(&message).await, 409, "taken before");
    let url = followed.service.root.replace("/api", "/purge");
    let unsealed = Client::new().post(url).body(message.to_string());
    assert_eq!(unsealed.send().await.expect("an answer").status().as_u16(), 403);
}

/// A site that refuses the mark says nothing about a record.
#[tokio::test(flavor = "multi_thread")]
async fn a_refused_mark_removes_nothing() {
    let followed = Followed::start(NEVER).await;
    let root = followed.calendar.root.parse().expect("a URL");
    let unmarked = Site::new(&root, followed.calendar.namespace, None);
    let mut other = Follower::new(unmarked, Arc::clone(&followed.store), false);
    assert!(other.catch_up().await.is_err());
    followed.until_level("venues/7").await;
}
