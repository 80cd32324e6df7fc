//! New configuration while requests run (T-80).

use std::process::Command;
use std::sync::{Arc, Once};

use calendar_edge_core::settings::Settings;
use http::Method;

use crate::support::{Answer, Directory, EVENTS, Edge, Gate, Origin, Program, Reply, raw_get};

/// A response with one URL, the origin's.
fn answer_with_address(base: &str) -> Reply {
    Reply::json(
        200,
        &format!(r#"{{"rest_url":"{base}/wp-json/tribe/events/v1/events/1"}}"#),
    )
}

fn settings(edge: &Edge, origin: &Origin, public: &str) -> Settings {
    let mut settings = edge.settings();
    settings.origin.url = format!("{}/wp-json", origin.base()).parse().expect("a URL");
    settings.public_url = Some(public.parse().expect("a URL"));
    settings
}

#[tokio::test]
async fn t80_a_request_meets_one_configuration_from_head_to_last_byte() {
    let gate = Gate::closed();
    let held = gate.clone();
    let origin = Origin::answering_with(move |seen, base| {
        let reply = answer_with_address(base);
        if seen.target.contains("page=2") {
            reply.behind(&held)
        } else {
            reply
        }
    })
    .await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.public_url = Some("https://old.example".parse().unwrap()))
        .start()
        .await;
    let mut client = edge.raw().await;
    client.send(raw_get(&format!("{EVENTS}?page=2"))).await;
    gate.reached_by(1).await;

    let mut next = settings(&edge, &origin, "https://new.example");
    next.read_only = true;
    assert!(edge.reloader().apply(next).unwrap().is_empty());

    assert!(edge.get(EVENTS).await.body.contains("https://new.example/"));
    gate.open();
    let answer = client.answer().await.body;
    assert!(answer.contains("https://old.example/"), "{answer}");
    // The connection lives on, under the new configuration.
    let request = format!("POST {EVENTS} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(client.send(request).await.answer().await.status, 403);
}

#[tokio::test]
async fn t80_connections_to_the_origin_survive_what_does_not_concern_them() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;
    edge.get(EVENTS).await;
    for public in ["https://a.example", "https://b.example"] {
        edge.reloader().apply(settings(&edge, &origin, public)).unwrap();
        assert_eq!(edge.get(EVENTS).await.status, 200);
    }
    assert_eq!(origin.connections(), 1);
}

#[tokio::test]
async fn t80_limits_of_connections_change_for_those_to_come() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let edge = Edge::before(&origin).await;
    let mut old = edge.raw().await;
    let request = |fields: usize| {
        let fields = "X: y\r\n".repeat(fields);
        format!("GET {EVENTS} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n")
    };
    assert_eq!(old.send(request(50)).await.answer().await.status, 200);

    let mut next = settings(&edge, &origin, "https://a.example");
    next.limits.headers = 10;
    edge.reloader().apply(next).unwrap();

    assert_eq!(old.send(request(50)).await.answer().await.status, 431);
    assert_eq!(
        edge.raw().await.send(request(50)).await.answer().await.status,
        431
    );
    // Far above the limit hyper itself refuses, on connections that began with it.
    assert_eq!(edge.raw().await.send(request(80)).await.head().await.status, 431);
}

#[tokio::test]
async fn t80_requests_under_constant_reloads_all_succeed() {
    let origin = Origin::answering_with(|_, base| answer_with_address(base)).await;
    let edge = Edge::before(&origin).await;
    let publics = ["https://a.example", "https://b.example"];
    edge.reloader()
        .apply(settings(&edge, &origin, publics[0]))
        .unwrap();
    let requests: Vec<_> = (0..4)
        .map(|_| {
            let url = edge.url(EVENTS);
            tokio::spawn(async move {
                let client = Edge::keeping_client();
                for _ in 0..25 {
                    let answer = Answer::to(client.request(Method::GET, &url)).await;
                    assert_eq!(answer.status, 200);
                    assert!(
                        publics.iter().any(|public| answer.body.contains(public)),
                        "{}",
                        answer.body
                    );
                }
            })
        })
        .collect();
    for turn in 0..20 {
        let next = settings(&edge, &origin, publics[turn % 2]);
        edge.reloader().apply(next).unwrap();
        tokio::task::yield_now().await;
    }
    for request in requests {
        request.await.unwrap();
    }
}

fn file(origin: &str, more: &str) -> String {
    format!(
        "listen = \"127.0.0.1:0\"\n{more}\n[origin]\nread_index = false\nurl = \"{origin}/wp-json\"\n\
         namespace = \"tribe/events/v1\"\n[admin]\nlisten = \"127.0.0.1:0\"\n"
    )
}

