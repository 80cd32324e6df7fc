//! The venue and organizers that an event write names (backend.md section 7, both tables).

use super::image;
use super::site_call::{number_of, text_of};
use super::store::Store;
use calendar_edge_core::contract::Kind;
use calendar_edge_core::value::{PhpArray, Value};

/// What an event write says about its venue or organizers.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Entry<'a> {
    /// Nothing.
    Nothing,
    /// One record by number.
    Number(u64),
    /// A record to make, or to find by the same data.
    Data(&'a PhpArray),
    /// A list of entries.
    List(Vec<Entry<'a>>),
    /// Something that passes the checks and then fails.
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

/// Whether every record and image that the value names by number is there.
pub(super) fn is_known(store: &Store, kind: Kind, value: &Value) -> bool {
    let is_there = |value: &Value| number_of(value).is_some_and(|id| store.post(kind, id).is_some());
    match value {
        _ if value.is_empty() => true,
        Value::Array(array) if array.values().all(Value::is_empty) => true,
        Value::Array(array) if is_list(array) => array.values().all(|value| is_known(store, kind, value)),
        Value::Array(array) => match array.get("id").filter(|id| !id.is_empty()) {
            Some(id) => is_there(id),
            None => array
                .get("image")
                .is_none_or(|picture| picture.is_empty() || number_of(picture).is_some_and(image::exists)),
        },
        scalar => {
            let text = text_of(scalar).unwrap_or_default();
            text.split(',').all(|item| is_there(&Value::text(item.trim())))
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

/// Whether the keys are 0, 1, 2, …: `{"0": 7}` is a list to PHP.
fn is_list(array: &PhpArray) -> bool {
    array.is_sequential()
}
