//! `verify`: every record of two calendars, compared by the program over sockets.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use calendar_edge_sandbox::{Planted, Sandbox};
use reqwest::Method;
use serde_json::{Value, json};

use crate::comparing::Setup;
use crate::support::{Answer, Edge, closed_port};

const KINDS: [&str; 5] = ["categories", "events", "organizers", "tags", "venues"];

/// A calendar, and one that replaces it.
struct Calendars {
    site: Sandbox,
    next: Sandbox,
    setup: Setup,
    manifest: PathBuf,
}

// === impl Calendars ===

impl Calendars {
    async fn start(name: &str, planted: Planted) -> Self {
        let address = (Ipv4Addr::LOCALHOST, 0).into();
        let site = Sandbox::start(address).await.expect("a socket");
        let next = site.start_second(address, planted).await.expect("a socket");
        let (one, two) = (site.rest_root().to_string(), next.rest_root().to_string());
        let more = "kind = \"wordpress\"\ncredentials = \"forward\"\n";
        let setup = Setup::new(name, &one, &two, more);
        let manifest = setup.directory.path().join("verify.jsonl");
        Self {
            site,
            next,
            setup,
            manifest,
        }
    }

    fn arguments<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        let manifest = self.manifest.to_str().expect("a path of text");
        let first = ["verify", "--to", "next", "--manifest", manifest];
        [&first, more].concat()
    }

    async fn verify(&self, more: &[&str]) -> (Option<i32>, Value) {
        self.setup.json(&self.arguments(more)).await
    }

    /// A write to the second calendar alone.
    async fn change(&self, method: Method, path: &str, body: &Value) -> Answer {
        let url = format!("{}/tribe/events/v1{path}", self.next.rest_root());
        let request = Edge::client().request(method, url);
        let request = request.basic_auth(self.next.username(), Some(self.next.password()));
        let request = request.header("content-type", "application/json");
        Answer::to(request.body(body.to_string())).await
    }

    fn credentials(&self) -> String {
        use base64::Engine as _;
        let pair = format!("{}:{}", self.site.username(), self.site.password());
        let encoded = base64::engine::general_purpose::STANDARD.encode(pair);
        format!("Authorization: Basic {encoded}")
    }
}

