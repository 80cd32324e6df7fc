//! Reads are answered as the site answers them.

use calendar_example::query::{OF_EVENTS, OF_LINKED, OF_TERMS};

use crate::support::{copy, identity, serve, site};
use reqwest::Method;

const TARGETS: [&str; 60] = [
    "events",
    "events?per_page=3",
    "events?per_page=3&page=2",
    "events?per_page=3&page=99",
    "events?per_page=99&start_date=1000-01-01&end_date=9999-12-31",
    "events?start_date=1000-01-01&end_date=9999-12-31&per_page=4&page=5",
    "events?start_date=2026-01-01%2012:00:00&status=publish",
    "events?start_date=2036-01-01&end_date=2036-01-02",
    "events?page=zero",
    "events/17",
    "events/19",
    "events/20",
    "events/21",
    "events/22",
    "events/25",
    "events/28",
    "events/31",
    "events/42",
    "events/99999",
    "events/7",
    "events/x",
    "events/by-slug/soup-stories",
    "events/by-slug/secret-rehearsal",
    "events/by-slug/nowhere",
    "venues",
    "venues?per_page=2&page=2",
    "venues?per_page=2&page=4",
    "venues?page=-1",
    "venues?search=salt",
    "venues?search=SALT%20speicher",
    "venues?search=nowhere",
    "venues?has_events=true&per_page=1&page=2",
    "venues?has_events=false",
    "venues?only_with_upcoming=yes&search=e",
    "venues?event=20",
    "venues?event=99999",
    "venues?event=18446744073709551615",
    "venues/7",
    "venues/11",
    "venues/99999",
    "venues/+7",
    "venues/0007",
    "venues/99999999999999999999",
    "venues/by-slug/cafe-kurbis-sohne",
    "venues/by-slug/Cafe%20Kurbis+sohne",
    "venues/by-slug/%E6%B8%AF%E3%83%9B%E3%83%BC%E3%83%AB",
    "venues/by-slug/%25e6%25b8%25af%25e3%2583%259b%25e3%2583%25bc%25e3%2583%25ab",
    "organizers?has_events=true",
    "organizers?search=herring.example",
    "organizers?event=21",
    "organizers/12",
    "organizers/14",
    "organizers/by-slug/oharas-kitchen",
    "categories",
    "categories?hide_empty=0&per_page=3&page=2",
    "categories/2",
    "categories/9",
    "tags?per_page=2&page=3",
    "tags/9",
    "tags/2",
];

#[tokio::test]
async fn reads_are_those_of_the_site() {
    let (_sandbox, site) = site().await;
    let service = serve(copy(&site).await, &site, None, None).await;
    for target in TARGETS {
        assert_eq!(service.get(target).await, site.get(target).await, "{target}");
    }
}

/// One event is a draft, one is private, and one has a password. All others are read one by one.
#[tokio::test]
async fn each_event_is_that_of_the_site() {
    let (_sandbox, site) = site().await;
    let service = serve(copy(&site).await, &site, None, None).await;
    let mut readable = 0;
    for id in 17..43 {
        let target = format!("events/{id}");
        let answered = site.get(&target).await;
        readable += usize::from(answered.status == 200);
        let hidden = answered.body["code"] == "event-not-accessible";
        let own = service.get(&target).await;
        if hidden {
            assert_eq!(own.body["data"]["params"]["id"], "Invalid parameter.", "{target}");
        } else {
            assert_eq!(own, answered, "{target}");
        }
    }
    assert_eq!(readable, 23);
}

#[tokio::test]
async fn other_calls_are_left_to_the_site() {
    let (_sandbox, site) = site().await;
    let service = serve(copy(&site).await, &site, None, None).await;
    for target in [
        "events?search=salt",
        "events?start_date=tomorrow",
        "events?status=draft",
        "events/17?context=edit",
        "events/42?password=herring",
        "venues?status=any",
        "venues/7?_fields=id",
        "categories?orderby=count",
        "tags?hide_empty=maybe",
    ] {
        let answer = service.get(target).await;
        assert_eq!(
            (answer.status, &answer.body["code"]),
            (501, &"not_claimed".into()),
            "{target}"
        );
    }
    for method in [Method::POST, Method::DELETE, Method::PATCH] {
        let request = service.request(method.clone(), "venues/7").body("{}");
        assert_eq!(service.answer(request).await.status, 501, "{method}");
    }
    let (name, token) = identity(1, "editor");
    let request = service.request(Method::GET, "events").header(&name, &token);
    assert_eq!(
        service.answer(request).await.status,
        501,
        "what is not published is elsewhere"
    );
    let request = service
        .request(Method::GET, "events")
        .header(&name, format!("{token}x"));
    assert_eq!(
        service.answer(request).await.status,
        403,
        "an identity that nobody signed"
    );
    let (name, token) = identity(3, "subscriber");
    let request = service.request(Method::GET, "events").header(&name, &token);
    assert_eq!(service.answer(request).await, site.get("events").await);
}

#[test]
fn claims_are_arguments_of_the_table() {
    let arguments = |name: &str| {
        let operation = calendar_edge_judge::contract::table()
            .named(name)
            .expect("an operation");
        let names = operation.arguments.iter().map(|argument| argument.name);
        names.collect::<Vec<_>>()
    };
    for kind in ["venues.list", "organizers.list"] {
        assert_eq!(arguments(kind), OF_LINKED, "{kind}");
    }
    for (kind, claimed) in [
        ("events.list", OF_EVENTS.as_slice()),
        ("categories.list", &OF_TERMS),
        ("tags.list", &OF_TERMS),
    ] {
        let known = arguments(kind);
        assert!(claimed.iter().all(|name| known.contains(name)), "{kind}");
    }
}
