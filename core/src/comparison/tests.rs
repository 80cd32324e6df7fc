//! Recorded answers, each changed at one place in a known way: that class at that path, and no other.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use http::{HeaderMap, StatusCode};
use jiff::Timestamp;
use jiff::civil::date;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use crate::contract::{OperationId, table};
use crate::settings::{CompareSettings, IgnoreRule, OperationPattern};

/// Stands for a slash that is written with a backslash.
const ESCAPED_SLASH: &str = "\u{e000}";

/// Every complete recorded answer that is a JSON object, each once.
static ANSWERS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/corpus/corpus.jsonl");
    let text = std::fs::read_to_string(path).expect("the corpus is in the repository");
    let bodies: BTreeSet<String> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a record"))
        .filter_map(|record| record["response"]["body"].as_str().map(str::to_owned))
        .collect();
    let documents = bodies.iter().filter_map(|body| serde_json::from_str(body).ok());
    documents.filter(Value::is_object).collect()
});

/// A change with the class it must get.
#[derive(Debug, Clone, PartialEq)]
struct Change {
    /// The way to the value, with the numbers of items.
    way: Vec<Turn>,
    path: String,
    class: DifferenceClass,
    /// The new value; none: the value is removed.
    to: Option<Value>,
}

#[derive(Debug, Clone, PartialEq)]
enum Turn {
    Member(String),
    Item(usize),
}

// === changes ===

/// Every change of a value and of what is below it.
fn changes(value: &Value, way: &[Turn], found: &mut Vec<Change>) {
    let mut add = |class, to: Option<Value>| {
        let (way, path) = (way.to_vec(), path(way));
        found.push(Change { way, path, class, to });
    };
    let name = match way.last() {
        Some(Turn::Member(name)) => name.as_str(),
        _ => "",
    };
    // A record with another number is another record.
    if name == "id" {
        return;
    }
    for (class, to) in forms(value) {
        add(class, Some(to));
    }
    if matches!(way.last(), Some(Turn::Member(_))) {
        let class = match value {
            Value::Null | Value::Bool(false) => DifferenceClass::Representation,
            _ => DifferenceClass::Different,
        };
        add(class, None);
    }
    if let Some(class) = reversed(value, way) {
        add(class, Some(reverse(value)));
    }
    match value {
        Value::Object(members) => {
            for (name, member) in members.iter().filter(|(name, _)| is_plain(name)) {
                changes(member, &[way, &[Turn::Member(name.clone())]].concat(), found);
            }
        }
        Value::Array(items) if name != "methods" => {
            for (place, item) in items.iter().enumerate() {
                changes(item, &[way, &[Turn::Item(place)]].concat(), found);
            }
        }
        _ => {}
    }
}

/// Other values, and other forms of the same value.
fn forms(value: &Value) -> Vec<(DifferenceClass, Value)> {
    use DifferenceClass::{Different, Representation};
    match value {
        Value::Null => vec![(Representation, json!(false)), (Different, json!("x"))],
        Value::Bool(value) => {
            let mut forms = vec![(Different, json!(!value))];
            forms.extend((!value).then(|| (Representation, Value::Null)));
            forms
        }
        Value::Number(number) => vec![
            (Representation, json!(number.to_string())),
            (Different, json!(number.as_f64().unwrap_or(0.0) + 1.0)),
            (Different, json!(format!("{number}x"))),
        ],
        Value::String(text) => text_forms(text),
        Value::Array(items) if items.is_empty() => {
            vec![(Representation, json!({})), (Different, Value::Null)]
        }
        Value::Object(members) if members.is_empty() => vec![(Representation, json!([]))],
        Value::Array(_) | Value::Object(_) => vec![(Different, json!("x"))],
    }
}

fn text_forms(text: &str) -> Vec<(DifferenceClass, Value)> {
    use DifferenceClass::{Different, Representation};
    let mut forms = vec![(Different, json!(format!("{text}~")))];
    let mut same = |to: String| forms.push((Representation, json!(to)));
    if text.contains('/') {
        same(text.replacen('/', ESCAPED_SLASH, 1));
    }
    if let Some(letter) = text.chars().next().filter(char::is_ascii_alphabetic) {
        same(format!("&#{};{}", u32::from(letter), &text[1..]));
    }
    if let Some(rest) = text
        .strip_prefix("http://")
        .filter(|rest| !rest.contains([' ', '<']))
    {
        same(format!("https://{rest}"));
    }
    let is_time = text.len() == 19 && text.as_bytes()[10] == b' ' && text.starts_with("20");
    if is_time {
        same(text.replace(' ', "T"));
    }
    forms
}

