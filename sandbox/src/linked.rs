//! The venue and organizers that an event write names (backend.md section 7, both tables).

use super::php::is_list;
use super::site_call::{number_of, text_of};
use calendar_edge_judge::contract::Kind;
use calendar_edge_judge::wordpress::value::{PhpArray, Value};

/// The venue or organizers in the write of an event.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Entry<'a> {
    /// Nothing.
    Nothing,
    /// One record by number.
    Number(u64),
    /// The data of a record, which is created unless one with the same data exists.
    Data(&'a PhpArray),
    /// A list of entries.
    List(Vec<Entry<'a>>),
    /// A value that passes validation and fails in the handler.
    Unusable,
}

/// Reads the value of `venue` or `organizer`.
pub(super) fn read(kind: Kind, value: &Value) -> Entry<'_> {
    match value {
        _ if value.is_empty() => Entry::Nothing,
        Value::Array(array) if is_list(array) => {
            Entry::List(array.values().map(|value| read(kind, value)).collect())
        }
        Value::Array(array) => match array.get("id").and_then(number_of) {
            Some(id) => Entry::Number(id),
            None if array.values().all(Value::is_empty) => Entry::Nothing,
            None if name_of(kind, array).is_some() => Entry::Data(array),
            None => Entry::Unusable,
        },
        Value::String(text) if text.contains(&b',') => Entry::Unusable,
        Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Null => {
            number_of(value).map_or(Entry::Unusable, Entry::Number)
        }
    }
}

/// The name in the data of a record.
pub(super) fn name_of(kind: Kind, data: &PhpArray) -> Option<String> {
    let name = data.get(name_member(kind))?;
    name.as_text().and_then(|_| text_of(name))
}

/// The member that carries the name of a venue or organizer.
pub(super) const fn name_member(kind: Kind) -> &'static str {
    match kind {
        Kind::Organizer => "organizer",
        Kind::Event | Kind::Venue | Kind::Category | Kind::Tag => "venue",
    }
}
