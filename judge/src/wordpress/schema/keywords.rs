//! A schema as WordPress looks into it: keywords of a PHP array, and the type that counts.

use super::objection::{SchemaObjection, SchemaResult};
use crate::wordpress::value::{KeyRef, PhpArray, Value};

/// A schema, with the type that WordPress has settled on so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct SchemaView<'s> {
    keywords: &'s PhpArray,
    /// The type: a name, or a list of names.
    pub(super) kind: Option<&'s Value>,
}

// === impl SchemaView ===

impl<'s> SchemaView<'s> {
    /// The schema in a PHP value; WordPress would fail at anything but an array.
    pub(super) fn of(value: &'s Value) -> SchemaResult<Self> {
        let Value::Array(keywords) = value else {
            return Err(SchemaObjection::Unsure);
        };
        let kind = keywords.get("type").filter(|kind| **kind != Value::Null);
        Ok(Self { keywords, kind })
    }

    /// PHP's `isset`: the keyword, unless it is null.
    pub(super) fn set(&self, keyword: &str) -> Option<&'s Value> {
        self.keywords.get(keyword).filter(|value| **value != Value::Null)
    }

    /// The keyword, unless it is empty for PHP.
    pub(super) fn filled(&self, keyword: &str) -> Option<&'s Value> {
        self.set(keyword).filter(|value| !value.is_empty())
    }

    /// A keyword that holds an array.
    pub(super) fn array(&self, keyword: &str) -> SchemaResult<Option<&'s PhpArray>> {
        match self.set(keyword) {
            None => Ok(None),
            Some(Value::Array(array)) => Ok(Some(array)),
            Some(_) => Err(SchemaObjection::Unsure),
        }
    }

    /// The name of the one type; none without a type.
    pub(super) fn kind_name(&self) -> SchemaResult<Option<&'s str>> {
        self.kind.map(name_of).transpose()
    }

    /// The schema with another type.
    pub(super) const fn of_kind(self, kind: Option<&'s Value>) -> Self {
        Self { kind, ..self }
    }
}

/// The keywords that hold one schema, several of them, or none.
const WITH_SCHEMA: [&str; 2] = ["items", "additionalProperties"];
const WITH_SCHEMAS: [&str; 4] = ["properties", "patternProperties", "anyOf", "oneOf"];
const PLAIN: [&str; 18] = [
    "title",
    "type",
    "format",
    "enum",
    "required",
    "minProperties",
    "maxProperties",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
];

/// Returns true if a schema, and each one within it, has no keyword but those that are judged.
pub fn has_known_keywords(schema: &Value) -> bool {
    let Value::Array(keywords) = schema else {
        // `additionalProperties` may be true or false.
        return matches!(schema, Value::Bool(_) | Value::Null);
    };
    keywords.entries().all(|(key, value)| {
        let is_one_of = |names: &[&str]| matches!(key, KeyRef::Text(name) if names.iter().any(|known| known.as_bytes() == name));
        if is_one_of(&WITH_SCHEMA) {
            return has_known_keywords(value);
        }
        match value {
            Value::Array(inner) if is_one_of(&WITH_SCHEMAS) => inner.values().all(has_known_keywords),
            _ => is_one_of(&PLAIN),
        }
    })
}

/// A text of the schema; schemas are JSON, so all are UTF-8.
pub(super) fn name_of(value: &Value) -> SchemaResult<&str> {
    let text = value.as_text().and_then(|text| std::str::from_utf8(text).ok());
    text.ok_or(SchemaObjection::Unsure)
}

/// PHP's `isset` for any key of an array.
pub(super) fn lookup<'a>(array: &'a PhpArray, key: KeyRef<'_>) -> Option<&'a Value> {
    let mut entries = array.entries();
    entries.find(|(known, _)| *known == key).map(|(_, value)| value)
}
