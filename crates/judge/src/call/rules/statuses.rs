//! Post statuses: names that WordPress has, names that a plugin may add, and impossible names.

use super::list::{elements, every};
use crate::call::credentials::Caller;
use crate::wordpress::value::{Value, Verdict, Why};

/// The statuses that every WordPress registers.
const BUILT_IN: [&[u8]; 12] = [
    b"publish",
    b"future",
    b"draft",
    b"pending",
    b"private",
    b"trash",
    b"auto-draft",
    b"inherit",
    b"request-pending",
    b"request-confirmed",
    b"request-failed",
    b"request-completed",
];

/// Maximum length of a status in the database.
const MAX_LENGTH: usize = 20;

/// Judges a status to be written. PHP finds `true` equal to any name; the type check refuses it later.
pub(super) fn judge_written(value: &Value) -> Verdict {
    match value {
        Value::String(name) => registered(name),
        Value::Bool(true) => Verdict::Admit,
        Value::Null | Value::Bool(false) | Value::Number(_) | Value::Array(_) => Verdict::Reject,
    }
}

/// Judges the status filter of a list. Only the origin decides which statuses a caller may read, except that anonymous
/// callers get exactly the published records.
pub(super) fn judge_filter(value: &Value, caller: Caller) -> Verdict {
    let names = elements(value);
    let is_publish = matches!(&names[..], [name] if name.as_text() == Some(b"publish"));
    match caller {
        _ if is_publish => Verdict::Admit,
        Caller::Anonymous => Verdict::Reject,
        Caller::Credentialed => {
            let names = names
                .iter()
                .map(|name| name.as_text().map_or(Verdict::Reject, registered));
            match every(names) {
                Verdict::Admit => Verdict::Defer(Why::Database),
                other => other,
            }
        }
    }
}

/// Judges whether a status of this name exists.
fn registered(name: &[u8]) -> Verdict {
    if BUILT_IN.contains(&name) {
        return Verdict::Admit;
    }
    // WordPress registers names in lower case, from these characters; `any` stands for all of them.
    let possible = (1..=MAX_LENGTH).contains(&name.len())
        && name
            .iter()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'));
    if possible && name != b"any" && name != b"0" {
        Verdict::Defer(Why::Plugin)
    } else {
        Verdict::Reject
    }
}
