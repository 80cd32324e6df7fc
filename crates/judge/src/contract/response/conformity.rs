//! The conformity of a value to a shape, and the places where it differs.

use std::fmt;

use serde_json::{Map, Value};

use super::shape::{ResponseModel, Shape};

/// A place where a value differs from its shape.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mismatch {
    /// The place: `events[].venue.phone`; empty for the value itself.
    pub path: String,
    /// The difference.
    pub kind: MismatchKind,
}

/// The difference of a value at one place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum MismatchKind {
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

// === impl Shape ===

impl Shape {
    /// All places where a value has another shape, each once; empty if it conforms.
    pub fn mismatches(self, value: &Value) -> Vec<Mismatch> {
        let mut found = Vec::new();
        self.compare(value, "", &mut found);
        found.sort();
        found.dedup();
        found
    }

    /// Returns true if a value has this shape.
    pub fn takes(self, value: &Value) -> bool {
        self.mismatches(value).is_empty()
    }

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
            (Self::Model(model), Value::Object(members)) => model.compare(members, path, found),
            _ if self.is_of_type(value) => {}
            _ => found.push(Mismatch {
                path: path.to_owned(),
                kind: MismatchKind::Wrong {
                    expected: self.to_string(),
                    found: kind_of(value),
                },
            }),
        }
    }

    /// True if the value itself fits; entries and members are not looked at.
    fn is_of_type(self, value: &Value) -> bool {
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
                expected: either.to_string(),
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

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any value"),
            Self::Null => f.write_str("null"),
            Self::False => f.write_str("false"),
            Self::Boolean => f.write_str("a boolean"),
            Self::Integer => f.write_str("a whole number"),
            Self::Count => f.write_str("a whole number from 0"),
            Self::Number => f.write_str("a number"),
            Self::Text => f.write_str("a text"),
            Self::DateTime => f.write_str("a date such as `2027-04-02 19:00:00`"),
            Self::Exactly(text) => write!(f, "`{text}`"),
            Self::EmptyList => f.write_str("an empty list"),
            Self::List(_) => f.write_str("a list"),
            Self::Map(_) => f.write_str("an object"),
            Self::Model(model) => f.write_str(model.name),
            Self::Either(shapes) => {
                for (position, shape) in shapes.iter().enumerate() {
                    let separator = if position == 0 { "" } else { " or " };
                    write!(f, "{separator}{shape}")?;
                }
                Ok(())
            }
        }
    }
}

// === impl ResponseModel ===

impl ResponseModel {
    fn compare(&self, object: &Map<String, Value>, path: &str, found: &mut Vec<Mismatch>) {
        for member in self.members() {
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

    use super::super::{EVENT, TAG};
    use super::*;
    use crate::contract::Kind;

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
            said(Shape::DATE_OR_NULL, &json!("now")),
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