/// The class of a reversed object or list, if it can be reversed.
fn reversed(value: &Value, way: &[Turn]) -> Option<DifferenceClass> {
    match value {
        Value::Object(members) if members.len() > 1 => Some(DifferenceClass::Order),
        Value::Array(items) if items.len() > 1 && items.iter().all(|item| item["id"].is_u64()) => {
            let is_terms =
                matches!(way.last(), Some(Turn::Member(name)) if name == "categories" || name == "tags");
            // The list of an answer has an order.
            Some(if is_terms && way.len() > 1 {
                DifferenceClass::Order
            } else {
                DifferenceClass::Different
            })
        }
        _ => None,
    }
}

fn reverse(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let turned: Vec<_> = members.clone().into_iter().rev().collect();
            Value::Object(Map::from_iter(turned))
        }
        Value::Array(items) => items.iter().rev().cloned().collect(),
        other => other.clone(),
    }
}

fn path(way: &[Turn]) -> String {
    let mut path = String::new();
    for turn in way {
        match turn {
            Turn::Item(_) => path += "[]",
            Turn::Member(name) if path.is_empty() => path += name,
            Turn::Member(name) => path += &format!(".{name}"),
        }
    }
    if path.is_empty() { ":body".to_owned() } else { path }
}

fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-/".contains(&byte))
}

fn apply(document: &Value, change: &Change) -> Value {
    let mut changed = document.clone();
    let mut here = &mut changed;
    let Some((last, before)) = change.way.split_last() else {
        return change.to.clone().expect("the document is not removed");
    };
    for turn in before {
        here = match turn {
            Turn::Member(name) => &mut here[name.as_str()],
            Turn::Item(place) => &mut here[*place],
        };
    }
    match (last, &change.to) {
        (Turn::Member(name), Some(to)) => here[name.as_str()] = to.clone(),
        (Turn::Item(place), Some(to)) => here[*place] = to.clone(),
        (Turn::Member(name), None) => {
            here.as_object_mut().expect("an object").shift_remove(name);
        }
        (Turn::Item(_), None) => unreachable!("items are not removed"),
    }
    changed
}

// === comparing ===

fn operation(name: &str) -> Option<OperationId> {
    table().named(name).map(|row| row.id)
}

fn bytes(document: &Value) -> Vec<u8> {
    document.to_string().replace(ESCAPED_SLASH, "\\/").into_bytes()
}

fn found(findings: &PathFindings) -> Vec<(String, DifferenceClass)> {
    findings
        .iter()
        .map(|finding| (finding.path, finding.class))
        .collect()
}

fn between(operation: Option<OperationId>, owner: &[u8], other: &[u8]) -> PathFindings {
    let headers = HeaderMap::new();
    let answer = |body| ComparedAnswer {
        status: StatusCode::OK,
        headers: &headers,
        body,
    };
    compare(operation, answer(owner), answer(other))
}

fn in_text(owner: &str, other: &str) -> Vec<(String, DifferenceClass)> {
    found(&between(
        operation("events.read"),
        owner.as_bytes(),
        other.as_bytes(),
    ))
}

