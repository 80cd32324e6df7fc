//! The concerns of a real edge: page, `/status`, `/readyz`, metrics and `check` show the same for each state.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use calendar_edge_core::concerns::CONCERN_ROWS;
use calendar_edge_core::settings::{CandidateSettings, CutoverRule, OperationPattern, Settings};
use serde_json::Value;

use super::until;
use crate::support::{Directory, EVENTS, Edge, Origin, Reply};

const LIST: &str = r#"{"events":[],"rest_url":"x"}"#;

const HTML: &str = "text/html; charset=UTF-8";

/// A state of the site: the response to everything, then the word of the page, the name of the first concern, a part of
/// its sentence, and the status of `/readyz?backend=1`.
struct SiteState {
    reply: fn() -> Reply,
    fine: &'static str,
    name: &'static str,
    sentence: &'static str,
    ready: u16,
}

const STATES: [SiteState; 9] = [
    SiteState {
        reply: || Reply::json(200, LIST),
        fine: "Yes",
        name: "site_responds",
        sentence: "none failed",
        ready: 200,
    },
    SiteState {
        reply: || Reply::of_type(502, HTML, "<h1>502 Bad Gateway</h1>"),
        fine: "No",
        name: "site_down",
        sentence: "The web server has no response of PHP",
        ready: 503,
    },
    SiteState {
        reply: || Reply::of_type(503, HTML, "<h1>503</h1>"),
        fine: "No",
        name: "site_down",
        sentence: "an HTML page (503",
        ready: 503,
    },
    SiteState {
        reply: || Reply::of_type(404, HTML, "File not found.\n"),
        fine: "No",
        name: "site_down",
        sentence: "an HTML page (404",
        ready: 503,
    },
    SiteState {
        reply: || Reply::of_type(200, HTML, ""),
        fine: "No",
        name: "site_down",
        sentence: "without a body",
        ready: 503,
    },
    SiteState {
        reply: || Reply::of_type(200, HTML, "<!doctype html><p>Hello"),
        fine: "No",
        name: "site_down",
        sentence: "an HTML page (200",
        ready: 503,
    },
    SiteState {
        reply: || Reply::of_type(500, HTML, "<h1>Error establishing a database connection</h1>"),
        fine: "No",
        name: "site_down",
        sentence: "The site cannot reach its database",
        ready: 503,
    },
    SiteState {
        reply: || Reply::of_type(503, HTML, "Briefly unavailable for scheduled maintenance."),
        fine: "No",
        name: "site_down",
        sentence: "The site is in maintenance mode",
        ready: 503,
    },
    SiteState {
        reply: || Reply::json(200, LIST).after(Duration::from_millis(1_050)),
        fine: "Look below",
        name: "site_slow",
        sentence: "is slow",
        ready: 200,
    },
];

/// The concern of this name in `/status`.
async fn concern(edge: &Edge, name: &str) -> Option<Value> {
    let status = edge.admin("/status").await.json();
    let mut concerns = status["concerns"].as_array().expect("a list").iter();
    concerns.find(|concern| concern["name"] == name).cloned()
}

