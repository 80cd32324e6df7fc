//! Values that end PHP with a fatal error. No mode and no profile forwards them (backend.md section 3).

use crate::contract::{FatalShape, Operation, obeyed};
use crate::payload::Parameters;
use crate::value::Value;

/// The parameter whose value would crash the plugin.
pub(super) fn fatal_argument(operation: &Operation, parameters: &Parameters) -> Option<&'static str> {
    let declared = operation.arguments.iter();
    let declared = declared.map(|argument| (argument.name, argument.crashes_on));
    let undeclared = obeyed(operation.id)
        .iter()
        .map(|known| (known.name, known.crashes_on));
    let is_fatal = |(name, shape): &(&'static str, Option<FatalShape>)| {
        let value = parameters.get(name).map(|(_, value)| value);
        matches!((shape, value), (Some(shape), Some(value)) if is_of_shape(value, *shape))
    };
    declared.chain(undeclared).find(is_fatal).map(|(name, _)| name)
}

fn is_of_shape(value: &Value, shape: FatalShape) -> bool {
    let Value::Array(array) = value else { return false };
    match shape {
        FatalShape::Array => true,
        FatalShape::NonEmptyArray => !array.is_empty(),
        FatalShape::NestedArray => array.values().any(|value| matches!(value, Value::Array(_))),
    }
}
