//! Alerts and the board of `deploy/` name metrics and labels that exist, and each alert has its place in the runbook.

use std::collections::{BTreeMap, BTreeSet};

use crate::repository::read;

/// The names of all series, as Prometheus stores them, with their labels.
fn series() -> BTreeMap<String, BTreeSet<String>> {
    let metrics = read("docs/reference/metrics.md");
    let rows = metrics.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.flat_map(|row| {
        let cells: Vec<&str> = row.split(" | ").collect();
        let (name, kind) = (cells[0].trim_end_matches('`'), cells[1]);
        let labels: BTreeSet<String> = cells[2]
            .split("<br>")
            .filter_map(|label| Some(label.trim().strip_prefix('`')?.split('`').next()?.to_owned()))
            .collect();
        let suffixes: &[&str] = match kind {
            "counter" => &["_total"],
            "histogram" => &["_bucket", "_sum", "_count"],
            "info" => &["_info"],
            _ => &[""],
        };
        suffixes
            .iter()
            .map(move |suffix| (format!("{name}{suffix}"), labels.clone()))
    })
    .collect()
}

/// The words of a text, as names of metrics and labels are made.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
}

fn is_metric(word: &&str) -> bool {
    ["edge_", "process_"]
        .iter()
        .any(|prefix| word.starts_with(prefix))
}

/// The labels that selectors compare, with the metric before them.
fn selected(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('{') {
        let name = words(&text[..at]).last().unwrap_or_default();
        let labels = text[at + 1..].split('}').next().unwrap_or_default();
        if is_metric(&name) {
            for comparison in labels.split(',') {
                let label = comparison.split(['=', '!']).next().unwrap_or_default().trim();
                found.push((name.to_owned(), label.to_owned()));
            }
        }
    }
    found
}

/// The queries of the board, one a line, and the files of rules.
fn expressions() -> Vec<String> {
    let board = read("deploy/grafana/board.json");
    let members = board
        .lines()
        .filter_map(|line| line.trim().strip_prefix(r#""expr": ""#));
    let mut texts: Vec<String> = members
        .map(|member| member.trim_end_matches([',', '"']).replace("\\\"", "\""))
        .collect();
    assert!(texts.len() > 20);
    assert_eq!(texts.len(), board.matches("\"expr\"").count());
    texts.extend(["rules.yml", "rules.test.yml"].map(|name| read(format!("deploy/prometheus/{name}"))));
    texts
}

#[test]
fn every_metric_and_label_of_alerts_and_board_exists() {
    let series = series();
    for text in expressions() {
        let used: BTreeSet<&str> = words(&text).filter(is_metric).collect();
        assert!(!used.is_empty(), "{text}");
        for name in used {
            assert!(
                series.contains_key(name),
                "{name} is not in docs/reference/metrics.md: {text}"
            );
        }
        for (name, label) in selected(&text) {
            // Prometheus adds these two.
            let is_known = ["instance", "job"].contains(&label.as_str()) || series[&name].contains(&label);
            assert!(is_known, "{name} has no label {label}");
        }
    }
}

/// The concerns of the core: the name of each, and the alert that names it.
fn concerns() -> Vec<(String, Option<String>)> {
    let rows = read("crates/core/src/concerns/concern.rs");
    let rows = rows.lines().filter_map(|line| {
        let line = line.strip_prefix("    ")?.strip_suffix(';')?;
        let (row, rest) = line.split_once(" \"")?;
        let (name, rest) = rest.split_once("\": ")?;
        let alert = rest.rsplit_once("Some(\"").filter(|_| !rest.ends_with("None"));
        let alert = alert.map(|(_, alert)| alert.trim_end_matches("\")").to_owned());
        let is_row = row
            .chars()
            .all(|letter| letter.is_ascii_uppercase() || letter == '_');
        is_row.then(|| (name.to_owned(), alert))
    });
    rows.collect()
}

#[test]
fn each_concern_has_the_alert_that_its_row_names() {
    let concerns = concerns();
    assert!(concerns.len() > 30, "{concerns:?}");
    let rules = read("deploy/prometheus/rules.yml");
    let mut alerted: BTreeMap<&str, String> = BTreeMap::new();
    for rule in rules.split("- alert: CalendarEdge").skip(1) {
        let alert = rule.lines().next().unwrap_or_default().to_owned();
        let names = rule.split("edge_concern{name=").nth(1);
        let names = names
            .and_then(|names| names.split('"').nth(1))
            .unwrap_or_default();
        for name in names.split('|').filter(|name| !name.is_empty()) {
            alerted.insert(name, alert.clone());
        }
    }
    for (name, alert) in &concerns {
        assert_eq!(alerted.remove(name.as_str()), *alert, "{name}");
    }
    assert!(alerted.is_empty(), "no concern has these names: {alerted:?}");
}

/// The anchors of a page: its headings as links spell them.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = page.lines().filter_map(|line| line.strip_prefix("## "));
    headings
        .map(|heading| heading.to_lowercase().replace(' ', "-"))
        .collect()
}

#[test]
fn every_alert_is_tested_and_has_its_place_in_the_runbook() {
    let rules = read("deploy/prometheus/rules.yml");
    let rule_tests = read("deploy/prometheus/rules.test.yml");
    let runbook = read("docs/guides/runbook.md");
    let alerts: Vec<&str> = rules
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- alert: "))
        .collect();
    assert!(alerts.len() > 10);
    for alert in &alerts {
        let rule = rules
            .split("- alert: ")
            .find(|rule| rule.starts_with(&format!("{alert}\n")));
        let url = rule.and_then(|rule| rule.split("runbook_url: ").nth(1)?.lines().next());
        let (page, anchor) = url.and_then(|url| url.split_once('#')).expect(alert);
        let page = page.strip_prefix("https://calendar-edge.invalid/").expect(alert);
        assert!(
            anchors(&read(page)).contains(anchor),
            "{alert}: {page} has no #{anchor}"
        );
        assert!(runbook.contains(&format!("\n## {alert}\n")), "{alert}");
        // Once quiet, once not.
        let tests = rule_tests.matches(&format!("alertname: {alert}\n")).count();
        assert!(tests > 0, "{alert} is never raised by a test");
        assert!(
            rule_tests.contains(&format!("alertname: {alert}}}")),
            "{alert} is never quiet in a test"
        );
    }
    let headings = runbook
        .lines()
        .filter_map(|line| line.strip_prefix("## CalendarEdge"));
    assert_eq!(
        headings.count(),
        alerts.len(),
        "the runbook has what no alert raises"
    );
}
