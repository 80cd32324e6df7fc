//! Queries and form bodies: `a=1&b[]=2` as PHP reads it.

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

    proptest::proptest! {
        #[test]
        fn takes_any_bytes(text: Vec<u8>) {
            let variables = parse_form(&text);
            proptest::prop_assert!(variables.len() <= pair_count(&text));
        }
    }
}
