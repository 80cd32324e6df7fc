//! Tests the table of keys against the settings: one row per field, one field per row.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Debug, Write as _};
use std::sync::LazyLock;

use toml::de::DeTable;

use super::draft::Draft;
use super::key::{KeyRow, ValueKind};
use super::keys::{Keys, SECTIONS, Section};
use super::problem::ConfigProblems;
use super::quantity::{show_duration, show_size};
use super::read;
use calendar_edge_core::settings::Settings;

/// Fields that no key sets, each with its reason.
const WITHOUT_KEY: [(&str, &str); 15] = [
    (
        "admin_access.token",
        "it is read from the file of `admin.token_file`",
    ),
    (
        "backends.identity_key",
        "it is made from the file of `backends.NAME.identity_secret_file`",
    ),
    ("backends.name", "it is the name of the table"),
    ("cors.public_reads", "the profile decides it"),
    (
        "fleet.identity",
        "it is read from the files of `fleet.certificate_file` and `fleet.key_file`",
    ),
    (
        "fleet.password",
        "it is read from the file of `fleet.password_file`",
    ),
    ("fleet.secret", "it is made from the file of `fleet.secret_file`"),
    (
        "fleet.sentinel_password",
        "it is read from the file of `fleet.sentinel_password_file`",
    ),
    ("fleet.trusted", "they are read from the file of `fleet.ca_file`"),
    (
        "origin.basic_auth",
        "it is read from the file of `origin.basic_auth_file`",
    ),
    (
        "origin.mark_key",
        "it is made from the file of `origin.secret_file`",
    ),
    ("origin.software", "the site is WordPress"),
    (
        "origin.trusted",
        "they are read from the file of `origin.ca_file`",
    ),
    (
        "traces.headers",
        "they are read from the file of `traces.headers_file`",
    ),
    ("webhooks.secret", "read from `webhooks.secret_file`"),
];

/// Fields that tests set and no key does, by the reason.
const FIXED: [(&str, &[&str]); 6] = [
    (
        "bounds of what the edge reads and holds at once: nobody had to raise one, and a wrong one opens the edge to floods",
        &[
            "http2.connection_window_bytes",
            "http2.frame_bytes",
            "http2.frames",
            "http2.header_list_bytes",
            "http2.local_error_resets",
            "http2.max_concurrent_streams",
            "http2.pending_resets",
            "http2.ping_interval",
            "http2.ping_timeout",
            "http2.send_buffer_bytes",
            "http2.stream_window_bytes",
            "limits.form_fields",
            "limits.header_bytes",
            "limits.header_list_bytes",
            "limits.headers",
            "limits.json_depth",
            "limits.min_body_rate",
            "limits.min_response_rate",
            "limits.query_pairs",
            "limits.request_buffer_total",
            "limits.response_buffer_bytes",
            "limits.response_buffer_total",
            "rate_limits.max_buckets",
            "timeouts.client_body_grace",
            "timeouts.client_write",
        ],
    ),
    (
        "parts of a longer time that has a key",
        &[
            "backends.connect_timeout",
            "backends.first_byte_timeout",
            "backends.identity_lifetime",
            "backends.max_pending",
            "timeouts.origin_connect",
            "timeouts.origin_first_byte",
            "timeouts.origin_queue",
        ],
    ),
    (
        "pace of work in the background",
        &[
            "breaker.probe_interval",
            "feed.longest_wait",
            "feed.readers",
            "feed.readers_per_address",
            "feed.records",
            "fleet.interval",
            "fleet.members",
            "origin.index_interval",
            "shadow.bytes",
            "shadow.double",
            "shadow.requests_per_second",
            "traces.batch",
            "traces.compression",
            "traces.interval",
            "traces.queue",
            "traces.timeout",
        ],
    ),
    (
        "how much evidence a verdict about a backend needs",
        &[
            "compare.arguments",
            "compare.calls",
            "compare.quiet",
            "compare.records",
            "cutover.step_calls",
        ],
    ),
    (
        "files below `state_dir`",
        &["cache.snapshot", "origin.index_file"],
    ),
    (
        "choices with one sane value",
        &["authorization_schemes", "cors.max_age"],
    ),
];

/// A row of the table with a value that is not the default.
struct Sample {
    section: &'static Section,
    name: &'static str,
    value: String,
}

/// Every row of the table with the field that it changes.
static ROWS: LazyLock<Vec<(Sample, String)>> = LazyLock::new(|| {
    let samples = samples();
    let changed = changed_fields(&samples);
    samples.into_iter().zip(changed).collect()
});

