//! One name, one type: a word that means two things costs every reader a second look.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::support::files_below;

/// Type names that stand in several files, each with the reason.
const ALLOWED: &[(&str, &str)] = &[];

/// Where the sources of each package are.
const SOURCES: [&str; 2] = ["src", "core/src"];

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
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = SOURCES.iter().flat_map(|source| files_below(source));
    for path in files.filter(|path| path.extension().is_some_and(|extension| extension == "rs")) {
        let text = fs::read_to_string(&path).expect("a text file");
        let name = path.strip_prefix(root).expect("below the root");
        for defined in text.lines().filter_map(defined_type) {
            let files = found.entry(defined.to_owned()).or_default();
            files.push(name.to_string_lossy().into_owned());
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
