//! Each language root leads to its own site's root, and speaks its language when it refuses.

use calendar_edge::problem::{Message, Words};
use calendar_edge::settings::Root;

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
