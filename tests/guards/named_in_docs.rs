//! What the documentation names exists: metrics, codes, settings.

use std::collections::BTreeSet;

use crate::architecture::literals;
use crate::pages::{pages, prose, quoted};
use crate::repository::{read, texts};

/// The rows of a table that begin with a name between backticks.
pub(crate) fn named_rows(text: &str) -> impl Iterator<Item = &str> {
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
    let (metrics, errors) = (
        read("docs/reference/metrics.md"),
        read("docs/reference/errors.md"),
    );
    let metrics: BTreeSet<&str> = named_rows(&metrics).collect();
    let codes: BTreeSet<&str> = errors
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

/// The names with a dot in a text, without fields of log lines, files and members of other languages.
fn dotted(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !is_of_name(letter) && !matches!(letter, '.' | '-' | '/' | '$'));
    words.map(|word| word.trim_end_matches('.')).filter(|word| {
        let is_lower = |letter: u8| matches!(letter, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'.');
        let is_file = matches!(
            word.rsplit('.').next(),
            Some("json" | "toml" | "yaml" | "rs" | "example")
        );
        word.contains('.') && !is_file && word.bytes().all(is_lower)
    })
}

/// Keys of earlier versions and of other programs, which messages explain.
const OF_OTHERS: [&str; 2] = ["src/config/removed.rs", "src/config/read.rs"];

/// An operator cannot set what a message advises if the key is gone.
#[test]
fn settings_that_messages_name_exist() {
    let known = settings();
    let sections: BTreeSet<&str> = known
        .iter()
        .filter_map(|key| Some(key.split_once('.')?.0))
        .collect();
    let is_section = |name: &str| known.iter().any(|key| key.starts_with(&format!("{name}.")));
    // A budget within one that a key sets has the key's name before its own.
    let is_within = |name: &str| name.rsplit_once('.').is_some_and(|(key, _)| known.contains(key));
    let sources = ["src", "crates/core/src", "crates/judge/src"].map(|folder| texts(folder, "rs"));
    let mut seen = 0;
    for (path, text) in sources.into_iter().flatten() {
        if OF_OTHERS.contains(&path.as_str()) || path.contains("tests") {
            continue;
        }
        let program = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        for name in literals(program).into_iter().flat_map(dotted) {
            if sections.contains(name.split('.').next().unwrap_or_default()) {
                assert!(
                    known.contains(name) || is_section(name) || is_within(name),
                    "{path} names {name}"
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 150, "{seen}");
}

/// A file of an earlier version is refused, and the log of changes says what to do.
#[test]
fn removed_settings_stand_in_the_changelog() {
    let (removed, changes) = (read("src/config/removed.rs"), read("CHANGELOG.md"));
    let table = removed
        .split("const REMOVED: &str = \"")
        .nth(1)
        .and_then(|rest| rest.split("\";\n").next());
    let text = table.unwrap_or_default().replace("\\\n", "");
    let named: BTreeSet<&str> = quoted(&changes).into_iter().collect();
    let rows = text.lines().filter_map(|row| Some(row.split_once(": ")?.0));
    let keys: Vec<&str> = rows.flat_map(str::split_whitespace).collect();
    for key in &keys {
        assert!(named.contains(key), "CHANGELOG.md does not name {key}");
    }
    assert!(keys.len() > 60, "{keys:?}");
}

/// All settings as `section.key`, those at the top of the file as `key`.
fn settings() -> BTreeSet<String> {
    let mut section = String::new();
    let mut keys = BTreeSet::new();
    for line in read("docs/reference/configuration.md").lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            let name = heading.trim_matches(['`', '[', ']']);
            section = match name {
                "The top of the file" => String::new(),
                name if name.starts_with("operations.") => "operations.".to_owned(),
                name if name.starts_with("backends.") => "backends.".to_owned(),
                name => format!("{name}."),
            };
        } else if let Some(key) = line.strip_prefix("- `").and_then(|line| line.split('`').next()) {
            keys.insert(format!("{section}{key}"));
        }
    }
    keys
}

#[test]
fn a_change_of_each_named_file_is_noticed() {
    let watch = read("src/app/reload.rs");
    let named: Vec<String> = settings()
        .into_iter()
        .filter(|key| key.ends_with("_file"))
        .collect();
    for key in &named {
        // A table of which there are several is named by one of them there.
        let one = key.replace("backends.", "backend.");
        assert!(watch.contains(&format!("&{one}")), "{key} is not watched");
    }
    assert!(named.len() > 10, "{named:?}");
}

#[test]
fn settings_exist() {
    let known = settings();
    assert!(
        known.contains("origin.max_in_flight") && known.contains("rate_limits.address.items"),
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

/// The first commands that a stranger runs, each of which CI runs as it stands there.
#[test]
fn commands_of_the_readme_are_those_of_ci() {
    let (readme, ci, aliases) = (read("README.md"), read(".ci/run"), read(".cargo/config.toml"));
    let is_run = |command: &str| ci.lines().any(|line| line.split(" >").next() == Some(command));
    for alias in ["demo", "tests"] {
        let command = format!("cargo {alias}");
        let is_shown = readme
            .lines()
            .any(|line| line.split(" #").next().map(str::trim_end) == Some(&command));
        assert!(is_shown, "README.md does not show {command}");
        assert!(is_run(&command), ".ci/run does not run {command}");
        assert!(
            aliases.contains(&format!("\n{alias} = ")),
            "there is no alias {alias}"
        );
    }
}
