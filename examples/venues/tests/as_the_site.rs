//! The service answers as the site that it follows.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use calendar_edge_core::contract::table;
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

async fn answer(api: &str, target: &str) -> (u16, [Option<String>; 3], Value) {
    let response = reqwest::get(format!("{api}/{target}")).await.expect("an answer");
    let header = |name: &str| {
        let value = response.headers().get(name)?;
        value.to_str().ok().map(str::to_owned)
    };
    let headers = ["x-tec-total", "x-tec-totalpages", "allow"].map(header);
    let status = response.status().as_u16();
    let text = response.text().await.expect("a body").replace(r"\/", "/");
    let text = text.replace(api, "API");
    (status, headers, serde_json::from_str(&text).expect("JSON"))
}

#[tokio::test]
async fn answers_as_the_site_does() {
    let loopback = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let sandbox = Sandbox::start(loopback).await.expect("a socket");
    let site = format!("{}/tribe/events/v1", sandbox.rest_root());
    let store = Arc::new(Store::in_memory().expect("a database"));
    let copied = Site::new(site.parse().expect("a URL")).copy_to(&store).await;
    assert!(copied.expect("a copy") > 4);
    let listener = TcpListener::bind(loopback).await.expect("a socket");
    let root = format!("http://{}/api", listener.local_addr().expect("bound"));
    let service = router(store, &root, "calendar/events/v1");
    tokio::spawn(async move { axum::serve(listener, service).await });
    let own = format!("{root}/calendar/events/v1");
    for target in TARGETS {
        assert_eq!(
            answer(&own, target).await,
            answer(&site, target).await,
            "{target}"
        );
    }
}

#[test]
fn knows_every_argument_of_the_table() {
    let operation = table().named("venues.list").expect("an operation");
    let names: Vec<&str> = operation.arguments.iter().map(|argument| argument.name).collect();
    assert_eq!(VenueQuery::NAMES.as_slice(), names);
}
