//! The examples of the document are recorded responses.
//!
//! `UPDATE_FIXTURES=1 cargo test --test edge examples` writes them anew.

use std::collections::BTreeMap;

use calendar_edge_judge::contract::response::{ResponseModel, Shape, models};
use serde_json::{Map, Value};

use super::Exchange;
use super::answers::error_shape;
use super::conformity::Conformity as _;
use crate::openapi::document;

const FILE: &str = "fixtures/openapi/examples.json";

/// Passes on each object of a response that a model describes.
pub(super) fn walk(shape: Shape, value: &Value, tell: &mut impl FnMut(&'static ResponseModel, &Value)) {
    match (shape, value) {
        (Shape::Model(model), Value::Object(members)) => {
            tell(model, value);
            for member in model.members() {
                if let Some(value) = members.get(member.name) {
                    walk(member.shape, value, tell);
                }
            }
        }
        (Shape::List(entries), Value::Array(items)) => {
            for item in items {
                walk(*entries, item, tell);
            }
        }
        (Shape::Map(values), Value::Object(members)) => {
            members.values().for_each(|member| walk(*values, member, tell));
        }
        (Shape::Either(shapes), _) => {
            if let Some(shape) = shapes.iter().find(|shape| shape.takes(value)) {
                walk(*shape, value, tell);
            }
        }
        _ => {}
    }
}

/// The value with its lists and maps cut to one entry.
fn cut(shape: Shape, value: &Value) -> Value {
    match (shape, value) {
        (Shape::Model(model), Value::Object(members)) => {
            let known = |name: &str| model.members().find(|member| member.name == name);
            let members = members.iter().map(|(name, value)| {
                let shape = known(name).map_or(Shape::Any, |member| member.shape);
                (name.clone(), cut(shape, value))
            });
            Value::Object(members.collect())
        }
        (Shape::List(_) | Shape::Any, Value::Array(items)) => {
            let entries = inner(shape);
            items.iter().take(1).map(|item| cut(entries, item)).collect()
        }
        (Shape::Map(_) | Shape::Any, Value::Object(members)) => {
            let (first, values) = (members.iter().take(1), inner(shape));
            Value::Object(
                first
                    .map(|(name, value)| (name.clone(), cut(values, value)))
                    .collect(),
            )
        }
        (Shape::Either(shapes), _) => {
            let taken = shapes.iter().find(|shape| shape.takes(value));
            taken.map_or_else(|| value.clone(), |shape| cut(*shape, value))
        }
        _ => value.clone(),
    }
}

/// The shape of the entries of a list or a map.
const fn inner(shape: Shape) -> Shape {
    match shape {
        Shape::List(entries) | Shape::Map(entries) => *entries,
        _ => Shape::Any,
    }
}

/// The worth of an example: its members, and those that are not empty.
fn worth(value: &Value) -> (usize, usize) {
    let members = value.as_object().expect("an object");
    let is_empty = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Bool(true) | Value::Number(_) | Value::Object(_) => false,
    };
    (
        members.len(),
        members.values().filter(|value| !is_empty(value)).count(),
    )
}

/// The best recorded value of each model, cut.
fn examples() -> Value {
    let mut found: BTreeMap<&str, Value> = BTreeMap::new();
    for exchange in Exchange::all() {
        let shape = match exchange.status {
            200..300 => exchange.operation.id.success(),
            _ => error_shape(&exchange.body),
        };
        walk(shape, &exchange.body, &mut |model, value| {
            let is_better = found
                .get(model.name)
                .is_none_or(|known| worth(value) > worth(known));
            if is_better && Shape::Model(model).takes(value) {
                found.insert(model.name, value.clone());
            }
        });
    }
    let cut = models().into_iter().filter_map(|model| {
        let value = found.get(model.name)?;
        Some((model.name.to_owned(), cut(Shape::Model(model), value)))
    });
    Value::Object(cut.collect::<Map<_, _>>())
}

#[test]
fn the_examples_are_recorded_answers() {
    let mut text = serde_json::to_string_pretty(&examples()).expect("JSON");
    text.push('\n');
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        std::fs::write(FILE, &text).expect("the fixture can be written");
    }
    let committed = std::fs::read_to_string(FILE).expect("the fixture is there");
    assert!(
        committed == text,
        "stale; run UPDATE_FIXTURES=1 cargo test --test edge examples and read the difference"
    );
}

#[test]
fn every_model_has_an_example() {
    let document = document();
    for model in models() {
        let examples = document["components"]["schemas"][model.name]["examples"].as_array();
        let example = examples.and_then(|examples| examples.first());
        assert!(
            example.is_some_and(|one| Shape::Model(model).takes(one)),
            "{}",
            model.name
        );
    }
}