/// The value of every field of the settings, by its path: `limits.headers`.
type Fields = BTreeMap<String, Vec<String>>;

// === samples ===

fn samples() -> Vec<Sample> {
    SECTIONS.iter().flat_map(section_samples).collect()
}

fn section_samples(section: &'static Section) -> Vec<Sample> {
    match &section.keys {
        Keys::Once(rows) => rows.iter().map(|row| sample(section, row)).collect(),
        Keys::Root(rows) => rows.iter().map(|row| sample(section, row)).collect(),
        Keys::Operation(rows) => rows.iter().map(|row| sample(section, row)).collect(),
        Keys::Backend(rows) => rows.iter().map(|row| sample(section, row)).collect(),
        Keys::Ignore(rows) => rows.iter().map(|row| sample(section, row)).collect(),
        Keys::Shadow(rows) => rows.iter().map(|row| sample(section, row)).collect(),
        Keys::Cutover(rows) => rows.iter().map(|row| sample(section, row)).collect(),
        Keys::Surface(rows) => rows.iter().map(|row| sample(section, row)).collect(),
        Keys::Webhook(rows) => rows.iter().map(|row| sample(section, row)).collect(),
    }
}

fn sample<T>(section: &'static Section, row: &KeyRow<T>) -> Sample {
    let table = Sample {
        section,
        name: "",
        value: String::new(),
    };
    let default = fields(&file(&[&table]));
    let of = |value| Sample {
        section,
        name: row.name,
        value,
    };
    let mut candidates = values(&row.kind).into_iter().map(of);
    candidates
        .find(|candidate| fields(&file(&[candidate])) != default)
        .unwrap_or_else(|| panic!("`{}` of `{}` changes nothing", row.name, section.name))
}

/// Values of a kind, as a file writes them.
fn values<T>(kind: &ValueKind<T>) -> Vec<String> {
    let list = |texts: &[&str]| texts.iter().map(|text| format!("\"{text}\"")).collect::<Vec<_>>();
    match kind {
        ValueKind::Flag(_) | ValueKind::OptionalFlag(_) => vec!["true".to_owned(), "false".to_owned()],
        ValueKind::Count(range, _) => vec![range.end().to_string(), range.start().to_string()],
        ValueKind::Size(range, _) => [range.end(), range.start()]
            .map(|size| format!("\"{}\"", show_size(*size)))
            .to_vec(),
        ValueKind::Time(range, _) => [range.end(), range.start()]
            .map(|time| format!("\"{}\"", show_duration(*time)))
            .to_vec(),
        ValueKind::Rate(_) => vec!["\"60/1m\"".to_owned()],
        ValueKind::Choice(words, _) => list(words),
        ValueKind::Text(form, _) => list(form.examples),
        ValueKind::List(form, _) | ValueKind::OneOrList(form, _) => {
            vec![format!("[{}]", list(form.examples).join(", "))]
        }
    }
}

/// A file with these keys, in the order of the table.
fn file(samples: &[&Sample]) -> String {
    let mut text = String::new();
    let mut header = "";
    for sample in samples {
        let section = sample.section;
        if section.header != header {
            // The table of messages belongs to the root before it.
            if section.name == "roots.messages" && !text.contains("[[roots]]") {
                text.push_str("[[roots]]\n");
            }
            if section.name == "cutover.guard" && !text.contains("[[cutover]]") {
                text.push_str("[[cutover]]\n");
            }
            header = section.header;
            writeln!(text, "{header}").expect("a String takes everything");
        }
        if !sample.name.is_empty() {
            writeln!(text, "{} = {}", sample.name, sample.value).expect("a String takes everything");
        }
    }
    text
}

// === fields ===

/// The fields of the settings that a file describes.
fn fields(file: &str) -> Fields {
    let mut draft = Draft::new();
    let mut problems = ConfigProblems::default();
    let table = DeTable::parse(file).expect("a TOML file");
    read::document(table.get_ref(), &mut draft, &mut problems);
    assert!(problems.is_empty(), "{file}\n{}", problems.into_error(None));
    let Draft {
        settings,
        roots,
        backends,
        ignore,
        shadow,
        cutover,
        surface,
        webhooks,
    } = draft;
    let mut settings: Settings = settings.value;
    settings.backends = backends.into_iter().map(|backend| backend.value).collect();
    settings.compare.ignore = ignore.into_iter().map(|rule| rule.value).collect();
    settings.shadow = shadow.into_iter().map(|rule| rule.value).collect();
    settings.cutover = cutover.into_iter().map(|rule| rule.value).collect();
    settings.surface = surface.into_iter().map(|rule| rule.value).collect();
    settings.webhooks = webhooks.into_iter().map(|webhook| webhook.value).collect();
    if let Some(roots) = roots {
        settings.roots = roots.into_iter().map(|root| root.value).collect();
    }
    let operations = std::mem::take(&mut settings.operations);
    let mut fields = debug_fields("", &settings);
    fields.remove("operations");
    for operation in operations.values() {
        fields.extend(debug_fields("operations.", operation));
    }
    fields
}

