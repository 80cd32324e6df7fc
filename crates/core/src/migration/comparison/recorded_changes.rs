//! Recorded responses, each changed at one place in a known way: that class at that path, and no other.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::tests::{between, found, operation};
use super::*;

/// Stands for a slash that is written with a backslash.
const ESCAPED_SLASH: &str = "\u{e000}";

/// Every complete recorded response that is a JSON object, each once.
static ANSWERS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/corpus/corpus.jsonl");
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
    way: Vec<WayStep>,
    path: String,
    class: DifferenceClass,
    /// The new value; none: the value is removed.
    to: Option<Value>,
}

#[derive(Debug, Clone, PartialEq)]
enum WayStep {
    Member(String),
    Item(usize),
}

// === changes ===

/// Every change of a value and of what is below it.
fn changes(value: &Value, way: &[WayStep], found: &mut Vec<Change>) {
    let mut add = |class, to: Option<Value>| {
        let (way, path) = (way.to_vec(), path(way));
        found.push(Change { way, path, class, to });
    };
    let name = match way.last() {
        Some(WayStep::Member(name)) => name.as_str(),
        _ => "",
    };
    // A record with another number is another record.
    if name == "id" {
        return;
    }
    for (class, to) in forms(value) {
        add(class, Some(to));
    }
    if matches!(way.last(), Some(WayStep::Member(_))) {
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
                changes(member, &[way, &[WayStep::Member(name.clone())]].concat(), found);
            }
        }
        Value::Array(items) if name != "methods" => {
            for (place, item) in items.iter().enumerate() {
                changes(item, &[way, &[WayStep::Item(place)]].concat(), found);
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
fn reversed(value: &Value, way: &[WayStep]) -> Option<DifferenceClass> {
    match value {
        Value::Object(members) if members.len() > 1 => Some(DifferenceClass::Order),
        Value::Array(items) if items.len() > 1 && items.iter().all(|item| item["id"].is_u64()) => {
            let is_terms =
                matches!(way.last(), Some(WayStep::Member(name)) if name == "categories" || name == "tags");
            // The list of a response has an order.
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

fn path(way: &[WayStep]) -> String {
    let mut path = String::new();
    for turn in way {
        match turn {
            WayStep::Item(_) => path += "[]",
            WayStep::Member(name) if path.is_empty() => path += name,
            WayStep::Member(name) => path = format!("{path}.{name}"),
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
            WayStep::Member(name) => &mut here[name.as_str()],
            WayStep::Item(place) => &mut here[*place],
        };
    }
    match (last, &change.to) {
        (WayStep::Member(name), Some(to)) => here[name.as_str()] = to.clone(),
        (WayStep::Item(place), Some(to)) => here[*place] = to.clone(),
        (WayStep::Member(name), None) => {
            here.as_object_mut().expect("an object").shift_remove(name);
        }
        (WayStep::Item(_), None) => unreachable!("items are not removed"),
    }
    changed
}

fn bytes(document: &Value) -> Vec<u8> {
    document.to_string().replace(ESCAPED_SLASH, "\\/").into_bytes()
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
        for (primary, other) in [(document, &changed), (&changed, document)] {
            let findings = between(operation("events.list"), &bytes(primary), &bytes(other));
            prop_assert_eq!(found(&findings), [(change.path.clone(), change.class)], "{:?}", change);
        }
    }
}
