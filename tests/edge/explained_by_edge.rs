//! `explain --admin` prints what the running edge decides: by its settings, whatever the command finds beside it.
//! Without a running edge it is an error.

use std::process::{Command, Output};

use calendar_edge::config::{Overrides, parse};
use calendar_edge_core::settings::Mode;
use serde_json::{Value, json};

use crate::support::{Answer, Directory, Edge, Origin, Reply, closed_port, german_root};

const EVENTS: &str = "/de/wp-json/calendar/events/v1/events";

/// The same at the first root.
const FIRST_EVENTS: &str = "/wp-json/calendar/events/v1/events";

/// An edge of two roots and one host in mode report, as no placeholder is.
async fn edge(origin: &Origin) -> Edge {
    let base = origin.base();
    let builder = Edge::builder().origin(origin).settings(|settings| {
        settings.mode = Mode::Report;
        settings.hosts = vec!["calendar.example".to_owned()];
        settings.roots.push(german_root(&base));
    });
    builder.start().await
}

pub(crate) async fn run(edge: &Edge, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    command.args(["explain", "--admin", &edge.admin_base()]);
    command.args(arguments).envs(variables.iter().copied());
    let run = move || command.output().expect("the program runs");
    tokio::task::spawn_blocking(run).await.expect("no panic")
}

/// The explanation as text.
async fn told(edge: &Edge, arguments: &[&str]) -> String {
    String::from_utf8(run(edge, &[], arguments).await.stdout).expect("text")
}

async fn story(edge: &Edge, arguments: &[&str]) -> Value {
    let output = run(edge, &[], &[&["--json"], arguments].concat()).await;
    let errors = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
}

async fn post(edge: &Edge, body: impl Into<reqwest::Body>) -> Answer {
    let request = Edge::client().post(format!("{}/explain", edge.admin_base()));
    Answer::to(request.body(body)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_address_alone_leads_to_the_settings_of_the_running_edge() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin).await;
    let page = format!("{EVENTS}?page=0");
    let told = story(&edge, &[&page]).await;
    assert_eq!(told["index"]["place"], edge.admin_base());
    assert_eq!(told["index"]["mode"], "report");
    assert_eq!(told["root"], "/de/wp-json (de)");
    assert_eq!(
        (&told["mode"], &told["outcome"]),
        (&json!("report"), &json!("forwarded"))
    );
    assert_eq!(told["findings"][0]["parameter"], "page");
    let url = told["request"]["url"].as_str().expect("a URL");
    assert!(url.starts_with(&origin.base()), "{url}");
    let foreign = story(&edge, &[&page, "-H", "Host: wp.example.org"]).await;
    assert_eq!(foreign["response"]["code"], "edge_misdirected", "{foreign}");
    let enforced = run(&edge, &[("CALENDAR_EDGE_MODE", "enforce")], &[&page]).await;
    assert_eq!(enforced.status.code(), Some(3), "{enforced:?}");
    assert!(origin.seen().is_empty(), "nothing is sent to the site");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_of_the_request_leaves_the_edge() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin).await;
    let cookie = "Cookie: wordpress_logged_in_1=hidden%7C1%7Cb";
    for secret in [
        &["-u", "editor:hidden"][..],
        &["-H", cookie],
        &["-H", cookie, "-H", "X-WP-Nonce: hidden"],
    ] {
        let told = story(&edge, &[&[EVENTS], secret].concat()).await;
        assert_eq!(told["outcome"], "forwarded");
        assert!(told.to_string().contains("[redacted]"), "{told}");
        for hidden in ["hidden", "ZWRpdG9yOmhpZGRlbg"] {
            assert!(!told.to_string().contains(hidden), "{told}");
        }
    }
}

