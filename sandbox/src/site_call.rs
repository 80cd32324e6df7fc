//! A call: one operation with its parameters.

use jiff::Timestamp;
use jiff::civil::DateTime;

use super::account::CurrentUser;
use super::php::{intval, list_to_array};
use super::zone::Zone;
use calendar_edge_judge::contract::Operation;
use calendar_edge_judge::wordpress::payload::{Parameters, Source};
use calendar_edge_judge::wordpress::value::Value;

/// An operation with its parameters, its user and its time.
#[derive(Debug)]
pub(super) struct Call {
    /// The operation.
    pub(super) operation: &'static Operation,
    /// The parameters, where they came from.
    pub(super) parameters: Parameters,
    /// The user.
    pub(super) user: CurrentUser,
    /// The present moment.
    pub(super) now: Timestamp,
}

// === impl Call ===

impl Call {
    /// The value of a parameter: the first source that holds one other than null wins.
    pub(super) fn value(&self, name: &str) -> Option<&Value> {
        // Two statements, because the borrow of `name` must end before the value leaves.
        let found = self
            .parameters
            .in_order()
            .iter()
            .filter_map(|sent| sent.parameters.get(name));
        found.into_iter().find(|value| **value != Value::Null)
    }

    /// A parameter as text.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.value(name).and_then(text_of)
    }

    /// A parameter as text, unless PHP calls it empty.
    pub(super) fn filled(&self, name: &str) -> Option<String> {
        self.value(name)
            .filter(|value| !value.is_empty())
            .and_then(text_of)
    }

    /// A parameter as a record's number.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.value(name).and_then(number_of)
    }

    /// A parameter as true or false.
    pub(super) fn flag(&self, name: &str) -> Option<bool> {
        self.value(name).map(|value| match value {
            Value::String(text) => !(value.is_empty() || text.eq_ignore_ascii_case(b"false")),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => !value.is_empty(),
        })
    }

    /// The entries of a list parameter.
    pub(super) fn items(&self, name: &str) -> Option<Vec<String>> {
        self.value(name).map(items_of)
    }

    /// A parameter of the query alone, as text.
    pub(super) fn query(&self, name: &str) -> Option<&Value> {
        self.parameters.of(Source::Query).and_then(|sent| sent.get(name))
    }

    /// The wall clock at the site.
    pub(super) fn wall(&self) -> DateTime {
        Zone::site().wall(self.now)
    }

    /// The UTC clock.
    pub(super) fn utc(&self) -> DateTime {
        Zone::site().to_utc(self.wall())
    }
}

/// A scalar as text; `false` is empty, `true` is `1`, as PHP casts them.
pub(super) fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Bool(false) => Some(String::new()),
        Value::Bool(true) => Some("1".to_owned()),
        Value::Number(number) => Some(number.as_str().to_owned()),
        Value::String(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        Value::Array(_) => None,
    }
}

/// A scalar as a record's number; none for 0, negative numbers and other texts.
pub(super) fn number_of(value: &Value) -> Option<u64> {
    u64::try_from(intval(value)).ok().filter(|number| *number > 0)
}

/// The scalars of a comma list or an array, and of arrays directly inside it.
pub(super) fn items_of(value: &Value) -> Vec<String> {
    let items = list_to_array(value);
    let items = items.iter().flat_map(|item| match item.as_ref() {
        Value::Array(inner) => inner.values().filter_map(text_of).collect(),
        scalar => text_of(scalar).into_iter().collect::<Vec<_>>(),
    });
    items.collect()
}

/// A value as an address repeats it.
pub(super) fn spelling_of(value: &Value) -> String {
    text_of(value).unwrap_or_else(|| items_of(value).join(","))
}
