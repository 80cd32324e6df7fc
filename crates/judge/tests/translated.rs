//! Requests that two versions of the plugin answered on the same data: each response becomes the other as far as it tells.

#![allow(clippy::indexing_slicing, reason = "a panic is how a test fails")]

use bytes::Bytes;
use calendar_edge_judge::contract::{PluginVersion, table};
use calendar_edge_judge::problem::Words;
use calendar_edge_judge::translation::Translation;
use http::StatusCode;
use serde_json::Value;

/// Status and body of a response to a call, as a wanted version gives it.
fn translated(wanted: &str, pair: &Value, version: &str) -> (u64, String) {
    let wanted = PluginVersion::chosen(wanted).expect("a version");
    let translation = Translation::new(wanted, Words::english());
    let operation = pair["operation"].as_str().and_then(|name| table().named(name));
    let operation = operation.expect("an operation");
    let status = pair[version]["status"].as_u64().expect("a status");
    let body = Bytes::copy_from_slice(pair[version]["body"].as_str().expect("a body").as_bytes());
    let is_enveloped = pair["target"].as_str().expect("a target").contains("_envelope");
    let code = u16::try_from(status)
        .ok()
        .and_then(|status| StatusCode::from_u16(status).ok());
    let (status, body) = match translation.refusal(
        operation,
        (code.expect("a status"), is_enveloped),
        &body,
        absent(pair),
    ) {
        Some(found) => (u64::from(found.status.as_u16()), found.body),
        None => (status, body),
    };
    let members = translation.members(operation);
    let body = members.fold(body, |body, (filter, _)| filter.whole(&body).unwrap_or(body));
    (status, String::from_utf8(body.to_vec()).expect("text"))
}

/// The number in the path, which no record can have.
fn absent(pair: &Value) -> Option<u64> {
    let target = pair["target"].as_str().expect("a target");
    target.ends_with("/0").then_some(0)
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
fn a_response_of_6_10_becomes_that_of_6_17_2_or_stays() {
    let mut became = Vec::new();
    for pair in pairs() {
        let (status, body) = translated("6.17.2", &pair, "6.10.0");
        let is_same = pair["6.10.0"]["body"] == body.as_str();
        let version = if is_same { "6.10.0" } else { "6.17.2" };
        assert_eq!(pair[version]["body"], body, "{}", pair["target"]);
        assert_eq!(pair[version]["status"], status, "{}", pair["target"]);
        if !is_same {
            let target = pair["target"]
                .as_str()
                .and_then(|target| target.rsplit('/').next());
            became.push((pair["operation"].clone(), target.expect("a name").to_owned()));
        }
    }
    let expected = [
        ("events.read", "0"),
        ("events.delete", "0"),
        ("events.by-slug.update", "nope"),
    ];
    assert_eq!(
        became,
        expected.map(|(name, target)| (name.into(), target.to_owned()))
    );
}

#[test]
fn a_response_of_the_wanted_version_stays_byte_for_byte() {
    for pair in pairs() {
        for version in ["6.10.0", "6.17.2"] {
            let (status, body) = translated(version, &pair, version);
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
