//! `verify` and `check` with two backends: the program, over sockets.

use std::net::Ipv4Addr;
use std::process::{Command, Output, Stdio};

use calendar_service::CalendarServer;
use serde_json::{Value, json};

use crate::support::{Directory, Origin, Reply, Seen, closed_port};
use crate::verifying::{list, venue};

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

/// Two origins of one venue, of which reads have these bodies.
async fn pair(owner: &str, next: &str) -> (Origin, Origin) {
    let answering = |body: &str| {
        let body = body.to_owned();
        Origin::answering(move |seen| shown(seen, &body))
    };
    (answering(owner).await, answering(next).await)
}

/// The lists of a site of venue 1, whose reads have this body.
fn shown(seen: &Seen, body: &str) -> Reply {
    match venue(seen) {
        Some(_) => Reply::json(200, body),
        None => list(seen, &[1]),
    }
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

// === verify ===

const VERIFY: [&str; 4] = ["migration", "verify", "--rate", "1000"];

// === impl Setup ===

impl Setup {
    /// A run of `verify` with these arguments.
    async fn verify(&self, more: &[&str]) -> Output {
        self.run(&[&VERIFY[..], more].concat()).await
    }

    /// The exit status and the report of such a run.
    async fn verified(&self, more: &[&str]) -> (Option<i32>, Value) {
        let output = self.verify(&[more, &["--json"]].concat()).await;
        let report = serde_json::from_slice(&output.stdout);
        let report = report.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        (output.status.code(), report)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_difference_has_its_class() {
    let owner = r#"{"id":1,"cost":"5","author":"1","url":"http://h.example/a"}"#;
    let next = r#"{"id":1,"cost":"6","author":1,"url":"http://h.example/a"}"#;
    let (one, two) = pair(owner, next).await;
    let setup = Setup::new("compare", &root(&one), &root(&two), "");
    let (status, report) = setup.verified(&[]).await;
    let expected = named(&[("cost", "different"), ("author", "representation")]);
    assert_eq!(
        (status, paths(&report, "venues.read")),
        (Some(1), expected),
        "{report}"
    );
    let text = setup.verify(&[]).await;
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("cost") && text.contains("next    \"6\""), "{text}");
    let (status, report) = setup.verified(&["--accept", "different"]).await;
    assert_eq!(status, Some(0), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_run_is_told_apart() {
    let (one, two) = pair("{}", "{}").await;
    let gone = format!("http://{}/wp-json", closed_port());
    let setup = Setup::new("unrunnable", &gone, &root(&two), "");
    assert_eq!(setup.verify(&[]).await.status.code(), Some(2));
    let setup = Setup::new("unrunnable-2", &root(&one), &root(&two), "");
    assert_eq!(setup.verify(&["--to", "nobody"]).await.status.code(), Some(2));
    assert_eq!(
        setup.verify(&["--accept", "nothing"]).await.status.code(),
        Some(64)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_are_withheld_unless_they_are_forwarded() {
    let (one, two) = pair("{\"id\":1}", "{\"id\":1}").await;
    let basic = ["-H", "Authorization: Basic YTpi"];
    let setup = Setup::new("withhold", &root(&one), &root(&two), "");
    assert_eq!(setup.verify(&basic).await.status.code(), Some(2));
    assert!(two.take_seen().is_empty());
    let setup = Setup::new("forward", &root(&one), &root(&two), "credentials = \"forward\"\n");
    assert_eq!(setup.verify(&basic).await.status.code(), Some(0));
    let seen = two.take_seen();
    let venues = seen.iter().filter(|seen| venue(seen).is_some());
    assert!(venues.clone().count() > 0);
    assert!(
        venues
            .into_iter()
            .all(|seen| seen.header("authorization").is_some())
    );
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
    let setup = Setup::new("ignore", &root(&one), &root(&two), &rule("2999-01-01"));
    let (status, report) = setup.verified(&[]).await;
    assert_eq!(status, Some(0), "{report}");
    let setup = Setup::new("ended", &root(&one), &root(&two), &rule("2020-01-01"));
    let (status, report) = setup.verified(&[]).await;
    assert_eq!(
        (status, &report["ended_rules"][0]["reason"]),
        (Some(1), &json!("stamped")),
        "{report}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_where_the_owner_differs_from_itself_is_volatile() {
    let count = std::sync::atomic::AtomicU32::new(0);
    let one = Origin::answering(move |seen| {
        let count = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        shown(seen, &format!("{{\"id\":1,\"nonce\":\"n{count}\"}}"))
    });
    let one = one.await;
    let two = Origin::answering(|seen| shown(seen, "{\"id\":1,\"nonce\":\"other\"}")).await;
    let setup = Setup::new("volatile", &root(&one), &root(&two), "");
    let (status, report) = setup.verified(&[]).await;
    let expected = named(&[("nonce", "volatile")]);
    assert_eq!((status, paths(&report, "venues.read")), (Some(1), expected));
    let (status, _) = setup.verified(&["--accept", "volatile"]).await;
    assert_eq!(status, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_of_its_own_never_passes_for_the_public_one() {
    let body = r#"{"id":1,"url":"BASE/venue/a/","rest_url":"BASE/wp-json/tribe/events/v1/venues/1"}"#;
    let printing = || Origin::answering_with(|seen, base| shown(seen, &body.replace("BASE", base)));
    let (one, two) = (printing().await, printing().await);
    let setup = Setup::new("hosts", &root(&one), &root(&two), "");
    let expected = named(&[("url", "host")]);
    let (status, report) = setup.verified(&[]).await;
    assert_eq!(
        (status, paths(&report, "venues.read")),
        (Some(1), expected),
        "{report}"
    );
    let row = &report["operations"]["venues.read"]["paths"][0];
    let leaked = format!("{}/venue/a/", two.base());
    assert_eq!(
        row["example"]["other"].as_str(),
        Some(leaked.as_str()),
        "the report shows what clients would have seen"
    );
    assert_eq!(row["call"], "/wp-json/calendar/events/v1/venues/1");
    let (status, _) = setup.verified(&["--accept", "host"]).await;
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
