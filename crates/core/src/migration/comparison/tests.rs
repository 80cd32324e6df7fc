//! Pairs of responses, with the class of each difference.

use http::{HeaderMap, StatusCode};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use calendar_edge_judge::contract::{Operation, table};

// === comparing ===

pub(super) fn operation(name: &str) -> &'static Operation {
    table().named(name).expect(name)
}

pub(super) fn found(findings: &PathFindings) -> Vec<(String, DifferenceClass)> {
    findings
        .iter()
        .map(|finding| (finding.path.clone(), finding.class))
        .collect()
}

pub(super) fn between(operation: &Operation, primary: &[u8], other: &[u8]) -> PathFindings {
    let headers = HeaderMap::new();
    let answer = |body| ComparedResponse {
        status: StatusCode::OK,
        headers: &headers,
        body,
        own_hosts: OwnHosts::NONE,
    };
    compare(operation, answer(primary), answer(other))
}

fn in_text(primary: &str, other: &str) -> Vec<(String, DifferenceClass)> {
    found(&between(
        operation("events.read"),
        primary.as_bytes(),
        other.as_bytes(),
    ))
}

/// Any JSON value.
pub(super) fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::vec((".{0,3}", inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

// === tests ===

proptest! {
    #[test]
    fn any_two_documents_can_be_compared(one in json(), two in json()) {
        let (first, second) = (one.to_string(), two.to_string());
        let findings = between(operation("events.read"), first.as_bytes(), second.as_bytes());
        prop_assert_eq!(findings.is_empty(), first == second, "{:?}", findings);
    }
}

/// One example of each form that counts as the same value, or does not.
#[test]
fn each_documented_form_has_its_class() {
    let text = include_str!("../../../../../fixtures/comparison/forms.tsv");
    let mut count = 0;
    for row in text.lines().skip(1) {
        let cells: Vec<&str> = row.split('\t').collect();
        let [primary, other, class, path] = cells[..] else {
            panic!("four columns: {row}");
        };
        let class: DifferenceClass = class.parse().expect(row);
        let expected = if class == DifferenceClass::Identical {
            vec![]
        } else {
            vec![(path.to_owned(), class)]
        };
        assert_eq!(in_text(primary, other), expected, "{row}");
        count += 1;
    }
    assert!(count >= 20, "{count}");
}

#[test]
fn records_are_paired_by_number() {
    use DifferenceClass::Different;
    let list = |ids: &[u32]| {
        let events: Vec<_> = ids
            .iter()
            .map(|id| json!({"id": id, "title": format!("t{id}")}))
            .collect();
        json!({"events": events}).to_string()
    };
    let at = |path: &str| vec![(path.to_owned(), Different)];
    assert_eq!(in_text(&list(&[1, 2, 3]), &list(&[1, 3])), at("events[]"));
    assert_eq!(in_text(&list(&[1, 2]), &list(&[2, 1])), at("events"));
    let others = in_text(&list(&[1, 2]), &list(&[7, 8]));
    assert_eq!(others, [at("events[].id"), at("events[].title")].concat());
}

#[test]
fn a_status_says_everything() {
    let headers = HeaderMap::new();
    let answer = |status, body| ComparedResponse {
        status,
        headers: &headers,
        body,
        own_hosts: OwnHosts::NONE,
    };
    let findings = compare(
        operation("events.read"),
        answer(StatusCode::OK, b"{}".as_slice()),
        answer(StatusCode::NOT_FOUND, b"[1]"),
    );
    assert_eq!(
        found(&findings),
        [(":status".to_owned(), DifferenceClass::Different)]
    );
}

#[test]
fn headers_of_clients_are_compared() {
    use DifferenceClass::{Different, Order, Representation};
    let cases = [
        (
            "content-type",
            "application/json; charset=UTF-8",
            "application/json",
            Representation,
        ),
        (
            "content-type",
            "application/json",
            "application/ld+json",
            Different,
        ),
        ("content-type", "text/html; charset=utf-8", "text/html", Different),
        ("allow", "GET, POST", "POST, GET", Order),
        ("allow", "GET, POST", "GET,POST", Representation),
        ("allow", "GET, POST", "GET", Different),
        (
            "link",
            "</a,b>; rel=x, </c>; rel=y",
            "</c>; rel=y, </a,b>; rel=x",
            Order,
        ),
        (
            "location",
            "http://h.example/a",
            "https://h.example/a/",
            Representation,
        ),
        ("x-tec-total", "5", "6", Different),
    ];
    for (name, primary, other, class) in cases {
        let [one, two] = [primary, other].map(|value| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            headers.insert("date", value.parse().unwrap());
            headers
        });
        let answer = |headers| ComparedResponse {
            status: StatusCode::OK,
            headers,
            body: b"",
            own_hosts: OwnHosts::NONE,
        };
        let findings = compare(operation("events.read"), answer(&one), answer(&two));
        assert_eq!(
            found(&findings),
            [(format!(":header.{name}"), class)],
            "{primary} {other}"
        );
        let absent = HeaderMap::new();
        let findings = compare(operation("events.read"), answer(&one), answer(&absent));
        assert_eq!(findings.worst(), Different, "{name}");
    }
}

#[test]
fn large_documents_are_compared_in_linear_time() {
    let list = |from: u32| {
        let all: Vec<_> = (from..from + 40_000)
            .map(|id| format!("{{\"id\":{id}}}"))
            .collect();
        format!("{{\"events\":[{}]}}", all.join(","))
    };
    let map = |value: u8| {
        let all: Vec<_> = (0..100_000).map(|n| format!("\"k{n}\":{value}")).collect();
        format!("{{{}}}", all.join(","))
    };
    assert_eq!(in_text(&list(0), &list(1)).len(), 1);
    assert_eq!(in_text(&map(1), &map(2)).len(), 257);
}
