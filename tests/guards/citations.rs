//! Checks that the citations of comments and documents exist: sections, rules, decisions, records, files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::repository;
use crate::repository::{read, root};

/// Folders that are searched for citations, beside the files in the root of the package.
const FOLDERS: [&str; 7] = [
    "src",
    "crates",
    "tests",
    "docs",
    "deploy",
    "fixtures/backend",
    "fixtures/strict",
];

/// Folders of generated files and of data.
const SKIPPED: [&str; 4] = [
    "tests/fuzz/artifacts",
    "tests/fuzz/corpus",
    "tests/fuzz/seeds",
    "tests/fuzz/target",
];

const KINDS: [&str; 6] = ["rs", "md", "py", "sh", "toml", "tsv"];

/// Beginnings of names in backquotes that are paths.
const TOP: [&str; 7] = [
    "src/",
    "crates/",
    "tests/",
    "docs/",
    "fixtures/",
    "deploy/",
    ".ci/",
];

/// Documents of the design that are not in the repository.
const FOREIGN: [&str; 5] = ["CONTRACT", "DESIGN", "THREATS", "HOUSE", "MIGRATION"];

// === the files ===

struct File {
    /// From the root of the package.
    name: PathBuf,
    text: String,
}

impl File {
    /// Every file that may contain citations, except this one, which contains the forbidden names.
    fn all() -> Vec<Self> {
        let mut found: Vec<PathBuf> = entries(Path::new(""))
            .into_iter()
            .filter(|path| root().join(path).is_file())
            .collect();
        let mut folders: Vec<PathBuf> = FOLDERS.iter().map(PathBuf::from).collect();
        while let Some(folder) = folders.pop() {
            for path in entries(&folder) {
                if !root().join(&path).is_dir() {
                    found.push(path);
                } else if !SKIPPED.iter().any(|skipped| path.starts_with(skipped)) {
                    folders.push(path);
                }
            }
        }
        let is_cited_from = |path: &PathBuf| {
            let kind = path.extension().and_then(|kind| kind.to_str());
            kind.is_some_and(|kind| KINDS.contains(&kind)) && !path.ends_with("citations.rs")
        };
        found.into_iter().filter(is_cited_from).map(Self::read).collect()
    }

    fn read(name: PathBuf) -> Self {
        let text = read(&name);
        Self { name, text }
    }

    /// The text with comments joined to one line, as citations are broken where a line ends.
    fn joined(&self) -> String {
        let plain = |line: &'_ str| {
            let line = line.trim_start();
            let line = line.trim_start_matches(['/', '#', '!']).trim();
            line.to_owned()
        };
        self.text.lines().map(plain).collect::<Vec<_>>().join(" ")
    }

    /// The texts in backquotes, line by line.
    fn quoted(&self) -> impl Iterator<Item = &str> {
        let lines = self.text.lines().filter(|line| !line.starts_with("```"));
        lines.flat_map(|line| line.split('`').skip(1).step_by(2))
    }
}

/// What is directly in a folder and not hidden.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let is_shown = |path: &PathBuf| {
        path.file_name()
            .is_some_and(|name| !name.to_string_lossy().starts_with('.'))
    };
    repository::entries(folder).into_iter().filter(is_shown).collect()
}

// === what is cited ===

/// Words, split at every character that cannot be part of a name.
fn words<'a>(text: &'a str, within: &'static [char]) -> impl Iterator<Item = &'a str> {
    text.split(move |character: char| !character.is_ascii_alphanumeric() && !within.contains(&character))
        .filter(|word| !word.is_empty())
}

/// Rules by their short names.
fn rules(text: &str) -> BTreeSet<&str> {
    let is_rule = |word: &&str| {
        word.strip_prefix("T-")
            .is_some_and(|number| number.len() == 2 && is_number(number))
    };
    words(text, &['-', '_']).filter(is_rule).collect()
}

