//! `explain --admin` prints what the running edge decides: by its settings, whatever the command finds beside it.

use std::process::{Command, Output};

use calendar_edge_core::settings::Mode;
use serde_json::{Value, json};

use crate::support::{Answer, Edge, Origin, Reply, german_root};

const EVENTS: &str = "/de/wp-json/calendar/events/v1/events";

/// An edge of two roots and one host in mode report, as no placeholder is.
async fn edge(origin: &Origin) -> Edge {
    let base = origin.base();
    let builder = Edge::builder().origin(origin).settings(|settings| {
        settings.mode = Mode::Report;
        settings.hosts = vec!["calendar.example".to_owned()];
        settings.roots.push(german_root(&base));
    });
    builder.start().await
}

async fn run(edge: &Edge, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    command.args(["explain", "--admin", &edge.admin_base()]);
    command.args(arguments).envs(variables.iter().copied());
    let run = move || command.output().expect("the program runs");
    tokio::task::spawn_blocking(run).await.expect("no panic")
}

async fn story(edge: &Edge, arguments: &[&str]) -> Value {
    let output = run(edge, &[], &[&["--json"], arguments].concat()).await;
    let errors = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
}

async fn post(edge: &Edge, body: impl Into<reqwest::Body>) -> Answer {
    let request = Edge::client().post(format!("{}/explain", edge.admin_base()));
    Answer::to(request.body(body)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_address_alone_leads_to_the_settings_of_the_running_edge() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin).await;
    let page = format!("{EVENTS}?page=0");
    let told = story(&edge, &[&page]).await;
    assert_eq!(told["index"]["from"], "edge");
    assert_eq!(told["index"]["place"], edge.admin_base());
    assert_eq!(told["index"]["mode"], "report");
    assert_eq!(told["root"], "/de/wp-json (de)");
    assert_eq!(
        (&told["mode"], &told["outcome"]),
        (&json!("report"), &json!("forwarded"))
    );
    assert_eq!(told["findings"][0]["parameter"], "page");
    let url = told["request"]["url"].as_str().expect("a URL");
    assert!(url.starts_with(&origin.base()), "{url}");
    let foreign = story(&edge, &[&page, "-H", "Host: wp.example.org"]).await;
    assert_eq!(foreign["response"]["code"], "edge_misdirected", "{foreign}");
    let enforced = run(&edge, &[("CALENDAR_EDGE_MODE", "enforce")], &[&page]).await;
    assert_eq!(enforced.status.code(), Some(3), "{enforced:?}");
    assert!(origin.seen().is_empty(), "nothing is sent to the site");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_of_the_request_leaves_the_edge() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin).await;
    let cookie = "Cookie: wordpress_logged_in_1=hidden%7C1%7Cb";
    for secret in [
        &["-u", "editor:hidden"][..],
        &["-H", cookie],
        &["-H", cookie, "-H", "X-WP-Nonce: hidden"],
    ] {
        let told = story(&edge, &[&[EVENTS], secret].concat()).await;
        assert_eq!(told["outcome"], "forwarded");
        assert!(told.to_string().contains("[redacted]"), "{told}");
        for hidden in ["hidden", "ZWRpdG9yOmhpZGRlbg"] {
            assert!(!told.to_string().contains(hidden), "{told}");
        }
    }
}

#[tokio::test]
async fn what_is_no_request_is_refused() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin).await;
    let request = json!({"method": "GET", "target": "/", "headers": [], "body": ""});
    assert_eq!(post(&edge, request.to_string()).await.status, 200);
    for (member, value) in [
        ("method", json!("G T")),
        ("target", json!("events")),
        ("mode", json!("loose")),
    ] {
        let mut wrong = request.clone();
        wrong[member] = value;
        assert_eq!(
            post(&edge, wrong.to_string()).await.code(),
            "rest_invalid_json",
            "{wrong}"
        );
    }
    assert_eq!(post(&edge, "{").await.code(), "rest_invalid_json");
    let large = format!("\"{}\"", "x".repeat(17 << 20));
    assert_eq!(post(&edge, large).await.code(), "edge_body_too_large");
    assert_eq!(edge.admin("/explain").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_without_an_edge_is_an_error() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin).await;
    let output = run(&edge, &[], &[EVENTS]).await;
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let gone = edge.admin_base();
    edge.drain().await;
    let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    command.args(["explain", EVENTS, "--admin", &gone]);
    let output = tokio::task::spawn_blocking(move || command.output()).await;
    let output = output.expect("no panic").expect("the program runs");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.is_empty());
}
