//! `[record]`: calls of a running edge in a file, and `replay`, which reads it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use calendar_edge_core::settings::{AdminAccess, AdminToken, Percentage, RecordSettings};
use http::Method;
use serde_json::{Value, json};

use crate::comparing::{Setup, root};
use crate::support::{Answer, Directory, EVENTS, Edge, Gate, Origin, Reply};

const VENUES: &str = "/wp-json/calendar/events/v1/venues";

fn recording(file: &Path) -> RecordSettings {
    RecordSettings {
        file: Some(file.to_owned()),
        share: Percentage::ALL,
        ..RecordSettings::default()
    }
}

async fn edge(origin: &Origin, settings: RecordSettings) -> Edge {
    let builder = Edge::builder().origin(origin);
    builder.settings(|all| all.record = settings).start().await
}

/// The lines of a file, once there are so many.
async fn lines(file: &Path, count: usize) -> Vec<Value> {
    let read = async {
        loop {
            let text = std::fs::read_to_string(file).unwrap_or_default();
            if text.lines().count() >= count {
                let lines = text.lines().map(|line| serde_json::from_str(line).expect("JSON"));
                return lines.collect();
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), read)
        .await
        .expect("recorded calls")
}

fn calls(directory: &Directory) -> PathBuf {
    directory.path().join("calls.jsonl")
}

async fn post(edge: &Edge, path: &str) -> Answer {
    let url = format!("{}{path}", edge.admin_base());
    Answer::to(Edge::client().post(url)).await
}

#[tokio::test]
async fn calls_are_recorded_without_their_secrets() {
    let directory = Directory::new("recording-secrets");
    let file = calls(&directory);
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, recording(&file)).await;
    edge.get(&format!("{EVENTS}?per_page=2&search=music")).await;
    let write = edge
        .request(Method::POST, VENUES)
        .basic_auth("editor", Some("hunter2"));
    let write = write
        .header("content-type", "application/json")
        .header("x-api-key", "hunter2")
        .header("referer", "https://a.example/?key=hunter2")
        .body(r#"{"venue":"Hall"}"#);
    Answer::to(write).await;
    let cookie = edge
        .request(Method::GET, VENUES)
        .header("cookie", "wordpress_logged_in_ab=editor%7Chunter2")
        .header("x-wp-nonce", "hunter2");
    Answer::to(cookie).await;
    edge.get(&format!("{EVENTS}/7?password=hunter2")).await;
    edge.get(&format!("{EVENTS}?per_page=many")).await;
    edge.get("/page").await;
    let lines = lines(&file, 4).await;
    let told = |line: &Value| {
        let request = &line["request"];
        format!(
            "{} {} {} {}",
            line["auth"], line["operation"], request["method"], request["query"]
        )
    };
    assert_eq!(
        lines.iter().map(told).collect::<Vec<_>>(),
        [
            r#""none" "events.list" "GET" "per_page=2&search=music""#,
            r#""editor" "venues.create" "POST" null"#,
            r#""cookie" "venues.list" "GET" null"#,
            r#""none" "events.read" "GET" "password=redacted""#,
        ],
        "no call that is refused, or not for the calendar"
    );
    assert_eq!(lines[1]["request"]["body"], r#"{"venue":"Hall"}"#);
    assert_eq!(
        lines[1]["request"]["headers"],
        json!([["content-type", "application/json"]])
    );
    let text = std::fs::read_to_string(&file).expect("the file");
    for secret in [
        "hunter2",
        "aHVudGVyMg",
        "127.0.0.1",
        &STANDARD.encode("editor:hunter2"),
    ] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
}

#[tokio::test]
async fn quota_and_share_bound_what_is_recorded() {
    let directory = Directory::new("recording-bounds");
    let file = calls(&directory);
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let settings = RecordSettings {
        quota: 3,
        ..recording(&file)
    };
    let with_quota = edge(&origin, settings).await;
    for page in 1..=6 {
        with_quota.get(&format!("{EVENTS}?page={page}")).await;
    }
    with_quota.get(VENUES).await;
    assert_eq!(lines(&file, 4).await.len(), 4);
    let status = with_quota.admin("/record").await.json();
    assert_eq!(
        status["in_this_file"],
        json!({"events.list": 3, "venues.list": 1})
    );
    assert_eq!(status["skipped"], json!({"quota": 3}));
    for (outcome, count) in [("recorded", "4"), ("quota", "3"), ("disk_slow", "0")] {
        let series = format!("edge_recorded_calls_total{{outcome=\"{outcome}\"}}");
        assert_eq!(
            with_quota.metric(&series).await.as_deref(),
            Some(count),
            "{outcome}"
        );
    }
    post(&with_quota, "/record/off").await;
    post(&with_quota, "/record/on").await;
    with_quota.get(&format!("{EVENTS}?page=7")).await;
    let status = with_quota.admin("/record").await.json();
    assert_eq!(
        status["skipped"],
        json!({"quota": 4}),
        "the file has its calls already"
    );
    let nothing = edge(
        &origin,
        RecordSettings {
            share: Percentage::NONE,
            ..recording(&directory.path().join("nothing.jsonl"))
        },
    )
    .await;
    nothing.get(EVENTS).await;
    assert_eq!(nothing.admin("/record").await.json()["recorded"], 0);
}

#[tokio::test]
async fn two_files_bound_what_is_recorded() {
    let directory = Directory::new("recording-files");
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let second = directory.path().join("second.jsonl");
    let settings = RecordSettings {
        size: 1000,
        ..recording(&second)
    };
    let with_size = edge(&origin, settings).await;
    for page in 1..=40 {
        with_size.get(&format!("{EVENTS}?page={page}")).await;
    }
    let recorded = with_size.admin("/record").await.json()["recorded"].clone();
    assert_eq!(recorded, 40);
    let older = directory.path().join("second.jsonl.1");
    let last = async {
        loop {
            let text = std::fs::read_to_string(&second).unwrap_or_default();
            if text.contains("page=40") {
                return text;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let text = tokio::time::timeout(Duration::from_secs(20), last)
        .await
        .expect("the last call");
    let older = std::fs::read_to_string(older).expect("the older file");
    assert!(
        text.len() <= 1000 && older.len() <= 1000,
        "{} {}",
        text.len(),
        older.len()
    );
}

#[tokio::test]
async fn a_failed_disk_ends_the_recording_until_it_is_switched_on() {
    let directory = Directory::new("recording-disk");
    let file = calls(&directory);
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let settings = RecordSettings {
        size: 1000,
        ..recording(&file)
    };
    let edge = edge(&origin, settings).await;
    // The older file cannot be replaced.
    let older = directory.path().join("calls.jsonl.1");
    std::fs::create_dir(&older).expect("a directory");
    let ended = async {
        for page in 1.. {
            edge.get(&format!("{EVENTS}?page={page}")).await;
            if edge.admin("/record").await.json()["on"] == false {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(20), ended)
        .await
        .expect("it says that it is off");
    std::fs::remove_dir(&older).expect("a directory");
    assert_eq!(post(&edge, "/record/on").await.json()["on"], true);
    edge.get(VENUES).await;
    let again = async {
        while !std::fs::read_to_string(&file).is_ok_and(|text| text.contains("venues.list")) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), again)
        .await
        .expect("it records again");
}

#[cfg(unix)]
#[tokio::test]
async fn a_pipe_is_no_recording() {
    let directory = Directory::new("recording-pipe");
    let file = calls(&directory);
    let made = Command::new("mkfifo").arg(&file).status().expect("mkfifo");
    assert!(made.success());
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, recording(&file)).await;
    assert_eq!(edge.get(EVENTS).await.status, 200);
    assert_eq!(edge.admin("/record").await.json()["on"], false);
}

#[tokio::test]
async fn operators_switch_the_recording() {
    let directory = Directory::new("recording-switch");
    let file = calls(&directory);
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let settings = RecordSettings {
        on: false,
        ..recording(&file)
    };
    let edge = edge(&origin, settings).await;
    edge.get(EVENTS).await;
    assert_eq!(edge.admin("/record").await.json()["on"], false);
    assert_eq!(post(&edge, "/record/on").await.json()["on"], true);
    edge.get(VENUES).await;
    assert_eq!(lines(&file, 1).await[0]["operation"], "venues.list");
    assert_eq!(post(&edge, "/record/off").await.json()["on"], false);
    edge.get(VENUES).await;
    assert_eq!(edge.admin("/record").await.json()["recorded"], 1);
    assert_eq!(post(&edge, "/record/maybe").await.status, 404);
    // A reload returns to the configured switch.
    let mut settings = edge.settings();
    settings.record.on = true;
    edge.reloader().apply(settings).expect("good settings");
    assert_eq!(edge.admin("/record").await.json()["on"], true);
}

#[tokio::test]
async fn only_operators_switch_the_recording() {
    let directory = Directory::new("recording-guards");
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let settings = recording(&calls(&directory));
    let builder = Edge::builder().origin(&origin).settings(|all| {
        all.record = settings;
        all.admin_access = AdminAccess {
            token_file: None,
            token: AdminToken::new(&[b'x'; 32]).ok(),
        };
    });
    let edge = builder.start().await;
    let url = format!("{}/record/off", edge.admin_base());
    for (name, value) in [
        ("origin", "http://evil.example"),
        ("sec-fetch-site", "cross-site"),
        ("host", "evil.example"),
    ] {
        let answer = Answer::to(Edge::client().post(&url).header(name, value)).await;
        assert!(answer.status.is_client_error(), "{name}: {}", answer.status);
        assert_eq!(edge.admin("/record").await.json()["on"], true, "{name}");
    }
    let foreign = Edge::client().get(format!("{}/record", edge.admin_base()));
    let foreign = Answer::to(foreign.header("host", "evil.example")).await;
    assert!(foreign.status.is_client_error(), "{}", foreign.status);
    let without_file = Edge::builder().origin(&origin).start().await;
    let answer = post(&without_file, "/record/on").await;
    assert_eq!(
        (answer.status.as_u16(), answer.code()),
        (409, "edge_not_recording".to_owned())
    );
}

#[tokio::test]
async fn what_an_edge_records_is_replayed() {
    let by_account = |seen: &crate::support::Seen| {
        let is_editor = seen.header("authorization").is_some();
        Reply::json(
            200,
            &format!(r#"{{"target":"{}","known":{is_editor}}}"#, seen.target),
        )
    };
    let (site, next) = (
        Origin::answering(by_account).await,
        Origin::answering(by_account).await,
    );
    let setup = Setup::new(
        "recording-replayed",
        &root(&site),
        &root(&next),
        "credentials = \"forward\"\n",
    );
    let file = calls(&setup.directory);
    let edge = edge(&site, recording(&file)).await;
    edge.get(&format!("{EVENTS}?per_page=2")).await;
    for name in ["editor", "author"] {
        let read = edge.request(Method::GET, VENUES).basic_auth(name, Some("right"));
        Answer::to(read).await;
    }
    lines(&file, 3).await;
    drop(edge);
    site.take_seen();
    let file = file.display().to_string();
    let headers = format!("Authorization: Basic {}", STANDARD.encode("editor:right"));
    let headers = setup
        .directory
        .write("editor.headers", &headers)
        .display()
        .to_string();
    let account = format!("editor=@{headers}");
    let (status, report) = setup
        .json(&["replay", &file, "--to", "next", "--account", &account])
        .await;
    assert_eq!((status, &report["calls"]), (Some(0), &json!(2)), "{report}");
    assert_eq!(
        report["skipped"],
        json!({"sent with credentials, which -H or --account can give": 1})
    );
    let sent: Vec<_> = next
        .seen()
        .into_iter()
        .filter_map(|seen| seen.header("authorization").map(str::to_owned))
        .collect();
    assert_eq!(sent, [format!("Basic {}", STANDARD.encode("editor:right"))]);
    assert_eq!(site.seen().len(), next.seen().len());
}

// === replay ===

fn record(path: &str, body: &str) -> Value {
    json!({
        "request": {"method": "GET", "path": path},
        "response": {"status": 200, "headers": [["Content-Type", "application/json; charset=UTF-8"]], "body": body},
    })
}

#[tokio::test]
async fn broken_lines_are_skipped_and_counted_if_asked() {
    let site = Origin::always(Reply::json(200, "{}")).await;
    let setup = Setup::new("replay-broken", &root(&site), &root(&site), "");
    let good = record(EVENTS, "{}").to_string();
    let text = format!("{good}\n{{\"request\":\nnot JSON\n\n{good}\n{}", &good[..20]);
    let file = setup.directory.write("calls.jsonl", &text).display().to_string();
    let strict = setup.run(&["replay", &file]).await;
    assert_eq!(strict.status.code(), Some(2));
    let complaint = String::from_utf8_lossy(&strict.stderr).into_owned();
    assert!(complaint.contains("line 2 is not a record"), "{complaint}");
    let (status, report) = setup.json(&["replay", &file, "--skip-broken"]).await;
    assert_eq!((status, &report["calls"]), (Some(0), &json!(2)), "{report}");
    assert_eq!(report["skipped"], json!({"broken lines": 3}));
}

#[tokio::test]
async fn times_that_say_now_do_not_count() {
    let list = |base: &str, day: &str| {
        format!(
            r#"{{"events":[],"rest_url":"{base}/wp-json/tribe/events/v1/events/?page=1&start_date={day} 00:00:00&end_date=2028-11-20 23:59:59"}}"#
        )
    };
    let next = Origin::answering_with(move |_, base| Reply::json(200, &list(base, "2026-11-23"))).await;
    let setup = Setup::new("replay-now", "http://x.example/wp-json", &root(&next), "");
    let replay = async |target: &str| {
        let recorded = record(target, &list("http://x.example", "2026-10-01"));
        let file = setup.records(&[recorded]);
        setup.json(&["replay", &file, "--to", "next", "--recorded"]).await
    };
    let (status, report) = replay(EVENTS).await;
    assert_eq!(status, Some(0), "{report}");
    let (status, report) = replay(&format!("{EVENTS}?start_date=2026-10-01")).await;
    assert_eq!(status, Some(1), "{report}");
}

#[cfg(unix)]
#[tokio::test]
async fn an_interrupted_replay_prints_what_it_has() {
    let gate = Gate::closed();
    let closed = gate.clone();
    let site = Origin::answering(move |seen| {
        let reply = Reply::json(200, "{}");
        if seen.target.contains("page=9") {
            reply.behind(&closed)
        } else {
            reply
        }
    })
    .await;
    let setup = Setup::new("replay-interrupted", &root(&site), &root(&site), "");
    let records: Vec<Value> = (1..=9)
        .map(|page| {
            let mut record = record(EVENTS, "{}");
            record["request"]["query"] = format!("page={page}").into();
            record
        })
        .collect();
    let file = setup.records(&records);
    let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    command.args(["replay", &file, "--json", "--config", &setup.config]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = command.spawn().expect("the program starts");
    gate.reached_by(1).await;
    // The other eight calls are answered at once, or soon.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let id = child.id().to_string();
    let killed = Command::new("kill")
        .args(["-INT", &id])
        .status()
        .expect("a signal");
    assert!(killed.success());
    let ended = tokio::task::spawn_blocking(move || child.wait_with_output().expect("its end"));
    let output = tokio::time::timeout(Duration::from_secs(20), ended).await;
    let output = output.expect("it ends at once").expect("no panic");
    gate.open();
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!(
        (&report["interrupted"], &report["calls"]),
        (&json!(true), &json!(8)),
        "{report}"
    );
    assert_eq!(output.status.code(), Some(2), "it is no success");
}
