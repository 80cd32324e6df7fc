//! Values in the documented form only: plain numbers, absolute dates, the five statuses, ids in lists.

use jiff::civil::DateTime;

use super::dates::absolute;
use crate::contract::{Argument, Documented, Operation, Place, Rule};
use crate::payload::{Bags, Source};
use crate::problem::{Fault, InvalidParameter, Problem};
use crate::value::datetime::wall;
use crate::value::numeric::is_numeric;
use crate::value::{ArrayKind, PhpArray, Value};

/// The largest id: what a JSON number carries exactly.
const MAX_ID: u64 = (1 << 53) - 1;

/// The largest page.
const MAX_PAGE: u64 = 100_000;

/// The largest page size.
const MAX_PER_PAGE: u64 = 100;

/// Characters of a text that is not a description.
const MAX_TEXT: usize = 1000;

/// Bytes of a slug.
const MAX_SLUG: usize = 200;

/// Elements of a list.
const MAX_ELEMENTS: usize = 100;

/// What is wrong with a call's values, in declaration order.
pub(in crate::call) fn check_values(operation: &Operation, bags: &Bags) -> Option<Problem> {
    let wrong = |argument: &Argument| {
        let (source, value) = bags.get(argument.name)?;
        let sent = Sent {
            argument,
            source,
            value,
            place: operation.place(argument),
        };
        let fault = (!sent.holds()).then(|| Fault::Strict(sent.expectation()))?;
        Some(InvalidParameter {
            name: argument.name,
            fault,
        })
    };
    let mut wrong: Vec<InvalidParameter> = operation.arguments.iter().filter_map(wrong).collect();
    wrong.extend(half_a_coordinate(bags));
    wrong.extend(end_before_start(operation, bags));
    (!wrong.is_empty()).then_some(Problem::Invalid(wrong))
}

/// An argument that was sent.
struct Sent<'a> {
    argument: &'a Argument,
    source: Source,
    value: &'a Value,
    place: Place,
}

// === impl Sent ===

impl Sent<'_> {
    fn holds(&self) -> bool {
        let (argument, value) = (self.argument, self.value);
        match argument.documented {
            Documented::Integer => self.is_number(value) && whole(value, limit(argument.name)),
            Documented::Boolean | Documented::BooleanLike => boolean(value),
            Documented::Date | Documented::UtcDate | Documented::DateTime => self.is_date(),
            // A slug was measured with the path; here it is still percent-encoded, up to three times as long.
            Documented::String if self.place == Place::Path => true,
            // The publication date, which the specification calls text.
            Documented::String if argument.rule == Rule::Time => self.is_date(),
            Documented::Double => coordinate(argument.name, value),
            Documented::IntegerList => self.is_list(),
            Documented::Url => url(value),
            Documented::Any if argument.rule == Rule::UrlOrEmpty => url(value),
            Documented::Any if argument.name == "context" => utf8(value) == Some("view"),
            Documented::Any => scalar(value),
            Documented::String | Documented::Email => text(argument, value),
        }
    }

    /// What the message says was expected.
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

    /// Written dates are absolute; a filter takes every date that PHP reads and that lies in the years 1 to
    /// 9999. Numbers are neither: they could be a year or seconds.
    fn is_date(&self) -> bool {
        let Some(text) = utf8(self.value) else {
            return false;
        };
        match self.place {
            Place::Body => absolute(text).is_some(),
            Place::Query | Place::Path => short_text(self.value) && is_readable_date(text),
        }
    }

    /// JSON has numbers of its own; all other values are text.
    fn is_number(&self, value: &Value) -> bool {
        self.source != Source::Json || matches!(value, Value::Number(_))
    }

    /// Ids as a comma list or, in JSON always, as an array; terms of a filter by slug too, and names of terms
    /// to store.
    fn is_list(&self) -> bool {
        let is_terms = matches!(self.argument.rule, Rule::TermList(_) | Rule::Anything);
        let element =
            |value: &Value| (self.is_number(value) && whole(value, MAX_ID)) || (is_terms && term(value));
        match self.value {
            Value::Array(array) => array.kind() == ArrayKind::List && elements_hold(array, element),
            Value::String(text) if self.source != Source::Json => {
                let parts: Vec<Value> = text.split(|&byte| byte == b',').map(Value::text).collect();
                elements_hold(&PhpArray::list(parts), element)
            }
            _ => false,
        }
    }
}

