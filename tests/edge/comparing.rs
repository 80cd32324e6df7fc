//! `compare` and `check` with two backends: the program, over sockets.

use std::net::Ipv4Addr;
use std::process::{Command, Output, Stdio};

use calendar_service::CalendarServer;
use serde_json::{Value, json};

use crate::support::{Directory, EVENTS, Origin, Reply, closed_port};

/// The program with a configuration of two backends.
pub(crate) struct Setup {
    pub(crate) directory: Directory,
    pub(crate) config: String,
}

// === impl Setup ===

impl Setup {
    pub(crate) fn new(name: &str, owner: &str, next: &str, more: &str) -> Self {
        let directory = Directory::new(name);
        let config = format!(
            "public_url = \"https://events.example.org\"\n[origin]\nurl = \"{owner}\"\nnamespace = \
             \"tribe/events/v1\"\n[backends.next]\nurl = \"{next}\"\nnamespace = \"tribe/events/v1\"\n{more}"
        );
        let config = directory.write("edge.toml", &config).display().to_string();
        Self { directory, config }
    }

    /// The program with these arguments and the configuration.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("CALENDAR_EDGE_") {
                command.env_remove(name);
            }
        }
        command.args(arguments).args(["--config", &self.config]);
        command.stdin(Stdio::null());
        command
    }

    pub(crate) async fn run(&self, arguments: &[&str]) -> Output {
        let mut command = self.command(arguments);
        let run = tokio::task::spawn_blocking(move || command.output().expect("the program starts"));
        run.await.expect("no panic")
    }

    /// The exit status and the report of a run with `--json`.
    pub(crate) async fn json(&self, arguments: &[&str]) -> (Option<i32>, Value) {
        let output = self.run(&[arguments, &["--json"]].concat()).await;
        let report = serde_json::from_slice(&output.stdout);
        let report = report.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        (output.status.code(), report)
    }
}

pub(crate) fn root(origin: &Origin) -> String {
    format!("{}/wp-json", origin.base())
}

/// Two origins that respond to every request with these bodies.
async fn pair(owner: &str, next: &str) -> (Origin, Origin) {
    let answering = |body: &str| {
        let body = body.to_owned();
        Origin::answering(move |_| Reply::json(200, &body))
    };
    (answering(owner).await, answering(next).await)
}