/// Ids of recorded requests.
fn records(text: &str) -> BTreeSet<&str> {
    let is_record = |word: &&str| {
        let number = word.strip_prefix(['r', 'l', 'd']);
        number.is_some_and(|number| number.len() == 4 && is_number(number))
    };
    words(text, &['-', '_', '%']).filter(is_record).collect()
}

/// The numbers that follow a word: `decisions 0010 and 0011`, `backend.md sections 2, 4 and 6`.
fn numbers_after<'a>(text: &'a str, starts: &[&str]) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    for start in starts {
        for (at, _) in text.match_indices(start) {
            let rest = words(&text[at + start.len()..], &['.']);
            let cited = rest
                .map(|word| word.trim_end_matches('.'))
                .take_while(|word| is_number(word) || matches!(*word, "and" | "to"));
            found.extend(cited.filter(|word| is_number(word)));
        }
    }
    found
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Fails with the name of the file for each citation without a target.
fn check<'a>(file: &File, cited: impl IntoIterator<Item = &'a str>, exists: impl Fn(&str) -> bool) {
    for name in cited {
        assert!(exists(name), "{} cites {name}", file.name.display());
    }
}

// === the rules ===

#[test]
fn sections_of_the_backend_exist() {
    let document = read("docs/reference/backend.md");
    let headings = document.lines().filter_map(|line| line.strip_prefix("## "));
    let sections: Vec<&str> = headings
        .filter_map(|heading| Some(heading.split_once('.')?.0))
        .collect();
    assert_eq!(sections.first(), Some(&"1"));
    let mut cited = 0;
    for file in File::all() {
        let text = file.joined();
        let numbers = numbers_after(&text, &["backend.md section ", "backend.md sections "]);
        cited += numbers.len();
        check(&file, numbers, |number| sections.contains(&number));
    }
    assert!(cited > 50, "{cited}");
}

/// The tables of measured behaviour, which `backend.md` names one by one.
#[test]
fn tables_of_the_backend_are_whole_and_named() {
    let document = read("docs/reference/backend.md");
    let tables = entries(Path::new("fixtures/backend"));
    let tables = tables
        .iter()
        .filter(|path| path.extension().is_some_and(|kind| kind == "tsv"));
    let mut rows = 0;
    for path in tables {
        let name = path.display().to_string();
        assert!(
            document.contains(&format!("`{name}`")),
            "{name} is not in backend.md"
        );
        let text = read(path);
        let columns = |row: &str| row.split('\t').count();
        let heading = text.lines().nth(1).map(columns);
        for row in text.lines().skip(1) {
            assert_eq!(Some(columns(row)), heading, "{name}: {row}");
            rows += 1;
        }
    }
    assert!(rows > 100, "{rows}");
}

#[test]
fn rules_have_a_row_in_the_table() {
    let table = read("tests/guards/rules.tsv");
    let cells = table.lines().filter_map(|row| row.split('\t').next());
    let rows: BTreeSet<&str> = cells.flat_map(rules).collect();
    assert!(rows.len() > 50, "{rows:?}");
    for file in File::all() {
        check(&file, rules(&file.text), |rule| rows.contains(rule));
    }
}

/// The decisions of the list, each with the file that its link leads to: `[0032](0032-queue.md#0032)`.
fn listed_decisions(list: &str) -> BTreeMap<&str, &str> {
    let links = list.split("[0").skip(1);
    links
        .map(|link| {
            let (number, target) = link.split_once("](").expect("a link");
            let (file, anchor) = target.split_once('#').expect("an anchor");
            let (anchor, _) = anchor.split_once(')').expect("the end of a link");
            assert_eq!(anchor, format!("0{number}"), "{file}");
            (anchor, file)
        })
        .collect()
}

/// The numbers of the decisions in a record, at which links to them end.
fn anchors(record: &str) -> impl Iterator<Item = &str> {
    record
        .lines()
        .filter_map(|line| line.strip_prefix("<a id=\"")?.strip_suffix("\"></a>"))
}

