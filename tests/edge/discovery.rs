//! Clients that discover the API by its `Link` header find an index that is true of the edge.

use calendar_edge_core::settings::OtherTraffic;
use calendar_edge_judge::contract::table;
use http::Method;

use crate::rate_limits::rate;
use crate::support::{Answer, EVENTS, Edge, Origin, Reply, german_root};

/// A site that names its root in every response, as WordPress does.
async fn site() -> Origin {
    Origin::answering_with(|seen, base| {
        let body = format!(r#"{{"asked":"{}"}}"#, seen.target);
        Reply::json(200, &body).header("link", &format!("<{base}/wp-json/>; rel=\"https://api.w.org/\""))
    })
    .await
}

/// The target of the one `Link` of a response.
fn linked(answer: &Answer) -> &str {
    let link = answer.header("link").expect("a Link");
    let (target, rest) = link.trim_start_matches('<').split_once('>').expect("a target");
    assert_eq!(rest, "; rel=\"https://api.w.org/\"");
    target
}

#[tokio::test]
async fn a_link_leads_to_an_index_whose_routes_are_served() {
    let origin = site().await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.roots.push(german_root(&origin.base())))
        .start()
        .await;
    let list = edge.get(EVENTS).await;
    let root = linked(&list).to_owned();
    assert_eq!(root, edge.url("/wp-json/"));
    let asked = origin.seen().len();

    for root in [
        root,
        edge.url("/?rest_route=/"),
        edge.url("/wp-json?_fields=namespaces"),
    ] {
        let found = Answer::to(Edge::client().get(&root)).await;
        assert_eq!(found.status, 200, "{root}: {}", found.body);
        let index = found.json();
        assert_eq!(index["url"], edge.url(""));
        assert_eq!(index["namespaces"][0], "calendar/events/v1");
        assert_eq!(index["namespaces"][1], "tribe/events/v1");
        assert_eq!(linked(&found), edge.url("/wp-json/"));
        assert_eq!(found.header("access-control-allow-origin"), Some("*"));
        let routes = index["routes"].as_object().expect("routes");
        let links = routes
            .values()
            .filter_map(|route| route["_links"]["self"][0]["href"].as_str());
        let links: Vec<&str> = links.collect();
        assert_eq!(links.len(), 2 * 7, "{links:?}");
        for link in links {
            assert_eq!(Answer::to(Edge::client().get(link)).await.status, 200, "{link}");
        }
    }
    assert_eq!(
        origin.seen().len(),
        asked + 3 * 2 * 7,
        "the edge answers for the index alone"
    );

    let german = edge.get("/de/wp-json/").await;
    let events = &german.json()["routes"]["/tribe/events/v1/events"]["_links"]["self"][0]["href"];
    assert_eq!(*events, edge.url("/de/wp-json/tribe/events/v1/events"));
    let head = Answer::to(edge.request(Method::HEAD, "/wp-json/")).await;
    assert_eq!((head.status.as_u16(), head.body.as_str()), (200, ""));
    assert_eq!(linked(&head), edge.url("/wp-json/"));
    for (method, target) in [
        (Method::POST, "/wp-json/"),
        (Method::GET, "/"),
        (Method::GET, "/wp-json/wp/v2"),
    ] {
        assert_eq!(
            Answer::to(edge.request(method, target)).await.status,
            404,
            "{target}"
        );
    }
}

#[tokio::test]
async fn the_index_names_what_the_settings_offer() {
    let origin = site().await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.read_only = true)
        .start()
        .await;
    let index = edge.get("/wp-json/").await.json();
    let namespaces = serde_json::json!(["calendar/events/v1", "tribe/events/v1"]);
    assert_eq!(index["namespaces"], namespaces);
    let routes = index["routes"].as_object().expect("routes");
    assert!(
        routes
            .values()
            .all(|route| route["methods"] == serde_json::json!(["GET"]))
    );
}

#[tokio::test]
async fn the_sites_own_index_passes_where_the_site_does() {
    let origin = site().await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.other = OtherTraffic::Forward)
        .start()
        .await;
    assert_eq!(edge.get("/wp-json/").await.json()["asked"], "/wp-json/");
}

#[tokio::test]
async fn the_openapi_document_stands_beside_doc_at_every_root() {
    let origin = site().await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| {
            settings.roots.push(german_root(&origin.base()));
            settings.other = OtherTraffic::Forward;
        })
        .start()
        .await;
    for (root, namespace) in [
        ("/wp-json", "calendar/events/v1"),
        ("/wp-json", "tribe/events/v1"),
        ("/de/wp-json", "tribe/events/v1"),
    ] {
        let target = format!("{root}/{namespace}/openapi.json");
        let found = edge.get(&target).await;
        assert_eq!(found.status, 200, "{target}: {}", found.body);
        assert_eq!(found.header("access-control-allow-origin"), Some("*"));
        let document = found.json();
        assert_eq!(document["openapi"], "3.1.0");
        let servers = document["servers"].as_array().expect("servers");
        let expected =
            ["calendar/events/v1", "tribe/events/v1"].map(|name| edge.url(&format!("{root}/{name}")));
        assert!(
            servers.iter().map(|server| &server["url"]).eq(&expected),
            "{servers:?}"
        );
    }
    let target = "/wp-json/tribe/events/v1/openapi.json";
    let head = Answer::to(edge.request(Method::HEAD, target)).await;
    assert_eq!((head.status.as_u16(), head.body.as_str()), (200, ""));
    let write = Answer::to(edge.request(Method::POST, target)).await;
    assert_eq!(
        (write.status.as_u16(), &write.json()["code"]),
        (404, &"rest_no_route".into())
    );
    assert!(origin.seen().iter().all(|seen| !seen.target.contains("openapi")));
}

#[tokio::test]
async fn the_openapi_document_goes_with_doc_and_is_charged() {
    let origin = site().await;
    let doc = table().named("doc").expect("an operation").id;
    let target = "/wp-json/tribe/events/v1/openapi.json";
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.operations.entry(doc).or_default().allow = false)
        .start()
        .await;
    let absent = edge.get(target).await;
    assert_eq!(
        (absent.status.as_u16(), &absent.json()["code"]),
        (404, &"rest_no_route".into())
    );
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.rate_limits.address.items = Some(rate(1)))
        .start()
        .await;
    let statuses = [edge.get(target).await.status, edge.get(target).await.status];
    assert_eq!(statuses, [200, 429]);
}
