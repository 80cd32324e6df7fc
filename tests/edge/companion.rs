//! Marks for the companion plugin: every judged call has one, no client can send one, a refused one is a 502.

use std::time::{SystemTime, UNIX_EPOCH};

use calendar_edge_core::companion::mark::MARK;

use calendar_edge_core::settings::MarkKey;
use calendar_edge_core::settings::OtherTraffic;
use http::Method;

use crate::support::{Answer, Directory, EVENTS, Edge, Origin, Program, Reply, Step, Wire};

const INDEX: &str = "/wp-json/calendar/events/v1";
const EVENT: &str =
    r#"{"title":"Müller","start_date":"2027-01-02 10:00:00","end_date":"2027-01-02 11:00:00"}"#;
const REFUSAL: &str =
    r#"{"code":"calendar_edge_mark_missing","message":"The calendar answers.","data":{"status":403}}"#;

fn key(secret: &str) -> MarkKey {
    MarkKey::new(secret.as_bytes()).expect("a long secret")
}

fn first_key() -> MarkKey {
    key("a secret of thirty-two characters")
}

async fn marking_edge(origin: &Origin) -> Edge {
    Edge::builder()
        .origin(origin)
        .settings(|settings| settings.origin.mark_key = Some(first_key()))
        .start()
        .await
}

fn request(edge: &Edge, method: &Method, target: &str) -> reqwest::RequestBuilder {
    let request = edge
        .request(method.clone(), target)
        .header("authorization", "Basic YWRtaW46c2VjcmV0");
    if method == Method::POST {
        return request.header("content-type", "application/json").body(EVENT);
    }
    request
}

/// The time of a mark, in seconds since 1970.
fn time_of(mark: &str) -> u64 {
    let time = mark.strip_prefix("v1 t=").and_then(|rest| rest.split_once(','));
    time.and_then(|(time, _)| time.parse().ok()).expect("a time")
}

/// True if the only request that the origin saw has a fresh mark of this key over its bytes.
fn fits(origin: &Origin, key: &MarkKey, method: &Method) -> bool {
    let seen = origin.take_seen();
    let [seen] = seen.as_slice() else {
        panic!("{} requests", seen.len());
    };
    let Some(mark) = seen.header(MARK.as_str()) else {
        return false;
    };
    let time = time_of(mark);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    assert!(now.as_secs().abs_diff(time) < 30, "{mark}");
    key.mark(method, &seen.target, &seen.body, time) == mark
}

#[tokio::test]
async fn every_calendar_request_has_a_mark_over_what_is_sent() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = marking_edge(&origin).await;
    let (events, record) = (format!("{EVENTS}?page=2&search=a%20b"), format!("{EVENTS}/56"));
    let doc = format!("{INDEX}/doc");
    for (method, target) in [
        (Method::GET, events.as_str()),
        (Method::HEAD, EVENTS),
        (Method::OPTIONS, EVENTS),
        (Method::GET, INDEX),
        (Method::GET, &doc),
        (Method::POST, EVENTS),
        (Method::POST, &record),
        (Method::DELETE, &record),
    ] {
        Answer::to(request(&edge, &method, target)).await;
        assert!(fits(&origin, &first_key(), &method), "{method} {target}");
    }
}

#[tokio::test]
async fn a_tunnelled_delete_is_marked_as_delete() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| {
            settings.origin.tunnel_delete = true;
            settings.origin.mark_key = Some(first_key());
        })
        .start()
        .await;
    Answer::to(request(&edge, &Method::DELETE, &format!("{EVENTS}/56"))).await;
    assert_eq!(origin.only().method, Method::POST);
    assert!(fits(&origin, &first_key(), &Method::DELETE));
}

#[tokio::test]
async fn a_new_secret_marks_the_next_call() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = marking_edge(&origin).await;
    edge.get(EVENTS).await;
    assert!(fits(&origin, &first_key(), &Method::GET));

    let next = key("another secret with 32 characters");
    let mut settings = edge.settings();
    settings.origin.mark_key = Some(next.clone());
    edge.reloader().apply(settings).expect("good settings");

    edge.get(EVENTS).await;
    assert!(fits(&origin, &next, &Method::GET));
}