#[tokio::test]
async fn t80_a_bad_file_is_refused_whole_and_a_good_one_is_taken() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let directory = Directory::new("reload");
    let config = directory.write("edge.toml", &file(&origin.base(), ""));
    let mut program = Program::serve(&config).await;
    let status = async |program: &Program| {
        let request = Edge::client().post(program.url(EVENTS));
        Answer::to(request).await.status
    };
    assert_eq!(status(&program).await, 400, "a title is missing");

    // Half of it is valid, but none of it may be applied.
    directory.write(
        "edge.toml",
        &file(&origin.base(), "read_only = true\nmoed = \"off\""),
    );
    program.signal("HUP");
    let refused = program
        .logged("the new configuration is refused, the old one stays")
        .await;
    let error = refused["error"].as_str().unwrap_or_default();
    assert!(error.contains("edge.toml:3:1"), "{error}");
    assert!(error.contains("\n3 | moed = \"off\"\n  | ^^^^\n"), "{error}");
    assert!(error.contains("did you mean `mode`?"), "{error}");
    assert_eq!(status(&program).await, 400);
    let failures = r#"edge_config_reloads_total{result="failure"}"#;
    assert!(program.metric(failures).await >= 1.0);
    assert!(program.metric("edge_config_last_reload_successful").await < 1.0);

    // No signal: the file is watched.
    directory.write("edge.toml", &file(&origin.base(), "read_only = true"));
    program.logged("the configuration was reloaded").await;
    assert_eq!(status(&program).await, 403);
    assert!(
        program
            .metric(r#"edge_config_reloads_total{result="success"}"#)
            .await
            >= 1.0
    );
    assert!(program.metric("edge_config_last_reload_successful").await > 0.0);
    let timestamp = program
        .metric("edge_config_last_reload_success_timestamp_seconds")
        .await;
    assert!(timestamp > 1_600_000_000.0, "{timestamp}");
}

#[tokio::test]
async fn a_key_of_the_file_that_a_variable_hides_is_named_at_start_and_at_every_reload() {
    const HIDDEN: &str = "a key of the file has no effect: a flag or a variable is stronger";
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let directory = Directory::new("hidden");
    let config = directory.write("edge.toml", &file(&origin.base(), "mode = \"enforce\""));
    let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    command.env("CALENDAR_EDGE_MODE", "report");
    let mut program = Program::start(command, &config).await;
    let lines = program.logged_up_to(HIDDEN).await;
    let named = lines.last().expect("a line");
    assert_eq!(named["level"], "WARN");
    for (field, value) in [
        ("key", "mode"),
        ("file", "\"enforce\""),
        ("by", "CALENDAR_EDGE_MODE"),
        ("value", "\"report\""),
    ] {
        assert_eq!(named[field], value, "{named}");
    }
    directory.write("edge.toml", &file(&origin.base(), "mode = \"off\""));
    assert_eq!(program.logged(HIDDEN).await["file"], "\"off\"");
    // The same value is not hidden: the next line that is waited for comes from the reload after it.
    directory.write("edge.toml", &file(&origin.base(), "mode = \"report\""));
    let lines = program.logged_up_to("the configuration was reloaded").await;
    assert!(lines.iter().all(|line| line["file"] != "\"report\""), "{lines:?}");
}

#[tokio::test]
async fn a_file_that_is_changed_during_the_start_is_read_again() {
    let directory = Arc::new(Directory::new("during-start"));
    let (beside, writing) = (Arc::clone(&directory), Once::new());
    // The edge requests the index before it serves.
    let file = |origin: &str, more: &str| file(origin, more).replace("read_index = false\n", "");
    let origin = Origin::answering_with(move |_, base| {
        writing.call_once(|| drop(beside.write("edge.toml", &file(base, "mode = \"off\""))));
        Reply::json(200, "{}")
    })
    .await;
    let config = directory.write("edge.toml", &file(&origin.base(), "mode = \"enforce\""));
    let mut program = Program::serve(&config).await;
    assert_eq!(
        program.logged("the configuration was reloaded").await["cause"],
        "file"
    );
}

#[tokio::test]
async fn t80_listeners_need_a_restart_and_the_log_filter_does_not() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let directory = Directory::new("restart");
    let before =
        file(&origin.base(), "") + "[log]\nfilter = \"info,calendar_edge_core::limits::rates=off\"\n";
    let config = directory.write("edge.toml", &before);
    let mut program = Program::serve(&config).await;
    let get = async |program: &Program, target: &str| {
        let request = Edge::client().get(program.url(target));
        Answer::to(request).await.status
    };
    assert_eq!(get(&program, EVENTS).await, 200);
    let after = before
        .replacen("127.0.0.1:0", "127.0.0.1:1", 1)
        .replace("127.0.0.1:0", "127.0.0.1:2")
        .replace("access=off", "access=info");
    directory.write("edge.toml", &after);
    program.signal("HUP");

    let kept = program
        .logged("changed settings that need a restart keep their old values")
        .await;
    assert_eq!(kept["settings"], "listen, admin.listen");
    assert_eq!(get(&program, "/elsewhere").await, 404);
    let first = program.logged("request served").await;
    assert_eq!(
        first["http.response.status_code"], 404,
        "the request before the reload leaves no line"
    );
    assert!(program.metric("edge_inflight").await < 1.0);
}