/// Any JSON value.
pub(super) fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::vec((".{0,3}", inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

// === tests ===

#[test]
fn every_recorded_answer_is_identical_to_itself() {
    assert!(ANSWERS.len() > 500, "{}", ANSWERS.len());
    for answer in ANSWERS.iter() {
        let pretty = serde_json::to_vec_pretty(answer).unwrap();
        let findings = between(operation("events.list"), &bytes(answer), &pretty);
        assert!(findings.is_empty(), "{findings:?}");
        assert_eq!(findings.worst(), DifferenceClass::Identical);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn one_change_is_one_finding(answer: prop::sample::Index, change: prop::sample::Index) {
        let document = answer.get(&ANSWERS);
        let mut all = Vec::new();
        changes(document, &[], &mut all);
        let change = change.get(&all);
        let changed = apply(document, change);
        for (owner, other) in [(document, &changed), (&changed, document)] {
            let findings = between(operation("events.list"), &bytes(owner), &bytes(other));
            prop_assert_eq!(found(&findings), [(change.path.clone(), change.class)], "{:?}", change);
        }
    }

    #[test]
    fn any_two_documents_can_be_compared(one in json(), two in json()) {
        let findings = between(None, &bytes(&one), &bytes(&two));
        prop_assert_eq!(findings.is_empty(), one == two && bytes(&one) == bytes(&two), "{:?}", findings);
    }
}

/// One example of each form in `docs/comparison.md`: the same section, the same values.
#[test]
fn each_documented_form_has_its_class() {
    let text = include_str!("../../../docs/comparison.md");
    let rows = text.lines().filter(|line| line.starts_with("| `{"));
    let mut count = 0;
    for row in rows {
        let cells: Vec<&str> = row
            .split(" | ")
            .map(|cell| cell.trim_matches(['|', ' ', '`']))
            .collect();
        let [owner, other, class, path] = cells[..] else {
            panic!("four columns: {row}");
        };
        let class: DifferenceClass = class.parse().expect(row);
        let expected = if class == DifferenceClass::Identical {
            vec![]
        } else {
            vec![(path.to_owned(), class)]
        };
        assert_eq!(in_text(owner, other), expected, "{row}");
        count += 1;
    }
    assert!(count >= 20, "{count}");
}

#[test]
fn records_are_paired_by_number() {
    use DifferenceClass::Different;
    let list = |ids: &[u32]| {
        let events: Vec<_> = ids
            .iter()
            .map(|id| json!({"id": id, "title": format!("t{id}")}))
            .collect();
        json!({"events": events}).to_string()
    };
    let at = |path: &str| vec![(path.to_owned(), Different)];
    assert_eq!(in_text(&list(&[1, 2, 3]), &list(&[1, 3])), at("events[]"));
    assert_eq!(in_text(&list(&[1, 2]), &list(&[2, 1])), at("events"));
    let others = in_text(&list(&[1, 2]), &list(&[7, 8]));
    assert_eq!(others, [at("events[].id"), at("events[].title")].concat());
}

#[test]
fn a_status_says_everything() {
    let headers = HeaderMap::new();
    let answer = |status, body| ComparedAnswer {
        status,
        headers: &headers,
        body,
    };
    let findings = compare(
        None,
        answer(StatusCode::OK, b"{}".as_slice()),
        answer(StatusCode::NOT_FOUND, b"[1]"),
    );
    assert_eq!(
        found(&findings),
        [(":status".to_owned(), DifferenceClass::Different)]
    );
}

#[test]
fn headers_of_clients_are_compared() {
    use DifferenceClass::{Different, Order, Representation};
    let cases = [
        (
            "content-type",
            "application/json; charset=UTF-8",
            "application/json",
            Representation,
        ),
        (
            "content-type",
            "application/json",
            "application/ld+json",
            Different,
        ),
        ("content-type", "text/html; charset=utf-8", "text/html", Different),
        ("allow", "GET, POST", "POST, GET", Order),
        ("allow", "GET, POST", "GET,POST", Representation),
        ("allow", "GET, POST", "GET", Different),
        (
            "link",
            "</a,b>; rel=x, </c>; rel=y",
            "</c>; rel=y, </a,b>; rel=x",
            Order,
        ),
        (
            "location",
            "http://h.example/a",
            "https://h.example/a/",
            Representation,
        ),
        ("x-tec-total", "5", "6", Different),
    ];
    for (name, owner, other, class) in cases {
        let [one, two] = [owner, other].map(|value| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            headers.insert("date", value.parse().unwrap());
            headers
        });
        let answer = |headers| ComparedAnswer {
            status: StatusCode::OK,
            headers,
            body: b"",
        };
        let findings = compare(None, answer(&one), answer(&two));
        assert_eq!(
            found(&findings),
            [(format!(":header.{name}"), class)],
            "{owner} {other}"
        );
        let absent = HeaderMap::new();
        let findings = compare(None, answer(&one), answer(&absent));
        assert_eq!(findings.worst(), Different, "{name}");
    }
}

fn comparer(ignore: Vec<IgnoreRule>) -> Comparer {
    Comparer::new(&CompareSettings { ignore }, date(2027, 3, 1))
}

fn rule(operations: &str, path: &str, until: Option<jiff::civil::Date>) -> IgnoreRule {
    IgnoreRule {
        operations: vec![OperationPattern::parse(operations).unwrap()],
        path: path.to_owned(),
        reason: "the importer stamps it".to_owned(),
        until,
    }
}

fn judged(comparer: &Comparer, name: &str, owner: &str, other: &str) -> PathFindings {
    let headers = HeaderMap::new();
    let answer = |body: &'static str| ComparedAnswer {
        status: StatusCode::OK,
        headers: &headers,
        body: body.as_bytes(),
    };
    let (owner, other) = (owner.to_owned().leak(), other.to_owned().leak());
    comparer.compare(operation(name), answer(owner), answer(other))
}

#[test]
fn an_ignored_path_does_not_count() {
    let (owner, other) = (
        r#"{"events":[{"image":{"id":1},"imaged":1}]}"#,
        r#"{"events":[{"image":{"id":2},"imaged":2}]}"#,
    );
    let left = |rule| found(&judged(&comparer(vec![rule]), "events.list", owner, other)).len();
    assert_eq!(left(rule("events.*", "events[].image", None)), 1);
    assert_eq!(left(rule("venues.*", "events[].image", None)), 2);
    assert_eq!(left(rule("events.*", "image", None)), 2);
}

#[test]
fn an_ended_rule_counts_again_and_is_named() {
    for (until, is_ended) in [(date(2027, 3, 1), true), (date(2027, 3, 2), false)] {
        let comparer = comparer(vec![rule("events.*", "modified", Some(until))]);
        let findings = judged(
            &comparer,
            "events.read",
            r#"{"modified":"a"}"#,
            r#"{"modified":"b"}"#,
        );
        let ended = comparer.ended(operation("events.read"), &findings);
        assert_eq!(
            (findings.is_empty(), ended.len()),
            (!is_ended, usize::from(is_ended))
        );
        let mut report = ComparisonReport::default();
        report.note_ended(ended);
        let json = report.to_json(DifferenceClass::Representation);
        let named = json["ended_rules"][0]["until"] == until.to_string();
        assert_eq!(named, is_ended, "{json}");
    }
}

#[test]
fn noise_is_learnt_from_double_questions() {
    let mut comparer = comparer(vec![]);
    let headers = HeaderMap::new();
    let answer = |body: &'static [u8]| ComparedAnswer {
        status: StatusCode::OK,
        headers: &headers,
        body,
    };
    let read = operation("events.read");
    comparer.learn(
        read,
        answer(br#"{"nonce":"a","n":1}"#),
        answer(br#"{"nonce":"b","n":"1"}"#),
    );
    let findings = judged(
        &comparer,
        "events.read",
        r#"{"nonce":"c","n":1}"#,
        r#"{"nonce":"d","n":2}"#,
    );
    let expected = [
        ("n", DifferenceClass::Different),
        ("nonce", DifferenceClass::Volatile),
    ];
    assert_eq!(
        found(&findings),
        expected.map(|(path, class)| (path.to_owned(), class))
    );
    let elsewhere = judged(&comparer, "venues.read", r#"{"nonce":"c"}"#, r#"{"nonce":"d"}"#);
    assert_eq!(elsewhere.worst(), DifferenceClass::Different);
}

#[test]
fn the_report_has_its_fixed_form() {
    let now: Timestamp = "2026-11-22T03:00:00Z".parse().unwrap();
    let mut report = ComparisonReport::default();
    let findings = between(None, br#"{"cost":"5"}"#, br#"{"cost":"6"}"#);
    report.add(operation("events.read"), &findings, now);
    report.add(operation("venues.list"), &PathFindings::default(), now);
    assert_eq!(
        report.to_json(DifferenceClass::Representation),
        json!({"calls": 2, "operations": {
            "events.read": {"calls": 1, "verdict": "not_ready", "why": "different at 1 paths: cost", "paths": [{
                "path": "cost", "class": "different", "count": 1,
                "first": "2026-11-22T03:00:00Z", "last": "2026-11-22T03:00:00Z",
                "example": {"owner": "5", "other": "6"},
            }]},
            "venues.list": {"calls": 1, "verdict": "ready", "why": "1 calls without a difference", "paths": []},
        }})
    );
    assert_eq!(report.worst(), DifferenceClass::Different);
    let accepted = report.to_json(DifferenceClass::Different);
    assert_eq!(accepted["operations"]["events.read"]["verdict"], "ready");
}

#[test]
fn hostile_paths_meet_a_bound_and_hide_nothing() {
    let now: Timestamp = "2026-11-22T03:00:00Z".parse().unwrap();
    let mut report = ComparisonReport::default();
    for round in 0..20 {
        let members = |value: &str| -> String {
            let all: Vec<_> = (0..2_000)
                .map(|n| format!("\"{round}.{n:0150}\":{value}"))
                .collect();
            all.join(",")
        };
        let (owner, other) = (
            format!("{{{},\"zz\":1}}", members("1")),
            format!("{{{},\"zz\":2}}", members("\"1\"")),
        );
        let findings = between(None, owner.as_bytes(), other.as_bytes());
        assert!(findings.iter().count() <= 257);
        assert_eq!(findings.worst(), DifferenceClass::Different);
        report.add(operation("events.read"), &findings, now);
    }
    let json = report.to_json(DifferenceClass::Representation);
    let paths = json["operations"]["events.read"]["paths"].as_array().unwrap();
    assert!(paths.len() <= 206, "{}", paths.len());
    assert_eq!(
        (&paths[0]["path"], &paths[0]["class"]),
        (&json!(":more"), &json!("different"))
    );
    assert!(json.to_string().len() < 200_000);
}

#[test]
fn large_documents_are_compared_in_linear_time() {
    let list = |from: u32| {
        let all: Vec<_> = (from..from + 40_000)
            .map(|id| format!("{{\"id\":{id}}}"))
            .collect();
        format!("{{\"events\":[{}]}}", all.join(","))
    };
    let map = |value: u8| {
        let all: Vec<_> = (0..100_000).map(|n| format!("\"k{n}\":{value}")).collect();
        format!("{{{}}}", all.join(","))
    };
    assert_eq!(in_text(&list(0), &list(1)).len(), 1);
    assert_eq!(in_text(&map(1), &map(2)).len(), 257);
}
