//! The comparison of one operation, argument by argument.

use serde_json::{Map, Value};

use super::super::operation::Operation;
use super::finding::Drift;

/// The differences between an operation's published arguments and the table's.
pub(super) fn compare_arguments(operation: &Operation, endpoint: &Value) -> Vec<Drift> {
    let nothing = Map::new();
    // An empty PHP array is printed as a list, so the index publishes `[]` for an operation without
    // arguments.
    let published = endpoint
        .get("args")
        .and_then(Value::as_object)
        .unwrap_or(&nothing);
    let mut drifts = Vec::new();
    for argument in &operation.arguments {
        let name = || (operation.name.clone(), argument.name.to_owned());
        let specified = argument.is_required;
        match published.get(argument.name) {
            Some(definition) if is_required(definition) != specified => {
                let (operation, argument) = name();
                drifts.push(Drift::RequiredDiffers {
                    operation,
                    argument,
                    specified,
                });
            }
            Some(_) => {}
            None => {
                let (operation, argument) = name();
                drifts.push(Drift::ArgumentMissing { operation, argument });
            }
        }
    }
    let extra = published
        .keys()
        .filter(|name| operation.argument(name.as_bytes()).is_none());
    drifts.extend(extra.map(|name| Drift::ArgumentExtra {
        operation: operation.name.clone(),
        argument: name.clone(),
    }));
    drifts
}

fn is_required(definition: &Value) -> bool {
    definition
        .get("required")
        .and_then(Value::as_bool)
        .unwrap_or(false)
}
