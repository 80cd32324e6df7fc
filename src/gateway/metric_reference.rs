//! The reference of all metrics, as Markdown, written from the metrics of a fresh edge.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

use super::subjects::Subjects;
use crate::telemetry::{Metrics, TrafficKind, Warnings};
use calendar_edge_core::relay::BufferBudget;
use calendar_edge_core::settings::{MarkKey, Mode, Percentage, Profile, Rate, Settings};

const HEAD: &str = "\
# Metrics

For operators. This file is generated from the metrics of a fresh edge; a test compares the two.

The admin listener shows them at `/metrics` as OpenMetrics 1.0. No label holds text of a client. Every series exists with \
zero from the start, but for an unusual `status` of `edge_http_requests` and an unusual `action` of \
`edge_validation_findings`.

- `operation`: a name that `calendar-edge print openapi` has as `x-operation`, `site` for the rest of the site, or `none` for requests that lead to \
no operation
- `kind`: `list`, `read` or `write` for calls of the calendar, `site` for the rest of the site, `none` for other requests and those \
of the edge itself
- `source`: the sender of the response: `edge`, `cache` or `backend`; `client` for requests whose client left first, with status 499
- `backend`: the address of a site, or the name of a further backend
- `code`: a code of [errors.md](errors.md), or one of WordPress's own
- `class`: a class of [candidate.md](candidate.md#comparison)
- `name` of `edge_concern`: a row of `crates/core/src/concerns/concern.rs`

`edge_http_request_duration_seconds` ends with the last byte to the client. The parts in `edge_http_request_phase_seconds` end \
with the head of the response: `queue` is the wait for a permit, `backend` the time from the permit to the whole response or, \
where it is streamed, to its head, `edge` all the rest, with the time in which the client sends its body.

Metrics of a backend, rule, certificate or translation exist once the settings have one. A histogram `NAME` has the series \
`NAME_bucket`, `NAME_sum` and `NAME_count`, a counter the series `NAME_total`.
";

/// Labels with more values than a table should show.
const SUMMARISED: [&str; 9] = [
    "about",
    "name",
    "operation",
    "le",
    "root",
    "backend",
    "code",
    "class",
    "namespace",
];

/// The beginnings of metrics whose label `rule` is a name from the settings.
const OF_RULES: [&str; 2] = ["edge_cutover_", "edge_surface_"];

/// The site of the edge that is shown.
const SITE: &str = "https://wp.example.org";

/// A metric as a fresh edge shows it.
#[derive(Debug, Default)]
struct ShownMetric {
    kind: String,
    help: String,
    labels: BTreeMap<String, BTreeSet<String>>,
}

/// The Markdown text of `docs/reference/metrics.md`.
fn reference() -> String {
    let metrics = everything();
    let backend = metrics.backends().of(SITE);
    let permits = backend.permits(TrafficKind::Calls);
    let mut text = HEAD.to_owned();
    text.push_str("\n| Metric | Type | Labels | Meaning |\n|---|---|---|---|\n");
    for (name, metric) in read(&metrics.render()) {
        let labels: Vec<String> = metric
            .labels
            .iter()
            .map(|(label, values)| shown(&name, label, values))
            .collect();
        let kind = &metric.kind;
        let help = metric.help.trim_end_matches('.');
        let _ = writeln!(text, "| `{name}` | {kind} | {} | {help} |", labels.join("<br>"));
    }
    drop(permits);
    text
}

/// The metrics of an edge that uses everything that has metrics.
fn everything() -> Metrics {
    let metrics = Metrics::new();
    let mut settings = Settings::for_origin(SITE.parse().expect("a URL"));
    metrics.requests().expect(&settings);
    settings.mode = Mode::Report;
    settings.profile = Profile::Strict;
    settings.rate_limits.failed_logins = Some(Rate {
        requests: 1,
        period: Duration::from_mins(1),
    });
    metrics.requests().expect(&settings);
    metrics.certificate().show(0);
    settings.origin.mark_key = MarkKey::new(b"a secret of thirty-two characters").ok();
    settings.calendar_pages.mode = Mode::Report;
    settings.feed.enabled = true;
    let subjects = Subjects::new(&settings, &metrics, &BufferBudget::new(0), &Warnings::default());
    subjects.fleet.metrics.expect();
    subjects.surface.expect("rule");
    metrics.translations().expect();
    metrics.concerns().hold(&[], 0);
    subjects.fleet.metrics.permits(&SITE.into(), 1);
    drop(metrics.exchanges().of("next"));
    let one = ["events.list"].into_iter();
    subjects.migration.metrics().expect_copies("next", one);
    let rule = "rule".into();
    subjects.migration.metrics().expect_rule(&rule);
    subjects
        .migration
        .metrics()
        .share_is(&rule, Percentage::ALL, false);
    metrics
}

fn shown(metric: &str, label: &str, values: &BTreeSet<String>) -> String {
    let is_named_in_settings =
        label == "rule" && OF_RULES.iter().any(|of_rules| metric.starts_with(of_rules));
    if SUMMARISED.contains(&label) || is_named_in_settings {
        return format!("`{label}`");
    }
    let named = values.iter().filter(|value| !value.is_empty());
    let values: Vec<String> = named.map(|value| format!("`{value}`")).collect();
    format!("`{label}`: {}", values.join(", "))
}

/// Reads the text of a scrape: lines about metrics, then their series.
fn read(text: &str) -> BTreeMap<String, ShownMetric> {
    let mut found: BTreeMap<String, ShownMetric> = BTreeMap::new();
    let mut current = String::new();
    for line in text.lines() {
        if let Some((name, help)) = line.strip_prefix("# HELP ").and_then(|line| line.split_once(' ')) {
            name.clone_into(&mut current);
            help.clone_into(&mut found.entry(current.clone()).or_default().help);
        } else if let Some((name, kind)) = line.strip_prefix("# TYPE ").and_then(|line| line.split_once(' '))
        {
            kind.clone_into(&mut found.entry(name.to_owned()).or_default().kind);
        } else if !line.starts_with('#') {
            let labels = line.split_once('{').and_then(|(_, rest)| rest.rsplit_once('}'));
            for (label, value) in labels.into_iter().flat_map(|(labels, _)| pairs(labels)) {
                let values = found
                    .entry(current.clone())
                    .or_default()
                    .labels
                    .entry(label)
                    .or_default();
                values.insert(value);
            }
        }
    }
    found
}

/// The labels of a series; no value of a fresh edge holds a quote.
fn pairs(labels: &str) -> Vec<(String, String)> {
    let mut parts = labels.split('"');
    let mut found = Vec::new();
    while let (Some(name), Some(value)) = (parts.next(), parts.next()) {
        let name = name.trim_start_matches(',').trim_end_matches('=');
        found.push((name.to_owned(), value.to_owned()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_reference_is_fresh() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference/metrics.md");
        let fresh = reference();
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            std::fs::write(path, &fresh).unwrap();
        }
        let committed = std::fs::read_to_string(path).unwrap_or_default();
        assert_eq!(committed, fresh, "run it again with UPDATE_FIXTURES=1");
    }

    #[test]
    fn every_metric_has_a_series_from_the_start() {
        let metrics = everything();
        let backend = metrics.backends().of(SITE);
        let text = metrics.render();
        let mut names = text
            .lines()
            .filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next());
        assert!(names.clone().count() > 30);
        let silent: Vec<_> = names
            .by_ref()
            .filter(|name| !text.lines().any(|line| line.starts_with(name)))
            .collect();
        assert!(silent.is_empty(), "{silent:?} in\n{text}");
        drop(backend);
    }
}
