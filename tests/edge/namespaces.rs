//! A response has the public namespace that its request names.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use calendar_edge_core::settings::OriginNamespace;
use http::Method;

use crate::support::{Answer, Edge, Origin, Reply, index_text};

const OWN: &str = "tribe/events/v1";

/// A site that prints its addresses as WordPress does.
async fn site() -> Origin {
    Origin::answering_with(|seen, base| {
        let root = format!("{base}/wp-json");
        let item = format!("{root}/{OWN}/tags/7");
        let body = if seen.target.trim_end_matches('/').ends_with(OWN) {
            let path = format!("/{OWN}/events").replace('/', r"\/");
            format!(r#"{{"namespace":"{OWN}","routes":{{"{path}":{{"namespace":"{OWN}"}}}}}}"#)
        } else {
            format!(r#"{{"rest_url":"{}"}}"#, item.replace('/', r"\/"))
        };
        let status = if seen.method == Method::POST { 201 } else { 200 };
        Reply::json(status, &body)
            .header("link", &format!("<{root}/>; rel=\"https://api.w.org/\""))
            .header("location", &item)
    })
    .await
}

#[tokio::test]
async fn answers_name_the_namespace_of_the_request() {
    let origin = site().await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.public_url = Some("https://events.example".parse().unwrap()))
        .start()
        .await;
    for (asked, named) in [
        ("calendar/events/v1", "calendar/events/v1"),
        (OWN, OWN),
        ("Tribe/Events/V1", OWN),
    ] {
        let public = format!("https://events.example/wp-json/{named}/tags/7");
        let request = edge.request(Method::POST, &format!("/wp-json/{asked}/tags"));
        let request = request
            .basic_auth("editor", Some("secret"))
            .header("content-type", "application/json")
            .body(r#"{"name":"x"}"#);
        let created = Answer::to(request).await;
        assert_eq!(created.status, 201, "{}", created.body);
        assert_eq!(created.json()["rest_url"], public, "{asked}");
        assert_eq!(created.header("location"), Some(public.as_str()), "{asked}");
        let link = "<https://events.example/wp-json/>; rel=\"https://api.w.org/\"";
        assert_eq!(created.header("link"), Some(link));

        let index = edge.get(&format!("/wp-json/{asked}")).await.json();
        assert_eq!(index["namespace"], named, "{index}");
        assert_eq!(
            index["routes"][format!("/{named}/events")]["namespace"],
            named,
            "{index}"
        );

        let by_query = edge.get(&format!("/?rest_route=/{asked}/tags/7")).await.json();
        assert_eq!(by_query["rest_url"], public);
    }
    for seen in origin.seen() {
        assert!(seen.target.contains(OWN), "{}", seen.target);
    }
}

#[tokio::test]
async fn the_namespace_that_the_site_lists_is_used_while_none_is_set() {
    let listed = Arc::new(AtomicBool::new(true));
    let lists = Arc::clone(&listed);
    let origin = Origin::answering(move |seen| match seen.target.as_str() {
        "/wp-json/?_fields=namespaces" if lists.load(Ordering::SeqCst) => {
            Reply::json(200, r#"{"namespaces":["oembed/1.0","club/events/v1","wp/v2"]}"#)
        }
        "/wp-json/?_fields=namespaces" => Reply::json(200, r#"{"namespaces":["wp/v2"]}"#),
        target if target.starts_with("/wp-json/club/events/v1/tags") => Reply::json(200, r#"{"tags":[]}"#),
        _ => Reply::json(
            404,
            r#"{"code":"rest_no_route","message":"No.","data":{"status":404}}"#,
        ),
    })
    .await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| {
            settings.origin.namespace = OriginNamespace::default();
            settings.origin.read_index = true;
        })
        .knowing(None)
        .start()
        .await;
    for (asked, status) in [
        ("calendar/events/v1", 200),
        ("club/events/v1", 200),
        ("tribe/events/v1", 404),
    ] {
        let answer = edge.get(&format!("/wp-json/{asked}/tags")).await;
        assert_eq!(answer.status, status, "{asked}: {}", answer.body);
    }
    // The namespaces of the site are requested once before its index is read.
    let mut seen = origin.take_seen();
    while !seen.iter().any(|seen| seen.target == "/wp-json/club/events/v1") {
        tokio::time::sleep(Duration::from_millis(5)).await;
        seen.extend(origin.take_seen());
    }
    let looks = seen.iter().filter(|seen| seen.target.contains("_fields"));
    assert_eq!(looks.count(), 1);
    // A site without the plugin, and new settings, change nothing.
    listed.store(false, Ordering::SeqCst);
    edge.reloader().apply(edge.settings()).expect("good settings");
    assert_eq!(edge.get("/wp-json/calendar/events/v1/tags").await.status, 200);

    let set = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.origin.read_index = true)
        .start()
        .await;
    assert_eq!(set.get("/wp-json/tribe/events/v1/tags").await.status, 404);
}

#[tokio::test]
async fn t25_an_index_names_the_public_root() {
    let origin = Origin::answering_with(|_, base| {
        let index =
            index_text("6.15.16+pro+tickets").replace(r"http:\/\/origin.example", &base.replace('/', r"\/"));
        Reply::json(200, &index).header("link", &format!("<{base}/wp-json/>; rel=\"https://api.w.org/\""))
    })
    .await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.public_url = Some("https://events.example".parse().unwrap()))
        .start()
        .await;
    let index = edge.get("/wp-json/calendar/events/v1").await;
    assert_eq!(
        index.json()["_links"]["up"][0]["href"],
        "https://events.example/wp-json/"
    );
    let authority = origin.base().replace("http://", "");
    assert!(!index.body.contains(&authority), "{}", index.body);
}
