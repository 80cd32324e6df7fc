//! The JSON Schema of the configuration file, written from the table of keys: editors complete and check by it.

use serde_json::{Map, Value, json};

use super::draft::unknown_origin;
use super::key::{KeyRow, ValueKind};
use super::keys::{Keys, SECTIONS, Section};
use calendar_edge_core::settings::{
    CandidateSettings, CutoverRule, IgnoreRule, OperationSettings, Root, Settings, ShadowRule, SurfaceRule,
    WebhookSettings,
};
use calendar_edge_judge::contract::table;

/// Texts that name a variable: their values are not known here.
const VARIABLE: &str = r"\$\{";

/// The name of the table of one operation in the schema.
const OPERATION: &str = "operation";

/// A duration, and a size with a unit.
const DURATION: &str = "[0-9]+ *(ms|s|m|h)";
const SIZE: &str = "[0-9]+( *(B|KiB|MiB|GiB))?";

/// A key as documents describe it.
pub(super) struct DescribedKey {
    pub(super) name: &'static str,
    /// The type in the reference, with bounds.
    pub(super) type_name: String,
    /// The default as the reference prints it.
    pub(super) default: String,
    /// Its effect, in a few sentences.
    pub(super) meaning: &'static str,
    /// The schema of its value, without the description.
    values: Value,
}

/// The schema: [JSON Schema 2020-12](https://json-schema.org/draft/2020-12/schema).
pub fn schema() -> Value {
    let (top, below) = SECTIONS.split_at(1);
    let mut whole = top.first().map_or(Value::Null, table_of);
    for section in below.iter().filter(|section| !section.name.contains('.')) {
        whole["properties"][section.name] = shape(section);
        if matches!(section.keys, Keys::Operation(_)) {
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
    let is_nested = section.name.contains('.');
    let table_of_section = table_of(section);
    let meaning = section.meaning;
    match section.keys {
        Keys::Ignore(_) | Keys::Shadow(_) | Keys::Surface(_) | Keys::Webhook(_) => {
            json!({"description": meaning, "type": "array", "items": table_of_section})
        }
        Keys::Root(_) | Keys::Cutover(_) if !is_nested => {
            json!({"description": meaning, "type": "array", "items": table_of_section})
        }
        Keys::Operation(_) => {
            let operations = table().operations().iter();
            let reference = json!({"$ref": format!("#/$defs/{OPERATION}")});
            let named = operations.map(|operation| (operation.name.clone(), reference.clone()));
            let named: Map<String, Value> = named.collect();
            json!({"description": meaning, "type": "object", "properties": named, "additionalProperties": false})
        }
        Keys::Backend(_) => json!({
            "description": meaning,
            "type": "object",
            "propertyNames": {"pattern": "^[A-Za-z0-9_-]{1,32}$"},
            "additionalProperties": table_of_section,
        }),
        Keys::Once(_) | Keys::Root(_) | Keys::Cutover(_) => table_of_section,
    }
}

/// One table of a section, with the tables in it.
fn table_of(section: &Section) -> Value {
    let keys = section.described().into_iter();
    let mut properties: Map<String, Value> = keys.map(|key| (key.name.to_owned(), key.schema())).collect();
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

// === impl Section ===

impl Section {
    /// Its keys, with the defaults of fresh settings.
    pub(super) fn described(&self) -> Vec<DescribedKey> {
        match &self.keys {
            Keys::Once(keys) => described(keys, Settings::for_origin(unknown_origin())),
            Keys::Root(keys) => described(keys, Root::default_for(unknown_origin())),
            Keys::Operation(keys) => described(keys, OperationSettings::default()),
            Keys::Backend(keys) => described(keys, CandidateSettings::at(String::new(), unknown_origin())),
            Keys::Ignore(keys) => described(keys, IgnoreRule::default()),
            Keys::Shadow(keys) => described(keys, ShadowRule::default()),
            Keys::Cutover(keys) => described(keys, CutoverRule::default()),
            Keys::Surface(keys) => described(keys, SurfaceRule::default()),
            Keys::Webhook(keys) => described(keys, WebhookSettings::at(unknown_origin())),
        }
    }
}

fn described<T>(keys: &[KeyRow<T>], mut defaults: T) -> Vec<DescribedKey> {
    let of = |key: &KeyRow<T>| DescribedKey {
        name: key.name,
        type_name: key.kind.type_name(),
        default: key.default_text(&mut defaults),
        meaning: key.meaning,
        values: values(&key.kind),
    };
    keys.iter().map(of).collect()
}

// === impl DescribedKey ===

impl DescribedKey {
    fn schema(&self) -> Value {
        let mut schema = self.values.clone();
        let inner = self
            .default
            .strip_prefix('`')
            .and_then(|text| text.strip_suffix('`'));
        let meaning = self.meaning;
        match inner.filter(|text| !text.contains('`')) {
            Some(value) => {
                schema["description"] = meaning.into();
                schema["default"] = serde_json::from_str(value).unwrap_or_else(|_| value.into());
            }
            None => schema["description"] = format!("{meaning} Default: {}.", self.default).into(),
        }
        schema
    }
}

/// The values of a kind. Forms of texts beyond these are left to `check`.
fn values<T>(kind: &ValueKind<T>) -> Value {
    let text = |pattern: &str| json!({"type": "string", "pattern": format!("^{pattern}$|{VARIABLE}")});
    match kind {
        ValueKind::Flag(_) | ValueKind::OptionalFlag(_) => json!({"type": "boolean"}),
        ValueKind::Count(range, _) => number(range),
        ValueKind::Size(range, _) => json!({"anyOf": [text(SIZE), number(range)]}),
        ValueKind::Time(..) => text(DURATION),
        ValueKind::Rate(_) => text(&format!("[0-9]+/{DURATION}")),
        ValueKind::Choice(words, _) => {
            json!({"anyOf": [{"enum": words}, {"type": "string", "pattern": VARIABLE}]})
        }
        ValueKind::Text(form, _) => json!({"type": "string", "examples": form.examples}),
        ValueKind::List(form, list) => texts(form.examples, list.least),
        ValueKind::OneOrList(form, list) => {
            json!({"anyOf": [{"type": "string", "examples": form.examples}, texts(form.examples, list.least)]})
        }
    }
}

fn number(range: &std::ops::RangeInclusive<u64>) -> Value {
    json!({"type": "integer", "minimum": range.start(), "maximum": range.end()})
}

fn texts(examples: &[&str], least: usize) -> Value {
    json!({"type": "array", "minItems": least, "items": {"type": "string", "examples": examples}})
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
