//! Values in their documented form only: plain numbers, absolute dates, the five statuses, ids in lists.

use jiff::civil::DateTime;

use super::dates::absolute;
use crate::contract::{Argument, Documented, Operation, Relation, StrictRule, strict};
use crate::problem::{Fault, InvalidParameter, Problem};
use crate::wordpress::payload::{Parameters, Source};
use crate::wordpress::value::datetime::wall;
use crate::wordpress::value::numeric::is_numeric;
use crate::wordpress::value::{PhpArray, Value};

/// The objection to the values of a call, in declaration order.
pub(in crate::call) fn check_values(operation: &Operation, parameters: &Parameters) -> Option<Problem> {
    let wrong = |argument: &Argument| {
        let (source, value) = parameters.get(argument.name)?;
        let sent = Sent {
            argument,
            source,
            value,
        };
        let fault = (!sent.holds()).then(|| Fault::Strict(sent.expectation()))?;
        Some(InvalidParameter {
            name: argument.name,
            fault,
        })
    };
    let mut wrong: Vec<InvalidParameter> = operation.arguments.iter().filter_map(wrong).collect();
    let related = operation.arguments.iter();
    wrong.extend(related.filter_map(|argument| breach(argument, argument.relation?, parameters)));
    (!wrong.is_empty()).then_some(Problem::Invalid(wrong))
}

/// An argument as it was sent.
struct Sent<'a> {
    argument: &'a Argument,
    source: Source,
    value: &'a Value,
}

// === impl Sent ===

impl Sent<'_> {
    fn holds(&self) -> bool {
        let value = self.value;
        match self.argument.strict {
            StrictRule::Whole { most } => self.is_number(value) && whole(value, most),
            StrictRule::Flag => boolean(value),
            StrictRule::AbsoluteDate => utf8(value).is_some_and(|text| absolute(text).is_some()),
            StrictRule::ReadableDate => short_text(value) && utf8(value).is_some_and(is_readable_date),
            StrictRule::Degrees { most } => degrees(value, most),
            StrictRule::Ids => self.is_list(|element| self.is_id(element)),
            StrictRule::Terms => self.is_list(|element| self.is_id(element) || term(element)),
            StrictRule::Url => url(value),
            StrictRule::Image => whole(value, strict::LARGEST_ID) || url(value),
            StrictRule::Word(words) => utf8(value).is_some_and(|word| words.contains(&word)),
            StrictRule::WordInAnyCase(words) => {
                utf8(value).is_some_and(|word| words.iter().any(|known| known.eq_ignore_ascii_case(word)))
            }
            StrictRule::Slug => {
                short_text(value) && utf8(value).is_some_and(|slug| slug.len() <= strict::SLUG_BYTES)
            }
            StrictRule::InPath => true,
            StrictRule::LongText => utf8(value).is_some_and(is_long_text),
            StrictRule::Text => short_text(value),
            StrictRule::Scalar => scalar(value),
        }
    }

    /// The sentence in the error message that describes the expected value.
    fn expectation(&self) -> &'static str {
        match self.argument.documented {
            Documented::Integer => "It must be a whole number above zero, within bounds, in plain digits.",
            Documented::Boolean | Documented::BooleanLike => "It must be true, false, 1 or 0.",
            Documented::Date | Documented::UtcDate | Documented::DateTime => {
                "It must be a date like 2027-01-15 or 2027-01-15 10:00:00."
            }
            Documented::Double => "It must be a coordinate within bounds.",
            Documented::IntegerList => "It must be a list of at most 100 ids.",
            Documented::Url => "It must be an absolute http or https URL.",
            Documented::Any => "It must be a documented, plain value.",
            Documented::String | Documented::Email => {
                "It must be a documented value, short and without control characters."
            }
        }
    }

    fn is_id(&self, value: &Value) -> bool {
        self.is_number(value) && whole(value, strict::LARGEST_ID)
    }

    /// In JSON only a number counts as a number. From other sources every value is text.
    fn is_number(&self, value: &Value) -> bool {
        self.source != Source::Json || matches!(value, Value::Number(_))
    }

    /// Returns true for an array with valid elements. Outside JSON, a comma list counts too.
    fn is_list(&self, element: impl Fn(&Value) -> bool) -> bool {
        match self.value {
            Value::Array(array) => array.is_list() && elements_hold(array, element),
            Value::String(text) if self.source != Source::Json => {
                let parts: Vec<Value> = text.split(|&byte| byte == b',').map(Value::text).collect();
                elements_hold(&PhpArray::list(parts), element)
            }
            _ => false,
        }
    }
}

