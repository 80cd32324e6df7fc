//! The JSON Schema of the configuration file, written from the table of keys: editors complete and check by it.

use std::ops::RangeInclusive;

use serde_json::{Map, Value, json};

use calendar_edge_core::settings::{KeyField, Occurs, SECTIONS, Section, SettingKey};
use calendar_edge_judge::contract::table;

/// Texts that name a variable: their values are not known here.
const VARIABLE: &str = r"\$\{";

/// The name of the table of one operation in the schema.
const OPERATION: &str = "operation";

/// A duration, and a size with a unit.
const DURATION: &str = "[0-9]+ *(ms|s|m|h)";
const SIZE: &str = "[0-9]+( *(B|KiB|MiB|GiB))?";

/// The schema: [JSON Schema 2020-12](https://json-schema.org/draft/2020-12/schema).
pub fn schema() -> Value {
    let (top, below) = SECTIONS.split_at(1);
    let mut whole = top.first().map_or(Value::Null, table_of);
    for section in below.iter().filter(|section| !section.name.contains('.')) {
        whole["properties"][section.name] = shape(section);
        if section.name == "operations" {
            whole["$defs"] = json!({OPERATION: table_of(section)});
        }
    }
    whole["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    whole["title"] = "calendar-edge".into();
    whole["description"] = "The configuration file of calendar-edge.".into();
    whole
}

/// The tables of a section, however often they occur.
fn shape(section: &Section) -> Value {
    let table_of_section = table_of(section);
    let meaning = section.meaning;
    match section.occurs {
        Occurs::List => json!({"description": meaning, "type": "array", "items": table_of_section}),
        Occurs::Named(_) if section.name == "operations" => {
            let operations = table().operations().iter();
            let reference = json!({"$ref": format!("#/$defs/{OPERATION}")});
            let named = operations.map(|operation| (operation.name.clone(), reference.clone()));
            let named: Map<String, Value> = named.collect();
            json!({"description": meaning, "type": "object", "properties": named, "additionalProperties": false})
        }
        Occurs::Named(_) => json!({
            "description": meaning,
            "type": "object",
            "propertyNames": {"pattern": "^[A-Za-z0-9_-]{1,32}$"},
            "additionalProperties": table_of_section,
        }),
        Occurs::Once | Occurs::Within => table_of_section,
    }
}

/// One table of a section, with the tables in it.
fn table_of(section: &Section) -> Value {
    let keys = section
        .keys(|key| (key.name.to_owned(), described(key)))
        .into_iter();
    let mut properties: Map<String, Value> = keys.collect();
    for below in &SECTIONS {
        if let Some(name) = below.name_below(section) {
            properties.insert(name.to_owned(), shape(below));
        }
    }
    json!({
        "description": section.meaning,
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

/// The values of a key, with its meaning and its default.
fn described(key: &SettingKey<'_>) -> Value {
    let SettingKey { meaning, default, .. } = key;
    let mut schema = values(&key.field);
    let inner = default.strip_prefix('`').and_then(|text| text.strip_suffix('`'));
    match inner.filter(|text| !text.contains('`')) {
        Some(value) => {
            schema["description"] = (*meaning).into();
            schema["default"] = serde_json::from_str(value).unwrap_or_else(|_| value.into());
        }
        None => schema["description"] = format!("{meaning} Default: {default}.").into(),
    }
    schema
}

/// The values of a kind. Forms of texts beyond these are left to `check`.
fn values(field: &KeyField<'_>) -> Value {
    let text = |pattern: &str| json!({"type": "string", "pattern": format!("^{pattern}$|{VARIABLE}")});
    match field {
        KeyField::Flag(_) => json!({"type": "boolean"}),
        KeyField::Count(range, _) => number(range),
        KeyField::Size(range, _) => json!({"anyOf": [text(SIZE), number(range)]}),
        KeyField::Time(..) => text(DURATION),
        KeyField::Rate(_) => text(&format!("[0-9]+/{DURATION}")),
        KeyField::Choice(words, _) => {
            json!({"anyOf": [{"enum": words}, {"type": "string", "pattern": VARIABLE}]})
        }
        KeyField::Text(form, _) => json!({"type": "string", "examples": form.examples}),
        KeyField::List {
            form, least, or_one, ..
        } => {
            let item = json!({"type": "string", "examples": form.examples});
            let items = json!({"type": "array", "minItems": least, "items": item});
            if *or_one {
                json!({"anyOf": [item, items]})
            } else {
                items
            }
        }
    }
}

fn number(range: &RangeInclusive<u64>) -> Value {
    json!({"type": "integer", "minimum": range.start(), "maximum": range.end()})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_descriptions_and_defaults() {
        let schema = schema();
        let mode = &schema["properties"]["mode"];
        assert_eq!(mode["default"], "enforce");
        assert_eq!(mode["anyOf"][0]["enum"], json!(["enforce", "report", "off"]));
        let body = &schema["properties"]["limits"]["properties"]["body_bytes"];
        assert_eq!(body["default"], "8 MiB");
        assert!(body["description"].as_str().is_some_and(|text| text.len() > 10));
        let hosts = &schema["properties"]["hosts"];
        assert!(
            hosts["description"]
                .as_str()
                .is_some_and(|text| text.ends_with("Default: any host."))
        );
    }
}
