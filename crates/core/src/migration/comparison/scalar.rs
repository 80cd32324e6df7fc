//! Two values that are not both lists or both objects: the same, the same in another form, or different.
//!
//! Each form has rows in `fixtures/comparison/forms.tsv`.

use super::class::DifferenceClass;
use super::entities::{read_the_same, show_the_same_mail};
use super::facts::is_flag;
use super::instant::WrittenTime;
use super::node::{Node, NodeMembers};
use super::trail::Trail;

/// One pair of values, and the objects that contain them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair<'n, 'a> {
    pub(super) primary: &'n Node<'a>,
    pub(super) other: &'n Node<'a>,
    /// The objects that hold the values as members; none elsewhere.
    pub(super) records: Option<(&'n NodeMembers<'a>, &'n NodeMembers<'a>)>,
}

// === impl Pair ===

impl<'n, 'a> Pair<'n, 'a> {
    /// A pair outside of objects.
    pub(super) const fn of(primary: &'n Node<'a>, other: &'n Node<'a>) -> Self {
        let records = None;
        Self {
            primary,
            other,
            records,
        }
    }
}

/// The class of two values of which at most one is a list or an object with content.
pub(super) fn class_of(pair: Pair<'_, '_>, trail: &Trail<'_>) -> DifferenceClass {
    let Pair { primary, other, .. } = pair;
    if primary == other {
        return DifferenceClass::Identical;
    }
    let is_same = match (primary, other) {
        (Node::Number(one), Node::Number(two)) => same_number(one, two),
        (Node::Text(_), Node::Text(_)) => same_text(pair, trail),
        (Node::Number(number), text @ Node::Text(_)) | (text @ Node::Text(_), Node::Number(number)) => {
            text.text().is_some_and(|text| same_number(number, &text)) || same_flag(primary, other, trail)
        }
        (Node::List(items), Node::Map(members)) | (Node::Map(members), Node::List(items)) => {
            items.is_empty() && members.is_empty()
        }
        (Node::Null, Node::Bool(false)) | (Node::Bool(false), Node::Null) => true,
        _ => same_flag(primary, other, trail),
    };
    if is_same {
        DifferenceClass::Representation
    } else {
        DifferenceClass::Different
    }
}

/// The class of a value that only one response has.
pub(super) const fn class_of_absent(node: Option<&Node<'_>>) -> DifferenceClass {
    match node {
        None | Some(Node::Null | Node::Bool(false)) => DifferenceClass::Representation,
        Some(_) => DifferenceClass::Different,
    }
}

/// Returns true for URLs that differ in scheme, in a slash at the end of the path, or in the case of `%e6` only.
pub(super) fn same_url(one: &str, other: &str) -> bool {
    bare_url(one).is_some_and(|one| bare_url(other).is_some_and(|other| one.eq(other)))
}

/// Returns true for two JSON spellings of one number. Whole numbers are compared exactly, all others as clients read
/// them; `01`, ` 1` and `+1` are none.
fn same_number(one: &str, other: &str) -> bool {
    let both = [one, other];
    let is_number = |text: &&str| {
        !text.contains(char::is_whitespace) && serde_json::from_str::<serde_json::Number>(text).is_ok()
    };
    if !both.iter().all(is_number) {
        return false;
    }
    if let [Ok(one), Ok(other)] = both.map(str::parse::<i128>) {
        return one == other;
    }
    let [one, other] = both.map(str::parse::<f64>);
    one == other
}

fn same_text(pair: Pair<'_, '_>, trail: &Trail<'_>) -> bool {
    let (Some(one), Some(other)) = (pair.primary.text(), pair.other.text()) else {
        return false;
    };
    same_spelling(&one, &other) || same_instant(pair, trail)
}

/// Returns true for texts that are equal once URLs, entities and addresses are read.
pub(super) fn same_spelling(one: &str, other: &str) -> bool {
    one == other || same_url(one, other) || read_the_same(one, other) || show_the_same_mail(one, other)
}

/// Spellings of true and false, at members that the table documents as such.
fn same_flag(one: &Node<'_>, other: &Node<'_>, trail: &Trail<'_>) -> bool {
    is_flag(trail) && flag(one).is_some() && flag(one) == flag(other)
}

fn flag(node: &Node<'_>) -> Option<bool> {
    match node {
        Node::Bool(value) => Some(*value),
        Node::Number("1") => Some(true),
        Node::Number("0") => Some(false),
        Node::Text(_) => match node.text()?.as_str() {
            "1" | "true" => Some(true),
            // `"false"` is a text, which PHP and browsers take for true.
            "0" | "" => Some(false),
            _ => None,
        },
        Node::Null | Node::Number(_) | Node::List(_) | Node::Map(_) => None,
    }
}

fn same_instant(pair: Pair<'_, '_>, trail: &Trail<'_>) -> bool {
    let (Some(one), Some(other)) = (time(pair.primary), time(pair.other)) else {
        return false;
    };
    let Trail::Member(_, name) = trail else {
        return one.is_same(other, None, None);
    };
    if is_utc(name) {
        return one.is_same(other, Some(one), Some(other));
    }
    let (own, others) = pair.records.unzip();
    one.is_same(other, utc_of(name, own), utc_of(name, others))
}

fn time(node: &Node<'_>) -> Option<WrittenTime> {
    WrittenTime::read(&node.text()?)
}

fn is_utc(name: &str) -> bool {
    name.starts_with("utc_") || name.ends_with("_utc")
}

/// The UTC time beside a local one: `utc_start_date` of `start_date`, `modified_utc` of `modified`.
fn utc_of(name: &str, record: Option<&NodeMembers<'_>>) -> Option<WrittenTime> {
    let names = [format!("utc_{name}"), format!("{name}_utc")];
    names.iter().find_map(|name| time(record?.get(name)?))
}

/// The bytes of a URL without its scheme, without slashes at the end of its path, and with escapes in upper case.
fn bare_url(text: &str) -> Option<impl Iterator<Item = u8>> {
    let is_web = |scheme: &str| scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    let (_, rest) = text.split_once("://").filter(|(scheme, _)| is_web(scheme))?;
    if rest.contains(|letter: char| letter.is_whitespace() || letter == '<') {
        return None;
    }
    let (path, behind) = rest.split_at(rest.find(['?', '#']).unwrap_or(rest.len()));
    Some(escapes(path.trim_end_matches('/')).chain(escapes(behind)))
}

/// The bytes of a text, hexadecimal digits behind a percent sign in upper case.
fn escapes(text: &str) -> impl Iterator<Item = u8> {
    let mut digits = 0;
    text.bytes().map(move |byte| {
        let is_digit = digits > 0 && byte.is_ascii_hexdigit();
        digits = if byte == b'%' { 2 } else { digits.max(1) - 1 };
        if is_digit { byte.to_ascii_uppercase() } else { byte }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_are_equal_in_every_spelling() {
        for (one, other) in [
            ("5", "5.0"),
            ("500", "5e2"),
            ("0.05", "5E-2"),
            ("-0", "0.00"),
            ("100", "1.00e+2"),
            ("12345678901234567890123", "1.2345678901234567890123e22"),
        ] {
            assert!(same_number(one, other), "{one} {other}");
        }
        assert!(!same_number("5", "-5"));
        assert!(!same_number("9007199254740993", "9007199254740992"));
    }

    #[test]
    fn other_texts_are_no_numbers() {
        for text in [
            "",
            "01",
            "+1",
            " 1",
            "1.",
            ".5",
            "1e",
            "0x1",
            "-",
            "1e99999999999",
        ] {
            assert!(!same_number(text, text), "{text}");
        }
    }
}
