//! Values that the plugin's checks accept and its handlers fail on, converted to a form that the handlers
//! accept.

use super::rules::{is_record, split_at_commas};
use crate::contract::{Kind, RECORD_NUMBER};
use crate::wordpress::value::{PhpArray, Value};

/// The same value in the form that the plugin can act on: decision 0017.
///
/// - A `venue` list with one element becomes that element, unless the element is a list again.
/// - A text list of organizers becomes a list.
/// - A bare organizer record becomes a list with one element, unless all its members are empty. Such a record
///   does not describe an organizer; in a list it would create one without a name.
pub(super) fn usable(kind: Kind, value: &Value) -> Option<Value> {
    match (kind, value) {
        (Kind::Venue, Value::Array(list)) if list.len() == 1 && !is_record(list) => {
            let is_venue = |element: &&Value| !matches!(element, Value::Array(inner) if !is_record(inner));
            list.values().next().filter(is_venue).cloned()
        }
        (Kind::Organizer, Value::Array(array))
            if is_record(array)
                && array.get(RECORD_NUMBER).is_none_or(Value::is_empty)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wordpress::payload::parse_json;

    fn usable_json(kind: Kind, json: &str) -> Option<String> {
        let value = parse_json(json.as_bytes(), 8).expect("JSON");
        usable(kind, &value).map(|usable| {
            String::from_utf8(crate::wordpress::value::to_json(&usable).expect("UTF-8"))
                .expect("JSON is UTF-8")
        })
    }

    #[test]
    fn converts_only_values_that_the_plugin_fails_on() {
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
