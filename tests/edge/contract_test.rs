//! `contract test`: the suite for backends, run by the program over sockets.

use std::net::Ipv4Addr;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use base64::Engine as _;
use calendar_edge_judge::contract::{Kind, table};
use calendar_service::{Calendar, CalendarServer, PASSWORD, USERNAME};
use http::header::AUTHORIZATION;
use http::{HeaderValue, Method};
use serde_json::{Value, json};

use crate::support::{Answer, Directory, Edge, Gate, Origin, Reply, closed_port, planted, responded};

/// The suite's names for its records.
const MADE: &str = "Made by calendar-edge";

/// A calendar under test, and a place for files.
struct Tested {
    server: CalendarServer,
    directory: Directory,
}

impl Tested {
    async fn start(name: &str) -> Self {
        let server = CalendarServer::start((Ipv4Addr::LOCALHOST, 0).into()).await;
        Self {
            server: server.expect("a socket"),
            directory: Directory::new(name),
        }
    }

    fn api(&self) -> String {
        format!("{}/tribe/events/v1", self.server.rest_root())
    }

    /// The same calendar with differences.
    async fn planted(&self) -> Origin {
        planted(Calendar::sample(self.server.address(), None).expect("an address")).await
    }

    /// The exit status and the report of a test of an API, with the administrator's account.
    async fn run(&self, api: &str, more: &[&str]) -> (Option<i32>, Value) {
        let account = format!("{USERNAME}:{PASSWORD}\n");
        let account = self.directory.write("account", &account);
        let mut arguments = vec!["contract", "test", api, "--json", "--rate", "1000"];
        arguments.extend(["--account-file", account.to_str().expect("a path of text")]);
        arguments.extend(more);
        let output = program(&arguments).await;
        (
            output.status.code(),
            serde_json::from_slice(&output.stdout).unwrap_or_default(),
        )
    }

    /// The names of all records that the suite made.
    async fn left(&self) -> Vec<String> {
        let mut left = Vec::new();
        for kind in Kind::ALL {
            let (collection, all) = (kind.collection(), kind.whole_list());
            let list = Edge::client().get(format!("{}/{collection}?{all}", self.api()));
            let list: Value = serde_json::from_str(&Answer::to(list).await.body).expect("JSON");
            let named = list[collection].as_array().expect("a list").iter();
            left.extend(named.map(Value::to_string).filter(|record| record.contains(MADE)));
        }
        left
    }
}

async fn program(arguments: &[&str]) -> Output {
    let mut command = command(arguments);
    let run = tokio::task::spawn_blocking(move || command.output().expect("the program starts"));
    run.await.expect("no panic")
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CALENDAR_EDGE_") {
            command.env_remove(name);
        }
    }
    command.args(arguments).stdin(Stdio::null());
    command
}

