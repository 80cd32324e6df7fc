//! What the documentation names exists: metrics, codes, settings.

use std::collections::BTreeSet;

use crate::pages::{pages, prose, quoted};
use crate::repository::read;

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
