//! What the documentation names exists: metrics, codes, settings, fields of log lines, commands and their flags.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Directory, Edge, Origin, Program, Reply, files_below};

const METRICS: &str = include_str!("../../docs/reference/metrics.md");
const ERRORS: &str = include_str!("../../docs/reference/errors.md");
const CONFIGURATION: &str = include_str!("../../docs/reference/configuration.md");

/// Pages whose dotted names are members of documents, or attributes of spans, and not settings or fields of log lines.
const OF_DOCUMENTS: [&str; 4] = ["status.md", "backend.md", "comparison.md", "traces.md"];

/// A page with its name.
struct Page {
    name: String,
    text: String,
    is_markdown: bool,
}

/// The documentation for operators, and what is shipped beside the program.
fn pages() -> Vec<Page> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<PathBuf> = ["README.md", "SECURITY.md"].map(|name| root.join(name)).into();
    files.extend(
        ["docs/guides", "docs/reference", "deploy"]
            .map(files_below)
            .concat(),
    );
    let pages = files.into_iter().filter_map(|path| {
        let name = path.file_name()?.to_str()?.to_owned();
        Some(Page {
            name,
            is_markdown: path.extension().is_some_and(|extension| extension == "md"),
            text: fs::read_to_string(path).ok()?,
        })
    });
    pages.collect()
}

/// The pages that are prose about settings and log lines.
fn prose() -> impl Iterator<Item = Page> {
    let is_prose = |page: &Page| page.is_markdown && !OF_DOCUMENTS.contains(&page.name.as_str());
    pages().into_iter().filter(is_prose)
}

/// The text between backticks, blocks of code excluded.
fn quoted(text: &str) -> Vec<&str> {
    let prose = text.split("```").step_by(2);
    prose
        .flat_map(|part| part.split('`').skip(1).step_by(2))
        .collect()
}

/// The rows of a table that begin with a name between backticks.
fn named_rows(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
}

const fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// The words with this beginning. Fields of log lines have a dot before it, paths and variables of shells other signs.
fn words<'a>(text: &'a str, beginning: &'a str) -> impl Iterator<Item = &'a str> {
    text.match_indices(beginning).filter_map(|(at, _)| {
        let before = text[..at].chars().next_back();
        let is_part =
            before.is_some_and(|letter| is_of_name(letter) || matches!(letter, '.' | '$' | '/' | '-'));
        let rest = &text[at..];
        let end = rest.find(|letter| !is_of_name(letter)).unwrap_or(rest.len());
        (!is_part).then(|| &rest[..end])
    })
}

#[test]
fn metrics_and_codes_exist() {
    let metrics: BTreeSet<&str> = named_rows(METRICS).collect();
    let codes: BTreeSet<&str> = ERRORS
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|word| word.starts_with("edge_"))
        .collect();
    let is_series = |word: &str| {
        let suffixes = ["", "_total", "_info", "_bucket", "_sum", "_count"];
        let mut bare = suffixes.iter().filter_map(|suffix| word.strip_suffix(suffix));
        bare.any(|bare| metrics.contains(bare))
    };
    let is_beginning =
        |word: &str| word.ends_with('_') && metrics.iter().any(|metric| metric.starts_with(word));
    let mut seen = 0;
    for page in pages() {
        for word in words(&page.text, "edge_").chain(words(&page.text, "process_")) {
            let is_known = is_series(word) || is_beginning(word) || codes.contains(word);
            assert!(is_known, "{} names {word}", page.name);
            seen += 1;
        }
    }
    assert!(seen > 200, "{seen}");
}

/// All settings as `section.key`, those at the top of the file as `key`.
fn settings() -> BTreeSet<String> {
    let mut section = String::new();
    let mut keys = BTreeSet::new();
    for line in CONFIGURATION.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let name = heading.trim_matches(['`', '[', ']']);
            section = match name {
                "The top of the file" => String::new(),
                name if name.starts_with("operations.") => "operations.".to_owned(),
                name if name.starts_with("backends.") => "backends.".to_owned(),
                name => format!("{name}."),
            };
        } else if let Some(key) = named_rows(line).next() {
            keys.insert(format!("{section}{key}"));
        }
    }
    keys
}

#[test]
fn settings_exist() {
    let known = settings();
    assert!(
        known.contains("origin.max_pending") && known.contains("rate_limits.address.items"),
        "{known:?}"
    );
    let sections: BTreeSet<&str> = known
        .iter()
        .filter_map(|key| key.split_once('.'))
        .map(|(section, _)| section)
        .collect();
    let mut seen = 0;
    for page in prose() {
        for name in quoted(&page.text) {
            let is_dotted = name.contains('.')
                && name
                    .bytes()
                    .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'.'));
            let section = name.split('.').next().unwrap_or_default();
            if is_dotted && sections.contains(section) {
                assert!(known.contains(name), "{} names {name}", page.name);
                seen += 1;
            }
        }
    }
    assert!(seen > 50, "{seen}");
}

/// A line of each kind of request: refused, answered by the site, answered by the cache.
async fn logged_fields() -> BTreeSet<String> {
    let origin = Origin::always(Reply::json(200, r#"{"events":[],"rest_url":"x"}"#)).await;
    let directory = Directory::new("logged-fields");
    let file = directory.write(
        "edge.toml",
        &format!(
            "listen = \"127.0.0.1:0\"\n[admin]\nlisten = \"127.0.0.1:0\"\n[origin]\nurl = \"{}/wp-json\"\n\
             namespace = \"tribe/events/v1\"\nread_index = false\n[log]\nsample = 2\n",
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
            let depth = if subcommand == "migration" && words.len() > 1 {
                2
            } else {
                1
            };
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
