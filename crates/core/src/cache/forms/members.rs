//! Members of records as the plugin prints them: loose types, and absent where nothing is there.

use serde_json::Value;

/// A member that is text; empty if it is something else.
pub(super) fn text<'v>(record: &'v Value, name: &str) -> &'v str {
    record.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A member that is a number, or text that is one.
pub(super) fn number(record: &Value, name: &str) -> Option<u64> {
    match record.get(name)? {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// A coordinate in degrees.
pub(super) fn degrees(record: &Value, name: &str, most: f64) -> Option<f64> {
    let found = match record.get(name)? {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.parse().ok()?,
        _ => return None,
    };
    (found.abs() <= most).then_some(found)
}

/// True if a member is true.
pub(super) fn is_true(record: &Value, name: &str) -> bool {
    matches!(record.get(name), Some(Value::Bool(true)))
}

/// The records in a member: one alone, a list of them, or none.
pub(super) fn records<'v>(record: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    let (one, list) = match record.get(name) {
        Some(Value::Array(list)) => (None, list.as_slice()),
        Some(one @ Value::Object(_)) => (Some(one), [].as_slice()),
        _ => (None, [].as_slice()),
    };
    one.into_iter().chain(list).filter(|found| found.is_object())
}
