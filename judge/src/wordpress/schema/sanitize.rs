//! The form in which WordPress hands on a value, as `rest_sanitize_value_from_schema` makes it.

use std::borrow::Cow;
use std::collections::HashSet;

use super::combine::COMBINATIONS;
use super::keywords::SchemaView;
use super::objection::{SchemaObjection, SchemaResult};
use super::objects::MemberSchema;
use super::php_text::text_of;
use super::schema_judge::{SchemaJudge, TYPES, best_kind};
use crate::wordpress::value::numeric::{float_value, int_prefix, is_blank};
use crate::wordpress::value::{Key, KeyRef, Number, PhpArray, Value};

// === impl SchemaJudge ===

impl SchemaJudge<'_> {
    /// Sanitizes a value. `param` is what errors call it.
    pub(super) fn sanitize(&self, value: &Value, schema: SchemaView<'_>, param: &str) -> SchemaResult<Value> {
        self.deeper(|| self.sanitize_here(value, schema, param))
    }

    fn sanitize_here(&self, value: &Value, schema: SchemaView<'_>, param: &str) -> SchemaResult<Value> {
        let (mut value, mut schema) = (Cow::Borrowed(value), schema);
        for combination in COMBINATIONS {
            if schema.set(combination).is_some() {
                let fitting = self.fitting(&value, &schema, combination, param)?;
                schema.kind = schema.kind.or(fitting.kind);
                value = Cow::Owned(self.sanitize(&value, fitting, param)?);
            }
        }
        if schema.kind.is_some() {
            let Some(kind) = best_kind(&value, &schema)? else {
                return Ok(Value::Null);
            };
            schema.kind = Some(kind);
        }
        match schema.kind_name()? {
            Some("array") => self.sanitize_items(&value, &schema, param),
            Some("object") => self.sanitize_members(&value, &schema, param),
            Some("null") => Ok(Value::Null),
            Some("integer") => integer(&value),
            Some("number") => float(&value),
            Some("boolean") => Ok(Value::Bool(boolean(&value))),
            other => {
                let is_text = other.is_none_or(|name| name == "string" || !TYPES.contains(&name));
                if is_text && has_sanitizer(&schema) {
                    return Err(SchemaObjection::Unsure);
                }
                match (other, text_of(&value)) {
                    (Some("string"), Some(text)) => Ok(Value::text(text)),
                    (Some("string"), None) => Err(SchemaObjection::Unsure),
                    _ => Ok(value.into_owned()),
                }
            }
        }
    }

    /// WordPress leaves an error about an item within the value, as an object that equals nothing.
    fn sanitize_items(&self, value: &Value, schema: &SchemaView<'_>, param: &str) -> SchemaResult<Value> {
        let mut items = as_list(value)?;
        self.spend(items.len())?;
        if let Some(inner) = schema.filled("items") {
            let inner = SchemaView::of(inner)?;
            for (index, item) in items.iter_mut().enumerate() {
                *item = self
                    .sanitize(item, inner, &format!("{param}[{index}]"))
                    .map_err(|_| SchemaObjection::Unsure)?;
            }
        }
        if schema.filled("uniqueItems").is_some() && has_duplicates(&items) {
            return Err(self.duplicates(param));
        }
        Ok(Value::Array(PhpArray::list(items)))
    }

    fn sanitize_members(&self, value: &Value, schema: &SchemaView<'_>, param: &str) -> SchemaResult<Value> {
        let members = as_object(value).unwrap_or_default();
        self.spend(members.len())?;
        let mut kept = Vec::with_capacity(members.len());
        for (key, member) in members.entries() {
            let name = String::from_utf8(key.to_bytes()).map_err(|_| SchemaObjection::Unsure)?;
            let sanitized = match self.schema_of_member(key, &name, schema)? {
                MemberSchema::Forbidden => continue,
                MemberSchema::Free => member.clone(),
                MemberSchema::Described(inner) => {
                    let inside = self.sanitize(member, inner, &format!("{param}[{name}]"));
                    inside.map_err(|_| SchemaObjection::Unsure)?
                }
            };
            kept.push((owned(key), sanitized));
        }
        Ok(Value::Array(PhpArray::from_distinct(kept)))
    }
}

/// Whether WordPress would sanitize a text by its format, which takes more than is here.
fn has_sanitizer(schema: &SchemaView<'_>) -> bool {
    let format = schema.set("format").and_then(Value::as_text);
    format.is_some_and(|format| {
        [
            "hex-color",
            "date-time",
            "email",
            "uri",
            "ip",
            "uuid",
            "text-field",
            "textarea-field",
        ]
        .iter()
        .any(|known| known.as_bytes() == format)
    })
}

