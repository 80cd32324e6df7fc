//! The names in the documentation exist: fields of log lines, commands and their flags.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use guards::pages::{pages, prose, quoted};

use crate::support::{Directory, Edge, Origin, Program, Reply};

/// A line of each kind of request: refused, served by the site, served by the cache.
async fn logged_fields() -> BTreeSet<String> {
    let origin = Origin::always(Reply::json(200, r#"{"events":[],"rest_url":"x"}"#)).await;
    let directory = Directory::new("logged-fields");
    let file = directory.write(
        "edge.toml",
        &format!(
            "listen = \"127.0.0.1:0\"\n[admin]\nlisten = \"127.0.0.1:0\"\n[origin]\nurl = \"{}/wp-json\"\n\
             namespace = \"tribe/events/v1\"\nread_index = false\n[log]\n",
            origin.base()
        ),
    );
    let mut program = Program::serve(&file).await;
    let mut fields = BTreeSet::new();
    let events = "/wp-json/calendar/events/v1/events";
    for query in ["?page=x", "", "?page=2", "", ""] {
        let client = Edge::client().get(program.url(&format!("{events}{query}")));
        let client = client.header("user-agent", "test");
        client.send().await.expect("an answer");
    }
    let body = Edge::client()
        .post(program.url(events))
        .basic_auth("a", Some("b"))
        .body("{");
    body.header("content-type", "application/json")
        .send()
        .await
        .expect("an answer");
    for _ in 0..4 {
        let line = program.logged("request served").await;
        fields.extend(line.as_object().expect("an object").keys().cloned());
    }
    fields
}

#[tokio::test]
async fn fields_of_log_lines_exist() {
    let logged = logged_fields().await;
    let roots = ["edge", "client", "user_agent", "http", "url", "network", "server"];
    let mut seen = BTreeMap::new();
    for page in prose() {
        // In commands they stand between double quotes.
        let commands = page.text.split("```").skip(1).step_by(2);
        let in_commands =
            commands.flat_map(|block| block.split('"').filter(|word| word.starts_with("edge.")));
        let names = quoted(&page.text).into_iter().chain(in_commands);
        for name in names {
            let is_dotted =
                name.contains('.') && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'_' | b'.'));
            let root = name.split('.').next().unwrap_or_default();
            let is_file = matches!(name.rsplit('.').next(), Some("toml" | "sock"));
            if is_dotted && roots.contains(&root) && !is_file {
                assert!(
                    logged.contains(name),
                    "{} names {name}, logged are {logged:?}",
                    page.name
                );
                *seen.entry(name.to_owned()).or_insert(0) += 1;
            }
        }
    }
    assert!(seen.len() > 5, "{seen:?}");
}

/// The commands that a page shows, without the path before the program's name.
fn commands(text: &str) -> Vec<String> {
    let blocks = text.split("```").skip(1).step_by(2);
    let joined: Vec<String> = blocks.map(|block| block.replace("\\\n", " ")).collect();
    let lines = joined.iter().flat_map(|block| block.lines());
    let shown = lines.filter_map(|line| {
        line.trim()
            .trim_start_matches("$ ")
            .strip_prefix("calendar-edge ")
    });
    let inline = quoted(text)
        .into_iter()
        .filter_map(|span| span.strip_prefix("calendar-edge "));
    shown.chain(inline).map(str::to_owned).collect()
}

fn help(subcommand: &[&str]) -> Option<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    let output = command
        .args(subcommand)
        .arg("--help")
        .output()
        .expect("the program starts");
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn commands_and_their_flags_exist() {
    let mut helps: BTreeMap<String, Option<String>> = BTreeMap::new();
    let mut seen = 0;
    for page in pages().into_iter().filter(|page| page.is_markdown) {
        for command in commands(&page.text) {
            let command = command.split(" #").next().unwrap_or_default();
            let words: Vec<&str> = command.split_whitespace().collect();
            // `purge v1` and `mark v1` begin what is signed.
            if words.get(1) == Some(&"v1") {
                continue;
            }
            let Some(&subcommand) = words.first() else {
                continue;
            };
            let has_others = matches!(subcommand, "migration" | "print");
            let depth = if has_others && words.len() > 1 { 2 } else { 1 };
            let of = words[..depth].join(" ");
            let help = helps.entry(of).or_insert_with(|| help(&words[..depth]));
            let help = help
                .as_ref()
                .unwrap_or_else(|| panic!("{}: no such command: {command}", page.name));
            let flags = words.iter().filter(|word| word.starts_with("--"));
            for flag in flags.map(|flag| flag.split(['=', ',']).next().unwrap_or_default()) {
                assert!(help.contains(flag), "{}: {command} has no flag {flag}", page.name);
            }
            seen += 1;
        }
    }
    assert!(seen > 30, "{seen}");
}