#[test]
fn decisions_have_a_record_that_is_listed() {
    let folder = Path::new("docs/decisions");
    let list = read(folder.join("README.md"));
    let listed = listed_decisions(&list);
    let mut recorded = BTreeMap::new();
    let records: Vec<File> = entries(folder).into_iter().map(File::read).collect();
    for record in &records {
        let name = record.name.file_name().and_then(|name| name.to_str());
        let numbers = anchors(&record.text).map(|number| (number, name.expect("a name")));
        let before = recorded.len();
        recorded.extend(numbers);
        assert!(
            recorded.len() > before || name == Some("README.md"),
            "{name:?} has no decision"
        );
    }
    assert_eq!(listed, recorded, "the list and the records");
    for file in File::all() {
        let text = file.joined();
        let starts = ["decision ", "decisions ", "Decision ", "Decisions ", "decisions/"];
        let cited = numbers_after(&text, &starts);
        let cited = cited.into_iter().filter(|number| number.len() == 4);
        check(&file, cited, |number| listed.contains_key(number));
    }
}

#[test]
fn records_are_in_the_corpus() {
    let lines = ["corpus", "differential"]
        .map(|name| read(format!("fixtures/corpus/{name}.jsonl")))
        .concat();
    let ids: BTreeSet<&str> = lines
        .lines()
        .filter_map(|line| line.strip_prefix("{\"id\": \"")?.split('"').next())
        .collect();
    let mut cited = 0;
    for file in File::all() {
        let records = records(&file.text);
        cited += records.len();
        check(&file, records, |id| ids.contains(id));
    }
    assert!(cited > 300, "{cited}");
}

#[test]
fn paths_lead_to_files() {
    let is_path = |name: &&str| {
        let plain = |character: char| character.is_ascii_alphanumeric() || "_./-".contains(character);
        TOP.iter().any(|top| name.starts_with(top)) && name.chars().all(plain)
    };
    for file in File::all() {
        let paths = file.quoted().map(|name| name.split("::").next().unwrap_or(name));
        check(&file, paths.filter(is_path), |path| root().join(path).exists());
    }
}

#[test]
fn links_lead_to_files() {
    for file in File::all() {
        let is_document = file.name.extension().is_some_and(|kind| kind == "md");
        if !is_document {
            continue;
        }
        let links = file
            .text
            .match_indices("](")
            .filter_map(|(at, _)| file.text[at + 2..].split([')', '#']).next())
            .filter(|link| !link.is_empty() && !link.contains("://"));
        let folder = file.name.parent().unwrap_or(Path::new(""));
        check(&file, links, |link| root().join(folder).join(link).exists());
    }
}

#[test]
fn documents_are_in_the_repository() {
    let files = File::all();
    let documents: BTreeSet<&str> = files
        .iter()
        .filter_map(|file| file.name.file_name()?.to_str())
        .collect();
    for file in &files {
        let named = words(&file.text, &['.', '-', '_', '/'])
            .map(|word| word.trim_end_matches('.'))
            .map(|word| word.rsplit('/').next().unwrap_or(word))
            .filter(|name| {
                name.rsplit_once('.')
                    .is_some_and(|(stem, kind)| kind == "md" && !stem.is_empty())
            });
        check(file, named, |name| documents.contains(name));
        let foreign = words(&file.text, &['_', '-']).filter(|word| FOREIGN.contains(word));
        check(file, foreign, |_| false);
    }
}

// === the scanners themselves ===

#[test]
fn the_scanners_see_citations_and_nothing_else() {
    let text = "T-01, (T-25). UTF-16 T-1 T-123 r2929 r29290 xr2929 `l0003` %d0042";
    assert_eq!(rules(text), BTreeSet::from(["T-01", "T-25"]));
    assert_eq!(records(text), BTreeSet::from(["l0003", "r2929"]));
    let text = "see decisions 0010 and 0011, or backend.md sections 2, 4 to 6. 7 is another";
    assert_eq!(
        numbers_after(text, &["decisions "]),
        BTreeSet::from(["0010", "0011"])
    );
    let sections = numbers_after(text, &["backend.md sections "]);
    assert!(sections.is_superset(&BTreeSet::from(["2", "4", "6"])));
}
