//! Calls to the plugin's second API, `tec/v1`: held to the limits of the calendar.

use std::time::Duration;

use calendar_edge_core::settings::{Rate, Settings};
use http::Method;

use super::{answer, ruled, told};
use crate::support::{Edge, Origin, Reply};

/// A site, and an edge that forwards all of it.
async fn site_behind(change: impl FnOnce(&mut Settings)) -> (Origin, Edge) {
    let origin = Origin::answering(|_| Reply::json(200, "{\"from\":\"site\"}")).await;
    let edge = Edge::builder().origin(&origin).settings(|settings| {
        *settings = ruled(settings.clone(), "");
        change(settings);
    });
    let edge = edge.start().await;
    (origin, edge)
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
