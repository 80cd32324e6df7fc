//! Requests that two versions of the plugin answered on the same data: the younger response becomes the older one.

#![allow(clippy::indexing_slicing, reason = "a panic is how a test fails")]

use bytes::Bytes;
use calendar_edge_judge::contract::{Operation, PluginVersion, VersionChange, dated_differences, table};
use calendar_edge_judge::problem::Words;
use calendar_edge_judge::translation::Translation;
use http::StatusCode;
use serde_json::{Value, json};

/// Status and body of a response to a call, as a wanted version gives it.
fn translated(wanted: &str, pair: &Value, version: &str) -> (u64, String) {
    translated_to(PluginVersion::chosen(wanted).expect("a version"), pair, version)
}

fn translated_to(wanted: PluginVersion, pair: &Value, version: &str) -> (u64, String) {
    let translation = Translation::new(wanted, Words::english());
    let operation = pair["operation"].as_str().and_then(|name| table().named(name));
    let operation = operation.expect("an operation");
    let status = pair[version]["status"].as_u64().expect("a status");
    let body = Bytes::copy_from_slice(pair[version]["body"].as_str().expect("a body").as_bytes());
    let is_enveloped = pair["target"].as_str().expect("a target").contains("_envelope");
    let code = u16::try_from(status)
        .ok()
        .and_then(|status| StatusCode::from_u16(status).ok());
    let (status, body) = match translation.refusal(operation, (code.expect("a status"), is_enveloped), &body)
    {
        Some(found) => (u64::from(found.status.as_u16()), found.body),
        None => (status, body),
    };
    let members = translation.members(operation);
    let body = members.fold(body, |body, (filter, _)| filter.whole(&body).unwrap_or(body));
    (status, String::from_utf8(body.to_vec()).expect("text"))
}

fn pairs() -> Vec<Value> {
    let text = include_str!("../../../fixtures/versions/pairs.jsonl");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a pair"))
        .collect()
}

#[test]
fn a_response_of_6_17_2_becomes_that_of_6_10() {
    let mut differing = 0;
    for pair in pairs() {
        let (status, body) = translated("spec", &pair, "6.17.2");
        let expected = &pair["6.10.0"];
        assert_eq!(
            Some(body.as_str()),
            expected["body"].as_str(),
            "{}",
            pair["target"]
        );
        assert_eq!(Some(status), expected["status"].as_u64(), "{}", pair["target"]);
        differing += usize::from(pair["6.10.0"] != pair["6.17.2"]);
    }
    assert_eq!(differing, 23);
}

#[test]
fn a_response_of_the_wanted_version_or_an_older_one_stays_byte_for_byte() {
    for pair in pairs() {
        for (wanted, version) in [("6.10.0", "6.10.0"), ("6.17.2", "6.17.2"), ("6.17.2", "6.10.0")] {
            let (status, body) = translated(wanted, &pair, version);
            assert_eq!(
                Some(body.as_str()),
                pair[version]["body"].as_str(),
                "{}",
                pair["target"]
            );
            assert_eq!(
                Some(status),
                pair[version]["status"].as_u64(),
                "{}",
                pair["target"]
            );
        }
    }
}

/// The name of the operation that a request calls.
fn operation_of(request: &Value) -> String {
    let text = |name: &str| request[name].as_str().expect("a text");
    let (_, below) = text("target").split_once("/tribe/events/v1/").expect("a route");
    let path = below.split('?').next().expect("a path");
    let segments: Vec<&str> = path.split('/').collect();
    let action = match (text("method"), segments.len()) {
        ("GET", 1) => "list",
        ("GET", _) => "read",
        ("POST", 1) => "create",
        ("DELETE", _) => "delete",
        _ => "update",
    };
    let place = if segments.contains(&"by-slug") {
        ".by-slug"
    } else {
        ""
    };
    format!("{}{place}.{action}", segments[0])
}

/// Every recorded answer of a version, with the operation.
fn recorded() -> Vec<Value> {
    let texts = [
        include_str!("../../../fixtures/versions/recorded.jsonl"),
        include_str!("../../../fixtures/versions/answers.jsonl"),
    ];
    let lines = texts.iter().flat_map(|text| text.lines());
    let read = lines.map(|line| serde_json::from_str::<Value>(line).expect("a record"));
    let is_call = |record: &Value| {
        let target = record["target"].as_str().unwrap_or_default();
        // Of long answers the beginning was kept, which is no document.
        let answer = record["answer"].as_str().unwrap_or_default();
        serde_json::from_str::<Value>(answer).is_ok() && target.contains("/tribe/events/v1/")
    };
    read.filter(is_call).collect()
}

/// What a document says that versions before `wanted` do not.
fn younger_than(wanted: PluginVersion, operation: &Operation, document: &Value) -> Option<&'static str> {
    let is_list = |name: &str| {
        document[name]
            .as_array()
            .is_some_and(|records| !records.is_empty())
    };
    let rows = dated_differences().iter();
    let mut younger = rows.filter(|row| row.since > wanted && row.concerns(operation));
    let met = younger.find(|row| match row.change {
        VersionChange::Member(name) => document.to_string().contains(&format!("\"{name}\":")),
        VersionChange::Refusal { code, .. } => document["code"] == code,
        VersionChange::Several(name) => is_list(name),
        _ => false,
    })?;
    Some(met.name)
}

#[test]
fn no_recorded_answer_of_a_younger_version_is_seen_by_clients_of_an_older_one() {
    let (mut walked, mut changed) = (0, 0);
    for record in recorded() {
        let name = operation_of(&record);
        let operation = table().named(&name).expect(&name);
        let version = record["version"].as_str().expect("a version");
        let version = version.split(['+', ' ']).next().expect("a version");
        let had = PluginVersion::chosen(version).expect("a version");
        let answer = &record["answer"];
        let status = record["status"].as_u64().unwrap_or(200);
        for row in dated_differences().iter().filter(|row| row.since <= had) {
            // A version right before this row: the row before it, or the oldest.
            let older = dated_differences().iter().filter(|other| other.since < row.since);
            let wanted = older
                .map(|other| other.since)
                .max()
                .unwrap_or(PluginVersion::OLDEST);
            let pair = json!({"operation": name, "target": record["target"], version: {"status": status, "body": answer}});
            let (_, body) = translated_to(wanted, &pair, version);
            let document: Value = serde_json::from_str(&body).expect("a document");
            assert_eq!(
                younger_than(wanted, operation, &document),
                None,
                "{wanted} {}",
                record["target"]
            );
            walked += 1;
            changed += usize::from(answer != body.as_str());
        }
    }
    assert!(walked > 500 && changed > 20, "{walked} {changed}");
}