/// The items of a list; a scalar is split at commas and blanks.
pub(super) fn as_list(value: &Value) -> SchemaResult<Vec<Value>> {
    Ok(match value {
        Value::Array(array) => array.values().cloned().collect(),
        Value::Null => Vec::new(),
        scalar => {
            let text = text_of(scalar).ok_or(SchemaObjection::Unsure)?;
            let is_separator = |byte: &u8| *byte == b',' || is_blank(*byte);
            let pieces = text.split(is_separator).filter(|piece| !piece.is_empty());
            pieces.map(Value::text).collect()
        }
    })
}

/// The members of an object; an empty text has none. None for what is no object.
pub(super) fn as_object(value: &Value) -> Option<PhpArray> {
    match value {
        Value::Array(array) => Some(array.clone()),
        _ if value.as_text() == Some(b"") => Some(PhpArray::default()),
        _ => None,
    }
}

/// PHP's cast `(int)`, which differs between builds for floats past 64 bits.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
fn integer(value: &Value) -> SchemaResult<Value> {
    let int = match value {
        Value::Null => 0,
        Value::Bool(value) => i64::from(*value),
        Value::String(text) => int_prefix(text),
        Value::Array(array) => i64::from(!array.is_empty()),
        Value::Number(number) => match number.as_int() {
            Some(int) => int,
            None if number.as_float().abs() < 9e18 => number.as_float() as i64,
            None => return Err(SchemaObjection::Unsure),
        },
    };
    Ok(Value::Number(Number::from_json_text(int.to_string())))
}

/// PHP's cast `(float)`.
fn float(value: &Value) -> SchemaResult<Value> {
    let float = match value {
        Value::Null => 0.0,
        Value::Bool(value) => f64::from(u8::from(*value)),
        Value::String(text) => float_value(text),
        Value::Array(array) => f64::from(u8::from(!array.is_empty())),
        Value::Number(number) => number.as_float(),
    };
    if !float.is_finite() {
        return Err(SchemaObjection::Unsure);
    }
    // With a fraction, so that it stays a float.
    Ok(Value::Number(Number::from_json_text(format!("{float:?}"))))
}

fn boolean(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.eq_ignore_ascii_case(b"false") && !value.is_empty(),
        _ => !value.is_empty(),
    }
}

/// WordPress's equality: an integer equals a float, and all else must be of one type. The order of members is none.
pub(super) fn are_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.entries().all(|(key, value)| {
                    super::keywords::lookup(right, key).is_some_and(|other| are_equal(value, other))
                })
        }
        (Value::Number(left), Value::Number(right)) => match (left.as_int(), right.as_int()) {
            (Some(left), Some(right)) => left == right,
            #[expect(clippy::float_cmp, reason = "as PHP does")]
            _ => left.as_float() == right.as_float(),
        },
        _ => left == right,
    }
}

/// Whether two items are the same, whatever the order of their members.
pub(super) fn has_duplicates(items: &[Value]) -> bool {
    let mut seen = HashSet::new();
    !items.iter().all(|item| {
        let mut written = Vec::new();
        write_stable(item, &mut written);
        seen.insert(written)
    })
}

/// Bytes that are the same for the same value only.
fn write_stable(value: &Value, written: &mut Vec<u8>) {
    match value {
        Value::Null => written.push(b'N'),
        Value::Bool(value) => written.extend([b'b', u8::from(*value)]),
        Value::Number(number) => match number.as_int() {
            Some(int) => written.extend(format!("i{int};").bytes()),
            None => written.extend(format!("d{:?};", number.as_float()).bytes()),
        },
        Value::String(text) => write_text(text, written),
        Value::Array(array) => {
            let mut entries: Vec<_> = array.entries().map(|(key, value)| (owned(key), value)).collect();
            entries.sort_by(|(left, _), (right, _)| left.cmp(right));
            written.extend(format!("a{};", entries.len()).bytes());
            for (key, value) in entries {
                match key {
                    Key::Int(number) => written.extend(format!("i{number};").bytes()),
                    Key::Text(text) => write_text(&text, written),
                }
                write_stable(value, written);
            }
        }
    }
}

fn write_text(text: &[u8], written: &mut Vec<u8>) {
    written.extend(format!("s{};", text.len()).bytes());
    written.extend(text);
}

fn owned(key: KeyRef<'_>) -> Key {
    match key {
        KeyRef::Int(number) => Key::Int(number),
        KeyRef::Text(text) => Key::Text(text.into()),
    }
}
