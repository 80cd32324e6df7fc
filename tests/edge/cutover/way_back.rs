//! Records that are written all the time while they move to a candidate and back: no accepted write is lost.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use calendar_edge_core::settings::{CutMethods, CutoverRule, Settings};
use calendar_service::caller::Callers;
use calendar_service::copy::Copier;
use calendar_service::follow::Follower;
use calendar_service::secret::Secret;
use calendar_service::site::Site;
use calendar_service::store::Store;
use calendar_service::{Announcement, Calendar, CalendarServer, CalendarSettings, PASSWORD, SEAL, USERNAME};
use http::Method;
use jiff::tz::TimeZone;
use parking_lot::Mutex;
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use url::Url;

use super::{cut, rule};
use crate::comparing::{Setup, root};
use crate::support::{Answer, Edge, Origin, Reply, responded};

const API: &str = "/wp-json/calendar/events/v1";

/// The longest time of a step until the test fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// The numbers that the site gives to its own records.
const OWN: (u64, u64) = (1, 99_999);

/// A site that reports its changes, and a candidate that follows it and copies to it.
struct Pair {
    site: Origin,
    next: CalendarServer,
    door: Arc<Mutex<Door>>,
}

/// A site's treatment of copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Door {
    Open,
    /// It takes none.
    Shut,
    /// It takes one, whose response is lost.
    Lossy,
}

