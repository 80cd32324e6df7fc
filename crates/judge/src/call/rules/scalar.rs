//! Rules for a single value: texts, numbers, dates, ids, slugs.

use std::borrow::Cow;

use super::images::is_hosted;
use super::judge_context::JudgeContext;
use crate::call::credentials::Caller;
use crate::contract::EventIds;
use crate::wordpress::value::datetime;
use crate::wordpress::value::integer::is_integer;
use crate::wordpress::value::numeric::{Numeric, int_prefix, is_numeric, numeric};
use crate::wordpress::value::{Value, Verdict, Why};

/// The verdict on an id that a record may have.
const IN_DATABASE: Verdict = Verdict::Defer(Why::Database);

/// Judges a date. Numbers pass without a check; text must be readable by PHP's date reader.
pub(super) fn time(value: &Value) -> Verdict {
    match value {
        Value::Number(_) => Verdict::Admit,
        Value::String(text) => datetime::time(text),
        Value::Null | Value::Bool(_) | Value::Array(_) => Verdict::Reject,
    }
}

pub(super) fn text_or_empty(value: &Value, judge: fn(&[u8]) -> Verdict) -> Verdict {
    match value {
        _ if value.is_empty() => Verdict::Admit,
        Value::String(text) => judge(text),
        _ => Verdict::Reject,
    }
}

/// Judges an image: the number of an attachment, or a URL. The origin sends a HEAD request for a URL if the
/// caller may upload. It must not send requests to hosts that a client chooses (T-17).
pub(super) fn image(value: &Value, judge_context: JudgeContext<'_>) -> Verdict {
    if is_integer(value) {
        return positive_id(value);
    }
    let is_fetched = value
        .as_text()
        .is_some_and(|text| is_hosted(judge_context.images, text));
    match judge_context.caller {
        Caller::Credentialed if is_fetched => Verdict::Defer(Why::Fetch),
        Caller::Credentialed | Caller::Anonymous => Verdict::Reject,
    }
}

pub(super) fn numeric_id(value: &Value) -> Verdict {
    if is_numeric_value(value) {
        positive_id(value)
    } else {
        Verdict::Reject
    }
}

/// Judges a number that may be the id of a record. Zero, negative numbers and numbers that PHP cuts to its
/// largest integer are never ids.
fn positive_id(value: &Value) -> Verdict {
    if (1..i64::MAX).contains(&to_int(value)) {
        IN_DATABASE
    } else {
        Verdict::Reject
    }
}

/// The result of PHP's `(int)` for a scalar.
fn to_int(value: &Value) -> i64 {
    match value {
        Value::String(text) => int_prefix(text),
        Value::Number(number) => number
            .as_int()
            .unwrap_or_else(|| int_prefix(number.as_str().as_bytes())),
        Value::Bool(flag) => i64::from(*flag),
        Value::Null | Value::Array(_) => 0,
    }
}

/// Judges the id of an event, or of a record inside one. The plugin casts any value that is not empty: it reads `29abc`
/// as 29, which fails the type check of an argument later. Arrays and `true` become 1, which is the id of a site's first
/// post; in a record, arrays crash the look-up.
pub(super) fn record_id(value: &Value) -> Verdict {
    match value {
        Value::String(_) | Value::Number(_) => positive_id(value),
        Value::Null | Value::Bool(_) | Value::Array(_) => Verdict::Reject,
    }
}

/// Judges the number in the path of a single event. Before version 6.17.2 of the plugin it must be the id of an
/// event; since then any number passes, and the handler looks for the event. Where the two disagree and the version
/// is not known, the site decides.
pub(super) fn event_number(value: &Value, event_ids: Option<EventIds>) -> Verdict {
    let numeric = Verdict::of(is_numeric_value(value));
    match event_ids {
        Some(EventIds::Existing) => record_id(value),
        Some(EventIds::Numeric) => numeric,
        None => match (record_id(value), numeric) {
            (Verdict::Reject, Verdict::Reject) => Verdict::Reject,
            (found @ Verdict::Defer(_), Verdict::Admit) => found,
            _ => Verdict::Defer(Why::Version),
        },
    }
}

/// Judges a term, given by id, slug or name. Zero and an empty value are not terms; an array inside the list
/// crashes PHP.
pub(super) fn term(value: &Value) -> Verdict {
    let refused = match value {
        Value::Array(_) | Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.trim_ascii().is_empty() || is_int_zero(text),
        Value::Number(number) => number.as_int() == Some(0),
        Value::Bool(true) => false,
    };
    if refused { Verdict::Reject } else { IN_DATABASE }
}

fn is_int_zero(text: &[u8]) -> bool {
    matches!(numeric(text), Some(Numeric::Int(0)))
}

/// Judges a slug, which the plugin looks up; arrays crash the look-up.
pub(super) fn slug(value: &Value) -> Verdict {
    match value {
        Value::String(text) if !value.is_empty() && !text.is_empty() => IN_DATABASE,
        Value::Number(_) if !value.is_empty() => IN_DATABASE,
        Value::Bool(true) => IN_DATABASE,
        _ => Verdict::Reject,
    }
}

/// Judges the `ticketed` filter, which refuses truthy values unless Event Tickets is active.
pub(super) fn ticketed(value: &Value) -> Verdict {
    const TRUTHY: [&[u8]; 7] = [b"1", b"enable", b"enabled", b"on", b"y", b"yes", b"true"];
    let truthy = match value {
        Value::String(text) => TRUTHY.contains(&text.to_ascii_lowercase().as_slice()),
        other => !other.is_empty(),
    };
    if truthy {
        Verdict::Defer(Why::Plugin)
    } else {
        Verdict::Admit
    }
}

/// The text that PHP makes of a scalar.
pub(super) fn as_php_text(value: &Value) -> Cow<'_, [u8]> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Number(number) => Cow::Borrowed(number.as_str().as_bytes()),
        Value::Bool(true) => Cow::Borrowed(b"1"),
        Value::Bool(false) | Value::Null | Value::Array(_) => Cow::Borrowed(b""),
    }
}

/// Returns true if PHP's `is_numeric` accepts the value.
pub(super) fn is_numeric_value(value: &Value) -> bool {
    match value {
        Value::Number(_) => true,
        Value::String(text) => is_numeric(text),
        Value::Null | Value::Bool(_) | Value::Array(_) => false,
    }
}
