//! Random values that a schema of the document allows.

use proptest::prelude::*;
use proptest::strategy::Union;
use serde_json::{Map, Value, json};

use crate::support::json_schema::validator;

/// Values that a schema of the document allows.
pub(crate) fn values(document: &Value, schema: &Value) -> BoxedStrategy<Value> {
    let suggested = raw_values(document, schema);
    // The keywords that `raw_values` does not follow itself.
    let unfollowed = ["not", "minLength", "maxLength"];
    if !unfollowed.iter().any(|keyword| schema.get(keyword).is_some()) {
        return suggested;
    }
    let own = validator(document, schema);
    suggested
        .prop_filter("a combination of keywords", move |value| own.is_valid(value))
        .boxed()
}

/// Values that one keyword of a schema suggests; the others are left to the filter.
fn raw_values(document: &Value, schema: &Value) -> BoxedStrategy<Value> {
    if let Some(target) = schema["$ref"].as_str() {
        let target = document
            .pointer(target.trim_start_matches('#'))
            .expect("the reference resolves");
        return values(document, target);
    }
    if let Some(value) = schema.get("const") {
        return Just(value.clone()).boxed();
    }
    if let Some(choices) = schema["enum"].as_array() {
        return proptest::sample::select(choices.clone()).boxed();
    }
    if let (Some(forms), None) = (schema["anyOf"].as_array(), schema.get("pattern")) {
        let typed = |form: &Value| {
            let mut form = form.clone();
            if form.get("$ref").is_none() && form.get("type").is_none() && form.get("const").is_none() {
                form["type"] = schema.get("type").cloned().unwrap_or(Value::Null);
            }
            if form["type"].is_null() {
                form.as_object_mut().expect("a schema").remove("type");
            }
            form
        };
        return Union::new(forms.iter().map(|form| values(document, &typed(form)))).boxed();
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => vec!["null", "boolean", "integer", "string"],
    };
    Union::new(kinds.into_iter().map(|kind| of_kind(document, schema, kind))).boxed()
}

fn of_kind(document: &Value, schema: &Value, kind: &str) -> BoxedStrategy<Value> {
    match kind {
        "null" => Just(Value::Null).boxed(),
        "boolean" => any::<bool>().prop_map(Value::from).boxed(),
        "integer" => {
            let lowest = schema["minimum"].as_i64().unwrap_or(-1000);
            prop_oneof![lowest..=lowest + 100, lowest..=i64::MAX]
                .prop_map(Value::from)
                .boxed()
        }
        "number" => (-180.0_f64..180.0).prop_map(Value::from).boxed(),
        "string" => text(schema),
        "array" => {
            let lowest = usize::try_from(schema["minItems"].as_u64().unwrap_or(0)).expect("small");
            proptest::collection::vec(values(document, &schema["items"]), lowest..4)
                .prop_map(Value::from)
                .boxed()
        }
        "object" => object(document, schema),
        other => panic!("a type no argument has: {other}"),
    }
}

fn text(schema: &Value) -> BoxedStrategy<Value> {
    let pattern = match schema["pattern"].as_str() {
        Some(pattern) => match pattern.strip_prefix('^') {
            Some(whole) => whole.strip_suffix('$').expect("anchored at both ends").to_owned(),
            // A matching text, somewhere.
            None => format!(r"\PC{{0,5}}({pattern})\PC{{0,5}}"),
        },
        None => r"\PC{0,12}".to_owned(),
    };
    let written = proptest::string::string_regex(&pattern).expect("a pattern");
    written.prop_map(Value::from).boxed()
}

/// Frequency of a part, in ten requests.
pub(crate) const MUST: u32 = 10;
/// As [`MUST`], for parts that may be left out.
pub(crate) const MAY: u32 = 3;

pub(crate) fn present<T: std::fmt::Debug + Clone + 'static>(
    part: impl Strategy<Value = T> + 'static,
    in_ten: u32,
) -> BoxedStrategy<Option<T>> {
    if in_ten == MUST {
        return part.prop_map(Some).boxed();
    }
    prop_oneof![
        in_ten => part.prop_map(Some),
        MUST - in_ten => Just(None),
    ]
    .boxed()
}

/// All required members and any of the others.
fn object(document: &Value, schema: &Value) -> BoxedStrategy<Value> {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let nothing = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&nothing);
    let members: Vec<BoxedStrategy<Option<(String, Value)>>> = properties
        .iter()
        .map(|(name, property)| {
            let member = values(document, property);
            let name = name.clone();
            let presence = if required.contains(&json!(name)) {
                MUST
            } else {
                MAY
            };
            present(member.prop_map(move |value| (name.clone(), value)), presence)
        })
        .collect();
    members
        .prop_map(|members| Value::Object(members.into_iter().flatten().collect()))
        .boxed()
}

/// A value as a query or a form writes it: lists with commas.
pub(crate) fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(as_text).collect::<Vec<_>>().join(","),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}
