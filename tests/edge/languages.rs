//! Each language root leads to its own site's root, and speaks its language when it refuses.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use calendar_edge_core::settings::Root;
use http::Method;

use crate::support::{Answer, Directory, EVENTS, Edge, Origin, Reply, german_root, index_text};

fn german(origin: &Origin) -> Root {
    german_root(&format!("{}/de", origin.base()))
}

/// Requests that WordPress refuses below a root, with their bodies in English and in German.
const REFUSALS: [(&str, u16, &str, &str); 5] = [
    (
        "calendar-edge-words",
        404,
        r#"{"code":"rest_no_route","message":"No route was found matching the URL and request method.","data":{"status":404}}"#,
        r#"{"code":"rest_no_route","message":"Es wurde keine Route gefunden.","data":{"status":404}}"#,
    ),
    (
        "tribe/events/v1/events?page=x",
        400,
        r#"{"code":"rest_invalid_param","message":"Invalid parameter(s): page","data":{"status":400,"params":{"page":"Invalid parameter."},"details":[]}}"#,
        r#"{"code":"rest_invalid_param","message":"Ung\u00fcltige Parameter: page","data":{"status":400,"params":{"page":"Ung\u00fcltiger Parameter."},"details":[]}}"#,
    ),
    (
        "tribe/events/v1/events?featured=x",
        400,
        r#"{"code":"rest_invalid_param","message":"Invalid parameter(s): featured","data":{"status":400,"params":{"featured":"featured is not of type boolean."},"details":{"featured":{"code":"rest_invalid_type","message":"featured is not of type boolean.","data":{"param":"featured"}}}}}"#,
        r#"{"code":"rest_invalid_param","message":"Ung\u00fcltige Parameter: featured","data":{"status":400,"params":{"featured":"featured ist nicht vom Typ boolean."},"details":{"featured":{"code":"rest_invalid_type","message":"featured ist nicht vom Typ boolean.","data":{"param":"featured"}}}}}"#,
    ),
    (
        "oembed/1.0/embed",
        400,
        r#"{"code":"rest_missing_callback_param","message":"Missing parameter(s): url","data":{"status":400,"params":["url"]}}"#,
        r#"{"code":"rest_missing_callback_param","message":"Fehlende Parameter: url","data":{"status":400,"params":["url"]}}"#,
    ),
    (
        "wp/v2/settings",
        401,
        r#"{"code":"rest_forbidden","message":"Sorry, you are not allowed to do that.","data":{"status":401}}"#,
        // Markup: no sentence of WordPress.
        r#"{"code":"rest_forbidden","message":"Nein. <script src=x><\/script>","data":{"status":401}}"#,
    ),
];

/// A site that publishes its index, and refuses in English, below `/de` in German once it is translated.
async fn wordpress(is_translated: &Arc<AtomicBool>) -> Origin {
    let is_translated = Arc::clone(is_translated);
    Origin::answering(move |seen| {
        let is_german = seen.target.starts_with("/de/") && is_translated.load(Ordering::Relaxed);
        let below = seen
            .target
            .trim_start_matches("/de")
            .trim_start_matches("/wp-json/");
        let refusal = REFUSALS.iter().find(|(target, ..)| *target == below);
        match refusal {
            Some((_, status, english, german)) => {
                Reply::json(*status, if is_german { german } else { english })
            }
            None if below == "tribe/events/v1" => Reply::json(200, &index_text("6.10.0")),
            None => Reply::json(200, "{}"),
        }
    })
    .await
}

/// An edge that reads the index, and keeps what it has learnt in a file.
async fn learning(origin: &Origin, file: &Path) -> Edge {
    let edge = Edge::builder().origin(origin).knowing(None).settings(|settings| {
        settings.origin.read_index = true;
        settings.origin.index_interval = Duration::from_millis(20);
        settings.origin.index_file = Some(file.to_owned());
        settings.roots.push(german(origin));
    });
    edge.start().await
}

