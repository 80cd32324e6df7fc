//! Values that end PHP with a fatal error. No mode and no profile forwards them (backend.md section 3).

use super::case::Case;
use crate::contract::{FatalShape, read_by_backend};
use crate::wordpress::value::Value;

/// The parameter whose value would crash the plugin.
///
/// A value that crashes only some versions counts where the site is known to have such a version.
pub(super) fn fatal_argument(case: &Case<'_>) -> Option<&'static str> {
    let (operation, parameters, version) = (case.operation, &case.parameters, case.table.site_version);
    let declared = operation.arguments.iter();
    let declared = declared.map(|argument| (argument.name, argument.crashes_on));
    // Most calls send none of these.
    let undeclared = read_by_backend(operation.id)
        .iter()
        .filter(|name| parameters.get(name).is_some() && version.crashes_on_array(operation, name))
        .map(|name| (*name, Some(FatalShape::Array)));
    let crashing = declared
        .chain(undeclared)
        .filter_map(|(name, shape)| Some((name, shape?)));
    let mut fatal = crashing.filter(|(name, shape)| {
        let sent = parameters.get(name);
        sent.is_some_and(|(_, value)| is_of_shape(value, *shape))
    });
    fatal.next().map(|(name, _)| name)
}

fn is_of_shape(value: &Value, shape: FatalShape) -> bool {
    let Value::Array(array) = value else { return false };
    match shape {
        FatalShape::Array => true,
        FatalShape::NonEmptyArray => !array.is_empty(),
        FatalShape::NestedArray => array.values().any(|value| matches!(value, Value::Array(_))),
    }
}