/// The fields of a value, as its `Debug` form names them.
fn debug_fields(prefix: &str, value: &impl Debug) -> Fields {
    let mut all = Fields::new();
    let mut path: Vec<(usize, String)> = Vec::new();
    for line in format!("{value:#?}").lines() {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        path.retain(|(outer, _)| *outer < indent);
        let is_name = |name: &str| {
            name.bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        };
        let (name, held) = text.split_once(": ").unwrap_or(("", text));
        if !name.is_empty() && is_name(name) {
            path.push((indent, name.to_owned()));
        }
        if !path.is_empty() {
            let names: Vec<_> = path.iter().map(|(_, name)| name.as_str()).collect();
            let key = format!("{prefix}{}", names.join("."));
            all.entry(key).or_default().push(held.to_owned());
        }
    }
    let inner: BTreeSet<String> = all.keys().filter_map(|path| parent(path)).collect();
    all.retain(|path, _| !inner.contains(path));
    all
}

fn parent(path: &str) -> Option<String> {
    path.rsplit_once('.').map(|(parent, _)| parent.to_owned())
}

/// The part that all paths begin with: `origin.url` for `origin.url.host` and `origin.url.path`.
fn common(paths: &[&String]) -> String {
    let Some((first, rest)) = paths.split_first() else {
        return String::new();
    };
    let mut common = (*first).clone();
    while !common.is_empty() && !rest.iter().all(|path| is_within(path, &common)) {
        common = parent(&common).unwrap_or_default();
    }
    common
}

fn is_within(path: &str, field: &str) -> bool {
    path.strip_prefix(field)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The field that each row changes, while all other rows hold their samples.
fn changed_fields(samples: &[Sample]) -> Vec<String> {
    let all: Vec<&Sample> = samples.iter().collect();
    let full = fields(&file(&all));
    let changed = |index: usize| {
        let mut without = all.clone();
        without.remove(index);
        let without = fields(&file(&without));
        let differing = |path: &&String| full.get(*path) != without.get(*path);
        common(&full.keys().filter(differing).collect::<Vec<_>>())
    };
    (0..all.len()).map(changed).collect()
}

// === tests ===

#[test]
fn every_row_sets_its_field_and_no_other() {
    for (sample, field) in ROWS.iter() {
        let (section, name) = (sample.section.name, sample.name);
        if section == "roots.messages" {
            assert_eq!(field, "roots.words", "`{name}`");
            continue;
        }
        let (table, last) = field.rsplit_once('.').unwrap_or(("", field));
        let unit = name.strip_prefix(last);
        let is_named = table.starts_with(section) && matches!(unit, Some("" | "_per_second"));
        assert!(is_named, "`{section}.{name}` sets {field}");
    }
}

#[test]
fn no_field_is_set_by_two_rows() {
    let mut fields: Vec<&String> = ROWS.iter().map(|(_, field)| field).collect();
    fields.retain(|field| *field != "roots.words");
    let distinct: BTreeSet<_> = fields.iter().collect();
    assert_eq!(distinct.len(), fields.len());
}

#[test]
fn every_field_has_a_row() {
    let samples: Vec<&Sample> = ROWS.iter().map(|(sample, _)| sample).collect();
    let all = fields(&file(&samples));
    let is_set = |path: &&String| ROWS.iter().any(|(_, field)| is_within(path, field));
    let unset: Vec<&String> = all.keys().filter(|path| !is_set(path)).collect();
    let fixed = FIXED.iter().flat_map(|(_, fields)| fields.iter().copied());
    let mut expected: Vec<&str> = WITHOUT_KEY
        .map(|(field, _)| field)
        .into_iter()
        .chain(fixed)
        .collect();
    expected.sort_unstable();
    assert_eq!(unset, expected);
}

#[test]
fn every_row_shows_a_default() {
    let reference = super::reference();
    assert!(!reference.contains("| `` |"), "{reference}");
}
