//! `verify`: every record of two calendars, compared by the program over sockets.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicU32, Ordering};

use calendar_service::{Calendar, CalendarServer, PASSWORD, USERNAME};
use reqwest::Method;
use serde_json::{Value, json};

use crate::comparing::{Setup, root};
use crate::support::{Answer, Directory, Edge, Origin, Reply, Seen, closed_port, planted};

const KINDS: [&str; 5] = ["categories", "events", "organizers", "tags", "venues"];

const VERIFY: [&str; 4] = ["migration", "verify", "--to", "next"];

/// A calendar, and one that replaces it.
struct Calendars {
    _site: CalendarServer,
    _next: Next,
    next_root: String,
    setup: Setup,
}

/// The calendar that replaces the other one, as it is or with differences.
enum Next {
    Equal(CalendarServer),
    Planted(Origin),
}

// === impl Calendars ===

impl Calendars {
    async fn start(name: &str) -> Self {
        let (address, site) = Self::site().await;
        let next = CalendarServer::start_sample((Ipv4Addr::LOCALHOST, 0).into(), None, Some(address));
        let next = Next::Equal(next.await.expect("a socket"));
        Self::of(name, site, next)
    }

    /// With a second calendar that has differences.
    async fn planted(name: &str) -> Self {
        let (address, site) = Self::site().await;
        let next = Calendar::sample(address, None).expect("an address");
        Self::of(name, site, Next::Planted(planted(next).await))
    }

    async fn site() -> (SocketAddr, CalendarServer) {
        let site = CalendarServer::start((Ipv4Addr::LOCALHOST, 0).into()).await;
        let site = site.expect("a socket");
        (site.address(), site)
    }

    fn of(name: &str, site: CalendarServer, next: Next) -> Self {
        let one = site.rest_root().to_string();
        let two = match &next {
            Next::Equal(server) => server.rest_root().to_string(),
            Next::Planted(origin) => format!("{}/wp-json", origin.base()),
        };
        let more = "kind = \"wordpress\"\ncredentials = \"forward\"\n";
        let setup = Setup::new(name, &one, &two, more);
        Self {
            _site: site,
            _next: next,
            next_root: two,
            setup,
        }
    }

    async fn verify(&self, more: &[&str]) -> (Option<i32>, Value) {
        self.setup.json(&[&VERIFY[..], more].concat()).await
    }

    /// A write to the second calendar alone.
    async fn change(&self, method: Method, path: &str, body: &Value) -> Answer {
        let url = format!("{}/tribe/events/v1{path}", self.next_root);
        let request = Edge::client().request(method, url);
        let request = request.basic_auth(USERNAME, Some(PASSWORD));
        let request = request.header("content-type", "application/json");
        Answer::to(request.body(body.to_string())).await
    }

    fn credentials() -> String {
        use base64::Engine as _;
        let pair = format!("{USERNAME}:{PASSWORD}");
        let encoded = base64::engine::general_purpose::STANDARD.encode(pair);
        format!("Authorization: Basic {encoded}")
    }
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
    let calendars = Calendars::start("verify-equal").await;
    let fast = ["--rate", "1000"];
    let (status, report) = calendars.verify(&fast).await;
    assert_eq!((status, &report["unequal"]), (Some(0), &json!([])), "{report:#}");
    let all: Vec<(u64, u64)> = KINDS.iter().map(|kind| counts(&report, kind)).collect();
    assert!(
        all.iter()
            .all(|(records, equal)| *records > 0 && records == equal),
        "{all:?}"
    );

