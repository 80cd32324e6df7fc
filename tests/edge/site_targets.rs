//! Targets of the rest of the site that could reach the calendar: judged or refused, whatever script they name.

use calendar_edge_core::settings::{OriginNamespace, OtherTraffic};
use calendar_edge_judge::contract::PLUGIN_NAMESPACE;
use http::Method;

use crate::support::{Answer, Edge, Origin, Reply};

const ROUTE: &str = "/tribe/events/v1/events";

async fn edge_before(origin: &Origin) -> Edge {
    Edge::builder()
        .origin(origin)
        .settings(|settings| {
            settings.other = OtherTraffic::Forward;
            settings.origin.namespace = OriginNamespace::set(PLUGIN_NAMESPACE);
        })
        .start()
        .await
}

/// Demands that none of these reaches the site in the client's words.
async fn all_are_held(method: Method, targets: impl IntoIterator<Item = String>) {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge_before(&origin).await;
    for target in targets {
        let request = format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let answer = edge.raw().await.send(request).await.answer().await;
        let seen = origin.take_seen();
        let is_judged = seen
            .iter()
            .all(|seen| seen.target.starts_with("/wp-json/tribe/events/v1/"));
        assert!(
            is_judged && (400..500).contains(&answer.status) || answer.status == 200,
            "{target}: {}",
            answer.status
        );
        assert!(is_judged, "{target}: {seen:?}");
    }
}

#[tokio::test]
async fn routes_in_queries_are_held_at_every_script() {
    let scripts = [
        "/",
        "/index.php",
        "/wp-login.php",
        "/xmlrpc.php",
        "/wp-trackback.php",
        "/wp-admin/edit.php",
        "/wp-admin/",
        "/wp-signup.php",
        "/wp-json/wp/v2/posts",
        "/favicon.ico",
    ];
    let queries = [
        format!("rest_route={ROUTE}"),
        format!("rest.route={ROUTE}"),
        format!("rest%20route={ROUTE}"),
        format!("rest+route={ROUTE}"),
        format!("+%20rest%5Froute={ROUTE}"),
        format!("rest[route={ROUTE}"),
        format!("rest_route%00x={ROUTE}"),
        format!("rest_route[]={ROUTE}"),
        format!("rest_route[={ROUTE}&rest_route={ROUTE}%5C"),
        format!("rest_route={}", ROUTE.to_uppercase()),
        format!("rest_route={ROUTE}&rest_route=/wp/v2/posts"),
        format!("rest_route=/wp/v2/posts&rest_route={ROUTE}"),
        format!("rest_route={ROUTE}&rest_route{}=1", "[a]".repeat(65)),
        format!("{}rest_route={ROUTE}", "a&".repeat(1000)),
        format!("{}rest_route={ROUTE}", "&".repeat(1000)),
        format!("_method=DELETE&rest_route={ROUTE}"),
    ];
    let targets: Vec<String> = scripts
        .iter()
        .flat_map(|script| queries.iter().map(move |query| format!("{script}?{query}")))
        .collect();
    all_are_held(Method::GET, targets).await;
}

#[tokio::test]
async fn paths_to_the_calendar_are_held_in_every_spelling() {
    let below = [
        "/wp-json/tribe/events/v1/events",
        "//wp-json/tribe/events/v1/events",
        "/wp-json//tribe/events/v1/events",
        "%2Fwp-json/tribe/events/v1/events",
        "/wp-json%2Ftribe%2Fevents%2Fv1%2Fevents",
        "/wp%2Djson/tribe/events/v1/events",
        "/wp-json/TRIBE/EVENTS/V1/EVENTS",
        "/wp-json/%74ribe/events/v1/events",
        "/wp-json/%2574ribe/events/v1/events",
        "/wp-json/x/..%2Ftribe/events/v1/events",
        "/wp-json/x/%2e%2e/tribe/events/v1/events",
        "/wp-json/./tribe/events/v1/events",
        "/wp-json%5Ctribe%5Cevents%5Cv1",
        "/wp-json/tribe/events/v1/events%0A",
        "/wp-json/tribe/events/v1/events/by-slug/index%2Ephp",
    ];
    let before = [
        "",
        "/index.php",
        "/x",
        "/de",
        "/wp-trackback.php",
        "/wp-admin/edit.php",
        "/index%2Ephp",
        "/index.php/index.php",
        "/INDEX.PHP",
    ];
    let targets: Vec<String> = before
        .iter()
        .flat_map(|before| below.iter().map(move |below| format!("{before}{below}")))
        .collect();
    all_are_held(Method::GET, targets).await;
}

#[tokio::test]
async fn the_origins_namespace_is_the_edges() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge_before(&origin).await;
    let delete = edge.request(Method::DELETE, "/fr/wp-json/tribe/events/v1/events/7");

    assert_eq!(Answer::to(delete).await.code(), "edge_ambiguous_target");

    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn ordinary_targets_pass() {
    let origin = Origin::always(Reply::of_type(200, "text/html", "<p>Page</p>")).await;
    let edge = edge_before(&origin).await;
    for target in [
        "/events/category/music/?tribe-bar-date=2027-01",
        "/wp-admin/edit.php?post_type=tribe_events&paged=2",
        "/wp-admin/load-scripts.php?c=1&load%5Bchunk_0%5D=jquery-core,wp-util&ver=6.1",
        "/wp-json/",
        "/wp-json/wp/v2/tribe_events?context=edit&_locale=user",
        "/wp-json/tribe/views/v2/html?u=%2Fevents%2F",
        "/index.php/wp-json/wp/v2/types",
        "/wp-json/oembed/1.0/embed?url=https%3A%2F%2Fa.example%2Fevent%2Fx%2F",
        "/?rest_route=/wp/v2/posts",
        "/?s=rest_route",
        "/wp-content/uploads/2027/01/a%20b%2Bc.jpg",
    ] {
        let answer = edge.get(target).await;
        assert_eq!(
            (answer.status.as_u16(), answer.body.as_str()),
            (200, "<p>Page</p>"),
            "{target}"
        );
        assert_eq!(origin.take_seen()[0].target, target);
    }
}

#[tokio::test]
async fn headers_that_name_another_target_stay_here() {
    let origin = Origin::always(Reply::of_type(200, "text/html", "<h1>Welcome</h1>")).await;
    let edge = edge_before(&origin).await;
    let hidden = "/wp-json/tribe/events/v1/events";
    let request = edge
        .request(Method::GET, "/about/")
        .header("x-original-url", hidden)
        .header("x-rewrite-url", hidden);
    assert_eq!(Answer::to(request).await.status, 200);
    let seen = origin.only();
    assert_eq!(seen.target, "/about/");
    assert_eq!(seen.header("x-original-url"), None);
    assert_eq!(seen.header("x-rewrite-url"), None);
}
