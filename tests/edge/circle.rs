//! An origin that leads back to the edge: the circle ends at its first round, under its name (T-118).

use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use calendar_edge_core::settings::{MarkKey, OtherTraffic, Settings, StoreAddress};
use http::{Method, StatusCode};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};

use crate::support::{Answer, Directory, EVENTS, Edge, Origin, Program, Reply, closed_port};

const HEADER: &str = "x-calendar-edge-circle";

/// The balancer before the edges, whose address is the public name: it takes its targets in turn.
struct Balancer {
    address: SocketAddr,
    targets: Arc<Mutex<Vec<SocketAddr>>>,
}

impl Balancer {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound listener");
        let targets = Arc::new(Mutex::new(Vec::<SocketAddr>::new()));
        let turns = Arc::clone(&targets);
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let target = {
                    let mut turns = turns.lock().expect("no panic");
                    let turn = (!turns.is_empty()).then(|| turns.remove(0));
                    turns.extend(turn);
                    turn
                };
                let Some(target) = target else { continue };
                tokio::spawn(async move {
                    let mut server = TcpStream::connect(target).await?;
                    copy_bidirectional(&mut client, &mut server).await
                });
            }
        });
        Self { address, targets }
    }

    fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    fn leads_to(&self, targets: &[SocketAddr]) {
        *self.targets.lock().expect("no panic") = targets.to_vec();
    }
}

fn whole_site(settings: &mut Settings) {
    settings.other = OtherTraffic::Forward;
    settings.breaker.probe_interval = Duration::from_millis(50);
}