    // With an account drafts, the trash and what a password hides come in as well.
    let credentials = Calendars::credentials();
    let (status, report) = calendars.verify(&["-H", &credentials, "--rate", "1000"]).await;
    assert_eq!((status, &report["unequal"]), (Some(0), &json!([])), "{report:#}");
    assert!(counts(&report, "events").0 > all[1].0, "{report:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn exactly_the_changed_records_are_found() {
    let calendars = Calendars::start("verify-changed").await;
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
    let calendars = Calendars::start("verify-extra").await;
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
    let only_there = report["only_there"].as_array().expect("a list");
    assert_eq!(
        (only_there.len(), &only_there[0]["kind"]),
        (1, &json!("organizers"))
    );
    let told = calendars
        .setup
        .run(&[&VERIFY[..], &["--rate", "1000"]].concat())
        .await;
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let named = format!(
        "  organizers, 1 records: only `next` has it: {}\n",
        only_there[0]["id"]
    );
    assert!(told.contains(&named), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn planted_differences_are_found_in_every_record() {
    let calendars = Calendars::planted("verify-planted").await;
    let (status, report) = calendars.verify(&["--rate", "1000"]).await;
    assert_eq!(status, Some(1));
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
    let told = calendars
        .setup
        .run(&[&VERIFY[..], &["--rate", "1000"]].concat())
        .await;
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let causes = told.lines().filter(|line| line.starts_with("  tags, "));
    assert_eq!(causes.count(), 1, "one line for all tags: {told}");
    assert!(found("venues", "city") && found("venues", "views"), "{report:#}");
    assert!(
        found("tags", "views") && found("events", "venue.city"),
        "{report:#}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_fails_ends_the_walk_without_a_verdict() {
    let gone = format!("http://{}/wp-json", closed_port());
    let (status, report, _) = verify("verify-gone", [&gone, &gone], &[]).await;
    assert_eq!((status, report), (Some(2), Value::Null));
}

/// Verifies a site whose second backend is at the other root, and returns the status, the report, which is null without a
/// verdict, and the complaint.
pub(crate) async fn verify(name: &str, roots: [&str; 2], more: &[&str]) -> (Option<i32>, Value, String) {
    let setup = Setup::new(name, roots[0], roots[1], "credentials = \"forward\"\n");
    let arguments = ["migration", "verify", "--rate", "1000", "--json"];
    let output = setup.run(&[&arguments, more].concat()).await;
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    let report = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.code(), report, complaint)
}

/// The page that a request for a list names.
pub(crate) fn page(seen: &Seen) -> Option<u64> {
    let (_, rest) = seen
        .target
        .split_once("&page=")
        .or_else(|| seen.target.split_once("?page="))?;
    rest.split('&').next()?.parse().ok()
}

/// A page of venues with these numbers, two a page; other lists are empty.
pub(crate) fn list(seen: &Seen, ids: &[u64]) -> Reply {
    let collection = ["events", "venues", "organizers", "categories", "tags"]
        .into_iter()
        .find(|name| seen.target.contains(&format!("/{name}?")))
        .expect("a list");
    let ids = if collection == "venues" { ids } else { &[] };
    let chunks: Vec<&[u64]> = ids.chunks(2).collect();
    let asked = usize::try_from(page(seen).unwrap_or(1)).expect("a page") - 1;
    let shown = chunks.get(asked).copied().unwrap_or_default();
    let records: Vec<_> = shown
        .iter()
        .map(|id| json!({"id": id, "slug": format!("v{id}"), "modified_utc": "2026-11-20 08:00:00"}))
        .collect();
    let body = json!({(collection): records, "total": ids.len(), "total_pages": chunks.len()});
    Reply::json(200, &body.to_string())
}

/// The number of the venue that a request reads by number or slug.
pub(crate) fn venue(seen: &Seen) -> Option<u64> {
    let path = seen.target.split('?').next()?;
    let (before, last) = path.rsplit_once('/')?;
    let is_read = before.ends_with("/venues") || before.ends_with("/by-slug");
    last.trim_start_matches('v').parse().ok().filter(|_| is_read)
}

/// A site of these venues.
pub(crate) fn venues(seen: &Seen, ids: &[u64]) -> Reply {
    match venue(seen) {
        Some(id) => Reply::json(200, &json!({ "id": id }).to_string()),
        None => list(seen, ids),
    }
}

#[tokio::test]
async fn a_site_that_refuses_all_is_equal_to_nothing() {
    let status = Arc::new(AtomicU16::new(0));
    let refusing = Arc::clone(&status);
    let site = Origin::answering(move |_| {
        let body = r#"{"code":"incorrect_password","message":"no"}"#;
        Reply::json(refusing.load(Ordering::Relaxed), body)
    })
    .await;
    let at = root(&site);
    for refusal in [401, 403, 404] {
        status.store(refusal, Ordering::Relaxed);
        let (status, report, complaint) = verify("verify-refused", [&at, &at], &[]).await;
        assert_eq!(status, Some(2), "{refusal}");
        assert!(complaint.contains("the site refuses events?"), "{complaint}");
        assert_eq!(report, Value::Null, "no verdict");
    }
    let refused = Origin::answering(|seen| match venue(seen) {
        Some(_) => Reply::json(403, r#"{"code":"rest_forbidden","message":"no"}"#),
        None => list(seen, &[1]),
    })
    .await;
    let at = root(&refused);
    let (status, report, _) = verify("verify-firewall", [&at, &at], &[]).await;
    assert_eq!(
        (status, report),
        (Some(2), Value::Null),
        "a record that is listed"
    );
    let empty = Origin::answering(|seen| list(seen, &[])).await;
    let at = root(&empty);
    assert_eq!(verify("verify-empty", [&at, &at], &[]).await.0, Some(0));
    let directory = Directory::new("verify-headers");
    let account = directory.write("account", "Authorization: Basic YTpi\n");
    let typed = format!("@{}", account.display());
    let (status, _, complaint) = verify("verify-nothing", [&at, &at], &["-H", &typed]).await;
    assert_eq!(status, Some(2));
    assert!(complaint.contains("no list names a record"), "{complaint}");
}

#[tokio::test]
async fn a_record_that_moves_to_a_page_that_was_read_is_no_equality() {
    let asked = AtomicU32::new(0);
    // Once both backends have shown page 1, a venue of it goes: 3 moves there, and page 2 begins with 4.
    let site = Origin::answering(move |seen| {
        let is_first = seen.target.contains("/venues?") && page(seen) == Some(1);
        let before = asked.fetch_add(u32::from(is_first), Ordering::Relaxed);
        let all: &[u64] = if is_first && before < 2 {
            &[1, 2, 3, 4, 5]
        } else {
            &[2, 3, 4, 5]
        };
        venues(seen, all)
    })
    .await;
    let at = root(&site);
    let (status, report, complaint) = verify("verify-moving", [&at, &at], &[]).await;
    assert_eq!(status, Some(2), "{complaint}");
    let incomplete = report["incomplete"].to_string();
    assert!(incomplete.contains("the list had 4 to 5 records"), "{incomplete}");
}

#[tokio::test]
async fn a_refusal_because_of_load_hides_no_difference() {
    let asked = AtomicU32::new(0);
    let site = Origin::answering(move |seen| {
        let is_first = venue(seen) == Some(1) && asked.fetch_add(1, Ordering::Relaxed) == 0;
        if is_first {
            return Reply::json(429, r#"{"code":"x","message":"y"}"#).header("retry-after", "1");
        }
        venues(seen, &[1])
    })
    .await;
    let next = Origin::answering(|seen| match venue(seen) {
        Some(id) => Reply::json(200, &json!({"id": id, "city": "b"}).to_string()),
        None => list(seen, &[1]),
    })
    .await;
    let roots = [&*root(&site), &*root(&next)];
    let (status, report, complaint) = verify("verify-busy", roots, &["--accept", "volatile"]).await;
    assert_eq!(status, Some(1), "{complaint}");
    let record = &report["unequal"][0];
    assert_eq!(
        (&record["status"], &record["class"]),
        (&json!(200), &json!("different"))
    );
}
