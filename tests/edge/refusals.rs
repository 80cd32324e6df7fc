//! A refusal can be explained: from its id, and as a sum of findings.

use std::process::Command;

use calendar_edge_core::settings::Mode;
use http::Method;
use serde_json::{Value, json};

use crate::support::{Answer, Directory, EVENTS, Edge, Origin, Program, Reply};

async fn origin() -> Origin {
    Origin::always(Reply::json(200, "{}")).await
}

/// The explanation of a refused request, once its line is written.
async fn explained(edge: &Edge, answer: &Answer) -> Value {
    let path = format!("/refusals/{}", answer.header("x-request-id").expect("an id"));
    for _ in 0..1000 {
        let kept = edge.admin(&path).await;
        if kept.status == 200 {
            return kept.json();
        }
        tokio::task::yield_now().await;
    }
    panic!("the refusal is not kept");
}

#[tokio::test]
async fn a_refusal_is_explained_with_its_request_and_without_its_secrets() {
    let origin = origin().await;
    let edge = Edge::before(&origin).await;
    let request = edge
        .request(
            Method::POST,
            "/wp-json/calendar/events/v1/tags?password=hidden-query&api.key=hidden-dot&api+key=hidden-plus&jwt=hidden-jwt",
        )
        .header("authorization", "Basic YWxpY2U6aGlkZGVuLWJhc2lj")
        .header("cookie", "wordpress_logged_in_1=alice%7Chidden-cookie")
        .header("x-wp-nonce", "hidden-nonce")
        .header("x-api-key", "hidden-key")
        .header("referer", "https://a.example/?_wpnonce=hidden-referer&key=hidden-too")
        .header("content-type", "application/json")
        .body(r#"{"slug":"a","password":"hidden-body","session":"hidden-session"}"#);
    let answer = Answer::to(request).await;
    assert_eq!(answer.code(), "rest_missing_callback_param");

    let kept = explained(&edge, &answer).await;
    assert_eq!(kept["operation"], "tags.create");
    assert_eq!(kept["status"], 400);
    assert_eq!(kept["decided_by"], "rules");
    assert_eq!(kept["findings"][0]["parameter"], "name");
    assert_eq!(kept["findings"][0]["rule"], "required");
    assert_eq!(
        kept["request"]["body"]["kept"],
        r#"{"slug":"a","password":"redacted","session":"redacted"}"#
    );
    assert!(kept["remedy"].as_str().is_some_and(|remedy| !remedy.is_empty()));
    let text = kept.to_string();
    assert!(!text.contains("hidden") && text.contains("redacted"), "{text}");
    assert!(!text.contains("aGlkZGVu"), "{text}");
    // The subject of the redacted request is in the list as well, without its contents.
    let list = edge.admin("/refusals").await.json();
    assert_eq!(list["refusals"][0]["parameters"], json!(["name"]));
    assert!(!list.to_string().contains("password"), "{list}");
}

#[tokio::test]
async fn refusals_before_and_after_the_rules_are_kept_too() {
    let origin = Origin::down();
    let edge = Edge::before(&origin).await;
    let foreign = Answer::to(edge.request(Method::GET, "/wp-json/wp/v2/posts")).await;
    let kept = explained(&edge, &foreign).await;
    assert_eq!(kept["code"], "rest_no_route");

    let two_hosts = edge.request(Method::GET, EVENTS).header("host", "a b");
    let odd = Answer::to(two_hosts).await;
    assert_eq!(odd.code(), "edge_bad_host");
    assert_eq!(explained(&edge, &odd).await["code"], "edge_bad_host");

    let failed = edge.get(EVENTS).await;
    assert_eq!(failed.status, 502, "{}", failed.body);
    let kept = explained(&edge, &failed).await;
    assert_eq!(kept["operation"], "events.list");
}

#[tokio::test]
async fn findings_are_summed_with_undeclared_parameters() {
    let origin = origin().await;
    let edge = Edge::builder()
        .origin(&origin)
        .settings(|settings| settings.mode = Mode::Report)
        .start()
        .await;
    for _ in 0..3 {
        edge.get(&format!("{EVENTS}?page=0&tribe_bar=1")).await;
    }
    let last = edge.get(&format!("{EVENTS}?tribe_bar=1")).await;
    let sums = edge.admin("/findings").await.json();
    let rows = sums["findings"].as_array().expect("rows");
    let shown: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!([
                row["operation"],
                row["parameter"],
                row["rule"],
                row["action"],
                row["count"]
            ])
        })
        .collect();
    assert_eq!(
        shown,
        [
            json!(["events.list", "tribe_bar", "undeclared", "forwarded", 4]),
            json!(["events.list", "page", "positive_int", "forwarded", 3]),
        ]
    );
    assert_eq!(rows[0]["sample"].as_str(), last.header("x-request-id"));
}

#[tokio::test]
async fn only_this_machine_sees_what_requests_contained() {
    let origin = origin().await;
    let edge = Edge::before(&origin).await;
    for path in ["/refusals", "/refusals/x", "/findings"] {
        for (name, value) in [("host", "edge.example"), ("origin", "http://a.example")] {
            let request = Edge::client().get(edge.admin_base() + path).header(name, value);
            assert_eq!(
                Answer::to(request).await.code(),
                "edge_admin_denied",
                "{path} {name}"
            );
        }
    }
    assert_eq!(edge.admin("/refusals/x").await.code(), "edge_unknown_refusal");
}

#[tokio::test]
async fn the_command_line_explains_an_id_and_says_that_report_mode_insists() {
    let origin = origin().await;
    let directory = Directory::new("explain-id");
    let config = directory.write(
        "edge.toml",
        &format!(
            "listen = \"127.0.0.1:0\"\nmode = \"report\"\n[origin]\nurl = \"{}/wp-json\"\nread_index = false\n\
             [admin]\nlisten = \"127.0.0.1:0\"\n",
            origin.base()
        ),
    );
    let mut program = Program::serve(&config).await;
    let url = format!(
        "http://{}/wp-json/calendar/events/v1/events/7?id=8",
        program.address
    );
    let request = Edge::client().get(url);
    let refused = Answer::to(request).await;
    assert_eq!(refused.code(), "edge_path_contradiction");
    let line = program.logged("refused although the mode is report").await;
    assert_eq!(line["code"], "edge_path_contradiction");
    let reason = "WordPress would take the parameter instead of the one in the path";
    assert_eq!(line["reason"], reason);

    let id = refused.header("x-request-id").expect("an id").to_owned();
    let admin = format!("http://{}", program.admin);
    let explain = move |id: &str| {
        Command::new(env!("CARGO_BIN_EXE_calendar-edge"))
            .args(["explain", id, "--admin", &admin])
            .output()
            .expect("the program runs")
    };
    let output = tokio::task::spawn_blocking(move || [explain(&id), explain("unknown")]).await;
    let [known, unknown] = output.expect("no panic");
    let text = String::from_utf8_lossy(&known.stdout);
    for part in ["edge_path_contradiction", reason, "what to do"] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert_eq!(known.status.code(), Some(3));
    assert_eq!(unknown.status.code(), Some(1));
}