fn away() -> Reply {
    Reply::json(503, r#"{"code":"away","message":"Away"}"#)
}

fn settings(root: &str, is_copied: bool) -> CalendarSettings {
    CalendarSettings {
        root: root.parse().expect("a URL"),
        pages: "http://site.example".to_owned(),
        zone: TimeZone::get("Europe/Berlin").expect("a zone"),
        callers: Callers::Sample,
        is_copied,
        now: None,
    }
}

/// A site that reports its changes, and gives a new record the number that a copy requests, as the companion plugin
/// does.
async fn site(secret: Secret, queue: UnboundedSender<Announcement>, door: Arc<Mutex<Door>>) -> Origin {
    let mut store = Store::default();
    store.number(OWN.0, OWN.1);
    let store = Arc::new(Mutex::new(store));
    let calendar = Calendar::new(settings("http://site.example/wp-json", false), Arc::clone(&store));
    let calendar = calendar.announcing(secret, queue);
    let turn = Mutex::new(());
    Origin::answering(move |seen| {
        let _turn = turn.lock();
        let number = |first, last| store.lock().number(first, last);
        let is_copy = seen.header("x-calendar-edge-number").is_some();
        let met = *door.lock();
        if is_copy && met == Door::Shut {
            return away();
        }
        if let Some(asked) = seen.header("x-calendar-edge-number") {
            let (asked, _) = asked
                .strip_prefix("v1 n=")
                .and_then(|asked| asked.split_once(','))
                .expect("a number");
            let asked = asked.parse().expect("a number");
            number(asked, asked);
        }
        let response = responded(&calendar, seen);
        number(OWN.0, OWN.1);
        if is_copy && met == Door::Lossy {
            *door.lock() = Door::Open;
            return away();
        }
        Reply::json(
            response.status().as_u16(),
            &String::from_utf8_lossy(response.body()),
        )
    })
    .await
}

/// Posts messages as the companion plugin does.
async fn tell(mut messages: UnboundedReceiver<Announcement>, purge: String) {
    let client = Edge::client();
    while let Some(Announcement { seal, body }) = messages.recv().await {
        let sent = client.post(&purge).header(SEAL, seal).body(body).send().await;
        assert_eq!(sent.expect("the candidate answers").status(), 200);
    }
}

impl Pair {
    /// A candidate that copies what is written there as this account, if there is one.
    async fn start(login: Option<&str>) -> Self {
        // Every client needs it; it may be there already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let secret = Secret::new(&[b'x'; 32]).expect("long enough");
        let next_listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
        let next_root = format!(
            "http://{}/wp-json",
            next_listener.local_addr().expect("an address")
        );
        let (queue, messages) = mpsc::unbounded_channel();
        tokio::spawn(tell(messages, next_root.replace("/wp-json", "/purge")));
        let door = Arc::new(Mutex::new(Door::Open));
        let site = site(secret.clone(), queue, Arc::clone(&door)).await;
        let mut store = Store::default().noting();
        store.number(100_000, 999_999);
        let store = Arc::new(Mutex::new(store));
        let root: Url = root(&site).parse().expect("a URL");
        let from = Site::new(&root, "tribe/events/v1", Some(secret.clone())).expect("a client");
        let from = match login {
            Some(login) => {
                let from = from.with_login((login.to_owned(), PASSWORD.to_owned()));
                tokio::spawn(Copier::new(from.clone(), Arc::clone(&store)).run());
                from
            }
            None => from,
        };
        let mut follower = Follower::new(from, Arc::clone(&store));
        follower.catch_up().await.expect("the site answers");
        let (sender, messages) = mpsc::channel(1000);
        tokio::spawn(follower.run(messages, Duration::from_secs(1)));
        let next = Calendar::new(settings(&next_root, login.is_some()), store).taking(secret, sender);
        let next = CalendarServer::serve(next_listener, next).expect("a socket");
        Self { site, next, door }
    }

    async fn told(root: &str, what: &str) -> Value {
        let url = format!("{root}/calendar-edge/v1/{what}");
        let response = Edge::client().get(url).send().await.expect("it answers");
        serde_json::from_str(&response.text().await.expect("a body")).expect("JSON")
    }

    async fn outbox(&self) -> Value {
        Self::told(self.next.rest_root().as_str(), "outbox").await
    }

    /// Waits until the candidate has what the site has.
    async fn is_followed(&self) {
        let followed = async {
            while Self::told(&root(&self.site), "changes").await["changes"] != self.outbox().await["followed"]
            {
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(PATIENCE, followed).await.expect("the candidate follows");
    }

    /// Waits until the site has what the candidate has.
    async fn is_copied(&self) {
        let copied = async {
            while self.outbox().await["waiting"] != 0 {
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(PATIENCE, copied).await.expect("the candidate copies");
        assert_eq!(self.outbox().await["refused"], json!([]));
    }
}

fn moved() -> CutoverRule {
    CutoverRule {
        methods: CutMethods::All,
        ..rule("*")
    }
}

async fn edge(pair: &Pair, rules: Vec<CutoverRule>) -> Edge {
    let next = pair.next.rest_root().to_string();
    let change = |settings: &mut Settings| cut(settings, next.trim_end_matches("/wp-json"), rules);
    Edge::builder().origin(&pair.site).settings(change).start().await
}

/// A client's knowledge of the records whose writes were accepted: their names, or none once they are deleted.
type Known = BTreeMap<(&'static str, u64), Option<String>>;

const NAMES: [(&str, &str); 3] = [
    ("venues", "venue"),
    ("organizers", "organizer"),
    ("events", "title"),
];

fn name_of(kind: &str) -> &'static str {
    let found = NAMES.iter().find(|(known, _)| *known == kind);
    found.map_or("", |(_, name)| *name)
}

/// A client that writes without a pause.
struct Writer {
    edge: Arc<Edge>,
    number: usize,
    accepted: Arc<AtomicUsize>,
    known: Known,
}

impl Writer {
    async fn send(&self, method: Method, path: &str, body: &Value) -> Answer {
        let request = self.edge.request(method, &format!("{API}/{path}"));
        let request = request
            .basic_auth(USERNAME, Some(PASSWORD))
            .header("content-type", "application/json");
        Answer::to(request.body(body.to_string())).await
    }

    fn some(&self, kind: &str) -> Option<u64> {
        let mut known = self
            .known
            .iter()
            .filter(|((known, _), name)| *known == kind && name.is_some());
        known.next_back().map(|((_, id), _)| *id)
    }

    /// A new record, a new name of the last one, or now and then its end.
    async fn write(&mut self, turn: usize) {
        let (kind, name) = NAMES[turn % NAMES.len()];
        let title = format!("{kind} {} of client {}", turn, self.number);
        let mut body = json!({name: title});
        if kind == "events" {
            body["start_date"] = "2027-05-05 10:00".into();
            body["end_date"] = "2027-05-05 12:00".into();
            body["venue"] = self.some("venues").into();
            body["organizer"] = self.some("organizers").into();
        }
        let last = self.some(kind);
        let (method, path) = match (turn / NAMES.len() % 4, last) {
            (1 | 2, Some(last)) => (Method::POST, format!("{kind}/{last}")),
            (3, Some(last)) if turn.is_multiple_of(7) => (Method::DELETE, format!("{kind}/{last}")),
            _ => (Method::POST, kind.to_owned()),
        };
        let is_end = method == Method::DELETE;
        let answer = self
            .send(method, &path, if is_end { &Value::Null } else { &body })
            .await;
        if !answer.status.is_success() {
            assert_eq!(answer.json()["code"], "edge_read_only", "{path}: {}", answer.body);
            sleep(Duration::from_millis(10)).await;
            return;
        }
        let id = answer.json()["id"].as_u64().expect("a number");
        self.known.insert((kind, id), (!is_end).then_some(title));
        self.accepted.fetch_add(1, Ordering::SeqCst);
        assert_eq!(self.lost(kind, id).await, None, "a client reads what it wrote");
    }

    /// The difference of a record from the accepted one; none if there is none.
    async fn lost(&self, kind: &'static str, id: u64) -> Option<String> {
        let answer = self
            .send(Method::GET, &format!("{kind}/{id}"), &Value::Null)
            .await;
        let found = answer.json();
        let is_there = match &self.known[&(kind, id)] {
            Some(name) => {
                answer.status == 200 && found[name_of(kind)] == **name && found["status"] == "publish"
            }
            None => answer.status != 200 || found["status"] == "trash",
        };
        (!is_there).then(|| format!("{kind}/{id}: {} {:.300}", answer.status, answer.body))
    }
}

/// Leads the calls of clients elsewhere, as the guide describes it: no writes, until the other side has everything.
async fn lead(edge: &Edge, pair: &Pair, rules: Vec<CutoverRule>) {
    let is_return = rules.is_empty();
    let mut settings = edge.settings();
    settings.read_only = true;
    settings.cutover = if is_return { vec![moved()] } else { Vec::new() };
    edge.reloader().apply(settings.clone()).expect("good settings");
    // Writes that were on their way arrive.
    sleep(Duration::from_millis(300)).await;
    if is_return {
        pair.is_copied().await;
    } else {
        pair.is_followed().await;
    }
    settings.cutover = rules;
    edge.reloader().apply(settings.clone()).expect("good settings");
    settings.read_only = false;
    edge.reloader().apply(settings).expect("good settings");
}

/// Starts clients that write until it is over.
fn start_writers(
    edge: &Arc<Edge>,
    is_over: &Arc<AtomicBool>,
    accepted: &Arc<AtomicUsize>,
) -> Vec<JoinHandle<Writer>> {
    let writers = (0..3).map(|number| {
        let is_over = Arc::clone(is_over);
        let mut writer = Writer {
            edge: Arc::clone(edge),
            number,
            accepted: Arc::clone(accepted),
            known: Known::new(),
        };
        tokio::spawn(async move {
            let mut turn = 0;
            while !is_over.load(Ordering::SeqCst) {
                writer.write(turn).await;
                turn += 1;
            }
            writer
        })
    });
    writers.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_accepted_write_is_lost_on_the_way_there_and_back() {
    let pair = Pair::start(Some(USERNAME)).await;
    let edge = Arc::new(edge(&pair, Vec::new()).await);
    let (is_over, accepted) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let writers = start_writers(&edge, &is_over, &accepted);
    let mut phases = Vec::new();
    let mut before = 0;
    for rules in [
        Some(vec![moved()]),
        Some(Vec::new()),
        Some(vec![moved()]),
        Some(Vec::new()),
        None,
    ] {
        let enough = async {
            while accepted.load(Ordering::SeqCst) < before + 60 {
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(PATIENCE, enough).await.expect("clients write");
        let now = accepted.load(Ordering::SeqCst);
        phases.push(now - before);
        before = now;
        if let Some(rules) = rules {
            lead(&edge, &pair, rules).await;
        }
    }
    is_over.store(true, Ordering::SeqCst);
    let mut lost = Vec::new();
    let mut records = 0;
    for writer in writers {
        let writer = writer.await.expect("no write was lost at once");
        for (kind, id) in writer.known.keys() {
            records += 1;
            lost.extend(writer.lost(kind, *id).await);
        }
        let theirs = writer.known.keys().filter(|(_, id)| *id >= 100_000).count();
        assert!(
            theirs > 10 && theirs < writer.known.len(),
            "both gave numbers: {theirs}"
        );
    }
    println!(
        "accepted in each phase: {phases:?}; {records} records, lost: {}",
        lost.len()
    );
    assert_eq!(lost, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_that_goes_before_its_writes_are_copied_is_told() {
    // An account that may not write: what it copies is tried again and again.
    let pair = Pair::start(Some("subscriber")).await;
    let edge = edge(&pair, vec![moved()]).await;
    let request = edge.request(Method::POST, &format!("{API}/tags"));
    let request = request
        .basic_auth(USERNAME, Some(PASSWORD))
        .header("content-type", "application/json");
    assert_eq!(Answer::to(request.body(r#"{"name":"late"}"#)).await.status, 201);
    let tried = async {
        while pair.outbox().await["failure"].is_null() {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, tried).await.expect("it is tried");
    let page = edge.admin("/migration?outbox=1").await.json();
    assert_eq!(page["backends"]["next"]["outbox"]["waiting"], 1, "{page}");
    let (site, next) = (root(&pair.site), pair.next.rest_root().to_string());
    let rule = "[[cutover]]\nname = \"all\"\nbackend = \"next\"\noperations = [\"*\"]\nmethods = \"all\"\n";
    for (rule, expected) in [(rule, false), ("", true)] {
        let setup = Setup::new(&format!("way-back-{expected}"), &site, &next, rule);
        let output = setup.run(&["check"]).await;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(
            text.contains("does not have 1 records that were written there"),
            expected,
            "{text}"
        );
    }
    let (silent, rule) = (Pair::start(None).await, rule);
    let (site, next) = (root(&silent.site), silent.next.rest_root().to_string());
    let setup = Setup::new("way-back-none", &site, &next, rule);
    let output = setup.run(&["check"]).await;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.contains("nothing copies what is written there to the site"),
        "{text}"
    );
}

// === the order of writes ===

/// A write at the candidate.
#[derive(Debug, Clone, Copy)]
enum Step {
    Create(&'static str),
    /// The last event gets the last venue, organizer and tag.
    Name,
    Delete(&'static str),
    Meet(Door),
}

/// The records that were written at the candidate, by kind.
struct Story<'a> {
    pair: &'a Pair,
    made: Vec<(&'static str, u64)>,
}

const EVENT: &str = r#"{"title":"E","start_date":"2027-05-05 10:00","end_date":"2027-05-05 12:00"}"#;

/// A call of an editor to the service below a REST root.
async fn call_at(root: &str, method: Method, path: &str, body: &Value) -> (u16, Value) {
    let url = format!("{}/tribe/events/v1/{path}", root.trim_end_matches('/'));
    let request = Edge::client()
        .request(method, url)
        .basic_auth(USERNAME, Some(PASSWORD));
    let request = request
        .header("content-type", "application/json")
        .body(body.to_string());
    let answer = Answer::to(request).await;
    (answer.status.as_u16(), answer.json())
}

/// A record as one side shows it to an editor, without what a copy lacks.
async fn shown(root: &str, (kind, id): (&str, u64)) -> Value {
    let (status, found) = call_at(root, Method::GET, &format!("{kind}/{id}"), &Value::Null).await;
    let ids = |member: &str| match &found[member] {
        Value::Array(several) => several.iter().map(|one| one["id"].clone()).collect(),
        one => vec![one["id"].clone()],
    };
    let links =
        ["venue", "organizer", "tags"].map(|member| if kind == "events" { ids(member) } else { vec![] });
    json!([
        kind,
        id,
        status,
        found["status"],
        found["title"],
        found["name"],
        links
    ])
}

impl Story<'_> {
    async fn write(&self, method: Method, path: &str, body: &Value) -> (u16, Value) {
        call_at(self.pair.next.rest_root().as_str(), method, path, body).await
    }

    fn last(&self, kind: &str) -> Option<u64> {
        let made = self.made.iter().rev().find(|(known, _)| *known == kind);
        made.map(|(_, id)| *id)
    }

    async fn take(&mut self, step: Step) {
        match step {
            Step::Create(kind) => {
                let mut body: Value = serde_json::from_str(EVENT).expect("JSON");
                // Every tag has the same name, which the site takes once.
                body["name"] = "T".into();
                for name in ["venue", "organizer"] {
                    let linked = self.last(&format!("{name}s"));
                    body[name] = if kind == "events" {
                        json!(linked)
                    } else {
                        json!(name)
                    };
                }
                let (status, made) = self.write(Method::POST, kind, &body).await;
                // A second tag of the name is refused.
                assert!(status == 201 || kind == "tags", "{kind}: {status} {made}");
                self.made.extend(made["id"].as_u64().map(|id| (kind, id)));
            }
            Step::Name => {
                let Some(event) = self.last("events") else { return };
                let mut body: Value = serde_json::from_str(EVENT).expect("JSON");
                for (kind, name) in [("venues", "venue"), ("organizers", "organizer"), ("tags", "tags")] {
                    body[name] = json!(self.last(kind));
                }
                self.write(Method::POST, &format!("events/{event}"), &body).await;
            }
            Step::Delete(kind) => {
                if let Some(id) = self.last(kind) {
                    self.write(Method::DELETE, &format!("{kind}/{id}"), &Value::Null)
                        .await;
                }
            }
            Step::Meet(door) => *self.pair.door.lock() = door,
        }
    }

    /// Lets the copier through, and compares both sides.
    async fn is_level(&self) {
        *self.pair.door.lock() = Door::Open;
        // A write wakes the copier.
        let (status, _) = self
            .write(Method::POST, "categories", &json!({"name": "last"}))
            .await;
        assert_eq!(status, 201);
        self.pair.is_copied().await;
        let (site, next) = (root(&self.pair.site), self.pair.next.rest_root());
        for record in &self.made {
            let (theirs, own) = (shown(&site, *record).await, shown(next.as_str(), *record).await);
            assert_eq!(theirs, own);
        }
    }
}

async fn play(steps: &[Step]) {
    let pair = Pair::start(Some(USERNAME)).await;
    let made = Vec::new();
    let mut story = Story { pair: &pair, made };
    for step in steps {
        story.take(*step).await;
    }
    story.is_level().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_is_copied_whose_organizer_came_and_went_before_the_copier() {
    for kind in ["organizers", "venues", "tags"] {
        play(&[
            Step::Meet(Door::Shut),
            Step::Create(kind),
            Step::Create("events"),
            Step::Name,
            Step::Delete(kind),
        ])
        .await;
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let kind = || prop::sample::select(vec!["organizers", "venues", "tags", "events"]);
    let door = prop::sample::select(vec![Door::Open, Door::Shut, Door::Shut, Door::Lossy]);
    let step = prop_oneof![
        3 => kind().prop_map(Step::Create),
        3 => Just(Step::Name),
        2 => kind().prop_map(Step::Delete),
        1 => door.prop_map(Step::Meet),
    ];
    prop::collection::vec(step, 4..16)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Whatever is written in whatever order, and wherever the site is away or loses a response: nothing is refused,
    /// and in the end both sides show the same.
    #[test]
    fn writes_arrive_whatever_their_order(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let steps = [vec![Step::Meet(Door::Shut)], steps].concat();
        runtime.expect("a runtime").block_on(play(&steps));
    }
}