#[tokio::test]
async fn what_is_no_request_is_refused() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin).await;
    let request = json!({"method": "GET", "target": "/", "headers": [], "body": ""});
    assert_eq!(post(&edge, request.to_string()).await.status, 200);
    for (member, value) in [
        ("method", json!("G T")),
        ("target", json!("events")),
        ("mode", json!("loose")),
    ] {
        let mut wrong = request.clone();
        wrong[member] = value;
        assert_eq!(
            post(&edge, wrong.to_string()).await.code(),
            "rest_invalid_json",
            "{wrong}"
        );
    }
    assert_eq!(post(&edge, "{").await.code(), "rest_invalid_json");
    let large = format!("\"{}\"", "x".repeat(17 << 20));
    assert_eq!(post(&edge, large).await.code(), "edge_body_too_large");
    assert_eq!(edge.admin("/explain").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_without_an_edge_is_an_error() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = edge(&origin).await;
    let output = run(&edge, &[], &[EVENTS]).await;
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let gone = edge.admin_base();
    edge.drain().await;
    let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    command.args(["explain", EVENTS, "--admin", &gone]);
    let output = tokio::task::spawn_blocking(move || command.output()).await;
    let output = output.expect("no panic").expect("the program runs");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_without_a_running_edge_is_an_error() {
    let directory = Directory::new("explained-nowhere");
    let closed = closed_port();
    for (admin, part) in [
        (
            format!("[admin]\nlisten = \"{closed}\""),
            "a running edge explains requests",
        ),
        (String::new(), "the configuration has no listener for operators"),
    ] {
        let text = format!("[origin]\nurl = \"http://wp.example/wp-json\"\n{admin}\n");
        let file = directory.write("edge.toml", &text);
        for asked in [FIRST_EVENTS, "0199f1c2"] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
            command.args(["explain", asked, "--config"]).arg(&file);
            let output = tokio::task::spawn_blocking(move || command.output()).await;
            let output = output.expect("no panic").expect("the program runs");
            assert_eq!(output.status.code(), Some(1), "{output:?}");
            let errors = String::from_utf8_lossy(&output.stderr);
            let is_named =
                errors.contains(part) || errors.contains(&format!("no edge responds at http://{closed}"));
            assert!(is_named, "{part} is not in {errors}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_forwarded_and_what_is_dropped_is_printed() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;
    let text = told(
        &edge,
        &[
            "PUT",
            "/wp-json/calendar/events/v1/events/056?lang=de",
            "-d",
            r#"{"title":"x","colour":"red"}"#,
            "-H",
            "Authorization: Basic YTpi",
        ],
    )
    .await;
    for part in [
        "root       /wp-json",
        "route      /{namespace}/events/{id}",
        "operation  events.update",
        "caller     with credentials",
        "colour (json) dropped",
        "namespace  tribe/events/v1",
        &format!(
            "index      as the running edge at {} has it, in mode enforce",
            edge.admin_base()
        ),
        &format!("POST {}/wp-json/tribe/events/v1/events/56?lang=de", origin.base()),
        r#"  {"title":"x"}"#,
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_is_printed_with_its_reason() {
    let edge = Edge::before(&Origin::down()).await;
    for (target, part) in [
        (
            "/wp-json/calendar/events/v1/events?page=0",
            "page is not positive_int",
        ),
        (
            "/wp-json/calendar/events/v1/events?page=0",
            "400 rest_invalid_param",
        ),
        ("/wp-json/calendar/events/v1/nope", "404 rest_no_route"),
        ("/somewhere/else", "404 rest_no_route"),
        (
            "/wp-json/calendar/events/v1/events?_jsonp=a",
            "rest_callback_disabled",
        ),
    ] {
        let text = told(&edge, &["GET", target]).await;
        assert!(
            text.contains("\nrefused\n") && text.contains(part),
            "{part} is not in\n{text}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_are_read_as_those_of_calls() {
    let edge = Edge::before(&Origin::down()).await;
    let basic = "Authorization: Basic YTpi";
    let twice = told(&edge, &["GET", FIRST_EVENTS, "-H", basic, "-H", basic]).await;
    assert!(twice.contains("400 edge_bad_authorization"), "{twice}");
    let nowhere = format!("{FIRST_EVENTS}/x/y");
    let nowhere = told(&edge, &["GET", &nowhere, "-H", basic, "-H", basic]).await;
    assert!(nowhere.contains("404 rest_no_route"), "{nowhere}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_spelling_and_the_type_are_printed() {
    let edge = Edge::before(&Origin::down()).await;
    let target = format!("{FIRST_EVENTS}?per.page=2&featured=maybe");
    let text = told(&edge, &["GET", &target]).await;
    for part in [
        "per_page  query  \"2\" is positive_int: good, sent as per.page",
        "then of type boolean",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let page = story(&edge, &["GET", &format!("{FIRST_EVENTS}?page=2")]).await;
    assert_eq!(page["outcome"], "forwarded");
    assert_eq!(page["arguments"][0]["verdict"], "good");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_responding_backend_is_named_with_the_reason() {
    let file = include_str!("../../fixtures/config/cutover.toml");
    let file = parse("cutover.toml", file, &Overrides::default()).expect("settings");
    let edge = Edge::builder().settings(|settings| {
        (settings.backends, settings.shadow, settings.cutover) = (file.backends, file.shadow, file.cutover);
    });
    let edge = edge.start().await;
    let basic = &["-H", "Authorization: Basic YTpi"][..];
    for (method, path, more, expected) in [
        (
            "GET",
            "venues",
            &[][..],
            "next responds: 10% of the clients: rule venues-read",
        ),
        (
            "GET",
            "venues",
            &[],
            "origin responds: the other clients: no rule takes them",
        ),
        (
            "GET",
            "venues",
            &[],
            "next gets a copy: 5% of the calls: rule of [[shadow]]",
        ),
        (
            "GET",
            "tags",
            &[],
            "origin responds: all clients: no rule of [[cutover]] is about the call",
        ),
        (
            "GET",
            "organizers",
            &[],
            "next responds: 1% of the clients: rule organizers",
        ),
        ("GET", "venues", basic, "origin responds: all clients"),
        (
            "DELETE",
            "organizers/7",
            basic,
            "next responds: 1% of the clients: rule organizers",
        ),
    ] {
        let target = format!("/wp-json/calendar/events/v1/{path}");
        let story = told(&edge, &[&[method, &target], more].concat()).await;
        assert!(story.contains(expected), "{expected} is not in\n{story}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn explain_takes_what_curl_takes_and_its_status_tells_refused_from_forwarded() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;
    let directory = Directory::new("explain-curl");
    let data = format!("@{}", directory.write("tag.json", r#"{"name":"a"}"#).display());
    let (posted, read) = (
        format!("POST {}", origin.base()),
        format!("GET {}", origin.base()),
    );
    let tags = "/wp-json/calendar/events/v1/tags";
    let cases: [(&[&str], i32, &str); 6] = [
        (&[tags, "-d", &data, "-u", "editor:x"], 0, &posted),
        (
            &[
                "-X",
                "PUT",
                "/wp-json/calendar/events/v1/tags/7",
                "-d",
                &data,
                "-u",
                "editor:x",
            ],
            0,
            "tags/7",
        ),
        (
            &["https://events.example.org/wp-json/calendar/events/v1/tags"],
            0,
            &read,
        ),
        (&[tags, "-d", &data], 3, "401 rest_forbidden"),
        (&["POST", tags, "-d", "{}"], 3, "Missing parameter"),
        (&[tags, "-d", "@/no/such/file"], 1, ""),
    ];
    for (arguments, status, part) in cases {
        let output = run(&edge, &[], arguments).await;
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(status), "{arguments:?} {text}");
        assert!(
            text.contains(part) && !text.contains("ZWRpdG9y"),
            "{arguments:?} {text}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn t89_explain_shows_hidden_characters() {
    let target = "/wp-json/calendar/events/v1/events?search=a\u{202e}b\u{2066}c";
    let edge = Edge::before(&Origin::down()).await;
    let shown = told(&edge, &["GET", target]).await;
    assert!(shown.contains(r"a\u{202e}b\u{2066}c"), "{shown}");
    assert!(!shown.contains(['\u{202e}', '\u{2066}']), "{shown}");
}
