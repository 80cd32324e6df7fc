//! The headers that clients of the calendar use.

use std::collections::BTreeSet;

use http::{HeaderMap, HeaderName, header};

use super::class::DifferenceClass;
use super::findings::{ExamplePair, PathFindings};
use super::own_hosts::{HostPair, class_beside_hosts};
use super::redact::{ABSENT, text};
use super::scalar::same_url;

/// A header with the rule by which two of its values are compared.
type ComparedHeader = (HeaderName, fn(&str, &str) -> DifferenceClass);

const COMPARED: [ComparedHeader; 6] = [
    (header::ALLOW, methods),
    (header::CONTENT_TYPE, media_type),
    (header::LINK, links),
    (header::LOCATION, url),
    (HeaderName::from_static("x-tec-total"), exact),
    (HeaderName::from_static("x-tec-totalpages"), exact),
];

/// Compares the headers of two answers.
pub(super) fn compare_headers(
    (primary, other): (&HeaderMap, &HeaderMap),
    hosts: HostPair<'_>,
    findings: &mut PathFindings,
) {
    for (name, rule) in &COMPARED {
        let [one, two] = [primary, other].map(|headers| value(headers, name));
        let class = match (&one, &two) {
            (None, None) => continue,
            (Some(one), Some(two)) if one == two => continue,
            (Some(one), Some(two)) => match rule(one, two) {
                DifferenceClass::Different => class_beside_hosts(hosts, one, two),
                class => class,
            },
            _ => DifferenceClass::Different,
        };
        let shown = |value: Option<String>| text(value.as_deref().unwrap_or(ABSENT));
        findings.add(format!(":header.{name}"), class, || {
            ExamplePair::new(shown(one), shown(two))
        });
    }
}

/// All fields of a header as one value.
fn value(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let fields: Vec<_> = headers
        .get_all(name)
        .iter()
        .map(|field| String::from_utf8_lossy(field.as_bytes()).trim().to_owned())
        .collect();
    (!fields.is_empty()).then(|| fields.join(", "))
}

// === rules ===

const fn exact(_: &str, _: &str) -> DifferenceClass {
    DifferenceClass::Different
}

fn url(one: &str, other: &str) -> DifferenceClass {
    same(same_url(one, other))
}

/// Methods are a set.
fn methods(one: &str, other: &str) -> DifferenceClass {
    let items =
        |value: &str| -> Vec<String> { value.split(',').map(|method| method.trim().to_owned()).collect() };
    as_set(&items(one), &items(other))
}

/// Links are a set; a comma within `<…>` does not end one.
fn links(one: &str, other: &str) -> DifferenceClass {
    as_set(&link_values(one), &link_values(other))
}

fn link_values(value: &str) -> Vec<String> {
    let mut is_inside = false;
    let ends = |letter: char| {
        match letter {
            '<' => is_inside = true,
            '>' => is_inside = false,
            _ => {}
        }
        letter == ',' && !is_inside
    };
    value.split(ends).map(|link| link.trim().to_owned()).collect()
}

fn as_set(one: &[String], other: &[String]) -> DifferenceClass {
    if one == other {
        return DifferenceClass::Representation;
    }
    let set = |items: &[String]| -> BTreeSet<String> { items.iter().cloned().collect() };
    if one.len() == other.len() && set(one) == set(other) {
        DifferenceClass::Order
    } else {
        DifferenceClass::Different
    }
}

/// Case and blanks do not matter, and JSON is UTF-8 whether or not the type says so.
fn media_type(one: &str, other: &str) -> DifferenceClass {
    same(bare_type(one) == bare_type(other))
}

fn bare_type(value: &str) -> String {
    let mut plain: String = value.to_ascii_lowercase();
    plain.retain(|letter| !letter.is_whitespace() && letter != '"');
    match plain.strip_suffix(";charset=utf-8") {
        Some(json) if json.ends_with("json") => json.to_owned(),
        _ => plain,
    }
}

const fn same(is_same: bool) -> DifferenceClass {
    if is_same {
        DifferenceClass::Representation
    } else {
        DifferenceClass::Different
    }
}
