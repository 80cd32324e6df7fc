//! `verify` with one side that is away, longer or stopped.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::comparing::{Setup, root};
use crate::support::{Origin, Reply, Seen};
use crate::verifying::{list, page, venue, venues, verify};

/// A site of 60 venues, of which a list shows 50 on a page.
fn sixty(seen: &Seen, more: u64) -> Reply {
    let all: Vec<u64> = (1..=60 + more).collect();
    let shown = page(seen).unwrap_or(1) - 1;
    let here = all.chunks(50).nth(usize::try_from(shown).expect("small"));
    match (venue(seen), seen.target.contains("/venues?")) {
        (Some(id), _) => Reply::json(200, &json!({ "id": id }).to_string()),
        (None, false) => list(seen, &[]),
        (None, true) => {
            let venues: Vec<Value> = here
                .unwrap_or_default()
                .iter()
                .map(|id| json!({ "id": id }))
                .collect();
            let pages = all.len().div_ceil(50);
            let body = json!({"venues": venues, "total": all.len(), "total_pages": pages});
            if venues.is_empty() {
                return Reply::json(404, r#"{"code":"venue-archive-page-not-found","message":"x"}"#);
            }
            Reply::json(200, &body.to_string())
        }
    }
}

#[tokio::test]
async fn a_record_on_a_page_that_only_the_other_has_is_named() {
    let site = Origin::answering(|seen| sixty(seen, 0)).await;
    let next = Origin::answering(|seen| sixty(seen, 45)).await;
    let roots = [&*root(&site), &*root(&next)];
    let (status, report, complaint) = verify("verify-longer", roots, &[]).await;
    assert_eq!(status, Some(1), "{complaint}");
    let only_there = report["only_there"].as_array().expect("a list");
    let ids: BTreeSet<u64> = only_there.iter().filter_map(|key| key["id"].as_u64()).collect();
    assert_eq!(ids, (61..=105).collect());
    let unread = report["not_covered"].to_string();
    assert!(
        unread.contains("hide_from_listings") && unread.contains("drafts"),
        "{unread}"
    );
}

#[tokio::test]
async fn a_candidate_that_is_away_is_not_unequal() {
    let site = Origin::answering(|seen| venues(seen, &[1])).await;
    let asked = AtomicU32::new(0);
    let busy = Origin::answering(move |seen| {
        if venue(seen) == Some(1) && asked.fetch_add(1, Ordering::Relaxed) == 0 {
            return Reply::json(429, r#"{"code":"x","message":"y"}"#).header("retry-after", "1");
        }
        venues(seen, &[1])
    })
    .await;
    let (status, _, complaint) = verify("verify-late", [&root(&site), &root(&busy)], &[]).await;
    assert_eq!(status, Some(0), "{complaint}");
    let away = Origin::answering(|seen| match venue(seen) {
        Some(_) => Reply::json(503, r#"{"code":"x","message":"y"}"#),
        None => list(seen, &[1]),
    })
    .await;
    let (status, report, complaint) = verify("verify-away", [&root(&site), &root(&away)], &[]).await;
    assert_eq!((status, report), (Some(2), Value::Null));
    let named = "venues/1 is not compared: the backend `next` responds with 503 Service Unavailable, 4 times in a row";
    assert!(complaint.contains(named), "{complaint}");
    let failing = Origin::answering(|seen| match venue(seen) {
        Some(_) => Reply::json(500, r#"{"code":"x","message":"y"}"#),
        None => list(seen, &[1]),
    })
    .await;
    let (status, report, complaint) = verify("verify-failing", [&root(&site), &root(&failing)], &[]).await;
    assert_eq!((status, report), (Some(2), Value::Null));
    assert!(complaint.contains("responds with 500"), "{complaint}");
    let dead = Origin::answering(|seen| match venue(seen) {
        Some(_) => Reply::of_type(200, "text/html", "<p>Fatal error</p>"),
        None => list(seen, &[1]),
    })
    .await;
    let (status, _, complaint) = verify("verify-dead", [&root(&site), &root(&dead)], &[]).await;
    assert_eq!(status, Some(2), "{complaint}");
    assert!(complaint.contains("the backend `next` fails: "), "{complaint}");
}

/// The first block of TOML below the heading about ignored paths.
fn rules_of_the_documents() -> String {
    let page = include_str!("../../docs/reference/candidate.md");
    let (_, below) = page.split_once("### Ignored paths").expect("the heading");
    let (_, block) = below.split_once("```toml\n").expect("a block");
    block.split_once("```").expect("its end").0.to_owned()
}

/// A record of an event with links, as WordPress prints it or as another service does.
fn printed(seen: &Seen, has_data: bool) -> Reply {
    let record = |id: u64| {
        let mut record = json!({"id": id});
        if has_data {
            record["json_ld"] = json!({"@type": "Thing"});
        }
        record
    };
    let mut event = record(1);
    event["venue"] = record(2);
    event["organizer"] = json!([record(3)]);
    let is_list = seen.target.contains('?');
    match (is_list, seen.target.contains("/events?")) {
        (true, true) => {
            let body = json!({"events": [{"id": 1}], "total": 1, "total_pages": 1});
            Reply::json(200, &body.to_string())
        }
        (true, false) => list(seen, &[]),
        (false, _) => Reply::json(200, &event.to_string()),
    }
}

#[tokio::test]
async fn the_rules_of_the_documents_make_a_candidate_without_json_ld_equal() {
    let site = Origin::answering(|seen| printed(seen, true)).await;
    let next = Origin::answering(|seen| printed(seen, false)).await;
    for (rules, expected) in [("", 1), (&*rules_of_the_documents(), 0)] {
        let setup = Setup::new("verify-rules", &root(&site), &root(&next), rules);
        let output = setup.run(&["migration", "verify", "--rate", "1000"]).await;
        assert_eq!(output.status.code(), Some(expected), "{output:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_walk_has_no_verdict() {
    let site = Origin::answering(|seen| sixty(seen, 0)).await;
    let setup = Setup::new("verify-interrupted", &root(&site), &root(&site), "");
    let mut command = setup.command(&["migration", "verify", "--rate", "5"]);
    let child = command.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let child = child.expect("the program starts");
    while !site
        .take_seen()
        .iter()
        .any(|seen| seen.target.contains("/events?"))
    {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let told = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(told.expect("there is a kill").success());
    let output = tokio::task::spawn_blocking(|| child.wait_with_output()).await;
    let output = output.expect("no panic").expect("its output");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("interrupted: begin again"), "{told}");
    assert_eq!(output.stdout, b"");
}
