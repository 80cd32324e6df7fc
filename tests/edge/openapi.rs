//! The OpenAPI document: valid, complete, fresh.
//!
//! `UPDATE_FIXTURES=1 cargo test --test edge openapi` writes the committed document anew.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use calendar_edge_core::describe::{OpenApiOptions, openapi};
use calendar_edge_judge::contract::{Action, DefaultValue, Operation, Place, table};
use serde_json::{Map, Value, json};

use crate::support::json_schema::{Compiled, validator};

/// The document without any settings.
pub(crate) fn document() -> Value {
    openapi(&OpenApiOptions::default())
}

fn snapshot() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/openapi/calendar-events-v1.json")
}

#[test]
fn the_committed_document_is_fresh() {
    let mut text = serde_json::to_string_pretty(&document()).expect("JSON");
    text.push('\n');
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        fs::write(snapshot(), &text).expect("the fixture can be written");
    }
    let committed = fs::read_to_string(snapshot()).expect("the fixture is there");
    assert!(
        committed == text,
        "stale; run UPDATE_FIXTURES=1 cargo test --test edge openapi and read the difference"
    );
}

#[test]
fn the_document_is_valid_openapi_3_1() {
    let schema: Value =
        serde_json::from_str(include_str!("../../fixtures/openapi/openapi-3.1.schema.json")).expect("JSON");
    assert_eq!(Compiled::new(schema).check(&document()), Ok(()));
}

#[test]
fn every_schema_is_a_valid_json_schema() {
    let document = document();
    for schema in document["components"]["schemas"]
        .as_object()
        .expect("a map")
        .values()
    {
        validator(&document, schema);
    }
}

#[test]
fn every_reference_points_at_something_and_every_component_is_used() {
    let document = document();
    let mut used = BTreeSet::new();
    references(&document, &mut used);
    let mut defined = BTreeSet::new();
    for (group, members) in document["components"].as_object().expect("a map") {
        let names = members.as_object().expect("a map").keys();
        defined.extend(names.map(|name| format!("#/components/{group}/{name}")));
    }
    assert!(used.is_subset(&defined), "{:?}", used.difference(&defined));
    let unused: Vec<&String> = defined
        .difference(&used)
        .filter(|name| !name.contains("/securitySchemes/"))
        .collect();
    // Documented for readers; they change the form of the response.
    assert_eq!(
        unused,
        [
            "#/components/parameters/envelope",
            "#/components/parameters/fields"
        ]
    );
}

fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(target)) = members.get("$ref") {
                found.insert(target.clone());
            }
            members.values().for_each(|member| references(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Every operation of the table with its object under each of its methods.
pub(crate) fn operations(document: &Value) -> Vec<(&'static Operation, &'static str, &Value)> {
    let mut all = Vec::new();
    for operation in table().operations() {
        let template = operation.id.route.template();
        let path = if template.is_empty() {
            "/".to_owned()
        } else {
            template
        };
        for method in operation.id.action.methods() {
            let key = method.as_str().to_lowercase();
            let object = &document["paths"][&path][&key];
            assert!(object.is_object(), "{method} {path}");
            all.push((operation, method.as_str(), object));
        }
    }
    all
}

#[test]
fn the_document_has_the_operations_of_the_table_and_no_other() {
    let document = document();
    assert_eq!(operations(&document).len(), 52);
    let paths = document["paths"].as_object().expect("a map");
    let methods: usize = paths
        .values()
        .map(|item| item.as_object().map_or(0, Map::len))
        .sum();
    // Beside the operations, every route describes itself.
    assert!(paths.values().all(|item| item["options"].is_object()));
    assert_eq!((paths.len(), methods), (15, 52 + 15));
}

#[test]
fn operation_ids_are_unique() {
    let document = document();
    let ids: BTreeSet<&str> = operations(&document)
        .iter()
        .filter_map(|(_, _, object)| object["operationId"].as_str())
        .collect();
    assert_eq!(ids.len(), 52);
}

#[test]
fn every_argument_stands_where_a_client_puts_it() {
    let document = document();
    for (operation, method, object) in operations(&document) {
        let parameters = object["parameters"].as_array().expect("a list");
        let body = body_schema(&document, object);
        for argument in &operation.arguments {
            let place = operation.place(argument);
            let in_body = body.is_some_and(|schema| schema["properties"].get(argument.name).is_some());
            let listed = parameters
                .iter()
                .filter(|parameter| parameter["name"] == argument.name && parameter["in"] == place.name());
            let expected = usize::from(place != Place::Body);
            assert_eq!(
                listed.count(),
                expected,
                "{method} {} {}",
                operation.name,
                argument.name
            );
            assert_eq!(
                in_body,
                place == Place::Body,
                "{method} {} {}",
                operation.name,
                argument.name
            );
        }
    }
}

#[test]
fn required_fields_of_bodies_are_those_of_the_table() {
    let document = document();
    for (operation, _, object) in operations(&document) {
        let Some(schema) = body_schema(&document, object) else {
            continue;
        };
        let required: Vec<&str> = operation
            .arguments
            .iter()
            .filter(|argument| argument.is_required && operation.place(argument) == Place::Body)
            .map(|argument| argument.name)
            .collect();
        assert_eq!(
            schema.get("required").cloned().unwrap_or(json!([])),
            json!(required),
            "{}",
            operation.name
        );
    }
}

fn body_schema<'a>(document: &'a Value, object: &Value) -> Option<&'a Value> {
    let target = object["requestBody"]["content"]["application/json"]["schema"]["$ref"].as_str()?;
    document.pointer(target.strip_prefix('#').expect("a reference into the document"))
}

