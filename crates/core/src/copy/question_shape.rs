//! Reads that the same rules answer: the operation, the arguments, and the class of each value.

use std::fmt;

use calendar_edge_judge::contract::{Documented, Operation};

use super::question::{CopyTarget, SentParameters};

/// What two reads have in common that are answered by the same rules. No text of a client is in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CopyShape(String);

// === impl CopyShape ===

impl CopyShape {
    /// The most bytes of a shape.
    pub const MOST_BYTES: usize = 200;

    /// The shape of a read; none if it has so many arguments that it is longer.
    pub(super) fn of(operation: &Operation, target: &CopyTarget, sent: &SentParameters) -> Option<Self> {
        let mut text = operation.name.clone();
        if let Some(members) = &sent.members {
            text += match (sent.prints_records(target), members.is_flat()) {
                (false, _) => " _fields=frame",
                (true, true) => " _fields=top",
                (true, false) => " _fields=nested",
            };
        }
        let mut named: Vec<_> = sent.texts.iter().collect();
        named.sort_unstable();
        for (name, value) in named {
            let argument = operation.argument(name.as_bytes());
            let class = argument.map_or("any", |argument| class(name, argument.documented, value));
            text = text + " " + name + "=" + class;
        }
        (text.len() <= Self::MOST_BYTES).then_some(Self(text))
    }
}

impl fmt::Display for CopyShape {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

fn class(name: &str, documented: Documented, value: &str) -> &'static str {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match (name, documented) {
        ("search", _) => searched(value),
        ("order" | "orderby" | "status", _) => {
            let words = [
                "asc",
                "desc",
                "name",
                "slug",
                "id",
                "description",
                "count",
                "publish",
            ];
            let known = words.into_iter().find(|word| value.eq_ignore_ascii_case(word));
            known.unwrap_or("other")
        }
        (_, Documented::Date | Documented::DateTime) => match value.len() {
            _ if is_number(value) => "number",
            _ if value.bytes().any(|byte| byte.is_ascii_lowercase()) => "relative",
            10 => "day",
            _ => "time",
        },
        (_, Documented::Boolean | Documented::BooleanLike | Documented::Any) => match value {
            "1" | "true" => "true",
            "0" | "false" | "" => "false",
            _ => "other",
        },
        ("page", _) if value == "1" => "1",
        _ if is_number(value) => "n",
        _ if value.contains(',') => "list",
        _ => "word",
    }
}

/// A search is read in parts at blanks, quotes and signs, and its letters are compared by weight.
fn searched(value: &str) -> &'static str {
    if value.contains(['"', '\'']) {
        "quoted"
    } else if value.starts_with('-') || value.contains(" -") {
        "without"
    } else if !value.is_ascii() {
        "letters"
    } else if !value
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b' ')
    {
        "signs"
    } else if value.contains(' ') {
        "words"
    } else {
        "word"
    }
}
