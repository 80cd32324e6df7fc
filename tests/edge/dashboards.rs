//! Alerts and the board of `deploy/` name metrics and labels that exist, and each alert has its place in the runbook.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

const METRICS: &str = include_str!("../../docs/reference/metrics.md");
const RULES: &str = include_str!("../../deploy/prometheus/rules.yml");
const RULE_TESTS: &str = include_str!("../../deploy/prometheus/rules.test.yml");
const BOARD: &str = include_str!("../../deploy/grafana/board.json");
const RUNBOOK: &str = include_str!("../../docs/guides/runbook.md");

/// The names of all series, as Prometheus stores them, with their labels.
fn series() -> BTreeMap<String, BTreeSet<String>> {
    let rows = METRICS.lines().filter_map(|line| line.strip_prefix("| `"));
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

fn expressions() -> Vec<String> {
    let board: Value = serde_json::from_str(BOARD).expect("JSON");
    let panels = board["panels"].as_array().expect("panels").iter();
    let targets = panels.filter_map(|panel| panel["targets"].as_array()).flatten();
    let mut texts: Vec<String> = targets
        .map(|target| target["expr"].as_str().expect("an expression").to_owned())
        .collect();
    assert!(texts.len() > 20);
    texts.extend([RULES.to_owned(), RULE_TESTS.to_owned()]);
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

#[test]
fn every_alert_is_tested_and_has_its_place_in_the_runbook() {
    let alerts: Vec<&str> = RULES
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- alert: "))
        .collect();
    assert!(alerts.len() > 10);
    for alert in &alerts {
        let link = format!("runbook: docs/guides/runbook.md#{}\n", alert.to_lowercase());
        assert!(RULES.contains(&link), "{alert}");
        assert!(RUNBOOK.contains(&format!("\n## {alert}\n")), "{alert}");
        // Once quiet, once not.
        let tests = RULE_TESTS.matches(&format!("alertname: {alert}\n")).count();
        assert!(tests > 0, "{alert} is never raised by a test");
        assert!(
            RULE_TESTS.contains(&format!("alertname: {alert}}}")),
            "{alert} is never quiet in a test"
        );
    }
    let headings = RUNBOOK
        .lines()
        .filter_map(|line| line.strip_prefix("## CalendarEdge"));
    assert_eq!(
        headings.count(),
        alerts.len(),
        "the runbook has what no alert raises"
    );
}
