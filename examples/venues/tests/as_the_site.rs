//! The service answers as the site that it follows.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use calendar_edge_judge::contract::table;
use calendar_edge_sandbox::Sandbox;
use serde_json::Value;
use tokio::net::TcpListener;
use venues_example::api::router;
use venues_example::import::Site;
use venues_example::query::VenueQuery;
use venues_example::store::Store;

const TARGETS: [&str; 22] = [
    "venues",
    "venues?per_page=2",
    "venues?per_page=2&page=2",
    "venues?per_page=2&page=3",
    "venues?per_page=2&page=4",
    "venues?per_page=99",
    "venues?page=zero",
    "venues?event=x&page=1",
    "venues?search=salt",
    "venues?search=SALT%20speicher",
    "venues?search=nowhere",
    "venues?has_events=true",
    "venues?has_events=false",
    "venues?has_events=true&per_page=1&page=2",
    "venues?only_with_upcoming=true",
    "venues?only_with_upcoming=yes&search=e",
    "venues/7",
    "venues/8",
    "venues/99999",
    "venues/by-slug/salt-warehouse",
    "venues/by-slug/cafe-kurbis-sohne",
    "venues/by-slug/nowhere",
];

/// Status, headers and body, with the same names for both roots.
async fn answer(root: &str, namespace: &str, target: &str) -> (u16, [Option<String>; 4], Value) {
    let api = format!("{root}/{namespace}");
    let response = reqwest::get(format!("{api}/{target}")).await.expect("an answer");
    let header = |name: &str| {
        let value = response.headers().get(name)?.to_str().ok()?;
        Some(value.replace(root, "ROOT"))
    };
    let headers = ["x-tec-total", "x-tec-totalpages", "allow", "link"].map(header);
    let status = response.status().as_u16();
    let text = response.text().await.expect("a body").replace(r"\/", "/");
    let text = text.replace(&api, "API");
    (status, headers, serde_json::from_str(&text).expect("JSON"))
}

#[tokio::test]
async fn answers_as_the_site_does() {
    let loopback = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let sandbox = Sandbox::start(loopback).await.expect("a socket");
    let site = sandbox.rest_root().as_str();
    let api = format!("{site}/tribe/events/v1").parse().expect("a URL");
    let store = Arc::new(Store::in_memory().expect("a database"));
    let copied = Site::new(api).copy_to(&store).await.expect("a copy");
    assert!(copied > 4);
    let listener = TcpListener::bind(loopback).await.expect("a socket");
    let own = format!("http://{}/api", listener.local_addr().expect("bound"));
    let service = router(store, &own.parse().expect("a URL"), "calendar/events/v1");
    tokio::spawn(async move { axum::serve(listener, service).await });
    for target in TARGETS {
        let answered = answer(&own, "calendar/events/v1", target).await;
        assert_eq!(
            answered,
            answer(site, "tribe/events/v1", target).await,
            "{target}"
        );
    }
}

#[tokio::test]
async fn records_name_the_public_address() {
    let loopback = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let sandbox = Sandbox::start(loopback).await.expect("a socket");
    let api = format!("{}/tribe/events/v1", sandbox.rest_root())
        .parse()
        .expect("a URL");
    let public = "https://events.example.org".parse().expect("a URL");
    let store = Store::in_memory().expect("a database");
    let copied = Site::new(api).known_as(&public).copy_to(&store).await;
    copied.expect("a copy");
    let venue = store.by_id(7).expect("readable").expect("a venue");
    let venue: Value = serde_json::from_str(&venue).expect("JSON");
    assert_eq!(venue["url"], "https://events.example.org/venue/salt-warehouse/");
    assert_eq!(venue["global_id"], "events.example.org?id=7");
}

#[test]
fn knows_every_argument_of_the_table() {
    let operation = table().named("venues.list").expect("an operation");
    let names: Vec<&str> = operation.arguments.iter().map(|argument| argument.name).collect();
    assert_eq!(VenueQuery::NAMES.as_slice(), names);
}
