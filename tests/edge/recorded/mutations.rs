//! Recorded responses, changed: the document refuses all that the models refuse, and neither lets a change pass.

use std::collections::{BTreeMap, HashMap};

use calendar_edge_judge::contract::response::{ResponseMember, ResponseModel, Shape, models};
use serde_json::{Value, json};

use super::conformity::Conformity as _;
use super::examples::walk;
use crate::openapi::document;
use crate::support::json_schema::{Compiled, schema_of};

/// Values of every type. A member has the shape of some, and a change to another is to be found.
fn others() -> [Value; 9] {
    [
        Value::Null,
        json!(true),
        json!(false),
        json!(-1),
        json!(2.5),
        json!("changed"),
        json!([]),
        json!([[7]]),
        json!({"changed": 7}),
    ]
}

/// One value of each model out of the recorded responses.
fn recorded_values() -> BTreeMap<&'static str, (&'static ResponseModel, Value)> {
    let mut found = BTreeMap::new();
    for answer in super::answers::answers() {
        walk(answer.shape, &answer.body, &mut |model, value| {
            if Shape::Model(model).takes(value) {
                found.entry(model.name).or_insert_with(|| (model, value.clone()));
            }
        });
    }
    found
}

/// Counts the verdicts of models and document on one change; they must not disagree.
fn agreed(
    validators: &mut HashMap<&'static str, Compiled>,
    model: &'static ResponseModel,
    changed: &Value,
) -> bool {
    let validator = validators
        .entry(model.name)
        .or_insert_with(|| schema_of(&document(), Shape::Model(model)));
    let taken = Shape::Model(model).takes(changed);
    assert_eq!(taken, validator.is_valid(changed), "{}: {changed}", model.name);
    taken
}

#[test]
fn a_missing_member_is_found_in_every_model() {
    let mut validators = HashMap::new();
    for (model, value) in recorded_values().into_values() {
        for member in model.members().filter(|member| value.get(member.name).is_some()) {
            let mut changed = value.clone();
            changed.as_object_mut().expect("an object").remove(member.name);
            let taken = agreed(&mut validators, model, &changed);
            assert_eq!(taken, !member.is_required, "{}.{}", model.name, member.name);
        }
    }
}

#[test]
fn a_value_of_another_type_is_found_in_every_member() {
    let mut validators = HashMap::new();
    let mut refused = 0;
    for (model, value) in recorded_values().into_values() {
        for member in model.members() {
            let found = others().into_iter().filter(|other| {
                let mut changed = value.clone();
                changed[member.name] = other.clone();
                !agreed(&mut validators, model, &changed)
            });
            let count = found.count();
            assert!(
                count >= least_refused(member),
                "{}.{}: {count}",
                model.name,
                member.name
            );
            refused += count;
        }
    }
    assert!(refused > 1000, "{refused}");
}

/// The least number of the other values that a member refuses.
fn least_refused(member: &ResponseMember) -> usize {
    match member.shape {
        Shape::Any => 0,
        Shape::Either(_) => 2,
        _ => 6,
    }
}

#[test]
fn every_model_was_recorded() {
    let found = recorded_values();
    let missing: Vec<&str> = models()
        .into_iter()
        .map(|model| model.name)
        .filter(|name| !found.contains_key(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