/// Returns true if PHP can read the date. Plain numbers do not count as dates: they could mean a year or
/// seconds.
fn is_readable_date(text: &str) -> bool {
    // The date fills in the parts that a text leaves out.
    let some_day = DateTime::constant(2026, 1, 1, 0, 0, 0, 0);
    let read = wall(text.as_bytes(), some_day);
    let in_range = read.is_some_and(|date| date.year() >= 1 && date < DateTime::MAX);
    // PHP takes `99999-01-01` for the year 2009.
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let odd_year = digits > 4 && text.as_bytes().get(digits) == Some(&b'-');
    in_range && !odd_year && !is_numeric(text.as_bytes())
}

fn whole(value: &Value, limit: u64) -> bool {
    let text = match value {
        Value::String(text) => text,
        Value::Number(number) => number.as_str().as_bytes(),
        Value::Null | Value::Bool(_) | Value::Array(_) => return false,
    };
    let digits = !text.is_empty() && text.iter().all(u8::is_ascii_digit) && !text.starts_with(b"0");
    let number = std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse::<u64>().ok());
    digits && number.is_some_and(|number| number <= limit)
}

fn boolean(value: &Value) -> bool {
    match value {
        Value::Bool(_) => true,
        Value::String(text) => matches!(&**text, b"0" | b"1" | b"true" | b"false"),
        Value::Number(number) => matches!(number.as_str(), "0" | "1"),
        Value::Null | Value::Array(_) => false,
    }
}

fn degrees(value: &Value, most: u8) -> bool {
    let plain = |text: &&str| {
        text.bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.'))
    };
    let number = utf8(value)
        .filter(plain)
        .and_then(|text| text.parse::<f64>().ok());
    number.is_some_and(|number| number.abs() <= f64::from(most))
}

fn elements_hold(array: &PhpArray, holds: impl Fn(&Value) -> bool) -> bool {
    (1..=strict::LIST_ELEMENTS).contains(&array.len()) && array.values().all(holds)
}

fn url(value: &Value) -> bool {
    let Some(url) = utf8(value).and_then(|text| url::Url::parse(text).ok()) else {
        return false;
    };
    matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.password().is_none()
}

fn scalar(value: &Value) -> bool {
    match value {
        Value::String(_) => short_text(value),
        Value::Number(number) => number.as_float().is_finite(),
        Value::Bool(_) => true,
        Value::Null | Value::Array(_) => false,
    }
}

fn is_long_text(text: &str) -> bool {
    let is_odd = |character: char| character.is_control() && !matches!(character, '\t' | '\n' | '\r');
    !text.chars().any(is_odd)
}

fn short_text(value: &Value) -> bool {
    utf8(value).is_some_and(|text| {
        text.chars().count() <= strict::TEXT_CHARACTERS && !text.chars().any(char::is_control)
    })
}

/// Returns true for a slug or name without blanks around it.
fn term(value: &Value) -> bool {
    short_text(value) && utf8(value).is_some_and(|text| !text.is_empty() && text.trim() == text)
}

fn utf8(value: &Value) -> Option<&str> {
    std::str::from_utf8(value.as_text()?).ok()
}

/// The objection to an argument together with the argument that it relates to.
fn breach(argument: &Argument, relation: Relation, parameters: &Parameters) -> Option<InvalidParameter> {
    let (_, value) = parameters.get(argument.name)?;
    match relation {
        Relation::OtherCoordinate(other) => parameters.get(other).is_none().then_some(InvalidParameter {
            name: other,
            fault: Fault::Strict("It must come with the other coordinate."),
        }),
        Relation::NotBefore(start) => {
            let (_, start) = parameters.get(start)?;
            let is_before = absolute(utf8(value)?)? < absolute(utf8(start)?)?;
            is_before.then_some(InvalidParameter {
                name: argument.name,
                fault: Fault::Strict("It must not be before start_date."),
            })
        }
    }
}
