//! Permission to write, and the author of a record (T-33).

use calendar_edge_core::settings::{Mode, Profile, Settings};
use http::Method;

use crate::support::{Answer, EVENTS, Edge, Origin, Reply};

const EDITOR: &str = "Basic RWRpdG9yOng=";
const OTHER: &str = "Basic b3RoZXI6eA==";

async fn edge(origin: &Origin, settings: impl FnOnce(&mut Settings)) -> Edge {
    Edge::builder().origin(origin).settings(settings).start().await
}

async fn update(edge: &Edge, fields: &[(&'static str, &str)], body: &str) -> Answer {
    let mut request = edge
        .request(Method::POST, &format!("{EVENTS}/56"))
        .header("content-type", "application/json")
        .body(body.to_owned());
    for (name, value) in fields {
        request = request.header(*name, *value);
    }
    Answer::to(request).await
}

#[tokio::test]
async fn t33_only_listed_accounts_write() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, |settings| settings.writers = vec!["editor".to_owned()]).await;
    let cookie = ("cookie", "wordpress_logged_in_x=other");
    for (fields, status, code) in [
        (&[("authorization", EDITOR)][..], 200, ""),
        (&[("authorization", OTHER)], 403, "edge_writer_denied"),
        (&[("authorization", "Bearer x")], 403, "edge_writer_denied"),
        (&[("authorization", EDITOR), cookie], 403, "edge_writer_denied"),
        (&[cookie], 403, "edge_writer_denied"),
        (&[("x-wp-nonce", "x")], 403, "edge_writer_denied"),
        (&[], 401, "rest_forbidden"),
    ] {
        let answer = update(&edge, fields, r#"{"title":"Gala"}"#).await;
        assert_eq!(answer.status.as_u16(), status, "{fields:?}");
        assert_eq!(answer.code(), code, "{fields:?}");
    }
    let reading = edge.request(Method::GET, EVENTS).header("authorization", OTHER);
    assert_eq!(Answer::to(reading).await.status, 200);
    assert_eq!(origin.seen().len(), 2);
}

#[tokio::test]
async fn t33_no_mode_lets_others_write() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    for mode in [Mode::Enforce, Mode::Report, Mode::Off] {
        let edge = edge(&origin, |settings| {
            settings.mode = mode;
            settings.writes = calendar_edge_core::settings::Writes::Forward;
            settings.writers = vec!["editor".to_owned()];
        })
        .await;
        for fields in [&[("authorization", OTHER)][..], &[]] {
            assert_eq!(update(&edge, fields, "{}").await.code(), "edge_writer_denied");
        }
    }
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn writes_come_from_listed_addresses_before_a_body_is_read() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, |settings| {
        settings.write_addresses = vec!["10.0.0.0/8".parse().expect("a network")];
        settings.trusted_proxies = vec!["127.0.0.1/32".parse().expect("a network")];
    })
    .await;
    let listed = [("authorization", OTHER), ("x-forwarded-for", "10.1.2.3")];
    assert_eq!(update(&edge, &listed, "{}").await.status, 200);
    assert_eq!(edge.get(EVENTS).await.status, 200);

    let answer = edge
        .raw()
        .await
        .send(format!(
            "DELETE {EVENTS}/56 HTTP/1.1\r\nHost: localhost\r\nAuthorization: {OTHER}\r\nContent-Length: 5\r\n\r\n"
        ))
        .await
        .answer()
        .await;

    assert_eq!((answer.status, answer.header("connection")), (403, Some("close")));
    assert!(answer.body.contains("edge_address_denied"), "{}", answer.body);
    assert_eq!(origin.seen().len(), 2);
}