/// The findings where a law does not hold, with its subject.
fn failures(report: &Value) -> Vec<(String, String)> {
    let checks = report["checks"].as_array().expect("a list").iter();
    let failed = checks.filter(|check| check["result"] == "failed");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    failed
        .map(|check| (text(&check["subject"]), text(&check["found"])))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_calendar_service_keeps_the_contract_and_is_left_as_it_was() {
    let tested = Tested::start("contract-kept").await;
    let (status, report) = tested.run(&tested.api(), &["--writes"]).await;
    assert_eq!((status, failures(&report)), (Some(0), vec![]));
    assert!(
        report["made"].as_u64().is_some_and(|made| made > 500),
        "{}",
        report["made"]
    );
    assert_eq!(tested.left().await, Vec::<String>::new());
    let checks = report["checks"].as_array().expect("a list");
    let passed = |check: &Value| {
        (&check["subject"], &check["law"], &check["result"])
            == (
                &json!("venues.delete"),
                &json!("a record is deleted"),
                &json!("passed"),
            )
    };
    assert!(checks.iter().any(passed), "{report}");
}

/// Of what is planted, an order of members and telephone numbers without blanks are within the contract: only a
/// comparison with the first calendar shows them.
#[tokio::test(flavor = "multi_thread")]
async fn every_planted_difference_that_breaks_the_contract_is_found() {
    let tested = Tested::start("contract-broken").await;
    let origin = tested.planted().await;
    let api = format!("{}/wp-json/tribe/events/v1", origin.base());
    let (status, report) = tested.run(&api, &[]).await;
    let found = failures(&report);
    let has = |subject: &str, fault: &str| found.contains(&(subject.to_owned(), fault.to_owned()));
    assert_eq!(status, Some(1), "{found:?}");
    for (subject, place) in [
        ("events.read", "author"),
        ("events.read", "venue.author"),
        ("venues.list", "venues[].author"),
        ("organizers.read", "author"),
    ] {
        assert!(
            has(subject, &format!("{place} is a number, not a text")),
            "{subject} {found:?}"
        );
    }
    for kind in Kind::ALL {
        let subject = format!("{}.read", kind.collection());
        assert!(
            has(&subject, "views changed between two reads"),
            "{subject} {found:?}"
        );
    }
}

/// A service with one fault of those that no shape shows.
async fn faulty(calendar: Calendar, account: String, fault: &'static str) -> Origin {
    let forgetting = parking_lot::Mutex::new(std::collections::BTreeSet::new());
    Origin::answering(move |seen| {
        let number = seen.target.rsplit('/').next().unwrap_or_default();
        // A record that was written once more after its creation.
        let is_known = forgetting.lock().contains(number);
        let mut response = responded(&calendar, seen);
        // Everybody reads as an editor.
        let is_shown = match fault {
            "draft" => response.status() == 403,
            "listed" => response.status() == 200 && seen.target.contains('?'),
            "asked" => seen.target.contains("status=draft"),
            _ => false,
        };
        if is_shown && seen.method == Method::GET {
            let mut seen = seen.clone();
            let account = HeaderValue::try_from(account.as_str()).expect("a header");
            seen.headers.insert(AUTHORIZATION, account);
            response = responded(&calendar, &seen);
        }
        let document: Value = serde_json::from_slice(response.body()).unwrap_or_default();
        let media_type = if fault == "html" {
            "text/html; charset=UTF-8"
        } else {
            "application/json"
        };
        let mut body = faulted(document, fault);
        if fault == "forgetful" && seen.method == Method::POST && response.status() == 200 {
            forgetting.lock().insert(body["id"].to_string());
        }
        if fault == "forgetful" && is_known && body["description"].is_string() {
            body["description"] = "".into();
        }
        if fault == "title" && seen.method == Method::POST {
            body["title"] = "Another".into();
        }
        let reply = Reply::of_type(response.status().as_u16(), media_type, &body.to_string());
        ["x-tec-total", "x-tec-totalpages"]
            .into_iter()
            .fold(reply, |reply, name| {
                match response.headers().get(name).and_then(|value| value.to_str().ok()) {
                    Some(value) => reply.header(name, value),
                    None => reply,
                }
            })
    })
    .await
}

fn faulted(value: Value, fault: &str) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(|item| faulted(item, fault)).collect(),
        Value::Object(mut members) => {
            let local = members.get("start_date").cloned();
            for (name, value) in &mut members {
                match (fault, name.as_str()) {
                    ("letter", "start_date") if value.is_string() => {
                        *value = value.as_str().unwrap_or_default().replace(' ', "T").into();
                    }
                    ("local", "utc_start_date") if value.is_string() => {
                        *value = local.clone().unwrap_or_default();
                    }
                    ("dropped", "website" | "cost" | "phone" | "city" | "description")
                        if value.is_string() =>
                    {
                        *value = "".into();
                    }
                    ("unlinked", "venue") if value.is_object() => *value = json!([]),
                    ("zone", "timezone") if value.is_string() => *value = "UTC".into(),
                    ("reversed", "events") if value.is_array() => {
                        value.as_array_mut().expect("a list").reverse();
                    }
                    _ => {}
                }
                *value = faulted(value.take(), fault);
            }
            Value::Object(members)
        }
        plain => plain,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_that_no_migration_may_bring_breaks_a_law() {
    let laws = [
        ("draft", "a draft is shown to no other client"),
        ("html", "responses are marked as JSON"),
        ("letter", "responses have the shape of Event"),
        ("local", "dates in UTC follow from the time zone"),
        ("zone", "an event keeps its time zone, from which its UTC follows"),
        ("reversed", "events come in the order of their beginnings"),
        ("title", "a write responds with the written record"),
        ("listed", "lists show all that is published, without a login"),
        ("asked", "an invalid value is refused as WordPress does"),
        ("dropped", "a write keeps every member that it sends"),
        ("unlinked", "a write keeps every member that it sends"),
        ("forgetful", "an update keeps what it does not send"),
    ];
    let found = laws.map(|(fault, law)| async move {
        let tested = Tested::start(&format!("contract-{fault}")).await;
        let account = base64::engine::general_purpose::STANDARD.encode(format!("{USERNAME}:{PASSWORD}"));
        let calendar = Calendar::sample(tested.server.address(), None).expect("an address");
        let origin = faulty(calendar, format!("Basic {account}"), fault).await;
        let api = format!("{}/wp-json/tribe/events/v1", origin.base());
        let (status, report) = tested.run(&api, &["--writes"]).await;
        let checks = report["checks"].as_array().expect("a list").iter();
        let failed: Vec<&Value> = checks.filter(|check| check["result"] == "failed").collect();
        assert_eq!(status, Some(1), "{fault}");
        assert!(
            failed.iter().any(|check| check["law"] == law),
            "{fault}: {failed:#?}"
        );
    });
    futures_util::future::join_all(found).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backend_that_fails_is_told_from_one_that_is_not_there() {
    let tested = Tested::start("contract-failing").await;
    let origin = tested.planted().await;
    Answer::to(Edge::client().get(format!("{}/break", origin.base()))).await;
    let api = format!("{}/wp-json/tribe/events/v1", origin.base());
    let (status, report) = tested.run(&api, &[]).await;
    assert_eq!(status, Some(1), "{report}");
    assert!(
        failures(&report).contains(&("venues.list".to_owned(), "500".to_owned())),
        "{report}"
    );
    let nobody = format!("http://{}/wp-json/tribe/events/v1", closed_port());
    assert_eq!(tested.run(&nobody, &[]).await.0, Some(2));
    assert_eq!(tested.run("http://127.0.0.1/wp-json", &[]).await.0, Some(64));
}

/// An edge that shows no venues: what is created there cannot be read, and is deleted nevertheless.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_created_is_deleted_after_a_failure() {
    let tested = Tested::start("contract-cleaned").await;
    let denied = table().named("venues.read").expect("listed").id;
    let builder = Edge::builder().site(&format!("http://{}", tested.server.address()));
    let builder = builder.settings(|settings| {
        settings.operations.entry(denied).or_default().allow = false;
    });
    let edge = builder.start().await;
    let (status, report) = tested
        .run(&edge.url("/wp-json/tribe/events/v1"), &["--writes"])
        .await;
    let found = failures(&report);
    assert_eq!(status, Some(1), "{report}");
    assert!(
        found.iter().any(|(subject, _)| subject == "venues.create"),
        "{found:?}"
    );
    assert!(!found.iter().any(|(subject, _)| subject == "writes"), "{found:?}");
    assert_eq!(tested.left().await, Vec::<String>::new());
}

/// Valid JSON, and larger than what an edge relays of one response.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_without_end_is_not_read_to_its_end() {
    let padding = " ".repeat(33 * 1024 * 1024);
    let origin = Origin::always(Reply::json(200, &format!("{padding}{{\"events\":[]}}"))).await;
    let api = format!("{}/tribe/events/v1", origin.base());
    let output = program(&["contract", "test", &api, "--rate", "1000"]).await;
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("the body is larger than 33554432 bytes"), "{told}");
    assert_eq!(origin.seen().len(), 1);
}

