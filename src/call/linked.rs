//! Venues and organizers named in the body of an event (backend.md section 7).

use super::lists::{as_php_text, every, is_numeric_value, split_at_commas};
use super::rules::{Premises, judge_value, positive_id};
use crate::contract::{Action, Kind, Operation, Route, table};
use crate::value::{Key, PhpArray, Value, Verdict, Why};

/// Judges the `venue` or `organizer` of an event: ids, a record to create, or nothing.
pub(super) fn judge_entry(kind: Kind, value: &Value, premises: Premises<'_>) -> Verdict {
    if value.is_empty() {
        return Verdict::Admit;
    }
    let Value::Array(array) = value else {
        let text = as_php_text(value);
        return every(
            split_at_commas(&text)
                .into_iter()
                .map(|part| id(&Value::text(part))),
        );
    };
    if array.values().all(Value::is_empty) {
        return Verdict::Admit;
    }
    if is_record(array) {
        return record(kind, array, premises);
    }
    every(array.values().map(|entry| list_entry(kind, entry, premises)))
}

/// A number, or a record; anything else in the list is refused.
fn list_entry(kind: Kind, entry: &Value, premises: Premises<'_>) -> Verdict {
    match entry {
        Value::Array(array) => record(kind, array, premises),
        scalar if is_numeric_value(scalar) => id(scalar),
        _ => Verdict::Reject,
    }
}

/// A record by its `id`, or one to create: judged by the rules of the kind's own create operation.
fn record(kind: Kind, array: &PhpArray, premises: Premises<'_>) -> Verdict {
    if let Some(known) = array.get("id").filter(|known| !known.is_empty()) {
        return member_id(known);
    }
    if !is_record(array) {
        return Verdict::Reject;
    }
    every(
        create(kind)
            .arguments
            .iter()
            .map(|argument| match array.get(argument.name) {
                None | Some(Value::Null) if argument.is_required() => Verdict::Reject,
                None | Some(Value::Null) => Verdict::Admit,
                Some(value) => judge_value(argument.rule, value, premises),
            }),
    )
}

/// The members of a name in the records of a value that the plugin would create.
pub(super) fn members<'a>(value: &'a Value, name: &str) -> Vec<&'a Value> {
    match value {
        Value::Array(list) if !is_record(list) => {
            list.values().flat_map(|inner| members(inner, name)).collect()
        }
        Value::Array(record) if record.get("id").is_none_or(Value::is_empty) => {
            record.get(name).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn create(kind: Kind) -> &'static Operation {
    let mut operations = table().on_route(Route::Collection(kind));
    operations
        .find(|operation| operation.id.action == Action::Create)
        .expect("every kind can be created")
}

fn id(value: &Value) -> Verdict {
    if !is_numeric_value(value) {
        return Verdict::Reject;
    }
    positive_id(value)
}

/// A record's own `id` is looked up as PHP casts it, numeric or not: `7abc` is 7. Arrays crash the look-up.
fn member_id(value: &Value) -> Verdict {
    match value {
        Value::String(_) | Value::Number(_) => positive_id(value),
        Value::Null | Value::Bool(_) | Value::Array(_) => Verdict::Reject,
    }
}

/// Whether PHP sees anything but a list with keys 0, 1, 2, …: `{"0": 7}` is a list to it.
fn is_record(array: &PhpArray) -> bool {
    !(0i64..)
        .zip(array.entries())
        .all(|(index, (key, _))| *key == Key::Int(index))
}

/// The same value in the form the plugin can act on (decision 0017).
///
/// A `venue` list of one becomes its element, unless that is a list again; a text list of organizers becomes a list, and a bare
/// organizer record a list of one, unless all it holds is empty: that is no organizer, and in a list it
/// would be one without a name.
pub(super) fn usable(kind: Kind, value: &Value) -> Option<Value> {
    match (kind, value) {
        (Kind::Venue, Value::Array(list)) if list.len() == 1 && !is_record(list) => {
            let is_venue = |element: &&Value| !matches!(element, Value::Array(inner) if !is_record(inner));
            list.values().next().filter(is_venue).cloned()
        }
        (Kind::Organizer, Value::Array(array))
            if is_record(array)
                && array.get("id").is_none_or(Value::is_empty)
                && !array.values().all(Value::is_empty) =>
        {
            Some(Value::Array(PhpArray::list([value.clone()])))
        }
        (Kind::Organizer, Value::String(text)) if text.contains(&b',') => {
            let parts = split_at_commas(text).into_iter().map(Value::text);
            Some(Value::Array(PhpArray::list(parts)))
        }
        _ => None,
    }
}

/// The reason an id defers.
pub(super) const IN_DATABASE: Verdict = Verdict::Defer(Why::Database);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::parse_json;

    fn usable_json(kind: Kind, json: &str) -> Option<String> {
        let value = parse_json(json.as_bytes(), 8).expect("JSON");
        usable(kind, &value).map(|usable| {
            String::from_utf8(crate::value::to_json(&usable).expect("UTF-8")).expect("JSON is UTF-8")
        })
    }

    #[test]
    fn rewrites_what_the_plugin_fails_on_and_nothing_else() {
        let cases = [
            (Kind::Venue, "[7]", Some("7")),
            (Kind::Venue, r#"[{"venue":"New"}]"#, Some(r#"{"venue":"New"}"#)),
            (Kind::Venue, "[7,8]", None),
            (Kind::Venue, "[[7]]", None),
            (Kind::Venue, "7", None),
            (Kind::Organizer, r#""15, 16""#, Some(r#"["15","16"]"#)),
            (
                Kind::Organizer,
                r#"{"organizer":"New"}"#,
                Some(r#"[{"organizer":"New"}]"#),
            ),
            (Kind::Organizer, r#"{"organizer":""}"#, None),
            (Kind::Organizer, r#"{"id":15}"#, None),
            (Kind::Organizer, "[15]", None),
        ];
        for (kind, json, expected) in cases {
            assert_eq!(usable_json(kind, json).as_deref(), expected, "{json}");
        }
    }
}
