//! Rules of the judge depend on columns of the table, never on an argument's name.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use calendar_edge_judge::contract::{Action, Place, StrictRule, read_by_backend, table};

/// Names that a file may quote all the same, with the reason.
const EXCEPTIONS: [(&str, &str, &str); 1] = [(
    "forwardable.rs",
    "password",
    "a password in any query, declared or not, makes an answer personal",
)];

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries
        .map(|entry| entry.expect("an entry").path())
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .collect()
}

/// Every name that the table declares or knows to be obeyed.
fn names() -> BTreeSet<&'static str> {
    let operations = table().operations().iter();
    operations
        .flat_map(|operation| {
            let declared = operation.arguments.iter().map(|argument| argument.name);
            declared.chain(read_by_backend(operation.id).iter().copied())
        })
        .collect()
}

#[test]
fn no_rule_quotes_the_name_of_an_argument() {
    let mut quoted = BTreeSet::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/judge/src/call");
    for path in files(&folder) {
        let text = fs::read_to_string(&path).expect("a text file");
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        let code: String = code.collect::<Vec<_>>().join("\n");
        let file = path.file_name().expect("a name").to_string_lossy().into_owned();
        for name in names() {
            if code.contains(&format!("\"{name}\"")) {
                quoted.insert((file.clone(), name));
            }
        }
    }
    let expected: BTreeSet<(String, &str)> = EXCEPTIONS
        .iter()
        .map(|(file, name, _)| ((*file).to_owned(), *name))
        .collect();
    let unexpected: Vec<_> = quoted.difference(&expected).collect();
    assert!(unexpected.is_empty(), "{unexpected:?}");
}

#[test]
fn strict_forms_fit_the_place_of_an_argument() {
    for operation in table().operations() {
        for argument in &operation.arguments {
            let at_path = operation.place(argument) == Place::Path;
            let reads_loosely = argument.strict == StrictRule::ReadableDate;
            // Dates that are stored are absolute; only filters are read as PHP reads them.
            assert!(
                !reads_loosely || operation.id.action == Action::List,
                "{}",
                argument.name
            );
            let in_path = argument.strict == StrictRule::InPath;
            assert!(!in_path || at_path, "{} {}", operation.name, argument.name);
        }
    }
}
