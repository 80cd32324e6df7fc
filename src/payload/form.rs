//! Queries and form bodies: `a=1&b[]=2` as PHP reads it.

use http::Method;

use super::content_type::{BodyReading, body_reading};
use super::multipart::parse_multipart;
use super::names::VariableName;
use super::percent::{Plus, decode};
use crate::value::{PhpArray, Value};

/// PHP reads this many variables and drops the rest without a word (`max_input_vars`).
pub const PHP_VARIABLE_LIMIT: usize = 1000;

/// Reads a query or an urlencoded body (CONTRACT section 4). Never fails: PHP takes any bytes.
pub fn parse_form(text: &[u8]) -> PhpArray {
    let mut variables = PhpArray::default();
    for pair in pairs(text).take(PHP_VARIABLE_LIMIT) {
        let (name, value) = split_pair(pair);
        if let Some(name) = VariableName::read(&decode(name, Plus::Space)) {
            name.register(&mut variables, Value::String(decode(value, Plus::Space)));
        }
    }
    settle(&mut variables);
    variables
}

/// The names in a query or urlencoded body that PHP reads as this variable, exactly as they were sent.
pub fn spellings<'a>(text: &'a [u8], name: &[u8]) -> Vec<&'a [u8]> {
    let sent = pairs(text)
        .take(PHP_VARIABLE_LIMIT)
        .map(|pair| split_pair(pair).0);
    let is_meant =
        |sent: &&[u8]| VariableName::read(&decode(sent, Plus::Space)).is_some_and(|read| read.is_of(name));
    sent.filter(is_meant).collect()
}

/// How many variables a query or urlencoded body has, the ones PHP drops included.
pub fn pair_count(text: &[u8]) -> usize {
    pairs(text).count()
}

fn pairs(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == b'&').filter(|pair| !pair.is_empty())
}

fn split_pair(pair: &[u8]) -> (&[u8], &[u8]) {
    match pair.iter().position(|&byte| byte == b'=') {
        Some(equals) => (&pair[..equals], &pair[equals + 1..]),
        None => (pair, &[]),
    }
}

/// Whether a body of this method and type would set `rest_route`, in any spelling PHP knows.
///
/// For requests outside the calendar API: a form field of that name makes the site's front controller serve
/// a REST route on any URL (CONTRACT section 6). A multipart body that cannot be read exactly counts as one
/// that does when the name occurs in it at all.
pub fn names_rest_route(method: &Method, content_type: Option<&[u8]>, body: &[u8]) -> bool {
    match body_reading(method, content_type) {
        BodyReading::Form if method == Method::POST => parse_form(body).get("rest_route").is_some(),
        BodyReading::Multipart {
            boundary: Some(boundary),
        } => match parse_multipart(body, boundary, PHP_VARIABLE_LIMIT) {
            Ok(fields) => fields.get("rest_route").is_some(),
            Err(_) => may_name_rest_route(body),
        },
        BodyReading::Contradictory => {
            parse_form(body).get("rest_route").is_some() || may_name_rest_route(body)
        }
        BodyReading::Form | BodyReading::Json | BodyReading::Multipart { .. } | BodyReading::Ignored => false,
    }
}

/// `rest` and `route` with one byte between them: every spelling a part name can have.
fn may_name_rest_route(body: &[u8]) -> bool {
    body.windows(10)
        .any(|window| window.starts_with(b"rest") && window.ends_with(b"route"))
}

/// Arrays whose keys count up from zero are lists, however they were spelt.
pub(super) fn settle(variables: &mut PhpArray) {
    variables.settle_kinds();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_what_follows_the_thousandth_variable() {
        let mut text = "x=1&".repeat(PHP_VARIABLE_LIMIT);
        text.push_str("page=0");
        assert!(parse_form(text.as_bytes()).get("page").is_none());
        assert_eq!(pair_count(text.as_bytes()), 1001);
    }

    #[test]
    fn keeps_a_second_equals_sign_and_semicolons_in_the_value() {
        let variables = parse_form(b"a=b=c;d=e?f");
        assert_eq!(
            variables.get("a").and_then(Value::as_text),
            Some(&b"b=c;d=e?f"[..])
        );
    }

    #[test]
    fn finds_a_route_in_every_form_php_reads() {
        let multipart = b"--B\r\nContent-Disposition: form-data; name=\"rest.route\"\r\n\r\n/x\r\n--B--";
        let odd = b"--B\nContent-Disposition: form-data; name=rest_route\n\n/x\n--B--";
        let form = Some(&b"application/x-www-form-urlencoded"[..]);
        let parts = Some(&b"multipart/form-data; boundary=B"[..]);
        let cases = [
            (Method::POST, form, &b"a=1&%20rest%5Froute=/x"[..], true),
            (Method::POST, form, b"comment=rest_route", false),
            (Method::PUT, form, b"rest_route=/x", false),
            (Method::POST, None, b"rest_route=/x", false),
            (Method::POST, parts, multipart, true),
            (Method::POST, parts, odd, true),
        ];
        for (method, content_type, body, expected) in cases {
            assert_eq!(
                names_rest_route(&method, content_type, body),
                expected,
                "{method} {body:?}"
            );
        }
    }

    #[test]
    fn finds_every_spelling_of_a_name() {
        let text = b"per.page=1&page=2&per%5Fpage[]=3&+per_page=4&per-page=5";
        let found: [&[u8]; 3] = [b"per.page", b"per%5Fpage[]", b"+per_page"];
        assert_eq!(spellings(text, b"per_page"), found);
    }

    proptest::proptest! {
        #[test]
        fn takes_any_bytes(text: Vec<u8>) {
            let variables = parse_form(&text);
            proptest::prop_assert!(variables.len() <= pair_count(&text));
        }
    }
}