/// Asserts that `/status`, `/readyz`, the metrics and `check` agree about the first concern.
async fn assert_agreed(edge: &Edge, (fine, name, part): (&str, &str, &str), ready: u16) {
    let whole = edge.admin("/readyz?backend=1").await;
    let status = edge.admin("/status").await.json();
    let first = &status["concerns"][0];
    assert_eq!(
        (&status["fine"], &first["name"]),
        (&fine.into(), &name.into()),
        "{first}"
    );
    let sentence = first["sentence"].as_str().expect("a sentence");
    assert!(sentence.contains(part), "{sentence}");
    assert_eq!(whole.status, ready, "{first}");
    assert_eq!(whole.json()["reason"].is_string(), ready == 503);
    assert_eq!(edge.admin("/readyz").await.status, 200);
    let about = first["about"].as_str().unwrap_or_default();
    let series = format!(r#"edge_concern{{name="{name}",about="{about}"}}"#);
    assert_eq!(edge.metric(&series).await.as_deref(), Some("1"), "{series}");
    let row = CONCERN_ROWS.iter().find(|row| row.name == name).expect("a row");
    assert_eq!(first["alert"].as_str(), row.alert);
    assert!(
        checked(edge).await.contains(part),
        "check says the same as {sentence}"
    );
}

/// The lines of `check` about the running edge.
async fn checked(edge: &Edge) -> String {
    let directory = Directory::new(&format!("concerns-check-{}", edge.admin_socket().port()));
    let file = directory.write(
        "edge.toml",
        &format!(
            "listen = \"127.0.0.1:0\"\n[origin]\nurl = \"{}\"\nnamespace = \"tribe/events/v1\"\n[admin]\nlisten = \"{}\"\n",
            edge.settings().origin.url,
            edge.admin_socket()
        ),
    );
    let mut check = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    check.arg("check").arg("--config").arg(file);
    let output = tokio::task::spawn_blocking(move || check.output()).await;
    let output = output.expect("a task").expect("it runs");
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    let lines = printed.lines().filter(|line| line.contains("the running edge: "));
    lines.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn each_state_of_the_site_is_named_alike_everywhere() {
    for SiteState {
        reply,
        fine,
        name,
        sentence,
        ready,
    } in STATES
    {
        let origin = Origin::answering(move |_| reply()).await;
        let edge = Edge::before(&origin).await;
        let calls = (0..5).map(|_| edge.get(EVENTS));
        futures_util::future::join_all(calls).await;
        assert_agreed(&edge, (fine, name, sentence), ready).await;
    }
}

#[tokio::test]
async fn a_site_that_nobody_asked_is_unknown() {
    let origin = Origin::always(Reply::json(200, LIST)).await;
    let edge = Edge::before(&origin).await;
    let status = edge.admin("/status").await.json();
    assert_eq!(status["fine"], "Unknown");
    assert_eq!(status["concerns"][0]["name"], "site_unknown");
    edge.get(EVENTS).await;
    assert_eq!(edge.admin("/status").await.json()["fine"], "Yes");
}

#[tokio::test]
async fn a_site_that_is_not_there_and_its_open_breaker_are_named() {
    let edge = Edge::builder()
        .origin(&Origin::down())
        .settings(|settings| settings.breaker.failures = 1);
    let edge = edge.start().await;
    edge.get(EVENTS).await;
    assert_agreed(
        &edge,
        ("No", "site_down", "The origin refused the connection"),
        503,
    )
    .await;
    let breaker = concern(&edge, "breaker_open").await.expect("an open breaker");
    assert_eq!(breaker["alert"], "BreakerOpen");
}

#[tokio::test]
async fn clients_with_stored_responses_do_not_hide_a_dead_site() {
    let is_dead = Arc::new(AtomicBool::new(false));
    let dead = Arc::clone(&is_dead);
    let origin = Origin::answering(move |_| {
        if dead.load(Ordering::Relaxed) {
            Reply::of_type(502, HTML, "<h1>502 Bad Gateway</h1>")
        } else {
            Reply::json(200, LIST)
        }
    });
    let origin = origin.await;
    let edge = Edge::builder().origin(&origin).caching().settings(|settings| {
        settings.cache.fresh = Duration::ZERO;
        settings.cache.stale_while_revalidate = Duration::ZERO;
    });
    let edge = edge.start().await;
    assert_eq!(edge.get(EVENTS).await.status, 200);
    is_dead.store(true, Ordering::Relaxed);
    for _ in 0..5 {
        assert_eq!(edge.get(EVENTS).await.status, 200, "the stored response");
    }
    assert_agreed(
        &edge,
        ("No", "site_down", "The web server has no response of PHP"),
        503,
    )
    .await;
}

#[tokio::test]
async fn a_state_directory_that_cannot_be_written_is_named() {
    let directory = Directory::new("concerns-state");
    let file = directory.write("file", "in the way");
    let origin = Origin::always(Reply::json(200, LIST)).await;
    let change = |settings: &mut Settings| {
        settings.state_dir = Some(file.join("state"));
        let next = format!("{}/wp-json", origin.base()).parse().expect("a URL");
        settings
            .backends
            .push(CandidateSettings::at("next".to_owned(), next));
        settings.cutover.push(CutoverRule {
            name: "moved".to_owned(),
            backend: "next".to_owned(),
            operations: vec![OperationPattern::parse("venues.*").expect("a pattern")],
            ..CutoverRule::default()
        });
    };
    let edge = Edge::builder().origin(&origin).settings(change).start().await;
    edge.get(EVENTS).await;
    until("a file that cannot be written", async || {
        concern(&edge, "state_unwritten").await
    })
    .await;
    assert_agreed(
        &edge,
        (
            "Look below",
            "state_unwritten",
            "migration.json cannot be written",
        ),
        200,
    )
    .await;
}

#[tokio::test]
async fn a_proxy_that_is_not_listed_is_named_until_it_is() {
    let origin = Origin::always(Reply::json(200, LIST)).await;
    let edge = Edge::before(&origin).await;
    for client in 1..=25 {
        let request = edge.request(http::Method::GET, EVENTS);
        let request = request.header("x-forwarded-for", format!("192.0.2.{client}"));
        request.send().await.expect("a response");
    }
    assert_agreed(
        &edge,
        (
            "Look below",
            "proxy_untrusted",
            "All requests come from 127.0.0.1",
        ),
        200,
    )
    .await;
    let mut settings = edge.settings();
    settings.trusted_proxies = vec!["127.0.0.1/32".parse().expect("a network")];
    edge.reloader().apply(settings).expect("good settings");
    assert!(concern(&edge, "proxy_untrusted").await.is_none());
}

#[tokio::test]
async fn saved_runs_are_requests_without_one() {
    let origin = Origin::answering(|_| Reply::json(200, LIST).after(Duration::from_millis(50))).await;
    let edge = Edge::builder().origin(&origin).caching().settings(|settings| {
        settings.cache.fresh = Duration::from_millis(300);
    });
    let edge = edge.start().await;
    let mut requests = 0;
    for page in 1..=3 {
        let target = format!("{EVENTS}?page={page}");
        // Followers, hits, and responses behind which the site gets a request.
        for pause in [0, 0, 400, 100] {
            tokio::time::sleep(Duration::from_millis(pause)).await;
            let calls = (0..4).map(|_| edge.get(&target));
            requests += futures_util::future::join_all(calls).await.len();
        }
    }
    let runs = until("the last refresh", async || {
        let runs = origin.seen().len();
        tokio::time::sleep(Duration::from_millis(200)).await;
        (origin.seen().len() == runs).then_some(runs)
    })
    .await;
    assert!((6..20).contains(&runs), "{runs} runs");
    let saved = edge.admin("/status").await.json()["runs_saved"].clone();
    assert_eq!(saved, requests - runs);
    assert_eq!(
        edge.metric("edge_runs_saved").await,
        Some((requests - runs).to_string())
    );
}
