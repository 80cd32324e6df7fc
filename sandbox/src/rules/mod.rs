//! Whether WordPress takes the parameters of a call: steps 7 to 9 of backend.md section 2.
//!
//! The rules are the sandbox's own, so that a test of the edge before the sandbox compares two implementations.
//! They consist of the parameters that the recorded site registers (`published`) and of the plugin's callbacks
//! (`callbacks`), and share only PHP's readings with the edge. A mistake in both is found by the recorded corpus
//! alone: the test `recorded` compares these rules with its responses.

mod callbacks;
mod published;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod recorded_site;

use super::php;
use super::rest_error::RestError;
use super::site_call::Call;
use super::store::Store;
use calendar_edge_judge::contract::Schema;
use calendar_edge_judge::problem::{Fault, InvalidParameter, Problem};
use calendar_edge_judge::wordpress::value::Value;
use calendar_edge_judge::wordpress::value::numeric::Numeric;
use callbacks::Validator;
use published::{Callback, PublishedParameter, parameters};

/// Refuses a call that WordPress would refuse for its parameters.
pub(super) fn judge(call: &Call, store: &Store) -> Result<(), RestError> {
    let parameters = parameters(call.operation.id);
    check_required(call, parameters)?;
    check_callbacks(call, store, parameters)?;
    check_types(call, parameters)
}

/// The first half of `has_valid_params`.
fn check_required(call: &Call, parameters: &'static [PublishedParameter]) -> Result<(), RestError> {
    let missing = parameters
        .iter()
        .filter(|parameter| parameter.is_required && call.value(&parameter.name).is_none());
    let missing: Vec<&'static str> = missing.map(|parameter| parameter.name.as_str()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Problem::Missing(missing).into())
}

/// The second half of `has_valid_params`: the winning value of each parameter.
fn check_callbacks(
    call: &Call,
    store: &Store,
    parameters: &'static [PublishedParameter],
) -> Result<(), RestError> {
    let validator = Validator {
        store,
        user: call.user,
    };
    let is_invalid = |parameter: &&PublishedParameter| {
        let sent = parameter.callback.zip(call.value(&parameter.name));
        sent.is_some_and(|(callback, value)| !validator.accepts(callback, value))
    };
    let invalid: Vec<&PublishedParameter> = parameters.iter().filter(is_invalid).collect();
    if let [only] = invalid.as_slice()
        && matches!(only.callback, Some(Callback::Ticketed))
    {
        return Err(RestError::TicketsMissing);
    }
    report(
        invalid
            .into_iter()
            .map(|parameter| (parameter.name.as_str(), Fault::Invalid)),
    )
}

/// `sanitize_params`: every value of every source, losers included.
fn check_types(call: &Call, parameters: &'static [PublishedParameter]) -> Result<(), RestError> {
    let sources = call.parameters.in_order().iter();
    let sent = sources.flat_map(|source| source.parameters.entries());
    report(sent.filter_map(|(key, value)| {
        let key = key.to_bytes();
        let parameter = parameters
            .iter()
            .find(|parameter| parameter.name.as_bytes() == key)?;
        let schema = parameter.schema?;
        (!is_of_type(schema, value)).then_some((parameter.name.as_str(), Fault::Type(schema)))
    }))
}

/// Refuses when there are faults; each parameter is named once.
fn report(faults: impl Iterator<Item = (&'static str, Fault)>) -> Result<(), RestError> {
    let mut invalid: Vec<InvalidParameter> = Vec::new();
    for (name, fault) in faults {
        if !invalid.iter().any(|known| known.name == name) {
            invalid.push(InvalidParameter { name, fault });
        }
    }
    if invalid.is_empty() {
        return Ok(());
    }
    Err(Problem::Invalid(invalid).into())
}

fn is_of_type(schema: Schema, value: &Value) -> bool {
    match schema {
        Schema::String => value.as_text().is_some(),
        Schema::Integer => rest_is_integer(value),
        Schema::Boolean => rest_is_boolean(value),
    }
}

/// `is_numeric( $value ) && round( (float) $value ) === (float) $value`
fn rest_is_integer(value: &Value) -> bool {
    php::number(value).is_some_and(|number| match number {
        Numeric::Int(_) => true,
        Numeric::Float(float) => float.is_infinite() || float.fract() == 0.0,
    })
}

/// Booleans, the integers 0 and 1, and the texts of all four.
fn rest_is_boolean(value: &Value) -> bool {
    match value {
        Value::Bool(_) => true,
        Value::Number(number) => matches!(number.as_int(), Some(0 | 1)),
        Value::String(text) => ["false", "true", "0", "1"]
            .iter()
            .any(|word| text.eq_ignore_ascii_case(word.as_bytes())),
        Value::Null | Value::Array(_) => false,
    }
}