fn paths(report: &Value, operation: &str) -> Vec<(String, String)> {
    let rows = report["operations"][operation]["paths"].as_array();
    let rows = rows.unwrap_or_else(|| panic!("{report}"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    rows.iter()
        .map(|row| (text(&row["path"]), text(&row["class"])))
        .collect()
}

fn named(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs
        .iter()
        .map(|(path, class)| ((*path).to_owned(), (*class).to_owned()))
        .collect()
}

// === compare ===

#[tokio::test(flavor = "multi_thread")]
async fn compare_shows_each_difference_with_its_class() {
    let owner = r#"{"events":[{"id":1,"cost":"5","author":"1","url":"http://h.example/a"}]}"#;
    let next = r#"{"events":[{"id":1,"cost":"6","author":1,"url":"http://h.example/a"}]}"#;
    let (one, two) = pair(owner, next).await;
    let setup = Setup::new("compare", &root(&one), &root(&two), "");
    let (status, report) = setup.json(&["migration", "compare", EVENTS]).await;
    let expected = named(&[
        ("events[].cost", "different"),
        ("events[].author", "representation"),
    ]);
    assert_eq!(
        (status, paths(&report, "events.list")),
        (Some(1), expected),
        "{report}"
    );
    let text = setup.run(&["migration", "compare", EVENTS]).await;
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(
        text.contains("events[].cost") && text.contains("next    \"6\""),
        "{text}"
    );
    let (status, report) = setup
        .json(&["migration", "compare", EVENTS, "--accept", "different"])
        .await;
    assert_eq!(status, Some(0), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn both_backends_get_the_canonical_request() {
    let (one, two) = pair("{\"id\":7}", "{\"id\":7}").await;
    let setup = Setup::new("canonical", &root(&one), &root(&two), "");
    let (status, report) = setup
        .json(&["migration", "compare", &format!("{EVENTS}?page=02&colour=red")])
        .await;
    assert_eq!((status, &report["calls"]), (Some(0), &json!(1)), "{report}");
    for origin in [&one, &two] {
        let seen = origin.take_seen();
        let targets: Vec<_> = seen.iter().map(|seen| seen.target.as_str()).collect();
        assert_eq!(targets.len(), 1);
        assert!(
            targets[0].ends_with("/tribe/events/v1/events?page=02") || targets[0].ends_with("?page=2"),
            "{targets:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_run_is_told_apart() {
    let (one, two) = pair("{}", "{}").await;
    let gone = format!("http://{}/wp-json", closed_port());
    let setup = Setup::new("unrunnable", &root(&one), &gone, "");
    assert_eq!(
        setup.run(&["migration", "compare", EVENTS]).await.status.code(),
        Some(2)
    );
    let setup = Setup::new("unrunnable-2", &root(&one), &root(&two), "");
    for arguments in [
        &["migration", "compare", "/nowhere"][..],
        &["migration", "compare", EVENTS, "--to", "nobody"],
        &["migration", "compare", EVENTS, "-X", "POST", "-d", "{}"],
    ] {
        assert_eq!(setup.run(arguments).await.status.code(), Some(2), "{arguments:?}");
    }
    let refused = setup
        .run(&["migration", "compare", EVENTS, "--accept", "nothing"])
        .await;
    assert_eq!(refused.status.code(), Some(64));
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_are_withheld_unless_they_are_forwarded() {
    let (one, two) = pair("{\"id\":7}", "{\"id\":7}").await;
    let basic = ["-H", "Authorization: Basic YTpi"];
    let call = [&["migration", "compare", EVENTS][..], &basic].concat();
    let setup = Setup::new("withhold", &root(&one), &root(&two), "");
    assert_eq!(setup.run(&call).await.status.code(), Some(2));
    assert!(two.take_seen().is_empty());
    let setup = Setup::new("forward", &root(&one), &root(&two), "credentials = \"forward\"\n");
    assert_eq!(setup.run(&call).await.status.code(), Some(0));
    assert_eq!(two.take_seen().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn ignored_paths_do_not_count_until_their_rule_ends() {
    let (one, two) = pair(r#"{"id":1,"modified":"a"}"#, r#"{"id":1,"modified":"b"}"#).await;
    let rule = |until: &str| {
        format!(
            "[[compare.ignore]]\noperations = [\"venues.*\"]\npath = \"modified\"\nreason = \"stamped\"\nuntil = \
             \"{until}\"\n"
        )
    };
    let target = "/wp-json/calendar/events/v1/venues/1";
    let setup = Setup::new("ignore", &root(&one), &root(&two), &rule("2999-01-01"));
    let (status, report) = setup.json(&["migration", "compare", target]).await;
    assert_eq!(status, Some(0), "{report}");
    let setup = Setup::new("ended", &root(&one), &root(&two), &rule("2020-01-01"));
    let (status, report) = setup.json(&["migration", "compare", target]).await;
    assert_eq!(
        (status, &report["ended_rules"][0]["reason"]),
        (Some(1), &json!("stamped")),
        "{report}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_where_the_owner_differs_from_itself_is_volatile() {
    let count = std::sync::atomic::AtomicU32::new(0);
    let one = Origin::answering(move |_| {
        let count = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Reply::json(200, &format!("{{\"id\":1,\"nonce\":\"n{count}\"}}"))
    });
    let one = one.await;
    let two = Origin::answering(|_| Reply::json(200, "{\"id\":1,\"nonce\":\"other\"}")).await;
    let setup = Setup::new("volatile", &root(&one), &root(&two), "");
    let target = "/wp-json/calendar/events/v1/venues/1";
    let (status, report) = setup.json(&["migration", "compare", target]).await;
    let expected = named(&[("nonce", "volatile")]);
    assert_eq!((status, paths(&report, "venues.read")), (Some(1), expected));
    let (status, _) = setup
        .json(&["migration", "compare", target, "--accept", "volatile"])
        .await;
    assert_eq!(status, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_of_its_own_never_passes_for_the_public_one() {
    let body = r#"{"id":1,"url":"BASE/venue/a/","rest_url":"BASE/wp-json/tribe/events/v1/venues/1"}"#;
    let printing = || Origin::answering_with(|_, base| Reply::json(200, &body.replace("BASE", base)));
    let (one, two) = (printing().await, printing().await);
    let setup = Setup::new("hosts", &root(&one), &root(&two), "");
    let path = "/wp-json/calendar/events/v1/venues/1";
    let expected = named(&[("url", "host")]);
    let (status, report) = setup.json(&["migration", "compare", path]).await;
    assert_eq!(
        (status, paths(&report, "venues.read")),
        (Some(1), expected),
        "{report}"
    );
    let other = report["operations"]["venues.read"]["paths"][0]["example"]["other"].as_str();
    let leaked = format!("{}/venue/a/", two.base());
    assert_eq!(
        other,
        Some(leaked.as_str()),
        "the report shows what clients would have seen"
    );
    let row = &report["operations"]["venues.read"]["paths"][0];
    assert_eq!(row["call"], path, "`compare` can repeat it");
    let (status, _) = setup
        .json(&["migration", "compare", path, "--accept", "host"])
        .await;
    assert_eq!(status, Some(0));
}

// === check ===

#[tokio::test(flavor = "multi_thread")]
async fn check_looks_at_each_backend() {
    let calendar = CalendarServer::start((Ipv4Addr::LOCALHOST, 0).into())
        .await
        .expect("a socket");
    let root_url = calendar.rest_root().to_string();
    for (kind, next, status, line) in [
        ("wordpress", root_url.clone(), 0, "ok: backend next"),
        ("service", root_url.clone(), 0, "ok: backend next"),
        (
            "service",
            format!("{root_url}/nowhere"),
            2,
            "unusable: backend next",
        ),
    ] {
        let setup = Setup::new("check", &root_url, &next, &format!("kind = \"{kind}\"\n"));
        let output = setup.run(&["check"]).await;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(status), "{text}");
        assert!(text.contains(line), "{text}");
    }
}

#[tokio::test]
async fn a_write_that_the_site_never_gets_is_not_made_at_the_candidate() {
    let next = Origin::always(Reply::json(200, "{}")).await;
    let owner = root(&Origin::down());
    let setup = Setup::new(
        "compare-write",
        &owner,
        &root(&next),
        "credentials = \"forward\"\n",
    );
    let body = r#"{"title":"A","start_date":"2027-01-01 10:00:00","end_date":"2027-01-01 11:00:00"}"#;
    let write = [
        "migration",
        "compare",
        "--writes",
        "-X",
        "POST",
        "-u",
        "a:b",
        "-d",
        body,
        EVENTS,
    ];
    let output = setup.run(&write).await;
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("the backend `origin` cannot be reached"), "{told}");
    assert_eq!(next.seen().len(), 0);
}