#[tokio::test]
async fn no_mark_of_a_client_crosses() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.other = OtherTraffic::Forward)
        .start()
        .await;
    for target in [
        EVENTS,
        "/",
        "/wp-json/wp/v2/tribe_events",
        "/wp-admin/admin-ajax.php",
    ] {
        let mut asking = edge.request(Method::GET, target);
        for name in [
            "x-calendar-edge-mark",
            "x_calendar_edge_mark",
            "x-calendar_edge-mark",
        ] {
            asking = asking.header(name, "v1 t=1,s=00");
        }
        Answer::to(asking).await;
        for seen in origin.take_seen() {
            let mut names = seen.headers.keys().map(|name| name.as_str().replace('_', "-"));
            assert!(!names.any(|name| name == MARK.as_str()), "{target}");
        }
    }
}

#[tokio::test]
async fn pages_of_the_site_have_no_mark() {
    let origin = Origin::always(Reply::of_type(200, "text/html", "<h1>Welcome</h1>")).await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| {
            settings.other = OtherTraffic::Forward;
            settings.origin.mark_key = Some(first_key());
        })
        .start()
        .await;
    edge.get("/").await;
    assert_eq!(origin.only().header(MARK.as_str()), None);
}

#[tokio::test]
async fn a_refusal_of_the_plugin_is_the_operators_fault() {
    let enveloped = format!(r#"{{"body":{REFUSAL},"status":403,"headers":[]}}"#);
    let origin = Origin::answering(move |seen| {
        if seen.target.contains("_envelope") {
            Reply::json(200, &enveloped)
        } else {
            Reply::json(403, REFUSAL)
        }
    })
    .await;
    let edge = Edge::before(&origin).await;
    for target in [EVENTS.to_owned(), format!("{EVENTS}?_envelope=1")] {
        let answer = edge.get(&target).await;
        let refused = (answer.status.as_u16(), answer.code());
        assert_eq!(refused, (502, "edge_origin_failed".to_owned()), "{target}");
        assert!(!answer.body.contains("calendar_edge_"), "{}", answer.body);
    }
}

#[tokio::test]
async fn the_log_says_what_to_check_and_a_reload_reads_the_secret_again() {
    let origin = Origin::always(Reply::json(403, &REFUSAL.replace("missing", "invalid"))).await;
    let directory = Directory::new("companion");
    directory.write("secret", "a secret of thirty-two characters\n");
    let config = directory.write("edge.toml", &config(&origin, &directory));
    let mut program = Program::serve(&config).await;

    Answer::to(Edge::client().get(program.url(EVENTS))).await;
    assert!(fits(&origin, &first_key(), &Method::GET));
    let line = program.logged("the backend's response is not passed on").await;
    assert_eq!(line["kind"], "mark_refused");
    let advice = line["advice"].as_str().expect("advice");
    assert!(
        advice.contains("origin.secret_file and the site hold the same secret"),
        "{advice}"
    );

    let next = "another secret with 32 characters";
    directory.write("secret", next);
    program.signal("HUP");
    program.logged("the configuration was reloaded").await;
    Answer::to(Edge::client().get(program.url(EVENTS))).await;
    assert!(fits(&origin, &key(next), &Method::GET));
}

fn config(origin: &Origin, directory: &Directory) -> String {
    let secret = directory.path().join("secret");
    format!(
        "listen = \"127.0.0.1:0\"\ncache.enabled = false\n[admin]\nlisten = \"127.0.0.1:0\"\n[origin]\nread_index = false\nurl = \"{}/wp-json\"\n\
         namespace = \"tribe/events/v1\"\nsecret_file = \"{}\"\n",
        origin.base(),
        secret.display()
    )
}

#[tokio::test]
async fn a_read_that_is_tried_again_keeps_its_mark() {
    let origin = Wire::playing(|_, number| match number {
        1 => vec![Step::Close],
        _ => vec![Step::json("{}")],
    })
    .await;
    let edge = Edge::builder()
        .site(&origin.base())
        .settings(|settings| settings.origin.mark_key = Some(first_key()))
        .start()
        .await;
    for _ in 0..2 {
        assert_eq!(edge.get(EVENTS).await.status, 200);
    }
    let heads = origin.requests();
    let marks: Vec<&str> = heads
        .iter()
        .filter_map(|head| {
            head.lines()
                .find(|line| line.starts_with("x-calendar-edge-mark: v1 "))
        })
        .collect();
    assert_eq!((heads.len(), marks.len()), (3, 3), "{heads:?}");
    assert_eq!(marks[1], marks[2]);
}