#[test]
fn defaults_of_queries_are_those_of_the_table() {
    let document = document();
    for (operation, _, object) in operations(&document) {
        for argument in &operation.arguments {
            let parameters = object["parameters"].as_array().expect("a list");
            let Some(parameter) = parameters
                .iter()
                .find(|parameter| parameter["name"] == argument.name)
            else {
                continue;
            };
            let documented = parameter["schema"].get("default");
            let expected = match argument.default {
                DefaultValue::None | DefaultValue::Null | DefaultValue::Generated => None,
                DefaultValue::Bool(value) if argument.name == "strict_dates" => {
                    Some(json!(value.to_string()))
                }
                DefaultValue::Bool(value) => Some(json!(value)),
                DefaultValue::Int(value) => Some(json!(value)),
                DefaultValue::Text(value) => Some(json!(value)),
            };
            assert_eq!(
                documented,
                expected.as_ref(),
                "{} {}",
                operation.name,
                argument.name
            );
        }
    }
}

#[test]
fn defaults_and_examples_keep_their_own_schema() {
    let document = document();
    let mut checked = 0;
    check_samples(&document, &document, &mut checked);
    assert!(checked > 50, "{checked}");
}

fn check_samples(document: &Value, value: &Value, checked: &mut usize) {
    match value {
        Value::Object(members) => {
            // A property may be called `default`; a schema with one has other keywords beside it.
            let samples = members.get("examples").and_then(Value::as_array);
            let default = members
                .get("default")
                .filter(|default| !default.is_object() || members.get("type").is_some_and(Value::is_string));
            for sample in samples.into_iter().flatten().chain(default) {
                let schema = Value::Object(members.clone());
                assert!(
                    validator(document, &schema).is_valid(sample),
                    "{sample} in {schema}"
                );
                *checked += 1;
            }
            // An example contains no schema.
            let schemas = members.iter().filter(|(name, _)| *name != "examples");
            schemas.for_each(|(_, member)| check_samples(document, member, checked));
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| check_samples(document, item, checked)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn creates_answer_201_and_everything_else_200() {
    let document = document();
    for (operation, method, object) in operations(&document) {
        let successes: Vec<&str> = object["responses"]
            .as_object()
            .expect("a map")
            .keys()
            .map(String::as_str)
            .filter(|status| status.starts_with('2'))
            .collect();
        let expected = if operation.id.action == Action::Create {
            "201"
        } else {
            "200"
        };
        assert_eq!(successes, [expected], "{method} {}", operation.name);
    }
}

#[test]
fn only_writes_demand_credentials() {
    let document = document();
    for (operation, _, object) in operations(&document) {
        let anonymous = object["security"]
            .as_array()
            .expect("a list")
            .contains(&json!({}));
        assert_eq!(anonymous, !operation.is_write(), "{}", operation.name);
    }
}

/// True if a component accepts a value.
fn takes(component: &str, value: &Value) -> bool {
    let document = document();
    let schema = json!({"$ref": format!("#/components/schemas/{component}")});
    validator(&document, &schema).is_valid(value)
}

fn draws_the_line(cases: &[(&str, Value, bool)]) {
    for (component, value, expected) in cases {
        assert_eq!(takes(component, value), *expected, "{component} {value}");
    }
}

/// The last integers, read from the schemas: the validator compares bounds as floating-point numbers.
#[test]
fn the_last_integers_are_the_backends() {
    let document = document();
    let bound = |component: &str| document["components"]["schemas"][component]["maximum"].as_i64();
    assert_eq!(bound("PositiveInteger"), Some(i64::MAX));
    assert_eq!(bound("RecordNumber"), Some(i64::MAX - 1));
}

#[test]
fn schemas_of_plain_values_draw_the_backends_lines() {
    draws_the_line(&[
        ("PositiveInteger", json!(1), true),
        ("PositiveInteger", json!(0), false),
        ("PositiveInteger", json!(-1), false),
        ("PositiveInteger", json!("x"), false),
        ("PositiveInteger", json!(i64::MAX), true),
        ("RecordNumber", json!(29), true),
        ("Identifier", json!("29"), true),
        ("Identifier", json!("29abc"), false),
        ("Flag", json!(true), true),
        ("Flag", json!("1"), true),
        ("Flag", json!("yes"), false),
        ("Flag", json!(2), false),
        ("Flag", Value::Null, false),
        ("Text", json!(" "), true),
        ("Text", json!(""), false),
        ("Text", json!("0"), false),
        ("Text", json!(7), false),
        ("Text", json!("00"), true),
        ("Text", json!("\n"), true),
        ("Name", json!(" "), false),
        ("Name", json!(" \t\n\r\u{0}\u{b}"), false),
        ("Name", json!("\u{c}"), true),
        ("Name", json!("0"), false),
        ("Name", json!("10"), true),
        ("Name", json!("0 "), false),
        ("TermName", json!("x".repeat(200)), true),
        ("TermName", json!("x".repeat(201)), false),
    ]);
}

#[test]
fn schemas_of_dates_records_and_addresses_draw_the_backends_lines() {
    draws_the_line(&[
        ("DateTime", json!("2027-02-30"), true),
        ("DateTime", json!("2027-04-02T19:00:00+02:00"), true),
        ("DateTime", json!("+1 week"), true),
        ("DateTime", json!("1822500000"), true),
        ("DateTime", json!("2027-13-45"), false),
        ("DateTime", json!("1970-01-01"), false),
        ("DateTime", json!(1_822_500_000), false),
        ("TermReference", json!("jazz"), true),
        ("TermReference", json!(2), true),
        ("TermReference", json!("2.5"), false),
        ("TermReference", json!("a,b"), false),
        ("VenueToAssign", json!(7), true),
        ("VenueToAssign", json!([7]), true),
        ("VenueToAssign", json!({"venue": "Grand Hall"}), true),
        ("VenueToAssign", json!({"city": "Berlin"}), false),
        ("VenueToAssign", json!([[7]]), false),
        ("VenueToAssign", json!(true), false),
        ("OrganizersToAssign", json!("15,16"), true),
        ("OrganizersToAssign", json!([15, {"organizer": "Acme"}]), true),
        ("OrganizersToAssign", json!(-15), false),
        ("TermsToAssign", json!([2, "jazz"]), true),
        ("TermsToAssign", json!([[2]]), false),
        ("TermsToAssign", json!([{"id": 2}]), false),
        ("PostStatus", json!("publish"), true),
        ("PostStatus", json!("PUBLISH"), false),
        ("PostStatus", json!("any"), false),
        ("StatusFilter", json!("publish,draft"), true),
        ("StatusFilter", json!("draft,any"), false),
        ("Url", json!("http://localhost"), true),
        ("Url", json!("javascript:alert(1)"), false),
        ("Url", json!("//host"), false),
        ("ImageReference", json!("5"), true),
        ("ImageReference", json!(5), false),
        ("TimeZone", json!("Europe/Berlin"), true),
        ("TimeZone", json!("Europe/Berlin "), false),
        ("Slug", json!("new-york-gala"), true),
        ("Slug", json!(".."), false),
        ("Slug", json!("0"), false),
    ]);
}
