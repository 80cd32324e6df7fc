//! The comparison of one operation, argument by argument.

use serde_json::{Map, Value};

use super::super::argument::{Argument, DefaultValue};
use super::super::difference::{Published, differences};
use super::super::documented::Documented;
use super::super::operation::Operation;
use super::finding::Drift;

/// The differences between an operation's published arguments and the table's.
pub(super) fn compare_arguments(operation: &Operation, endpoint: &Value, namespace: &str) -> Vec<Drift> {
    let nothing = Map::new();
    // An empty PHP array is printed as a list, so the index publishes `[]` for an operation without
    // arguments.
    let published = endpoint
        .get("args")
        .and_then(Value::as_object)
        .unwrap_or(&nothing);
    let mut drifts = Vec::new();
    for argument in &operation.arguments {
        match published.get(argument.name) {
            Some(definition) => {
                drifts.extend(Comparison::new(operation, argument, definition).run(namespace));
            }
            None => drifts.push(Drift::ArgumentMissing {
                operation: operation.name.clone(),
                argument: argument.name.to_owned(),
            }),
        }
    }
    let extra = published
        .keys()
        .filter(|name| operation.argument(name.as_bytes()).is_none());
    drifts.extend(extra.map(|name| Drift::ArgumentExtra {
        operation: operation.name.clone(),
        argument: name.clone(),
    }));
    if !same_order(operation, published) {
        drifts.push(Drift::OrderDiffers {
            operation: operation.name.clone(),
        });
    }
    drifts
}

/// Returns true if the arguments that both sides have are in the same order.
fn same_order(operation: &Operation, published: &Map<String, Value>) -> bool {
    let ours = operation
        .arguments
        .iter()
        .map(|argument| argument.name)
        .filter(|name| published.contains_key(*name));
    let theirs = published
        .keys()
        .map(String::as_str)
        .filter(|name| operation.argument(name.as_bytes()).is_some());
    ours.eq(theirs)
}

/// One argument together with its published definition.
struct Comparison<'a> {
    operation: &'a Operation,
    argument: &'a Argument,
    definition: &'a Value,
}

impl<'a> Comparison<'a> {
    const fn new(operation: &'a Operation, argument: &'a Argument, definition: &'a Value) -> Self {
        Self {
            operation,
            argument,
            definition,
        }
    }

    fn run(&self, namespace: &str) -> impl Iterator<Item = Drift> {
        [self.kind(), self.default(namespace), self.required()]
            .into_iter()
            .flatten()
    }

    /// The known differences of this argument.
    fn known(&self) -> impl Iterator<Item = Published> {
        differences()
            .iter()
            .filter(|row| row.concerns(&self.operation.name, self.argument.name))
            .map(|row| row.published)
    }

    fn kind(&self) -> Option<Drift> {
        let specified = json_type(self.argument.documented);
        let published = self.definition.get("type").and_then(Value::as_str);
        let excused = published.is_none() && self.known().any(|known| known == Published::NoType);
        (published != specified && !excused).then(|| Drift::TypeDiffers {
            operation: self.operation.name.clone(),
            argument: self.argument.name.to_owned(),
            specified: specified.unwrap_or("untyped").to_owned(),
            published: published.unwrap_or("untyped").to_owned(),
        })
    }

    fn default(&self, namespace: &str) -> Option<Drift> {
        let published = self.definition.get("default");
        let specified = match self.argument.default {
            DefaultValue::Generated => return None,
            DefaultValue::None => None,
            DefaultValue::Null => Some(Value::Null),
            DefaultValue::Bool(value) => Some(value.into()),
            DefaultValue::Int(value) => Some(value.into()),
            DefaultValue::Text(value) => Some(value.into()),
        };
        let excused =
            published.is_some_and(|value| self.known().any(|known| excuses(known, value, namespace)));
        (published != specified.as_ref() && !excused).then(|| Drift::DefaultDiffers {
            operation: self.operation.name.clone(),
            argument: self.argument.name.to_owned(),
            specified: specified.map_or_else(|| "none".to_owned(), |value| value.to_string()),
            published: published.map_or_else(|| "none".to_owned(), Value::to_string),
        })
    }

    fn required(&self) -> Option<Drift> {
        let specified = self.argument.is_required();
        let published = self
            .definition
            .get("required")
            .and_then(Value::as_bool)
            .unwrap_or(false);
        (published != specified).then(|| Drift::RequiredDiffers {
            operation: self.operation.name.clone(),
            argument: self.argument.name.to_owned(),
            specified,
        })
    }
}

fn excuses(known: Published, default: &Value, namespace: &str) -> bool {
    match known {
        Published::DefaultText(text) => default == text,
        Published::AnyNumber => match default {
            Value::Number(_) => true,
            Value::String(text) => text.parse::<u32>().is_ok(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
        },
        Published::OwnNamespace => default == namespace,
        Published::Unseen | Published::NoType | Published::Namespace => false,
    }
}

/// The JSON type that an index would publish if it followed the specification; none: the type is not
/// determined.
const fn json_type(documented: Documented) -> Option<&'static str> {
    match documented {
        Documented::String
        | Documented::DateTime
        | Documented::Date
        | Documented::UtcDate
        | Documented::Url
        | Documented::Email => Some("string"),
        Documented::Integer => Some("integer"),
        Documented::Double => Some("number"),
        Documented::Boolean | Documented::BooleanLike => Some("boolean"),
        Documented::IntegerList => Some("array"),
        Documented::Any => None,
    }
}
