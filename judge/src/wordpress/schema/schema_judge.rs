//! One judgement of values by schemas, with bounds on its work.

use std::cell::Cell;

use super::keywords::{SchemaView, name_of};
use super::objection::{SchemaObjection, SchemaResult};
use super::php_text::number_of;
use super::phrases::{NOT_OF_TYPE, SiteWords};
use crate::wordpress::value::boolean::is_boolean;
use crate::wordpress::value::integer::is_integer;
use crate::wordpress::value::{KeyRef, Value};

/// The most values that are looked at, each once for each schema: a few milliseconds.
const MOST_STEPS: u32 = 20_000;

/// The deepest nesting of values and combined schemas.
const MOST_LEVELS: u32 = 64;

/// Judges values; it gives up when they take too much work.
pub(super) struct SchemaJudge<'a> {
    pub(super) words: &'a SiteWords,
    steps: Cell<u32>,
    level: Cell<u32>,
}

// === impl SchemaJudge ===

impl<'a> SchemaJudge<'a> {
    pub(super) const fn new(words: &'a SiteWords) -> Self {
        Self {
            words,
            steps: Cell::new(MOST_STEPS),
            level: Cell::new(MOST_LEVELS),
        }
    }

    /// Takes one step, one level deeper.
    pub(super) fn deeper<T>(&self, step: impl FnOnce() -> SchemaResult<T>) -> SchemaResult<T> {
        self.spend(1)?;
        let level = self.level.get();
        self.level
            .set(level.checked_sub(1).ok_or(SchemaObjection::Unsure)?);
        let outcome = step();
        self.level.set(level);
        outcome
    }

    /// Takes work off the bound.
    pub(super) fn spend(&self, steps: usize) -> SchemaResult {
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        let left = self.steps.get().checked_sub(steps);
        self.steps.set(left.ok_or(SchemaObjection::Unsure)?);
        Ok(())
    }

    /// The error about several types, or one.
    pub(super) fn not_of_type(&self, param: &str, kind: &str) -> SchemaObjection {
        let message = self.words.say(NOT_OF_TYPE, &[param, kind]);
        let SchemaObjection::Refused(mut error) = SchemaObjection::refused("rest_invalid_type", message)
        else {
            return SchemaObjection::Unsure;
        };
        error.param = Some(param.to_owned());
        SchemaObjection::Refused(error)
    }
}

/// The one type among several that fits a value; none if none does.
pub(super) fn best_kind<'s>(value: &Value, schema: &SchemaView<'s>) -> SchemaResult<Option<&'s Value>> {
    let Some(Value::Array(kinds)) = schema.kind else {
        return Ok(schema.kind);
    };
    let mut invalid = None;
    let mut fitting = None;
    for kind in kinds.values() {
        let name = name_of(kind)?;
        if !TYPES.contains(&name) {
            invalid = invalid.or(Some(kind));
        } else if fits(value, name) {
            // An empty text could be a list and an object too.
            let is_better = fitting.is_none() || value.as_text() == Some(b"") && name == "string";
            fitting = if is_better { Some(kind) } else { fitting };
        }
    }
    Ok(fitting.or(invalid))
}

/// The types that WordPress knows.
pub(super) const TYPES: [&str; 7] = [
    "array", "object", "string", "number", "integer", "boolean", "null",
];

/// Whether a value is of a type, as WordPress chooses among several.
pub(super) fn fits(value: &Value, kind: &str) -> bool {
    match kind {
        "array" => is_array(value),
        "object" => is_object(value),
        "integer" => is_integer(value),
        "number" => number_of(value).is_some(),
        "boolean" => is_boolean(value),
        "string" => value.as_text().is_some(),
        "null" => *value == Value::Null,
        _ => false,
    }
}

/// A scalar is split at commas and blanks; an array counts if no key is a text.
fn is_array(value: &Value) -> bool {
    match value {
        Value::Array(array) => array.entries().all(|(key, _)| matches!(key, KeyRef::Int(_))),
        Value::Null => false,
        Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

/// An empty text is an empty object, and a list is one too.
fn is_object(value: &Value) -> bool {
    matches!(value, Value::Array(_)) || value.as_text() == Some(b"")
}
