//! Each language root leads to its own site's root, and speaks its language when it refuses.

use calendar_edge_core::settings::Root;
use calendar_edge_judge::problem::{Message, Words};

use crate::support::{EVENTS, Edge, Origin, Reply};

fn german(origin: &Origin) -> Root {
    let mut words = Words::english();
    let sentences = [
        (Message::NoRoute, "Es wurde keine Route gefunden."),
        (Message::Missing, "Fehlende Parameter: %s"),
        (Message::Invalid, "Ungültige Parameter: %s"),
        (Message::InvalidOne, "Ungültiger Parameter."),
        (Message::WrongType, "%1$s ist nicht vom Typ %2$s."),
        (Message::Forbidden, "Das darfst du nicht."),
    ];
    for (message, text) in sentences {
        words.name(message, text).expect(text);
    }
    Root {
        language: Some("de".to_owned()),
        path: "/de/wp-json".to_owned(),
        origin_url: format!("{}/de/wp-json", origin.base()).parse().expect("a URL"),
        words,
    }
}

async fn edge_before(origin: &Origin) -> Edge {
    let root = german(origin);
    Edge::builder()
        .origin(origin)
        .settings(|settings| settings.roots.push(root))
        .start()
        .await
}

#[tokio::test]
async fn a_root_refuses_in_the_words_of_its_site() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge_before(&origin).await;
    let cases = [
        (
            "/de/wp-json/calendar/events/v1/nothing",
            r#"{"code":"rest_no_route","message":"Es wurde keine Route gefunden.","data":{"status":404}}"#,
        ),
        (
            "/de/wp-json/wp/v2/posts",
            r#"{"code":"rest_no_route","message":"Es wurde keine Route gefunden.","data":{"status":404}}"#,
        ),
        (
            "/de/wp-json/calendar/events/v1/events?page=x",
            r#"{"code":"rest_invalid_param","message":"Ung\u00fcltige Parameter: page","data":{"status":400,"params":{"page":"Ung\u00fcltiger Parameter."},"details":[]}}"#,
        ),
        (
            "/de/wp-json/calendar/events/v1/events?featured=x",
            r#"{"code":"rest_invalid_param","message":"Ung\u00fcltige Parameter: featured","data":{"status":400,"params":{"featured":"featured ist nicht vom Typ boolean."},"details":{"featured":{"code":"rest_invalid_type","message":"featured ist nicht vom Typ boolean.","data":{"param":"featured"}}}}}"#,
        ),
        (
            "/wp-json/calendar/events/v1/nothing",
            r#"{"code":"rest_no_route","message":"No route was found matching the URL and request method.","data":{"status":404}}"#,
        ),
    ];
    for (target, expected) in cases {
        assert_eq!(edge.get(target).await.body, expected, "{target}");
    }
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn an_envelope_holds_the_words_of_the_root() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge_before(&origin).await;

    let answer = edge.get("/de/wp-json/calendar/events/v1/nothing?_envelope").await;

    assert_eq!(
        answer.body,
        r#"{"body":{"code":"rest_no_route","message":"Es wurde keine Route gefunden.","data":{"status":404}},"status":404,"headers":[]}"#
    );
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

/// A site with languages in directories: `lang` chooses the root that every address of an answer is below.
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

/// The next page, and the root that the answer names.
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

/// The edge has no address for such a root, so the answer keeps the site's own.
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