fn is_readable_date(text: &str) -> bool {
    // The day only fills in what a text leaves out.
    let some_day = DateTime::constant(2026, 1, 1, 0, 0, 0, 0);
    let read = wall(text.as_bytes(), some_day);
    let in_range = read.is_some_and(|date| date.year() >= 1 && date < DateTime::MAX);
    // PHP takes `99999-01-01` for the year 2009.
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let odd_year = digits > 4 && text.as_bytes().get(digits) == Some(&b'-');
    in_range && !odd_year && !is_numeric(text.as_bytes())
}

fn limit(name: &str) -> u64 {
    match name {
        "page" => MAX_PAGE,
        "per_page" => MAX_PER_PAGE,
        _ => MAX_ID,
    }
}

fn whole(value: &Value, limit: u64) -> bool {
    let text = match value {
        Value::String(text) => text.as_slice(),
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
        Value::String(text) => matches!(text.as_slice(), b"0" | b"1" | b"true" | b"false"),
        Value::Number(number) => matches!(number.as_str(), "0" | "1"),
        Value::Null | Value::Array(_) => false,
    }
}

fn coordinate(name: &str, value: &Value) -> bool {
    let bound = if name == "geoloc_lat" { 90.0 } else { 180.0 };
    let plain = |text: &&str| {
        text.bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.'))
    };
    let number = utf8(value)
        .filter(plain)
        .and_then(|text| text.parse::<f64>().ok());
    number.is_some_and(|number| number.abs() <= bound)
}

fn elements_hold(array: &PhpArray, holds: impl Fn(&Value) -> bool) -> bool {
    (1..=MAX_ELEMENTS).contains(&array.len()) && array.values().all(holds)
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

fn text(argument: &Argument, value: &Value) -> bool {
    match (argument.name, argument.rule) {
        ("status", _) => {
            matches!(
                utf8(value),
                Some("publish" | "draft" | "pending" | "private" | "future")
            )
        }
        ("order", _) => {
            utf8(value).is_some_and(|order| ["asc", "desc"].contains(&order.to_ascii_lowercase().as_str()))
        }
        ("slug", _) => short_text(value) && utf8(value).is_some_and(|slug| slug.len() <= MAX_SLUG),
        ("description" | "excerpt", _) => utf8(value).is_some_and(|text| {
            !text
                .chars()
                .any(|character| character.is_control() && !matches!(character, '\t' | '\n' | '\r'))
        }),
        (_, Rule::Image | Rule::ImageOrEmpty) => whole(value, MAX_ID) || url(value),
        (_, Rule::UrlOrEmpty) => url(value),
        _ => short_text(value),
    }
}

fn short_text(value: &Value) -> bool {
    utf8(value).is_some_and(|text| text.chars().count() <= MAX_TEXT && !text.chars().any(char::is_control))
}

/// A slug or name with nothing around it.
fn term(value: &Value) -> bool {
    short_text(value) && utf8(value).is_some_and(|text| !text.is_empty() && text.trim() == text)
}

fn utf8(value: &Value) -> Option<&str> {
    std::str::from_utf8(value.as_text()?).ok()
}

/// One coordinate without the other.
fn half_a_coordinate(bags: &Bags) -> Option<InvalidParameter> {
    let name = match (bags.get("geoloc_lat"), bags.get("geoloc_lng")) {
        (Some(_), None) => "geoloc_lng",
        (None, Some(_)) => "geoloc_lat",
        _ => return None,
    };
    Some(InvalidParameter {
        name,
        fault: Fault::Strict("It must come with the other coordinate."),
    })
}

fn end_before_start(operation: &Operation, bags: &Bags) -> Option<InvalidParameter> {
    if !operation.is_write() {
        return None;
    }
    let moment = |name| bags.get(name).and_then(|(_, value)| absolute(utf8(value)?));
    let (start, end) = (moment("start_date")?, moment("end_date")?);
    (end < start).then_some(InvalidParameter {
        name: "end_date",
        fault: Fault::Strict("It must not be before start_date."),
    })
}
