//! The program's own setup around the edge: `/config`.

use std::path::PathBuf;

use serde_json::Value;

use super::until;
use crate::support::{Answer, Directory, Edge, Program};

/// A configuration without a site that responds.
fn file(directory: &Directory, top: &str, log: &str) -> PathBuf {
    let text = format!(
        "listen = \"127.0.0.1:0\"\n{top}\n[origin]\nurl = \"http://127.0.0.1:9/wp-json\"\n\
         namespace = \"tribe/events/v1\"\nread_index = false\n[admin]\nlisten = \"127.0.0.1:0\"\n\
         [log]\nfilter = \"{log}\"\n"
    );
    directory.write("edge.toml", &text)
}

async fn get(program: &Program, path: &str) -> Answer {
    Answer::to(Edge::client().get(format!("http://{}{path}", program.admin))).await
}

/// A change that a page of another site may have caused: under a name of its own, or from a browser with `Origin`.
async fn foreign_changes(program: &Program, path: &str) -> Vec<String> {
    let mut codes = Vec::new();
    for (name, value) in [("host", "evil.example"), ("sec-fetch-site", "cross-site")] {
        let url = format!("http://{}{path}", program.admin);
        let change = Edge::client().post(url).header(name, value).body("debug");
        let answer = Answer::to(change).await.json();
        codes.push(answer["code"].as_str().unwrap_or_default().to_owned());
    }
    codes
}

/// Value and source of a key.
async fn key(program: &Program, name: &str) -> Value {
    let document = get(program, "/config").await.json();
    let keys = document["keys"].as_array().expect("a list");
    let found = keys.iter().find(|key| key["key"] == name);
    found
        .unwrap_or_else(|| panic!("{name} is not in {document}"))
        .clone()
}

#[tokio::test]
async fn the_configuration_in_effect_names_its_sources_and_follows_reloads() {
    let directory = Directory::new("effective");
    let config = file(&directory, "mode = \"report\"", "info");
    let program = Program::serve(&config).await;
    let mode = key(&program, "mode").await;
    assert_eq!(
        (&mode["value"], &mode["source"]),
        (&"report".into(), &"file".into())
    );
    assert_eq!(mode["at"], "line 2");
    assert_eq!(key(&program, "profile").await["source"], "default");
    assert_eq!(key(&program, "limits.body_bytes").await["source"], "default");

    file(&directory, "mode = \"mistyped\"", "info");
    program.signal("HUP");
    until("a refused reload", async || {
        let failed = program
            .metric("edge_config_reloads_total{result=\"failure\"}")
            .await;
        (failed > 0.0).then_some(())
    })
    .await;
    assert_eq!(key(&program, "mode").await["value"], "report");

    directory.write(
        "edge.toml",
        &std::fs::read_to_string(&config)
            .unwrap()
            .replace("mistyped", "off")
            .replace("listen = \"127.0.0.1:0\"\nmode", "listen = \"127.0.0.1:1\"\nmode"),
    );
    program.signal("HUP");
    until("a reload", async || {
        (key(&program, "mode").await["value"] == "off").then_some(())
    })
    .await;
    // It needs a restart.
    assert_eq!(key(&program, "listen").await["value"], "127.0.0.1:0");
}

#[tokio::test]
async fn a_page_of_another_site_changes_nothing() {
    let directory = Directory::new("foreign-changes");
    let config = file(&directory, "", "info");
    let program = Program::serve(&config).await;
    assert_eq!(
        foreign_changes(&program, "/migration/resume/x").await,
        ["edge_operators_only"; 2]
    );
}
