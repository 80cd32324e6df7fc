//! The records that the calendar service shows to each caller, and its treatment of events behind a password.

use std::net::Ipv4Addr;
use std::sync::Arc;

use calendar_service::caller::Callers;
use calendar_service::follow::Follower;
use calendar_service::site::Site;
use calendar_service::store::Store;
use calendar_service::{Calendar as Service, CalendarServer, CalendarSettings, PASSWORD, USERNAME};
use jiff::tz::TimeZone;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::net::TcpListener;

use super::calendar::Calendar;
use crate::support::{Answer, Edge};

async fn asked(calendar: &Calendar, account: Option<&str>, path: &str) -> (u16, Value) {
    let url = format!("{}/tribe/events/v1{path}", calendar.server.rest_root());
    let request = Edge::client().get(url);
    let request = match account {
        Some(account) => request.basic_auth(account, Some(PASSWORD)),
        None => request,
    };
    let answer = Answer::to(request).await;
    (answer.status.as_u16(), answer.json())
}

#[tokio::test]
async fn statuses_are_for_those_who_may_write() {
    let calendar = Calendar::open().await;
    let (editor, writer, reader) = (Some(USERNAME), Some("contributor"), Some("subscriber"));
    for (account, query, expected) in [
        (editor, "status=draft", 200),
        (writer, "status=draft,private", 200),
        (editor, "status=any", 400),
        (editor, "status=nope", 400),
        (editor, "status=", 200),
        (editor, "status=0", 200),
        (reader, "status=draft", 400),
        (reader, "status=", 400),
        (reader, "status=publish", 200),
        (None, "status=draft", 400),
    ] {
        for list in ["events", "venues", "organizers"] {
            let (status, found) = asked(&calendar, account, &format!("/{list}?{query}")).await;
            assert_eq!(status, expected, "{account:?} {list} {query}: {found}");
        }
    }
    let (_, drafts) = asked(&calendar, editor, "/events?status=draft&start_date=2000-01-01").await;
    let drafts = drafts["events"].as_array().expect("a list");
    assert!(
        !drafts.is_empty() && drafts.iter().all(|event| event["status"] == "draft"),
        "{drafts:?}"
    );
}

#[tokio::test]
async fn some_words_mean_true_and_every_other_false() {
    let calendar = Calendar::open().await;
    let url = format!("{}/tribe/events/v1/venues", calendar.server.rest_root());
    let unused = Edge::client().post(url).basic_auth(USERNAME, Some(PASSWORD));
    let unused = unused.header("content-type", "application/json");
    let made = Answer::to(unused.body(r#"{"venue":"Without events"}"#)).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let mut totals = Vec::new();
    for (name, value) in [
        ("has_events", "1"),
        ("has_events", "YES"),
        ("has_events[]", "1"),
        ("has_events", "0"),
        ("has_events", "maybe"),
        ("only_with_upcoming", "true"),
        ("only_with_upcoming", "on"),
        ("only_with_upcoming", "0"),
        ("only_with_upcoming", "null"),
    ] {
        let (_, found) = calendar.get(&format!("/venues?{name}={value}")).await;
        totals.push(found["total"].as_u64().expect("a total"));
    }
    let all = calendar.get("/venues").await.1["total"]
        .as_u64()
        .expect("a total");
    let (used, coming) = (totals[0], totals[5]);
    assert!(used < all && coming < all, "{used} {coming} {all}");
    let unused = all - used;
    assert_eq!(
        totals,
        [used, used, used, unused, unused, coming, coming, all, all]
    );
}

/// The events that a list contains, with their venues.
async fn listed(root: &str, query: &str) -> Vec<(u64, Value)> {
    let url = format!("{root}/tribe/events/v1/events?start_date=2000-01-01&per_page=50&{query}");
    let list = Answer::to(Edge::client().get(url)).await.json();
    let events = list["events"].as_array().expect("a list").iter();
    events
        .map(|event| (event["id"].as_u64().expect("a number"), event["venue"].clone()))
        .collect()
}

#[tokio::test]
async fn a_service_that_follows_with_a_login_filters_by_what_a_password_hides() {
    // Every client needs it; it may be there already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let site = Calendar::open().await;
    let root = site.server.rest_root().clone();
    let from = Site::new(&root, "tribe/events/v1", None).expect("a client");
    let from = from.with_login((USERNAME.to_owned(), PASSWORD.to_owned()));
    let store = Arc::new(Mutex::new(Store::default()));
    let mut follower = Follower::new(from, Arc::clone(&store));
    follower.catch_up().await.expect("the site responds");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
    let own = format!("http://{}/wp-json", listener.local_addr().expect("an address"));
    let settings = CalendarSettings {
        root: own.parse().expect("a URL"),
        pages: "http://site.example".to_owned(),
        zone: TimeZone::get("Europe/Berlin").expect("a zone"),
        callers: Callers::Nobody,
        is_copied: false,
        now: None,
    };
    let next = CalendarServer::serve(listener, Service::new(settings, store)).expect("a socket");
    let next = next.rest_root().to_string();
    for query in ["", "venue=7", "organizer=12", "categories=3"] {
        let (theirs, found) = (listed(root.as_str(), query).await, listed(&next, query).await);
        assert!(!theirs.is_empty(), "{query}");
        assert_eq!(theirs.len(), found.len(), "{query}");
    }
    // Members behind the password stay there.
    let locked: Vec<_> = listed(&next, "venue=7")
        .await
        .into_iter()
        .filter(|(_, venue)| venue.as_array().is_some_and(Vec::is_empty))
        .collect();
    assert_eq!(locked.len(), 1, "{locked:?}");
    let url = format!("{next}/tribe/events/v1/events/{}", locked[0].0);
    for query in ["", "?password=herring", "?password=true"] {
        let answer = Answer::to(Edge::client().get(format!("{url}{query}"))).await;
        assert_eq!(answer.json()["code"], "event-password-protected", "{query}");
    }
}