fn post(edge: &Edge) -> reqwest::RequestBuilder {
    edge.request(Method::POST, EVENTS)
        .header("authorization", "Basic YTpi")
        .header("content-type", "application/json")
        .body(r#"{"title":"Gala","start_date":"2030-01-01 10:00:00","end_date":"2030-01-01 12:00:00"}"#)
}

#[track_caller]
fn is_named(answer: &Answer) {
    assert_eq!(answer.status, StatusCode::LOOP_DETECTED, "{}", answer.body);
    assert_eq!(answer.code(), "edge_loop_detected");
    assert_eq!(answer.header(HEADER), None, "a proof is for edges");
}

/// The exchanges with the site that ended so.
async fn exchanges(edge: &Edge, kind: &str, outcome: &str) -> Option<String> {
    let series = format!(r#"edge_origin_requests_total{{kind="{kind}",outcome="{outcome}"}}"#);
    edge.metric(&series).await
}

#[tokio::test]
async fn t118_a_circle_ends_at_its_first_round_under_its_name() {
    let name = Balancer::start().await;
    let edge = Edge::builder()
        .site(&name.base())
        .settings(whole_site)
        .start()
        .await;
    name.leads_to(&[edge.address()]);
    assert_eq!(edge.admin("/readyz").await.status, 200, "nothing is known yet");

    is_named(&edge.get(EVENTS).await);
    assert_eq!(exchanges(&edge, "list", "circle").await.as_deref(), Some("1"));
    is_named(&Answer::to(post(&edge)).await);
    is_named(&edge.get("/about/").await);
    assert_eq!(exchanges(&edge, "site", "circle").await.as_deref(), Some("1"));

    let ready = edge.admin("/readyz").await;
    assert_eq!(ready.status, 503);
    assert_eq!(ready.json()["status"], "origin.url leads back to this edge");
    assert_eq!(edge.admin("/status").await.json()["backends"][0]["circle"], true);

    let origin = Origin::always(Reply::json(200, "{}")).await;
    name.leads_to(&[origin
        .base()
        .trim_start_matches("http://")
        .parse()
        .expect("an address")]);
    while edge.admin("/readyz").await.status != 200 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(edge.get(EVENTS).await.status, 200);
    assert_eq!(edge.admin("/status").await.json()["backends"][0]["circle"], false);
}

#[tokio::test]
async fn t118_the_name_of_the_circle_stays_while_the_breaker_is_open() {
    let name = Balancer::start().await;
    let builder = Edge::builder().site(&name.base()).settings(|settings| {
        settings.breaker.failures = 2;
        settings.breaker.probe_interval = Duration::from_mins(1);
    });
    let edge = builder.start().await;
    name.leads_to(&[edge.address()]);
    for _ in 0..5 {
        is_named(&edge.get(EVENTS).await);
    }
}

#[tokio::test]
async fn t118_a_circle_through_another_edge_of_the_fleet_is_one() {
    let name = Balancer::start().await;
    let fleet = |settings: &mut Settings| {
        let store = format!("redis://{}", closed_port());
        settings.fleet.store = vec![StoreAddress::parse(&store).expect("an address")];
        settings.fleet.secret = Some(MarkKey::new(b"0123456789abcdef0123456789abcdef").expect("long enough"));
    };
    let edge = || Edge::builder().site(&name.base()).settings(fleet).start();
    let (one, other) = (edge().await, edge().await);
    name.leads_to(&[one.address(), other.address()]);
    for edge in [&one, &other, &one] {
        is_named(&edge.get(EVENTS).await);
        assert_eq!(edge.admin("/readyz").await.status, 503);
    }
    let requests = [&one, &other].map(|edge| exchanges(edge, "list", "circle"));
    let [by_one, by_other] = requests.map(|count| async { count.await.expect("a count") });
    assert_eq!(
        (by_one.await.as_str(), by_other.await.as_str()),
        ("2", "1"),
        "one round each"
    );
}

#[tokio::test]
async fn t118_no_client_can_say_that_its_request_is_the_edges() {
    let origin = Origin::answering(|seen| {
        // A page that prints what it was sent.
        Reply::json(200, "{}").header("x-echo", seen.header(HEADER).unwrap_or_default())
    })
    .await;
    let edge = Edge::builder().origin(&origin).settings(whole_site).start().await;
    let with = |value: &str| edge.request(Method::GET, "/about/").header(HEADER, value);

    let answer = Answer::to(with("0123456789abcdef")).await;
    assert_eq!(answer.status, 200);
    let learnt = origin
        .only()
        .header(HEADER)
        .expect("the edge names itself")
        .to_owned();
    assert_ne!(learnt, "0123456789abcdef");
    assert_eq!(answer.header("x-echo"), Some(&*learnt));

    // Whoever sends what he learnt has his own request refused.
    assert_eq!(Answer::to(with(&learnt)).await.status, StatusCode::LOOP_DETECTED);
    assert_eq!(edge.get(EVENTS).await.status, 200);
    assert_eq!(edge.admin("/readyz").await.status, 200);
    assert_eq!(edge.admin("/status").await.json()["backends"][0]["circle"], false);
}

#[tokio::test]
async fn a_host_that_says_508_is_no_circle() {
    let origin = Origin::answering(|seen| {
        Reply::of_type(508, "text/html", "Resource Limit Is Reached")
            .header(HEADER, seen.header(HEADER).unwrap_or_default())
    })
    .await;
    let edge = Edge::before(&origin).await;
    assert_ne!(edge.get(EVENTS).await.code(), "edge_loop_detected");
    assert_eq!(edge.admin("/readyz").await.status, 200);
}

#[tokio::test]
async fn t118_the_log_has_one_line_and_check_says_what_to_do() {
    let name = Balancer::start().await;
    let directory = Directory::new("circle");
    let text = format!(
        "listen = \"127.0.0.1:0\"\n[origin]\nurl = \"{}/wp-json\"\n[admin]\nlisten = \"127.0.0.1:0\"\n",
        name.base()
    );
    let config = directory.write("edge.toml", &text);
    let mut program = Program::serve(&config).await;
    name.leads_to(&[program.address]);
    let get = || Answer::to(Edge::client().get(program.url(EVENTS)));
    // The result of the start, while the name led nowhere, stands for a moment.
    while get().await.status == StatusCode::BAD_GATEWAY {}
    for _ in 0..10 {
        is_named(&get().await);
    }
    let mut check = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    check
        .args(["check", "--config"])
        .arg(&config)
        .stdin(Stdio::null());
    let check = tokio::task::spawn_blocking(move || check.output()).await;
    let printed = check.expect("no panic").expect("the program starts").stdout;
    let printed = String::from_utf8_lossy(&printed).into_owned();
    assert!(
        printed.contains("leads back to this edge: give the site an address of its own"),
        "{printed}"
    );
    assert!(!printed.contains(".maintenance"), "{printed}");

    program.signal("TERM");
    let lines = program.logged_up_to("drained").await;
    let named = |line: &&serde_json::Value| {
        line["message"]
            .as_str()
            .is_some_and(|text| text.contains("leads back"))
    };
    assert_eq!(lines.iter().filter(named).count(), 1, "{lines:?}");
    let warnings = lines.iter().filter(|line| line["level"] == "WARN");
    assert!(warnings.count() < 5, "{lines:?}");
}