#[tokio::test]
async fn t33_the_author_is_a_matter_of_settings() {
    let author = r#"{"author":1}"#;
    let nested = r#"{"venue":{"venue":"N","author":1}}"#;
    let listed = r#"{"organizer":[{"organizer":"N","author":"1"}]}"#;
    for (profile, allowed, body, refused) in [
        (Profile::Compatible, None, author, false),
        (Profile::Compatible, Some(false), author, true),
        (Profile::Compatible, Some(false), nested, true),
        (Profile::Compatible, Some(false), listed, true),
        (Profile::Compatible, Some(false), r#"{"title":"Gala"}"#, false),
        (
            Profile::Compatible,
            Some(false),
            r#"{"venue":{"id":7,"author":1}}"#,
            false,
        ),
        (Profile::Strict, None, author, true),
        (Profile::Strict, Some(true), author, false),
    ] {
        let origin = Origin::always(Reply::json(200, "{}")).await;
        let edge = edge(&origin, |settings| {
            settings.profile = profile;
            settings.allow_author = allowed;
        })
        .await;
        let answer = update(&edge, &[("authorization", EDITOR)], body).await;
        let expected = if refused { "edge_author_denied" } else { "" };
        assert_eq!(answer.code(), expected, "{profile:?} {allowed:?} {body}");
        assert_eq!(origin.seen().is_empty(), refused);
    }
}

#[tokio::test]
async fn t33_an_author_is_denied_where_the_origin_words_the_refusal() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, |settings| settings.allow_author = Some(false)).await;
    for author in [
        r#"{"author":1,"start_date":"never"}"#,
        r#"{"organizer":{"a":{"organizer":"N","author":1}}}"#,
    ] {
        for (target, fields) in [
            (
                format!("{EVENTS}/56?_envelope=1"),
                &[("authorization", EDITOR)][..],
            ),
            (
                format!("{EVENTS}/56"),
                &[("cookie", "wordpress_logged_in_x=a"), ("x-wp-nonce", "n")],
            ),
        ] {
            let mut request = edge.request(Method::PUT, &target);
            for (name, value) in fields {
                request = request.header(*name, *value);
            }
            let request = request
                .header("content-type", "application/json")
                .body(author.to_owned());
            let answer = Answer::to(request).await;
            assert!(
                answer.body.contains("rest_invalid_param"),
                "{target}: {}",
                answer.body
            );
            assert!(origin.take_seen().is_empty(), "{target} {author}");
        }
    }
}

#[tokio::test]
async fn t24_an_odd_authorization_changes_no_answer_where_there_is_no_route() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin, |_| {}).await;
    for target in [format!("{EVENTS}/x/y"), "/elsewhere".to_owned()] {
        let request = edge.request(Method::GET, &target);
        let twice = request
            .header("authorization", EDITOR)
            .header("authorization", OTHER);
        assert_eq!(Answer::to(twice).await.status, 404, "{target}");
    }
    assert!(origin.seen().is_empty());
}

#[tokio::test]
async fn t24_odd_authorizations_are_refused_before_the_body() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let long = format!("Authorization: Basic {}\r\n", "YTpi".repeat(300));
    let twice = "Authorization: Basic YTpi\r\nAuthorization: Basic YTpi\r\n";
    for (profile, field, refused) in [
        (Profile::Compatible, twice, true),
        (Profile::Compatible, long.as_str(), true),
        (Profile::Compatible, "Authorization: Basic !!\r\n", false),
        (Profile::Compatible, "Authorization: Basic YQ==\r\n", false),
        (Profile::Compatible, "Authorization: Bearer x\r\n", false),
        (Profile::Strict, twice, true),
        (Profile::Strict, long.as_str(), true),
        (Profile::Strict, "Authorization: Basic !!\r\n", true),
        (Profile::Strict, "Authorization: Basic YQ==\r\n", true),
        (Profile::Strict, "Authorization: Bearer x\r\n", true),
        (Profile::Strict, "Authorization: Basic YTpi\r\n", false),
    ] {
        let edge = edge(&origin, |settings| settings.profile = profile).await;
        let head = format!(
            "PUT {EVENTS}/56 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 16\r\n{field}\r\n"
        );
        let mut client = edge.raw().await;
        client.send(head).await;
        if refused {
            let answer = client.answer().await;
            assert_eq!((answer.status, answer.header("connection")), (400, Some("close")));
            assert!(
                answer.body.contains("edge_bad_authorization"),
                "{field} {}",
                answer.body
            );
            assert!(origin.take_seen().is_empty(), "{field}");
        } else {
            let answer = client.send(r#"{"title":"Gala"}"#).await.answer().await;
            assert_eq!(answer.status, 200, "{profile:?} {field} {}", answer.body);
            assert_eq!(origin.take_seen().len(), 1, "{field}");
        }
    }
}
