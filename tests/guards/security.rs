//! Checks that `rules.tsv` has a row for each part of the configuration, and that each row has tests that exist.

use std::collections::BTreeSet;
use std::path::Path;

use crate::repository::read;

const RULES: &str = "tests/guards/rules.tsv";

/// Each table of the configuration, with a rule that holds what it opens or closes. None: nothing passes or ends by it.
const TABLES: [(&str, Option<&str>); 22] = [
    ("origin", Some("T-69")),
    ("roots", Some("T-25")),
    ("operations", Some("T-96")),
    ("backends", Some("identities")),
    ("compare", None),
    ("shadow", Some("cut-over")),
    ("cutover", Some("cut-over")),
    ("admin", Some("admin access")),
    ("tls", Some("TLS")),
    ("limits", Some("T-77")),
    ("timeouts", Some("T-74")),
    ("rate_limits", Some("T-75")),
    ("cache", Some("cache")),
    ("feed", Some("feed")),
    ("fleet", Some("fleet")),
    ("cors", Some("T-22")),
    ("compression", Some("compression")),
    ("forms", Some("calendars")),
    ("calendar_pages", Some("facts")),
    ("surface", Some("surface")),
    ("surface_default", Some("surface")),
    ("log", Some("T-50")),
];

/// The rows of the table: rules, meaning, tests.
fn rows(table: &str) -> Vec<[&str; 3]> {
    let rows = table.lines().skip(1);
    rows.map(|row| {
        let cells: Vec<&str> = row.split('\t').collect();
        let [rules, meaning, tests] = cells[..] else {
            panic!("not three columns: {row}");
        };
        assert!(!meaning.is_empty() && !tests.is_empty(), "{row}");
        [rules, meaning, tests]
    })
    .collect()
}

#[test]
fn every_table_of_the_configuration_has_a_row() {
    let (table, configuration) = (read(RULES), read("docs/reference/configuration.md"));
    let rules: BTreeSet<&str> = rows(&table)
        .iter()
        .flat_map(|[rules, ..]| rules.split(", "))
        .collect();
    let headings = configuration.lines().filter_map(|line| line.strip_prefix("## `"));
    let tables: BTreeSet<&str> = headings
        .filter_map(|heading| heading.trim_start_matches('[').split(['.', ']']).next())
        .collect();
    let known: BTreeSet<&str> = TABLES.iter().map(|(table, _)| *table).collect();
    assert_eq!(
        tables, known,
        "the tables of the configuration and those that {RULES} holds"
    );
    for (table, rule) in TABLES {
        let has_row = rule.is_none_or(|rule| rules.contains(rule));
        assert!(has_row, "[{table}] has no row {rule:?} in {RULES}");
    }
}

#[test]
fn every_rule_names_tests_that_exist() {
    let table = read(RULES);
    let rows = rows(&table);
    assert!(rows.len() > 100, "{}", rows.len());
    let named: Vec<(&str, &str)> = rows
        .iter()
        .flat_map(|[_, _, tests]| tests.split('`'))
        .filter_map(|code| code.split_once("::"))
        .collect();
    assert!(named.len() > 150, "{named:?}");
    for (file, test) in named {
        let folder = if ["src/", "crates/", "tests/"]
            .iter()
            .any(|folder| file.starts_with(folder))
        {
            ""
        } else {
            "tests/edge"
        };
        let code = read(Path::new(folder).join(file));
        assert!(code.contains(&format!("fn {test}(")), "{file} has no test {test}");
    }
}