/// A backend that keeps nothing: the record that it claims to have created last is deleted, though the response comes
/// after the interrupt.
#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_waits_for_what_is_being_created() {
    let gate = Gate::closed();
    let closed = gate.clone();
    let origin = Origin::answering(move |seen| match seen.method {
        Method::POST if seen.target.ends_with("/events") && seen.body.len() > 2 => {
            Reply::json(201, r#"{"id":7}"#).behind(&closed)
        }
        Method::GET => Reply::json(200, r#"{"events":[],"total":0,"total_pages":0}"#),
        _ => Reply::json(
            400,
            r#"{"code":"rest_missing_callback_param","message":"x","data":{"status":400}}"#,
        ),
    });
    let origin = origin.await;
    let directory = Directory::new("contract-interrupted");
    let account = directory.write("account", "a:b");
    let api = format!("{}/tribe/events/v1", origin.base());
    let mut command = command(&["contract", "test", &api, "--writes", "--rate", "1000"]);
    command.arg("--account-file").arg(account).stdout(Stdio::piped());
    let child = command.spawn().expect("the program starts");
    gate.reached_by(1).await;
    let told = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(told.expect("there is a kill").success());
    tokio::time::sleep(Duration::from_millis(200)).await;
    gate.open();
    let output = tokio::task::spawn_blocking(|| child.wait_with_output()).await;
    let output = output.expect("no panic").expect("its output");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("interrupted"), "{text}");
    let last = origin.seen().pop().expect("requests");
    assert_eq!(last.method, Method::DELETE);
    assert!(last.target.ends_with("/events/7"), "{}", last.target);
}