/// Waits until the edge refuses an unknown route below `/de` in German.
async fn until_german(edge: &Edge) {
    let route = "/de/wp-json/calendar/events/v1/nothing";
    while !edge
        .get(route)
        .await
        .body
        .contains("Es wurde keine Route gefunden.")
    {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_root_refuses_in_the_words_that_its_site_teaches() {
    let directory = Directory::new("words");
    let file = directory.path().join("index.json");
    let origin = wordpress(&Arc::new(AtomicBool::new(true))).await;
    let edge = learning(&origin, &file).await;
    until_german(&edge).await;
    for (target, _, english, german) in REFUSALS {
        let public = match target {
            "tribe/events/v1/events?page=x" | "tribe/events/v1/events?featured=x" => target,
            "calendar-edge-words" => "tribe/events/v1/nothing",
            _ => continue,
        };
        assert_eq!(edge.get(&format!("/de/wp-json/{public}")).await.body, german);
        assert_eq!(edge.get(&format!("/wp-json/{public}")).await.body, english);
    }
    let body = |said: &str| {
        let names = r#"["title","start_date","end_date"]"#;
        format!(
            r#"{{"code":"rest_missing_callback_param","message":"{said}: title, start_date, end_date","data":{{"status":400,"params":{names}}}}}"#
        )
    };
    let german_events = EVENTS.replace("/wp-json", "/de/wp-json");
    let post = async |target: &str| Answer::to(edge.request(Method::POST, target)).await;
    assert_eq!(post(&german_events).await.body, body("Fehlende Parameter"));
    assert_eq!(post(EVENTS).await.body, body("Missing parameter(s)"));
    let write = format!("{german_events}?title=a&start_date=2026-01-01&end_date=2026-01-02");
    assert!(post(&write).await.body.contains("Sorry, you are not allowed"));
    assert_eq!(
        edge.get("/de/wp-json/calendar/events/v1/nothing?_envelope")
            .await
            .body,
        r#"{"body":{"code":"rest_no_route","message":"Es wurde keine Route gefunden.","data":{"status":404}},"status":404,"headers":[]}"#
    );
}

/// The number of requests to a site for each of its words but the first.
fn asked(origin: &Origin) -> Vec<usize> {
    let seen = origin.take_seen();
    let times = REFUSALS[1..].iter().map(|(target, ..)| {
        let asked = seen
            .iter()
            .filter(|seen| seen.target == format!("/de/wp-json/{target}"));
        asked.count()
    });
    times.collect()
}

#[tokio::test]
async fn a_site_is_asked_once_and_again_when_its_language_changes() {
    let directory = Directory::new("words-once");
    let file = directory.path().join("index.json");
    let is_translated = Arc::new(AtomicBool::new(false));
    let origin = wordpress(&is_translated).await;
    let edge = learning(&origin, &file).await;
    let rounds = async || {
        while origin.seen().len() < 30 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        asked(&origin)
    };
    assert_eq!(rounds().await, [1; 4]);
    assert_eq!(rounds().await, [0; 4]);
    is_translated.store(true, Ordering::Relaxed);
    until_german(&edge).await;
    assert_eq!(rounds().await, [1; 4]);
    while !std::fs::read_to_string(&file).is_ok_and(|kept| kept.contains("Fehlende Parameter")) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop(edge);
    asked(&origin);
    let edge = learning(&origin, &file).await;
    let answer = edge.get("/de/wp-json/calendar/events/v1/nothing").await;
    assert!(answer.body.contains("Es wurde keine Route gefunden."), "at once");
    assert_eq!(rounds().await, [0; 4]);
}

async fn edge_before(origin: &Origin) -> Edge {
    let root = german(origin);
    let edge = Edge::builder().origin(origin);
    edge.settings(|settings| settings.roots.push(root)).start().await
}

#[tokio::test]
async fn a_root_leads_to_its_own_root_at_the_site() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge_before(&origin).await;

    edge.get("/de/wp-json/calendar/events/v1/events").await;
    edge.get(EVENTS).await;

    let targets: Vec<String> = origin.seen().into_iter().map(|seen| seen.target).collect();
    let expected = [
        "/de/wp-json/tribe/events/v1/events",
        "/wp-json/tribe/events/v1/events",
    ];
    assert_eq!(targets, expected);
}

/// A site with languages in directories: `lang` chooses the root that every address of a response is below.
async fn site_with_directories(root: Option<&str>) -> (Origin, Edge) {
    let origin = Origin::answering(|seen| {
        let directory = if seen.target.contains("lang=de") || seen.target.starts_with("/de/") {
            "/de"
        } else {
            ""
        };
        let root = format!("https://site.example{directory}/wp-json");
        let link = format!("<{root}/>; rel=\"https://api.w.org/\"");
        let body = format!(r#"{{"next_rest_url":"{root}/tribe/events/v1/events/?page=2"}}"#);
        Reply::json(200, &body.replace('/', r"\/")).header("link", link.leak())
    })
    .await;
    let german = german(&origin);
    let edge = Edge::builder().origin(&origin).settings(|settings| {
        let other = root.map(|path| Root {
            path: path.to_owned(),
            ..german
        });
        settings.roots.extend(other);
    });
    let edge = edge.start().await;
    (origin, edge)
}

/// The next page, and the root that the response names.
async fn names(edge: &Edge, target: &str) -> (String, Option<String>) {
    let answer = edge.get(target).await;
    let next = answer.json()["next_rest_url"].as_str().expect("a URL").to_owned();
    let root = answer
        .header("link")
        .and_then(|link| link.split(['<', '>']).nth(1));
    (next, root.map(ToOwned::to_owned))
}

#[tokio::test]
async fn the_next_page_is_in_the_language_of_the_first_one() {
    let german = format!("{EVENTS}?per_page=2&lang=de");
    for order in [[EVENTS, &german], [&german, EVENTS]] {
        let (_origin, edge) = site_with_directories(Some("/de/wp-json")).await;
        for target in order.into_iter().chain(order) {
            let directory = if target == EVENTS { "" } else { "/de" };
            let root = edge.url(&format!("{directory}/wp-json/"));
            let next = format!("{root}calendar/events/v1/events/?page=2");
            assert_eq!(names(&edge, target).await, (next, Some(root)), "{target}");
        }
    }
}

#[tokio::test]
async fn a_public_root_may_have_another_path_than_the_sites() {
    let (_origin, edge) = site_with_directories(Some("/kalender/api")).await;
    let root = edge.url("/kalender/api/");
    let next = format!("{root}calendar/events/v1/events/?page=2");
    let expected = (next, Some(root));
    assert_eq!(names(&edge, &format!("{EVENTS}?lang=de")).await, expected);
    let german = "/kalender/api/calendar/events/v1/events";
    assert_eq!(names(&edge, german).await, expected);
}

/// The edge has no address for such a root, so the response keeps the site's own.
#[tokio::test]
async fn a_language_without_a_root_is_not_taken_for_another_one() {
    let (_origin, edge) = site_with_directories(None).await;
    for _ in 0..2 {
        let (next, root) = names(&edge, &format!("{EVENTS}?lang=de")).await;
        assert_eq!(
            next,
            "https://site.example/de/wp-json/tribe/events/v1/events/?page=2"
        );
        assert_eq!(root, None);
        let (next, root) = names(&edge, EVENTS).await;
        assert_eq!(next, edge.url("/wp-json/calendar/events/v1/events/?page=2"));
        assert_eq!(root, Some(edge.url("/wp-json/")));
    }
}
