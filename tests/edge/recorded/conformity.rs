//! The conformity of a value to a shape, and the places where it differs.

use std::fmt;

use serde_json::{Map, Value};

use calendar_edge_judge::contract::response::{ResponseModel, Shape};

/// A place where a value differs from its shape.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mismatch {
    /// The place: `events[].venue.phone`; empty for the value itself.
    pub(crate) path: String,
    /// The difference.
    pub(crate) kind: MismatchKind,
}

/// The difference of a value at one place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MismatchKind {
    /// A member that every object has is not there.
    Missing,
    /// The value is of another type.
    Wrong {
        /// The shape in words: `text or null`.
        expected: String,
        /// The kind of value that stands there: `a number`.
        found: &'static str,
    },
}

/// The comparison of a value with a shape.
pub(crate) trait Conformity: Sized {
    /// All places where a value has another shape, each once; empty if it conforms.
    fn mismatches(self, value: &Value) -> Vec<Mismatch> {
        let mut found = Vec::new();
        self.compare(value, "", &mut found);
        found.sort();
        found.dedup();
        found
    }

    /// Returns true if a value has this shape.
    fn takes(self, value: &Value) -> bool {
        self.mismatches(value).is_empty()
    }

    /// Adds the places below a path where a value has another shape.
    fn compare(self, value: &Value, path: &str, found: &mut Vec<Mismatch>);

    /// True if the value itself fits; entries and members are not looked at.
    fn is_of_type(&self, value: &Value) -> bool;
}

// === impl Shape ===

impl Conformity for Shape {
    fn compare(self, value: &Value, path: &str, found: &mut Vec<Mismatch>) {
        match (self, value) {
            (Self::Either(shapes), _) => compare_either(self, shapes, value, path, found),
            (Self::List(entries), Value::Array(items)) => {
                let path = format!("{path}[]");
                for item in items {
                    entries.compare(item, &path, found);
                }
            }
            (Self::Map(values), Value::Object(members)) => {
                let path = below(path, "*");
                members
                    .values()
                    .for_each(|member| values.compare(member, &path, found));
            }
            (Self::Model(model), Value::Object(members)) => compare_members(model, members, path, found),
            _ if self.is_of_type(value) => {}
            _ => found.push(Mismatch {
                path: path.to_owned(),
                kind: MismatchKind::Wrong {
                    expected: described(self),
                    found: kind_of(value),
                },
            }),
        }
    }

    fn is_of_type(&self, value: &Value) -> bool {
        match self {
            Self::Any => true,
            Self::Null => value.is_null(),
            Self::False => *value == Value::Bool(false),
            Self::Boolean => value.is_boolean(),
            Self::Integer => whole(value).is_some(),
            Self::Count => whole(value).is_some_and(|number| number >= 0.0),
            Self::Number => value.is_number(),
            Self::Text => value.is_string(),
            Self::DateTime => value.as_str().is_some_and(is_date_time),
            Self::Exactly(text) => value == text,
            Self::EmptyList => value.as_array().is_some_and(Vec::is_empty),
            Self::List(_) => value.is_array(),
            Self::Map(_) | Self::Model(_) => value.is_object(),
            Self::Either(shapes) => shapes.iter().any(|shape| shape.is_of_type(value)),
        }
    }
}

/// Compares with the shape that a value has, or else with the first that is of its type.
fn compare_either(either: Shape, shapes: &[Shape], value: &Value, path: &str, found: &mut Vec<Mismatch>) {
    let of_type = || shapes.iter().filter(|shape| shape.is_of_type(value));
    if of_type().any(|shape| shape.takes(value)) {
        return;
    }
    match of_type().next() {
        Some(shape) => shape.compare(value, path, found),
        None => found.push(Mismatch {
            path: path.to_owned(),
            kind: MismatchKind::Wrong {
                expected: described(either),
                found: kind_of(value),
            },
        }),
    }
}

/// Digits where `2027-04-02 19:00:00` has them, and its signs between them. A draft has only zeros, and an event without
/// dates nothing.
fn is_date_time(text: &str) -> bool {
    let digits = |byte: u8| if byte.is_ascii_digit() { b'0' } else { byte };
    text.is_empty() || text.bytes().map(digits).eq(*b"0000-00-00 00:00:00")
}

/// A whole number, also one that is printed with a fraction of zero, as JSON Schema counts it.
fn whole(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| number.fract() == 0.0)
}

const fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() {
        return name.to_owned();
    }
    format!("{path}.{name}")
}

