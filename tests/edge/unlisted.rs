//! Events that no list of the calendar shows are compared and exported by the numbers that WordPress itself lists.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::comparing::{Setup, root};
use crate::exporting::{export, lines, list, page, summary};
use crate::support::{Directory, Origin, Reply, Seen};
use crate::verifying::verify;

/// A site whose calendar lists nothing, where WordPress lists `shown` of the events, and counts some more.
fn site(seen: &Seen, shown: &[u64], more: usize, city: &str) -> Reply {
    if let Some((_, number)) = seen.target.split_once("/v1/events/") {
        let id: u64 = number
            .split('?')
            .next()
            .unwrap_or_default()
            .parse()
            .unwrap_or_default();
        return Reply::json(
            200,
            &json!({"id": id, "slug": format!("e{id}"), "city": city}).to_string(),
        );
    }
    if !seen.target.contains("/wp/v2/tribe_events?") {
        return list(seen, &[]);
    }
    let is_known = seen.header("authorization").is_some();
    if seen.target.contains("status=any") != is_known {
        return Reply::json(400, r#"{"code":"rest_invalid_param","message":"x"}"#);
    }
    let asked = usize::try_from(page(seen).expect("a page") - 1).expect("small");
    let items: Vec<Value> = shown
        .chunks(100)
        .nth(asked)
        .unwrap_or_default()
        .iter()
        .map(|id| json!({ "id": id }))
        .collect();
    if items.is_empty() && asked > 0 {
        return Reply::json(400, r#"{"code":"rest_post_invalid_page_number","message":"x"}"#);
    }
    let total = shown.len() + more;
    Reply::json(200, &Value::from(items).to_string())
        .header("x-wp-total", &total.to_string())
        .header("x-wp-totalpages", &total.div_ceil(100).to_string())
}

fn ids(directory: &Path) -> BTreeSet<u64> {
    let events = lines(directory, "events.ndjson");
    events.iter().filter_map(|event| event["id"].as_u64()).collect()
}

#[tokio::test]
async fn a_hidden_event_that_differs_is_unequal() {
    let ours = Origin::answering(|seen| site(seen, &[7, 9], 0, "a")).await;
    let same = Origin::answering(|seen| site(seen, &[], 0, "a")).await;
    let other = Origin::answering(|seen| site(seen, &[], 0, "b")).await;
    let (status, manifest, complaint) = verify("unlisted-same", [&root(&ours), &root(&same)], &[]).await;
    assert_eq!((status, manifest.len()), (Some(0), 4), "{complaint} {manifest:?}");
    let unread = manifest[3]["not_covered"].to_string();
    assert!(
        !unread.contains("hide_from_listings") && unread.contains("without dates"),
        "{unread}"
    );
    let (status, manifest, complaint) = verify("unlisted-other", [&root(&ours), &root(&other)], &[]).await;
    assert_eq!(status, Some(1), "{complaint}");
    let unequal = manifest.iter().filter(|line| line["paths"] == json!(["city"]));
    let ids: BTreeSet<u64> = unequal.filter_map(|line| line["id"].as_u64()).collect();
    assert_eq!(ids, BTreeSet::from([7, 9]));
}

#[tokio::test]
async fn an_account_compares_what_it_may_read_and_hears_what_it_may_not() {
    let ours = Origin::answering(|seen| site(seen, &[7], 2, "a")).await;
    let at = root(&ours);
    let directory = Directory::new("unlisted-headers");
    let account = directory.write("account", "Authorization: Basic YTpi\n");
    let typed = format!("@{}", account.display());
    let (status, manifest, complaint) = verify("unlisted-account", [&at, &at], &["-H", &typed]).await;
    assert_eq!((status, manifest.len()), (Some(0), 3), "{complaint} {manifest:?}");
    let unread = manifest[2]["not_covered"].to_string();
    assert!(unread.contains("2 events that the site counts"), "{unread}");
}

#[tokio::test]
async fn an_export_has_hidden_events_also_one_that_moves_to_a_page_that_was_read() {
    let is_gone = AtomicBool::new(false);
    // Once page 1 of the numbers was shown, an event on it goes: 101 moves there.
    let ours = Origin::answering(move |seen| {
        let first = u64::from(is_gone.load(Ordering::Relaxed));
        let is_page = seen.target.contains("/wp/v2/tribe_events?") && page(seen) == Some(1);
        is_gone.fetch_or(is_page, Ordering::Relaxed);
        site(seen, &(first + 1..=130).collect::<Vec<_>>(), 0, "a")
    })
    .await;
    let setup = Setup::new("unlisted-export", &root(&ours), &root(&ours), "");
    let (status, complaint) = export(&setup, "one", &[]).await;
    assert_eq!(status, Some(0), "{complaint}");
    let one = setup.directory.path().join("one");
    assert_eq!(ids(&one), (2..=130).collect());
    let told = summary(&one);
    assert!(told["passes"].as_u64() > Some(2), "{told}");
    assert!(
        !told["not_shown"].to_string().contains("hide_from_listings"),
        "{told}"
    );
}
