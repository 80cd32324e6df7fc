//! Lists as the plugin reads them: `"7, 8"`, `["7", ""]`, `7` (backend.md section 4, last point).

use std::borrow::Cow;

use super::scalar::{as_php_text, numeric_id};
use crate::wordpress::payload::{Plus, decode};
use crate::wordpress::value::numeric::is_blank;
use crate::wordpress::value::{Value, Verdict};

/// The elements of a list value. Text is decoded a second time and split at commas, with the blanks around
/// them. Empty text is dropped. A value that PHP calls empty is the empty list.
pub fn elements(value: &Value) -> Vec<Cow<'_, Value>> {
    if value.is_empty() {
        return Vec::new();
    }
    match value {
        Value::Array(array) => array
            .values()
            .filter(|element| !is_empty_text(element))
            .map(Cow::Borrowed)
            .collect(),
        scalar => {
            let text = as_php_text(scalar);
            let text = decode(&text, Plus::Space);
            split_at_commas(&text)
                .into_iter()
                .filter(|part| !part.is_empty())
                .map(|part| Cow::Owned(Value::text(part)))
                .collect()
        }
    }
}

/// Judges a list element by element. An empty list is refused, and so is a list with a refused element.
/// Otherwise the first element that only the origin can judge defers the list.
pub(super) fn all(elements: &[Cow<'_, Value>], judge: impl Fn(&Value) -> Verdict) -> Verdict {
    if elements.is_empty() {
        return Verdict::Reject;
    }
    every(elements.iter().map(|element| judge(element)))
}

/// The verdict on parts that must all hold.
pub(super) fn every(verdicts: impl IntoIterator<Item = Verdict>) -> Verdict {
    let mut whole = Verdict::Admit;
    for verdict in verdicts {
        match verdict {
            Verdict::Reject => return Verdict::Reject,
            Verdict::Defer(_) if whole == Verdict::Admit => whole = verdict,
            Verdict::Defer(_) | Verdict::Admit => {}
        }
    }
    whole
}

/// Splits at commas, including the blanks on either side of them. Blanks at the outer ends stay.
pub(in crate::call) fn split_at_commas(text: &[u8]) -> Vec<&[u8]> {
    let mut parts: Vec<&[u8]> = text.split(|&byte| byte == b',').collect();
    for part in parts.iter_mut().skip(1) {
        while let [blank, rest @ ..] = part
            && is_blank(*blank)
        {
            *part = rest;
        }
    }
    for part in parts.iter_mut().rev().skip(1) {
        while let [rest @ .., blank] = part
            && is_blank(*blank)
        {
            *part = rest;
        }
    }
    parts
}

/// Judges a number, or a list of numbers inside the list: the plugin looks at each number of an organizer
/// list.
pub(super) fn numeric_ids(value: &Value) -> Verdict {
    match value {
        Value::Array(inner) if inner.is_empty() => Verdict::Reject,
        Value::Array(inner) => every(inner.values().map(numeric_id)),
        scalar => numeric_id(scalar),
    }
}

fn is_empty_text(value: &Value) -> bool {
    matches!(value, Value::String(text) if text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_as_the_plugin_does() {
        let texts = |value: &str| -> Vec<String> {
            let value = Value::text(value);
            elements(&value)
                .iter()
                .map(|e| String::from_utf8_lossy(e.as_text().expect("text")).into_owned())
                .collect()
        };
        assert_eq!(texts("7, 8 ,,9 "), ["7", "8", "9 "]);
        assert_eq!(texts("2%2C3"), ["2", "3"]);
        assert_eq!(texts(" 7"), [" 7"]);
        assert!(texts(" ,").iter().all(|text| text == " "));
        assert!(texts("0").is_empty() && texts("").is_empty() && texts(",").is_empty());
    }
}
