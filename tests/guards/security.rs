//! Checks that the tests in the table of rules in SECURITY.md exist.

use std::path::Path;

use crate::repository::read;

#[test]
fn every_rule_names_tests_that_exist() {
    let document = read("SECURITY.md");
    let named: Vec<(&str, &str)> = document
        .lines()
        .filter(|line| line.starts_with("| "))
        .flat_map(|line| line.split('`'))
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
