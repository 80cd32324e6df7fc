//! The catalogue of the edge's own errors is the only source of codes, and the documents list every one.

use std::collections::BTreeSet;

use calendar_edge_core::errors;
use guards::repository::{read, texts};
use serde_json::json;

use crate::openapi::document;
use crate::support::json_schema::validator;

/// The files that define the codes: those that the judge finds, and those of the proxy.
const CATALOGUES: [&str; 2] = [
    "crates/judge/src/problem/own.rs",
    "crates/core/src/errors/edge.rs",
];

fn codes() -> BTreeSet<&'static str> {
    errors::ALL.iter().map(|error| error.code).collect()
}

/// The sources of the shell and the core.
fn sources() -> Vec<(String, String)> {
    let mut found = texts("src", "rs");
    found.extend(texts("crates/core/src", "rs"));
    found.extend(texts("crates/judge/src", "rs"));
    found
}

/// The words in a pair of quotes that begin with `edge_` and are nothing but a name.
fn names(text: &str, quote: char) -> BTreeSet<&str> {
    let is_name = |word: &&str| {
        let rest = word.strip_prefix("edge_").unwrap_or_default();
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        !rest.is_empty() && rest.bytes().all(is_plain)
    };
    text.split(quote).filter(is_name).collect()
}

#[test]
fn each_code_is_spelt_once_in_the_catalogues() {
    let mut spelt: Vec<&str> = Vec::new();
    let sources = sources();
    for (file, text) in &sources {
        let found = names(text, '"').into_iter().filter(|name| codes().contains(name));
        let found: Vec<&str> = found.collect();
        assert!(
            found.is_empty() || CATALOGUES.contains(&file.as_str()),
            "{file}: {found:?}"
        );
        spelt.extend(found);
    }
    spelt.sort_unstable();
    assert_eq!(spelt, codes().into_iter().collect::<Vec<_>>());
}

/// The metrics of the generated reference, whose names begin like codes, as documents name them.
fn metrics() -> BTreeSet<String> {
    let rows = include_str!("../../docs/reference/metrics.md").lines();
    let named = rows.filter_map(|row| row.strip_prefix("| `")?.split('`').next());
    let named: Vec<&str> = named.filter(|name| name.starts_with("edge_")).collect();
    assert!(named.len() > 30, "{named:?}");
    let series = named.iter().map(|name| format!("{name}_total"));
    named.iter().map(ToString::to_string).chain(series).collect()
}

#[test]
fn documents_name_only_codes_that_exist() {
    let metrics = metrics();
    let top = ["README.md", "SECURITY.md", "ARCHITECTURE.md", "CHANGELOG.md"];
    let top = top.map(|name| (name.to_owned(), read(name)));
    for (file, text) in texts("docs", "md").into_iter().chain(sources()).chain(top) {
        let unknown = names(&text, '`').into_iter();
        let unknown: Vec<&str> = unknown
            .filter(|name| !codes().contains(name) && !metrics.contains(*name))
            .collect();
        assert_eq!(unknown, Vec::<&str>::new(), "{file}");
    }
}

// === the OpenAPI document ===

#[test]
fn openapi_lists_every_code() {
    let document = document();
    let listed = &document["components"]["schemas"]["EdgeErrorCode"];
    let expected: Vec<&str> = errors::ALL.iter().map(|error| error.code).collect();
    assert_eq!(listed["enum"], json!(expected));
    let told = listed["x-enum-descriptions"].as_array().expect("a list");
    assert_eq!(told.len(), expected.len());
}

#[test]
fn openapi_knows_no_other_code_of_the_edge() {
    let document = document();
    let error = validator(&document, &json!({"$ref": "#/components/schemas/Error"}));
    for (code, expected) in [
        ("edge_rate_limited", true),
        ("edge_made_up", false),
        ("rest_no_route", true),
        ("a_plugins_own", true),
    ] {
        let value = json!({"code": code, "message": "", "data": {"status": 400}});
        assert_eq!(error.is_valid(&value), expected, "{code}");
    }
}

/// Statuses that no operation of the document can get, or only for requests that HTTP libraries do not send.
const WITHOUT_RESPONSE: [u16; 3] = [405, 417, 501];

#[test]
fn openapi_has_an_example_for_every_code() {
    let document = document();
    let mut shown = BTreeSet::new();
    for (name, response) in document["components"]["responses"].as_object().expect("a map") {
        let content = &response["content"]["application/json"];
        let schema = validator(&document, &content["schema"]);
        for (code, example) in content["examples"].as_object().into_iter().flatten() {
            assert!(schema.is_valid(&example["value"]), "{name} {code}");
            assert_eq!(&example["value"]["code"], code, "{name}");
            shown.insert(code.clone());
        }
    }
    let expected = errors::ALL
        .iter()
        .filter(|error| !WITHOUT_RESPONSE.contains(&error.status.as_u16()))
        // Requests to remove responses are no operation of the calendar.
        .filter(|error| **error != errors::PURGE_REPLAYED)
        .map(|error| error.code.to_owned());
    assert_eq!(shown, expected.collect());
}