fn lines(manifest: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(manifest).unwrap_or_default();
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

fn counts(report: &Value, kind: &str) -> (u64, u64) {
    let counts = &report["records"][kind];
    let count = |name: &str| {
        counts[name]
            .as_u64()
            .unwrap_or_else(|| panic!("{kind} {name}: {report}"))
    };
    (count("records"), count("equal"))
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_calendars_are_equal_in_every_record() {
    let calendars = Calendars::start("verify-equal", Planted::Nothing).await;
    let fast = ["--rate", "1000"];
    let (status, report) = calendars.verify(&fast).await;
    assert_eq!((status, &report["unequal"]), (Some(0), &json!([])), "{report:#}");
    let all: Vec<(u64, u64)> = KINDS.iter().map(|kind| counts(&report, kind)).collect();
    assert!(
        all.iter()
            .all(|(records, equal)| *records > 0 && records == equal),
        "{all:?}"
    );

    let written = lines(&calendars.manifest);
    let sum: u64 = all.iter().map(|(records, _)| records).sum();
    assert_eq!(written.len() as u64, sum + 2, "a heading, the records, an ending");
    let hashes: BTreeSet<&str> = written.iter().filter_map(|line| line["hash"].as_str()).collect();
    assert!(hashes.len() as u64 > sum / 2 && hashes.iter().all(|hash| hash.len() == 64));

    // With an account drafts, the trash and what a password hides come in as well.
    let other = calendars.setup.directory.path().join("account.jsonl");
    let credentials = calendars.credentials();
    let more = [
        "-H",
        &credentials,
        "--manifest",
        other.to_str().expect("text"),
        "--rate",
        "1000",
    ];
    let (status, report) = calendars
        .setup
        .json(&[&["verify", "--to", "next"], &more[..]].concat())
        .await;
    assert_eq!((status, &report["unequal"]), (Some(0), &json!([])), "{report:#}");
    assert!(counts(&report, "events").0 > all[1].0, "{report:#}");
    assert!(
        lines(&other).iter().all(|line| line["status"] != 403),
        "all can be read"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn exactly_the_changed_records_are_found() {
    let calendars = Calendars::start("verify-changed", Planted::Nothing).await;
    let venue = json!({"venue": "Salt Warehouse", "city": "Elsewhere"});
    assert_eq!(
        calendars.change(Method::POST, "/venues/7", &venue).await.status,
        200
    );
    let (status, report) = calendars.verify(&["--rate", "1000"]).await;
    assert_eq!(status, Some(1));
    let (venues, equal) = counts(&report, "venues");
    assert_eq!(venues - equal, 1, "{report:#}");
    for kind in ["tags", "organizers", "categories"] {
        let (records, equal) = counts(&report, kind);
        assert_eq!(records, equal, "{kind}");
    }
    let unequal = report["unequal"].as_array().expect("a list");
    let found = unequal
        .iter()
        .find(|record| record["kind"] == "venues")
        .expect("the venue");
    let paths: Vec<&str> = found["paths"]
        .as_array()
        .expect("paths")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(
        (&found["id"], paths.contains(&"city")),
        (&json!(7), true),
        "{found}"
    );
    let with_it = |record: &Value| {
        let paths = record["paths"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        record["kind"] == "venues"
            || paths
                .clone()
                .any(|path| path.starts_with("venue.") || path.starts_with("json_ld"))
    };
    assert!(
        unequal.iter().all(with_it),
        "only the venue and events at it: {unequal:#?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_that_only_the_other_has_is_found_in_its_list() {
    let calendars = Calendars::start("verify-extra", Planted::Nothing).await;
    let extra = json!({"organizer": "Only Here"});
    assert_eq!(
        calendars.change(Method::POST, "/organizers", &extra).await.status,
        201
    );
    let (status, report) = calendars.verify(&["--rate", "1000"]).await;
    let list = &report["operations"]["organizers.list"]["paths"];
    let paths: Vec<&Value> = list
        .as_array()
        .expect("paths")
        .iter()
        .map(|row| &row["path"])
        .collect();
    assert!(
        status == Some(1) && paths.contains(&&json!("organizers[]")),
        "{list:#}"
    );
    assert!(report["pages"]["unequal"].as_u64() > Some(0), "{report:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn planted_differences_are_found_and_a_killed_walk_goes_on() {
    let calendars = Calendars::start("verify-planted", Planted::Differences).await;
    let slow = calendars.arguments(&["--rate", "30"]);
    let mut child = calendars
        .setup
        .command(&slow)
        .spawn()
        .expect("the program starts");
    let mut before = 0;
    for _ in 0..1_000 {
        before = lines(&calendars.manifest).len();
        if before > 4 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    child.kill().expect("a running program");
    child.wait().expect("an end");
    before = before.max(lines(&calendars.manifest).len());
    assert!(before > 4, "it has begun");

    let (status, report) = calendars.verify(&["--rate", "1000"]).await;
    assert_eq!(status, Some(1));
    let resumed = report["resumed"].as_u64().expect("a number");
    assert!(resumed >= 3 && resumed < before as u64, "{resumed} of {before}");
    for kind in KINDS {
        let (records, equal) = counts(&report, kind);
        // Each record counts its readers anew, but for the one event that neither shows without its password.
        let hidden = u64::from(kind == "events");
        assert!(records > hidden && equal == hidden, "{kind}: {report:#}");
    }
    let found = |kind: &str, path: &str| {
        let unequal = report["unequal"].as_array().into_iter().flatten();
        let mut of_kind = unequal.filter(|record| record["kind"] == kind);
        of_kind.any(|record| {
            record["paths"]
                .as_array()
                .is_some_and(|all| all.contains(&json!(path)))
        })
    };
    assert!(found("venues", "city") && found("venues", "views"), "{report:#}");
    assert!(
        found("tags", "views") && found("events", "venue.city"),
        "{report:#}"
    );
    let whole = lines(&calendars.manifest).len() as u64;
    let records: u64 = KINDS.iter().map(|kind| counts(&report, kind).0).sum();
    assert_eq!(whole, records + 2, "no record is compared twice");
    let (_, again) = calendars.verify(&["--rate", "1000"]).await;
    assert_eq!(again["resumed"], 0, "an ended walk begins anew");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_fails_ends_the_walk_without_a_verdict() {
    let gone = format!("http://{}/wp-json", closed_port());
    let setup = Setup::new("verify-gone", &gone, &gone, "");
    let manifest = setup.directory.path().join("verify.jsonl");
    let arguments = ["verify", "--manifest", manifest.to_str().expect("text")];
    assert_eq!(setup.run(&arguments).await.status.code(), Some(2));
    assert_eq!(lines(&manifest).len(), 1, "a heading, and no ending");
}
