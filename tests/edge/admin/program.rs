//! Changes at the admin listener of the program.

use std::path::PathBuf;

use crate::support::{Answer, Directory, Edge, Program};

/// A configuration without a site that responds.
fn file(directory: &Directory) -> PathBuf {
    let text = "listen = \"127.0.0.1:0\"\n[origin]\nurl = \"http://127.0.0.1:9/wp-json\"\n\
                namespace = \"tribe/events/v1\"\nread_index = false\n[admin]\nlisten = \"127.0.0.1:0\"\n";
    directory.write("edge.toml", text)
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

#[tokio::test]
async fn a_page_of_another_site_changes_nothing() {
    let directory = Directory::new("foreign-changes");
    let config = file(&directory);
    let program = Program::serve(&config).await;
    assert_eq!(
        foreign_changes(&program, "/migration/resume/x").await,
        ["edge_operators_only"; 2]
    );
}
