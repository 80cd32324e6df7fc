//! Functions of PHP and of the plugin's library that read a value.

use std::borrow::Cow;

use super::site_call::text_of;
use calendar_edge_judge::wordpress::payload::{Plus, decode};
use calendar_edge_judge::wordpress::value::numeric::{Numeric, int_prefix, numeric};
use calendar_edge_judge::wordpress::value::{PhpArray, Value};

/// The number in a value for which `is_numeric` holds.
pub(super) fn number(value: &Value) -> Option<Numeric> {
    match value {
        Value::String(text) => numeric(text),
        Value::Number(number) => Some(match number.as_int() {
            Some(int) => Numeric::Int(int),
            None => Numeric::Float(number.as_float()),
        }),
        Value::Null | Value::Bool(_) | Value::Array(_) => None,
    }
}

/// `intval`, but 0 for arrays. `7.0` and `7e0` are sevens, in JSON as in text.
pub(super) fn intval(value: &Value) -> i64 {
    match value {
        Value::String(text) => int_prefix(text),
        Value::Number(number) => int_prefix(number.as_str().as_bytes()),
        Value::Bool(flag) => i64::from(*flag),
        Value::Null | Value::Array(_) => 0,
    }
}

/// `Tribe__Utils__Array::list_to_array`: the entries of an array, or of a text that is decoded once more and
/// split at commas with the blanks around them. Empty texts drop out.
pub(super) fn list_to_array(value: &Value) -> Vec<Cow<'_, Value>> {
    let mut entries: Vec<Cow<'_, Value>> = match value {
        _ if value.is_empty() => Vec::new(),
        Value::Array(array) => array.values().map(Cow::Borrowed).collect(),
        scalar => split(scalar).into_iter().map(Cow::Owned).collect(),
    };
    entries.retain(|entry| entry.as_text() != Some(b""));
    entries
}

/// `preg_split('/\s*,\s*/', urldecode($scalar))`: blanks at the two ends stay.
fn split(scalar: &Value) -> Vec<Value> {
    let text = text_of(scalar).unwrap_or_default();
    let text = String::from_utf8_lossy(&decode(text.as_bytes(), Plus::Space)).into_owned();
    let is_blank = |c: char| matches!(c, ' ' | '\t'..='\r');
    let last = text.matches(',').count();
    let parts = text.split(',').enumerate().map(|(at, part)| {
        let part = if at == 0 {
            part
        } else {
            part.trim_start_matches(is_blank)
        };
        let part = if at == last {
            part
        } else {
            part.trim_end_matches(is_blank)
        };
        Value::text(part)
    });
    parts.collect()
}

/// Whether the keys are 0, 1, 2, …: `{"0": 7}` is a list to PHP.
pub(super) fn is_list(array: &PhpArray) -> bool {
    array.is_sequential()
}
