//! Lists of one thing in several files have the same entries, where nothing but reading shows it.

use std::collections::BTreeSet;

use crate::named_in_docs::named_rows;
use crate::repository::{read, texts};

/// A preset is found by its row in the guide, and tried in the day of an editor.
#[test]
fn presets_are_in_guide_reference_and_the_day_of_an_editor() {
    let source = read("crates/core/src/surface/settings/surface_preset.rs");
    let rows = source.split("        name: \"").skip(1);
    let names: BTreeSet<&str> = rows.filter_map(|row| row.split('"').next()).collect();
    assert!(names.len() > 5, "{names:?}");
    let guide = read("docs/guides/surface.md");
    let table = guide
        .split("\n## Presets\n")
        .nth(1)
        .and_then(|text| text.split("\n## ").next());
    assert_eq!(
        named_rows(table.expect("a section")).collect::<BTreeSet<_>>(),
        names
    );
    let (reference, day) = (read("docs/reference/configuration.md"), read("tests/editor/run"));
    let routes = reference
        .lines()
        .find(|line| line.starts_with("- `routes` (list (preset or route)"));
    for name in names {
        assert!(
            routes.is_some_and(|line| line.contains(&format!("`{name}`"))),
            "{name} is not in the meaning of `routes`"
        );
        assert!(
            day.contains(&format!("    \"{name}\": ")),
            "{name} is not in tests/editor/run"
        );
    }
}

/// An error of the judge that the catalogue does not name is missing from reference, `OpenAPI` and `explain`.
#[test]
fn the_reference_has_each_error_of_the_judge() {
    let (source, reference) = (
        read("crates/judge/src/problem/own.rs"),
        read("docs/reference/errors.md"),
    );
    let rows = source.split("        code: \"").skip(1);
    let codes: Vec<&str> = rows.filter_map(|row| row.split('"').next()).collect();
    assert!(codes.len() > 15, "{codes:?}");
    for code in codes {
        assert!(
            reference.contains(&format!("\n## `{code}`\n")),
            "{code} is not in crates/core/src/errors/edge.rs"
        );
    }
}

/// A new version of the plugin has its views measured as well: at a version that is not known, no page is judged.
#[test]
fn the_newest_version_of_the_api_has_known_views() {
    let number = |path: &str, before: &str| -> u32 {
        let text = read(path);
        let rest = text.split(before).nth(1).expect(before);
        let digits = rest.split(|letter: char| !letter.is_ascii_digit()).next();
        digits.and_then(|digits| digits.parse().ok()).expect(before)
    };
    let newest = number(
        "crates/judge/src/contract/versions/plugin_version.rs",
        "NEWEST: Self = Self([6, ",
    );
    let measured = number(
        "crates/core/src/pages/page_judge.rs",
        "KNOWN_MINORS: std::ops::RangeInclusive<u32> = 10..=",
    );
    assert_eq!(newest, measured);
}

/// Files whose messages name the settings `timeouts.origin_read` and `timeouts.origin_write`.
const NAME_THE_TIMES: [&str; 4] = [
    "src/backend/failure.rs",
    "src/cli/survey/exchange_obstacle.rs",
    "src/config/read.rs",
    "src/config/removed.rs",
];

/// A timeout of one operation is decided in one place, so that deadlines and removals hold for it as well.
#[test]
fn the_times_of_exchanges_are_read_by_their_meaning() {
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let mut found = BTreeSet::new();
    for (path, text) in texts("src", "rs") {
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let is_read = |line: &str| line.contains(".origin_read") || line.contains(".origin_write");
        if !path.ends_with("_tests.rs") && code.lines().filter(is_code).any(is_read) {
            found.insert(path);
        }
    }
    assert_eq!(
        found,
        NAME_THE_TIMES.map(str::to_owned).into(),
        "use `Timeouts::of_call` or `longest_read`"
    );
}
