//! The headers that clients of the calendar use.

use std::collections::BTreeSet;

use http::{HeaderMap, HeaderName, header};

use super::class::DifferenceClass;
use super::findings::{ExamplePair, PathFindings};
use super::own_hosts::{HostPair, class_beside_hosts};
use super::redact::{ABSENT, text};
use super::scalar::same_url;

/// A header with the reader of the items of its value, whose order has no meaning.
type ComparedHeader = (HeaderName, fn(&str) -> Vec<String>);

const COMPARED: [ComparedHeader; 6] = [
    (header::ALLOW, methods),
    (header::CONTENT_TYPE, media_type),
    (header::LINK, links),
    (header::LOCATION, whole),
    (HeaderName::from_static("x-tec-total"), whole),
    (HeaderName::from_static("x-tec-totalpages"), whole),
];

/// Compares the headers of two responses.
pub(super) fn compare_headers(
    (primary, other): (&HeaderMap, &HeaderMap),
    hosts: HostPair<'_>,
    findings: &mut PathFindings,
) {
    for (name, items) in &COMPARED {
        let [one, two] = [primary, other].map(|headers| value(headers, name));
        let class = match (&one, &two) {
            _ if one == two => continue,
            (Some(one), Some(two)) => match class_of(*items, one, two) {
                DifferenceClass::Different => class_beside_hosts(hosts, one, two),
                class => class,
            },
            _ => DifferenceClass::Different,
        };
        let shown = |value: Option<String>| text(value.as_deref().unwrap_or(ABSENT));
        let example = || ExamplePair::new(shown(one), shown(two));
        findings.add(|| format!(":header.{name}"), (class, false), example);
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

fn class_of(items: fn(&str) -> Vec<String>, one: &str, other: &str) -> DifferenceClass {
    let (own, others) = (items(one), items(other));
    let set = |items: &[String]| -> BTreeSet<String> { items.iter().cloned().collect() };
    if own == others || same_url(one, other) {
        DifferenceClass::Representation
    } else if own.len() == others.len() && set(&own) == set(&others) {
        DifferenceClass::Order
    } else {
        DifferenceClass::Different
    }
}

fn whole(value: &str) -> Vec<String> {
    vec![value.to_owned()]
}

fn methods(value: &str) -> Vec<String> {
    value.split(',').map(|method| method.trim().to_owned()).collect()
}

/// A comma within `<…>` does not end a link.
fn links(value: &str) -> Vec<String> {
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

/// Case and blanks do not matter, and JSON is UTF-8 with or without a parameter for it.
fn media_type(value: &str) -> Vec<String> {
    let mut plain: String = value.to_ascii_lowercase();
    plain.retain(|letter| !letter.is_whitespace() && letter != '"');
    if let Some(json) = plain.strip_suffix(";charset=utf-8")
        && json.ends_with("json")
    {
        plain.truncate(json.len());
    }
    vec![plain]
}
