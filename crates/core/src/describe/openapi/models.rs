//! Models of responses as schemas, each with an example from a recording.

use serde_json::{Map, Value, json};

use super::inputs::reference;
use calendar_edge_judge::contract::response::{EVENT, ResponseModel, Shape, models};
use calendar_edge_judge::contract::{PluginVersion, VersionChange, dated_differences};

/// Recorded responses by the name of their model. Lists and maps of a whole response are cut to their first entries.
const EXAMPLES: &str = include_str!("../../../../../fixtures/openapi/examples.json");

/// The schemas of all models by name, as a version has them; none: as the specified one has. Members that a version does
/// not have are absent, and those that it has beyond the models are named.
pub(super) fn components(wanted: Option<PluginVersion>) -> Map<String, Value> {
    let examples: Value = serde_json::from_str(EXAMPLES).unwrap_or_default();
    let rows = dated_differences().iter().filter_map(|row| match row.change {
        VersionChange::Member(name) => Some((name, row, wanted?)),
        _ => None,
    });
    let (absent, present): (Vec<_>, Vec<_>) = rows.partition(|(_, row, wanted)| row.since > *wanted);
    let absent: Vec<&str> = absent.into_iter().map(|(name, ..)| name).collect();
    let models = models().into_iter();
    let mut schemas: Map<String, Value> = models
        .map(|model| {
            (
                model.name.to_owned(),
                object(model, examples[model.name].clone(), &absent),
            )
        })
        .collect();
    for (name, row, _) in present {
        if row.since > PluginVersion::SPECIFIED {
            schemas[EVENT.name]["properties"][name] = json!({"description": row.meaning});
        }
    }
    schemas
}

/// Takes a member out of an example, wherever it stands.
fn forget(example: &mut Value, name: &str) {
    match example {
        Value::Array(items) => items.iter_mut().for_each(|item| forget(item, name)),
        Value::Object(members) => {
            members.shift_remove(name);
            members.values_mut().for_each(|member| forget(member, name));
        }
        _ => {}
    }
}

fn object(model: &ResponseModel, mut example: Value, absent: &[&str]) -> Value {
    let members = || model.members().filter(|member| !absent.contains(&member.name));
    let properties: Map<String, Value> = members()
        .map(|member| {
            let mut schema = schema(member.shape);
            schema["description"] = member.meaning.into();
            (member.name.to_owned(), schema)
        })
        .collect();
    let required: Vec<&str> = members()
        .filter(|member| member.is_required)
        .map(|member| member.name)
        .collect();
    let mut object = json!({"description": model.meaning, "type": "object"});
    if !required.is_empty() {
        object["required"] = required.into();
    }
    object["properties"] = properties.into();
    if model.is_extended {
        object["additionalProperties"] = true.into();
    }
    for name in absent {
        forget(&mut example, name);
    }
    if !example.is_null() {
        object["examples"] = json!([example]);
    }
    object
}

/// The schema of a shape. Every alternative is a schema of one type, which generators of clients can distinguish.
pub(super) fn schema(shape: Shape) -> Value {
    match shape {
        Shape::Any => json!({}),
        Shape::Null => json!({"type": "null"}),
        Shape::False => json!({"type": "boolean", "const": false}),
        Shape::Boolean => json!({"type": "boolean"}),
        Shape::Integer => json!({"type": "integer"}),
        Shape::Count => json!({"type": "integer", "minimum": 0}),
        Shape::Number => json!({"type": "number"}),
        Shape::Text => json!({"type": "string"}),
        Shape::DateTime => json!({
            "type": "string",
            "pattern": "^([0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2})?$",
        }),
        Shape::Exactly(text) => json!({"type": "string", "const": text}),
        // Some generators require `items` on every list.
        Shape::EmptyList => json!({"type": "array", "items": {}, "maxItems": 0}),
        Shape::List(entries) => json!({"type": "array", "items": schema(*entries)}),
        Shape::Map(values) => json!({"type": "object", "additionalProperties": schema(*values)}),
        Shape::Model(model) => reference(model.name),
        Shape::Either(shapes) => {
            let alternatives: Vec<Value> = shapes.iter().map(|shape| schema(*shape)).collect();
            json!({"anyOf": alternatives})
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{OpenApiOptions, openapi};
    use calendar_edge_judge::contract::{PluginVersion, TableInForce};

    /// `Error` and `data` in one word: `ErrorData`.
    fn joined(model: &str, member: &str) -> String {
        let words = member.split(['_', '-']).filter_map(|word| {
            let (first, rest) = word.split_at_checked(1)?;
            Some(first.to_uppercase() + rest)
        });
        model.chars().map(String::from).chain(words).collect()
    }

    #[test]
    fn the_document_describes_the_wanted_version() {
        let document = |version: &str| {
            let wanted = PluginVersion::chosen(version).expect("a version");
            let table = Arc::new(TableInForce::unread().in_version(wanted));
            openapi(&OpenApiOptions {
                table,
                ..OpenApiOptions::default()
            })
        };
        let told = |version: &str| {
            let text = document(version).to_string();
            ["custom_fields", "currency_code", "ticketed", "strict_dates"]
                .map(|name| text.contains(&format!("\"{name}\"")))
        };
        assert_eq!(told("6.17.2"), [true, true, true, true]);
        assert_eq!(told("6.10"), [false, true, true, true]);
        assert_eq!(told("6.0"), [false, true, true, false]);
        assert_eq!(told("5.12"), [false, false, false, false]);
        assert_eq!(document("spec"), openapi(&OpenApiOptions::default()));
    }

    /// Generators give an alternative inside a model the name of the model and the member.
    #[test]
    fn no_schema_has_the_name_that_generators_give_to_a_member() {
        let document = openapi(&OpenApiOptions::default());
        let schemas = document["components"]["schemas"].as_object().expect("a map");
        for (name, schema) in schemas {
            for (member, part) in schema["properties"].as_object().into_iter().flatten() {
                let taken = joined(name, member);
                let is_named = part.get("$ref").is_some();
                assert!(
                    is_named || !schemas.contains_key(&taken),
                    "{taken}: {name}.{member}"
                );
            }
        }
    }
}
