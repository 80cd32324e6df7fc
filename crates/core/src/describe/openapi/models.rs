//! Models of responses as schemas, each with an example from a recording.

use serde_json::{Map, Value, json};

use super::inputs::reference;
use calendar_edge_judge::contract::answer::{ResponseModel, Shape, models};

/// Recorded answers by the name of their model. Lists and maps of a whole response are cut to their first entries.
const EXAMPLES: &str = include_str!("../../../../../fixtures/openapi/examples.json");

/// The schemas of all models by name.
pub(super) fn components() -> Map<String, Value> {
    let examples: Value = serde_json::from_str(EXAMPLES).unwrap_or_default();
    models()
        .into_iter()
        .map(|model| (model.name.to_owned(), object(model, &examples[model.name])))
        .collect()
}

fn object(model: &ResponseModel, example: &Value) -> Value {
    let properties: Map<String, Value> = model
        .members()
        .map(|member| {
            let mut schema = schema(member.shape);
            schema["description"] = member.meaning.into();
            (member.name.to_owned(), schema)
        })
        .collect();
    let required: Vec<&str> = model
        .members()
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
    if !example.is_null() {
        object["examples"] = json!([example]);
    }
    object
}

/// The schema of a shape. Every alternative is a schema of one type, which generators of clients can tell apart.
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
    use super::super::{OpenApiOptions, openapi};

    /// `Error` and `data` in one word: `ErrorData`.
    fn joined(model: &str, member: &str) -> String {
        let words = member.split(['_', '-']).filter_map(|word| {
            let (first, rest) = word.split_at_checked(1)?;
            Some(first.to_uppercase() + rest)
        });
        model.chars().map(String::from).chain(words).collect()
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
