//! Checks that SECURITY.md has a row for each part of the configuration, and that each row has tests that exist.

use std::collections::BTreeSet;
use std::path::Path;

use crate::repository::read;

/// Each table of the configuration, with a rule that holds what it opens or closes. None: nothing passes or ends by it.
const TABLES: [(&str, Option<&str>); 24] = [
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
    ("webhooks", Some("webhooks")),
    ("fleet", Some("fleet")),
    ("cors", Some("T-22")),
    ("compression", Some("compression")),
    ("forms", Some("calendars")),
    ("calendar_pages", Some("facts")),
    ("surface", Some("surface")),
    ("surface_default", Some("surface")),
    ("log", Some("T-50")),
    ("traces", Some("traces")),
];

/// The rules of the table: what stands in the first column, taken apart.
fn rules(document: &str) -> BTreeSet<&str> {
    let rows = document.lines().filter_map(|line| line.strip_prefix("| "));
    let cells = rows.filter_map(|row| row.split(" | ").next());
    cells.flat_map(|cell| cell.split(", ")).collect()
}

#[test]
fn every_table_of_the_configuration_has_a_row() {
    let (document, configuration) = (read("SECURITY.md"), read("docs/reference/configuration.md"));
    let rules = rules(&document);
    let headings = configuration.lines().filter_map(|line| line.strip_prefix("## `"));
    let tables: BTreeSet<&str> = headings
        .filter_map(|heading| heading.trim_start_matches('[').split(['.', ']']).next())
        .collect();
    let known: BTreeSet<&str> = TABLES.iter().map(|(table, _)| *table).collect();
    assert_eq!(
        tables, known,
        "the tables of the configuration and those that SECURITY.md holds"
    );
    for (table, rule) in TABLES {
        let has_row = rule.is_none_or(|rule| rules.contains(rule));
        assert!(has_row, "[{table}] has no row {rule:?} in SECURITY.md");
    }
}

#[test]
fn every_rule_names_tests_that_exist() {
    let (document, tests) = (read("SECURITY.md"), read("tests/guards/rules.tsv"));
    let rows = || tests.lines().skip(1).filter_map(|row| row.split_once('\t'));
    let (_, table) = document
        .split_once("| Rule | Summary |\n|---|---|\n")
        .expect("a table");
    let promised = table.lines().map_while(|line| line.strip_prefix("| "));
    let promised: Vec<&str> = promised.filter_map(|row| row.split(" | ").next()).collect();
    assert_eq!(promised, rows().map(|(rule, _)| rule).collect::<Vec<_>>());
    let named: Vec<(&str, &str)> = rows()
        .flat_map(|(_, tests)| tests.split('`'))
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
