//! Calls to the plugin's second API, `tec/v1`: held to the routes that the site publishes, and to the limits of the
//! calendar.

use std::time::Duration;

use calendar_edge_core::settings::{Mode, OtherTraffic, Rate, Settings};
use http::Method;

use super::{answer, count, ruled, told};
use crate::support::{Edge, Origin, Reply, index_text};

const SECOND: &str = include_str!("../../../fixtures/contract/second-index.json");

const CREATE: &str = "POST /wp-json/tec/v1/events";
const NOWHERE: &str = "GET /wp-json/tec/v1/nowhere";

/// A site that publishes both APIs, and an edge that has read them.
async fn site_behind(change: impl FnOnce(&mut Settings)) -> (Origin, Edge) {
    let origin = Origin::answering(|seen| match seen.target.as_str() {
        "/wp-json/tribe/events/v1" => Reply::json(200, &index_text("6.17.2")),
        "/wp-json/tec/v1" => Reply::json(200, SECOND),
        "/wp-json/tribe/events/v1/events/0" => Reply::json(404, "{}"),
        _ => Reply::json(200, "{\"from\":\"site\"}"),
    })
    .await;
    let builder = Edge::builder().origin(&origin).knowing(None);
    let edge = builder.settings(|settings| {
        *settings = ruled(settings.clone(), "");
        settings.origin.read_index = true;
        settings.origin.index_interval = Duration::from_millis(20);
        change(settings);
    });
    let edge = edge.start().await;
    for _ in 0..200 {
        if edge.admin("/status").await.json()["roots"][0]["contract"]["read"] == true {
            return (origin, edge);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the index is not read");
}

/// True if the site got a request for a target.
fn has_heard(origin: &Origin, target: &str) -> bool {
    origin.seen().iter().any(|seen| seen.target == target)
}

/// The code of a response; `site` where the site responded.
async fn code(edge: &Edge, request: &str) -> String {
    told(&answer(edge, request).await).1
}

#[tokio::test]
async fn a_call_that_the_site_would_refuse_does_not_reach_it() {
    let (origin, edge) = site_behind(|settings| settings.mode = Mode::Enforce).await;
    for (request, expected) in [
        ("GET /wp-json/tec/v1/events", "site"),
        ("GET /wp-json/tec/v1/events/7", "site"),
        ("OPTIONS /wp-json/tec/v1/elsewhere", "site"),
        (NOWHERE, "rest_no_route"),
        ("PUT /wp-json/tec/v1/events", "rest_no_route"),
        ("GET /?rest_route=/tec/v1/nowhere", "rest_no_route"),
        (CREATE, "rest_forbidden"),
        ("POST /wp-json/tec/v1/events | Authorization: Basic YTpi", "site"),
        (
            "POST / | Content-Type: application/x-www-form-urlencoded | rest_route=/tec/v1/events&title=x",
            "rest_forbidden",
        ),
        (
            "GET /wp-json/tec/v1/events | Authorization: Basic YTpi | Authorization: Basic YTpj",
            "edge_bad_authorization",
        ),
        ("GET /wp-json/wp/v2/nowhere", "site"),
    ] {
        assert_eq!(code(&edge, request).await, expected, "{request}");
    }
    assert!(!has_heard(&origin, "/wp-json/tec/v1/nowhere"));
    assert_eq!(count(&edge, "second_api", "refused").await, 5);
    assert_eq!(count(&edge, "second_api", "passed").await, 4);
}

#[tokio::test]
async fn a_reporting_edge_counts_and_forwards_it() {
    let (_origin, edge) = site_behind(|settings| settings.mode = Mode::Report).await;
    assert_eq!(code(&edge, NOWHERE).await, "site");
    assert_eq!(code(&edge, CREATE).await, "site");
    assert_eq!(count(&edge, "second_api", "reported").await, 2);
}

#[tokio::test]
async fn it_pays_from_the_budgets_of_the_calendar() {
    let (origin, edge) = site_behind(|settings| {
        settings.rate_limits.address.lists = Some(Rate {
            requests: 2,
            period: Duration::from_hours(1),
        });
    })
    .await;
    let calendar = answer(&edge, "GET /wp-json/tribe/events/v1/events").await;
    assert_eq!(calendar.status, 200);
    let second = answer(&edge, "GET /wp-json/tec/v1/events").await;
    let left = second.header("ratelimit").expect("a budget");
    assert!(left.contains("\"address-lists\";r=0"), "{left}");
    assert_eq!(
        code(&edge, "GET /wp-json/tec/v1/venues").await,
        "edge_rate_limited"
    );
    assert!(!has_heard(&origin, "/wp-json/tec/v1/venues"));
    // Records have a budget of their own, and the rest of the site has none.
    assert_eq!(code(&edge, "GET /wp-json/tec/v1/events/7").await, "site");
    assert_eq!(code(&edge, "GET /wp-json/wp/v2/posts").await, "site");
}

#[tokio::test]
async fn a_form_that_names_it_pays_as_well() {
    let (origin, edge) = site_behind(|settings| {
        settings.rate_limits.address.writes = Some(Rate {
            requests: 2,
            period: Duration::from_hours(1),
        });
    })
    .await;
    origin.take_seen();
    let form = |name: &str| {
        format!(
            "POST / | Content-Type: application/x-www-form-urlencoded | Authorization: Basic YTpi | {name}"
        )
    };
    let call = form("rest_route=/tec/v1/events&title=x");
    // A form for the rest of the site pays nothing.
    for _ in 0..3 {
        assert_eq!(
            code(&edge, &form("rest_route=/wp/v2/posts&title=x")).await,
            "site"
        );
    }
    let first = answer(&edge, &call).await;
    let left = first.header("ratelimit").expect("a budget");
    assert!(left.contains("\"address-writes\";r=1"), "{left}");
    // In the address and in the form it is one call.
    let both = call.replace("POST /", "POST /?rest_route=/tec/v1/events");
    assert_eq!(code(&edge, &both).await, "site");
    assert_eq!(code(&edge, &call).await, "edge_rate_limited");
    let seen = origin.take_seen();
    assert_eq!(seen.iter().filter(|seen| seen.method == Method::POST).count(), 5);
}

#[tokio::test]
async fn an_edge_for_the_calendar_alone_does_not_ask_for_it() {
    let (origin, edge) = site_behind(|settings| settings.other = OtherTraffic::Refuse).await;
    assert_eq!(code(&edge, "GET /wp-json/tec/v1/events").await, "rest_no_route");
    assert!(!has_heard(&origin, "/wp-json/tec/v1"));
}
