//! `export`: all records in files, once or since a former export.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use calendar_service::CalendarServer;
use serde_json::{Value, json};

use crate::comparing::{Setup, root};
use crate::support::{Answer, Edge, Origin, Reply, Seen};

const PASSWORD: &str = "sand boxs ecre tcal enda redg";

/// The records of a file, one a line.
pub(crate) fn lines(directory: &Path, name: &str) -> Vec<Value> {
    let text =
        std::fs::read_to_string(directory.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

pub(crate) fn summary(directory: &Path) -> Value {
    let text = std::fs::read(directory.join("manifest.json")).expect("a finished export");
    serde_json::from_slice(&text).expect("JSON")
}

pub(crate) async fn export(setup: &Setup, name: &str, more: &[&str]) -> (Option<i32>, String) {
    let directory = setup.directory.path().join(name).display().to_string();
    let output = setup
        .run(&[&["export", &directory, "--rate", "1000"], more].concat())
        .await;
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

fn states(directory: &Path) -> BTreeSet<(String, u64, String)> {
    let entries = lines(directory, "manifest.ndjson").into_iter();
    let changed = entries.filter(|entry| entry["state"] != "unchanged");
    let told = changed.map(|entry| {
        let text = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        (
            text("kind"),
            entry["id"].as_u64().unwrap_or_default(),
            text("state"),
        )
    });
    told.collect()
}

/// The number of records that a list of the site has.
async fn total(site: &str, target: &str) -> u64 {
    let url = format!("{site}/tribe/events/v1/{target}");
    Answer::to(Edge::client().get(url)).await.json()["total"]
        .as_u64()
        .expect("a total")
}

/// Writes a record of the site, and returns its number.
async fn write(site: &str, method: http::Method, target: &str, body: Value) -> u64 {
    let url = format!("{site}/tribe/events/v1/{target}");
    let write = Edge::client()
        .request(method, url)
        .basic_auth("demo", Some(PASSWORD))
        .header("content-type", "application/json")
        .body(body.to_string());
    let answer = Answer::to(write).await;
    assert!(answer.status.is_success(), "{target}: {}", answer.body);
    answer.json()["id"].as_u64().expect("a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_has_every_record_and_the_next_one_what_changed() {
    let calendar = CalendarServer::start((Ipv4Addr::LOCALHOST, 0).into())
        .await
        .expect("a socket");
    let site = calendar.rest_root().to_string();
    let setup = Setup::new("export-all", &site, &site, "");
    let (status, complaint) = export(&setup, "one", &[]).await;
    assert_eq!(status, Some(0), "{complaint}");
    let one = setup.directory.path().join("one");
    for (name, target) in [
        ("events", "events?start_date=1000-01-01&end_date=9999-12-31"),
        ("venues", "venues"),
        ("organizers", "organizers"),
        ("categories", "categories?hide_empty=0"),
        ("tags", "tags?hide_empty=0"),
    ] {
        let records = lines(&one, &format!("{name}.ndjson"));
        assert_eq!(records.len() as u64, total(&site, target).await, "{name}");
        assert!(!records.is_empty(), "{name}");
        assert!(records.is_sorted_by_key(|record| record["id"].as_u64()), "{name}");
    }
    let told = summary(&one);
    assert_eq!(&told["format"], &json!(1));
    assert!(
        told["not_shown"].to_string().contains("hide_from_listings"),
        "{told}"
    );
    let text = std::fs::read_to_string(one.join("events.ndjson")).expect("a file");
    assert!(
        text.contains("https://events.example.org/wp-json/calendar/events/v1/"),
        "public names"
    );
    let (status, complaint) = export(&setup, "one", &[]).await;
    assert_eq!(status, Some(2));
    assert!(
        complaint.contains("is there: name another directory"),
        "{complaint}"
    );
    a_day_later(&site, &setup, &one).await;
}

/// One venue is new, one has changed, one is gone: the second export has these.
async fn a_day_later(site: &str, setup: &Setup, one: &Path) {
    let venues = lines(one, "venues.ndjson");
    let (changed, gone) = (&venues[0]["id"], &venues[venues.len() - 1]["id"]);
    let new = write(site, http::Method::POST, "venues", json!({"venue": "New Hall"})).await;
    let at = |id: &Value| format!("venues/{id}");
    write(site, http::Method::POST, &at(changed), json!({"phone": "555"})).await;
    write(site, http::Method::DELETE, &at(gone), json!({})).await;
    let since = one.display().to_string();
    let (status, complaint) = export(setup, "two", &["--since", &since]).await;
    assert_eq!(status, Some(0), "{complaint}");
    let two = setup.directory.path().join("two");
    let of_venues: BTreeSet<_> = states(&two)
        .into_iter()
        .filter(|(kind, ..)| kind == "venue")
        .collect();
    let expected = [
        (changed.as_u64().expect("a number"), "changed"),
        (gone.as_u64().expect("a number"), "gone"),
        (new, "new"),
    ];
    let expected = expected.map(|(id, state)| ("venue".to_owned(), id, state.to_owned()));
    assert_eq!(of_venues, BTreeSet::from(expected));
    let ids: Vec<_> = lines(&two, "venues.ndjson")
        .iter()
        .map(|record| record["id"].clone())
        .collect();
    assert_eq!(ids, [changed.clone(), json!(new)], "only what changed");
    assert_eq!(summary(&two)["since"], summary(one)["made"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_exports_what_it_can_read() {
    let calendar = CalendarServer::start((Ipv4Addr::LOCALHOST, 0).into())
        .await
        .expect("a socket");
    let site = calendar.rest_root().to_string();
    let setup = Setup::new("export-account", &site, &site, "");
    assert_eq!(export(&setup, "public", &[]).await.0, Some(0));
    let header = "Authorization: Basic ZGVtbzpzYW5kIGJveHMgZWNyZSB0Y2FsIGVuZGEgcmVkZw==";
    let file = setup
        .directory
        .write("demo.headers", header)
        .display()
        .to_string();
    let file = format!("@{file}");
    let (status, complaint) = export(&setup, "all", &["-H", &file]).await;
    assert_eq!(status, Some(0), "{complaint}");
    let count = |name: &str| lines(&setup.directory.path().join(name), "events.ndjson").len();
    assert!(
        count("all") > count("public"),
        "{} {}",
        count("all"),
        count("public")
    );
    let all = setup.directory.path().join("all");
    let statuses: BTreeSet<_> = lines(&all, "events.ndjson")
        .iter()
        .map(|record| record["status"].to_string())
        .collect();
    assert!(statuses.contains("\"draft\""), "{statuses:?}");
    assert!(summary(&all)["account"].is_string());
    let text = std::fs::read_to_string(all.join("manifest.json")).expect("a file");
    assert!(!text.contains("ZGVtbz") && !text.contains("demo"), "{text}");
    // Records that the public may not read are not gone.
    let since = all.display().to_string();
    let (status, complaint) = export(&setup, "later", &["--since", &since]).await;
    assert_eq!(status, Some(2));
    assert!(
        complaint.contains("of another site, public_url or account"),
        "{complaint}"
    );
    let entries = all.join("manifest.ndjson");
    let text = std::fs::read_to_string(&entries).expect("a file");
    let (whole, _) = text.trim_end().rsplit_once('\n').expect("lines");
    std::fs::write(&entries, format!("{whole}\n")).expect("a file");
    let (status, complaint) = export(&setup, "later", &["--since", &since, "-H", &file]).await;
    assert_eq!(status, Some(2), "an entry is missing");
    assert!(complaint.contains("entries"), "{complaint}");
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

fn venue_ids(directory: &Path) -> Vec<u64> {
    let venues = lines(directory, "venues.ndjson");
    venues.iter().filter_map(|venue| venue["id"].as_u64()).collect()
}

#[tokio::test]
async fn a_site_that_refuses_because_of_its_load_is_asked_later() {
    let asked = AtomicU32::new(0);
    let site = Origin::answering(move |seen| match asked.fetch_add(1, Ordering::Relaxed) {
        0 => Reply::json(429, r#"{"code":"x","message":"y"}"#).header("retry-after", "2"),
        1 => Reply::json(503, r#"{"code":"x","message":"y"}"#),
        _ => list(seen, &[1, 2]),
    })
    .await;
    let setup = Setup::new("export-busy", &root(&site), &root(&site), "");
    let begun = Instant::now();
    let (status, complaint) = export(&setup, "one", &[]).await;
    assert_eq!(status, Some(0), "{complaint}");
    assert!(begun.elapsed() >= Duration::from_secs(4), "{:?}", begun.elapsed());
    assert_eq!(venue_ids(&setup.directory.path().join("one")), [1, 2]);
}

#[tokio::test]
async fn a_list_that_changes_while_it_is_read_is_not_exported() {
    let asked = AtomicU32::new(0);
    // While page 2 is read, a venue of page 1 goes: 3 moves there.
    let site = Origin::answering(move |seen| {
        let is_first = seen.target.contains("/venues?") && asked.fetch_add(1, Ordering::Relaxed) == 0;
        let all: &[u64] = if is_first { &[1, 2, 3, 4, 5] } else { &[2, 3, 4, 5] };
        list(seen, all)
    })
    .await;
    let setup = Setup::new("export-moving", &root(&site), &root(&site), "");
    let (status, complaint) = export(&setup, "one", &[]).await;
    assert_eq!(status, Some(2));
    assert!(
        complaint.contains("venues below /wp-json: the list had 4 to 5 records"),
        "{complaint}"
    );
    let (status, complaint) = export(&setup, "one", &[]).await;
    assert_eq!(status, Some(0), "nothing was written: {complaint}");
    assert_eq!(venue_ids(&setup.directory.path().join("one")), [2, 3, 4, 5]);
    let since = setup.directory.path().display().to_string();
    let (status, complaint) = export(&setup, "two", &["--since", &since]).await;
    assert_eq!(status, Some(2));
    assert!(complaint.contains("has no finished export"), "{complaint}");
}

#[tokio::test]
async fn a_member_that_each_read_changes_can_be_left_out() {
    let asked = AtomicU32::new(0);
    let site = Origin::answering(move |seen| {
        if !seen.target.contains("/venues?") {
            return list(seen, &[]);
        }
        let venue = json!({"id": 1, "views": asked.fetch_add(1, Ordering::Relaxed)});
        let body = json!({"venues": [venue], "total": 1, "total_pages": 1});
        Reply::json(200, &body.to_string())
    })
    .await;
    let rule = "[[compare.ignore]]\noperations = [\"venues.*\"]\npath = \"venues[].views\"\nreason = \"it counts\"\n";
    for (rule, is_changed) in [("", true), (rule, false)] {
        let setup = Setup::new("export-views", &root(&site), &root(&site), rule);
        let (status, complaint) = export(&setup, "one", &[]).await;
        assert_eq!(status, Some(0), "{complaint}");
        let one = setup.directory.path().join("one");
        assert!(
            lines(&one, "venues.ndjson")[0]["views"].is_u64(),
            "it stays in the record"
        );
        let since = one.display().to_string();
        let (status, complaint) = export(&setup, "two", &["--since", &since]).await;
        assert_eq!(status, Some(0), "{complaint}");
        let told = states(&setup.directory.path().join("two"));
        assert_eq!(!told.is_empty(), is_changed, "{told:?}");
    }
}

#[tokio::test]
async fn a_directory_belongs_to_one_export() {
    let site = Origin::answering(|seen| list(seen, &[1])).await;
    let setup = Setup::new("export-twice", &root(&site), &root(&site), "");
    let one = setup.directory.path().join("one");
    std::fs::create_dir(&one).expect("a directory");
    std::fs::write(one.join("venues.ndjson"), "mine").expect("a file");
    let (status, complaint) = export(&setup, "one", &[]).await;
    assert_eq!(status, Some(2), "{complaint}");
    assert!(complaint.contains("venues.ndjson"), "{complaint}");
    let kept = std::fs::read_to_string(one.join("venues.ndjson")).expect("a file");
    assert_eq!(kept, "mine");
}
