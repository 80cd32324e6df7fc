//! A JSON document as PHP's arrays.

use crate::wordpress::value::{Key, Number, PhpArray, Value};

/// The value that `json_decode` makes of a document: objects become arrays.
pub fn value_of_json(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(value) => Value::Bool(*value),
        serde_json::Value::Number(number) => Value::Number(Number::from_json_text(number.to_string())),
        serde_json::Value::String(text) => Value::text(text.as_str()),
        serde_json::Value::Array(values) => Value::Array(PhpArray::list(values.iter().map(value_of_json))),
        serde_json::Value::Object(members) => {
            let member = |(name, value): (&String, _)| (Key::from_bytes(name.as_str()), value_of_json(value));
            Value::Array(PhpArray::from_distinct(members.iter().map(member).collect()))
        }
    }
}