/// The shape in words.
pub(super) fn described(shape: Shape) -> String {
    match shape {
        Shape::Any => "any value".to_owned(),
        Shape::Null => "null".to_owned(),
        Shape::False => "false".to_owned(),
        Shape::Boolean => "a boolean".to_owned(),
        Shape::Integer => "a whole number".to_owned(),
        Shape::Count => "a whole number from 0".to_owned(),
        Shape::Number => "a number".to_owned(),
        Shape::Text => "a text".to_owned(),
        Shape::DateTime => "a date such as `2027-04-02 19:00:00`".to_owned(),
        Shape::EmptyList => "an empty list".to_owned(),
        Shape::List(_) => "a list".to_owned(),
        Shape::Map(_) => "an object".to_owned(),
        Shape::Exactly(text) => format!("`{text}`"),
        Shape::Model(model) => model.name.to_owned(),
        Shape::Either(shapes) => {
            let shapes = shapes.iter().map(|shape| described(*shape));
            shapes.collect::<Vec<_>>().join(" or ")
        }
    }
}

fn compare_members(
    model: &ResponseModel,
    object: &Map<String, Value>,
    path: &str,
    found: &mut Vec<Mismatch>,
) {
    for member in model.members() {
        let path = below(path, member.name);
        match object.get(member.name) {
            Some(value) => member.shape.compare(value, &path, found),
            None if member.is_required => found.push(Mismatch {
                path,
                kind: MismatchKind::Missing,
            }),
            None => {}
        }
    }
}

// === impl Mismatch ===

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() {
            "the response"
        } else {
            &self.path
        };
        match &self.kind {
            MismatchKind::Missing => write!(f, "{path} is missing"),
            MismatchKind::Wrong { expected, found } => write!(f, "{path} is {found}, not {expected}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use calendar_edge_judge::contract::Kind;
    use calendar_edge_judge::contract::response::{EVENT, TAG};

    use super::*;

    fn said(shape: Shape, value: &Value) -> Vec<String> {
        shape.mismatches(value).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn each_value_of_a_map_has_its_shape() {
        let shape = Shape::Map(&Shape::Text);
        assert!(shape.takes(&json!({"a": "x", "b": "y"})));
        assert_eq!(
            said(shape, &json!({"a": "x", "b": 1})),
            ["* is a number, not a text"]
        );
    }

    #[test]
    fn every_place_is_named_once() {
        let tag = |id: Value| {
            json!({"id": id, "count": 1, "name": "n", "slug": "s", "taxonomy": "t", "description": "", "url": "u",
                "meta": [], "urls": {"self": "u", "collection": "u"}})
        };
        let page =
            json!({"tags": [tag(json!("7")), tag(json!("8")), tag(json!(9))], "total": -1, "rest_url": "u"});
        assert_eq!(
            said(Shape::Model(Kind::Tag.list_model()), &page),
            [
                "tags[].id is a text, not a whole number",
                "total is a number, not a whole number from 0",
                "total_pages is missing"
            ]
        );
        assert_eq!(
            said(Shape::Model(&TAG), &json!([])),
            ["the response is a list, not Tag"]
        );
    }

    #[test]
    fn of_several_shapes_the_one_of_the_values_type_is_compared() {
        let image = EVENT
            .members()
            .find(|member| member.name == "image")
            .expect("a member");
        assert!(image.shape.takes(&json!(false)));
        assert_eq!(
            said(image.shape, &json!(true)),
            ["the response is true, not Image or false"]
        );
        assert_eq!(said(image.shape, &json!({"id": 5})), ["url is missing"]);
    }

    #[test]
    fn dates_are_written_as_wordpress_writes_them() {
        for (text, expected) in [
            ("2027-04-02 19:00:00", true),
            ("0000-00-00 00:00:00", true),
            ("2027-04-02T19:00:00", false),
            ("2027-04-02 19:00:00Z", false),
            ("2027-04-02", false),
            ("", true),
        ] {
            assert_eq!(Shape::DateTime.takes(&json!(text)), expected, "{text}");
        }
        assert_eq!(
            said(Shape::Either(&[Shape::DateTime, Shape::Null]), &json!("now")),
            ["the response is a text, not a date such as `2027-04-02 19:00:00` or null"]
        );
    }

    #[test]
    fn a_fraction_of_zero_is_whole() {
        let cases = [
            (json!(2), true),
            (json!(2.0), true),
            (json!(2.5), false),
            (json!("2"), false),
        ];
        for (value, expected) in cases {
            assert_eq!(Shape::Integer.takes(&value), expected, "{value}");
        }
    }
}
