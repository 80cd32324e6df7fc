//! One name, one thing: a word that means two things costs every reader a second look.

use std::collections::{BTreeMap, BTreeSet};

use crate::repository::texts;

/// Type names that stand in several files, each with the reason.
const ALLOWED: &[(&str, &str)] = &[];

/// Words that were replaced, each with what is said instead.
const REPLACED: &[(&str, &str)] = &[
    ("correspondence", "the companion service"),
    ("flights", "collapsed requests, with a leader and followers"),
    ("forking", "the selection of a backend"),
    ("hearing", "the state of a companion"),
    ("landing", "the shared outcome of collapsed requests"),
    ("ledger", "a budget's state; a tracker of changes"),
    ("lent", "shared"),
    ("loan", "a shared body"),
    ("loans", "shared bodies"),
    ("receipt", "charges"),
    ("refund", "to return charges"),
    ("rehearsal", "a dry run"),
    ("rehearsed", "a dry run"),
    ("seat", "the role in a collapsed request; the state of a rule"),
    ("spared", "excluded"),
    ("theatre", "the words of RFC 9110 and RFC 9111"),
];

/// Where the sources of each package are.
const SOURCES: [&str; 3] = ["src", "crates/core/src", "crates/judge/src"];

/// Every source file with its text.
fn sources() -> impl Iterator<Item = (String, String)> {
    SOURCES.iter().flat_map(|source| texts(source, "rs"))
}

// === types ===

#[test]
fn no_type_name_stands_twice_without_a_reason() {
    let twins: BTreeMap<String, Vec<String>> =
        types().into_iter().filter(|(_, files)| files.len() > 1).collect();
    let allowed: BTreeSet<&str> = ALLOWED.iter().map(|(name, _)| *name).collect();
    let new: Vec<_> = twins
        .iter()
        .filter(|(name, _)| !allowed.contains(name.as_str()))
        .collect();
    assert!(new.is_empty(), "types of one name: {new:#?}");
    let stale: Vec<_> = allowed
        .iter()
        .filter(|name| !twins.contains_key(**name))
        .collect();
    assert!(stale.is_empty(), "no longer twins: {stale:?}");
}

/// The files in which each type name is defined, unit tests left out.
fn types() -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, text) in sources() {
        for defined in text.lines().filter_map(defined_type) {
            let files = found.entry(defined.to_owned()).or_default();
            files.push(name.clone());
        }
    }
    found
}

/// The name of the type that a line at the top level of a file defines.
fn defined_type(line: &str) -> Option<&str> {
    const VISIBILITIES: [&str; 3] = ["pub(crate) ", "pub(super) ", "pub "];
    let unqualified = VISIBILITIES
        .iter()
        .find_map(|visibility| line.strip_prefix(visibility))
        .unwrap_or(line);
    let rest = ["struct ", "enum ", "trait ", "type "]
        .iter()
        .find_map(|keyword| unqualified.strip_prefix(keyword))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    rest.get(..end)
}

// === files ===

#[test]
fn no_file_name_stands_more_than_twice() {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, _) in sources() {
        let name = path.rsplit('/').next().unwrap_or(&path);
        found.entry(name.to_owned()).or_default().push(path);
    }
    found.retain(|name, paths| !matches!(name.as_str(), "mod.rs" | "lib.rs") && paths.len() > 2);
    assert!(found.is_empty(), "files of one name: {found:#?}");
}

// === words ===

#[test]
fn replaced_words_do_not_come_back() {
    let mut found: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in sources() {
        let used: BTreeSet<String> = words(&path).chain(words(&text)).collect();
        for (word, _) in REPLACED.iter().filter(|(word, _)| used.contains(*word)) {
            found.entry(word).or_default().insert(path.clone());
        }
    }
    for (word, instead) in REPLACED {
        let files = found.get(word);
        assert!(files.is_none(), "`{word}` is back, say {instead}: {files:#?}");
    }
}

/// The words of a text in lower case, names in `snake_case` and `CamelCase` taken apart.
fn words(text: &str) -> impl Iterator<Item = String> {
    let names = text.split(|letter: char| !letter.is_alphanumeric());
    names.flat_map(|name| {
        let mut words = vec![String::new()];
        let mut after_small = false;
        for letter in name.chars() {
            if letter.is_uppercase() && after_small {
                words.push(String::new());
            }
            after_small = !letter.is_uppercase();
            words
                .last_mut()
                .expect("one at least")
                .extend(letter.to_lowercase());
        }
        words
    })
}

#[test]
fn names_are_taken_apart() {
    let text = "pub struct ReadFlights { url: Url, in_FLIGHT: HTTPLane }";
    let found: Vec<String> = words(text).filter(|word| word.len() > 3).collect();
    assert_eq!(found, ["struct", "read", "flights", "flight", "httplane"]);
}
